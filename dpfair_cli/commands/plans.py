"""Prints the planned runs of artefacts, for --dry-run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli.commands import SAY_MORE
from dpfair_cli.commands.json_output import echo_json

MOST_REASONS = 3  # largest number of reasons in a line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpfair_cli.reproduction.artefact import Artefact


def show_plans(artefacts: Sequence[Artefact], as_json: bool) -> None:
    """Prints the planned runs of artefacts.

    One artefact, or `-v`, gives a line for each run; otherwise there is one line for each artefact.
    """
    if as_json:
        echo_json(list(map(plan_as_json, artefacts)))
        return
    in_full = len(artefacts) == 1 or click.get_current_context().meta.get(SAY_MORE)
    for artefact in artefacts:
        (print_plan if in_full else print_plan_summary)(artefact)


def show_plan(artefact: Artefact, as_json: bool) -> None:
    """Prints each planned run of an artefact, as text or as JSON."""
    echo_json(plan_as_json(artefact)) if as_json else print_plan(artefact)


def plan_as_json(artefact: Artefact) -> dict[str, Any]:
    """The planned runs of an artefact for JSON; each missing run has the reason."""
    runs = [
        {
            "dataset": planned.run.dataset.name,
            "method": planned.run.method.name,
            "params": planned.run.method.params,
            "seed": planned.run.seed,
            "missing because": planned.reason or None,
        }
        for planned in artefact.runs.planned
    ]
    return {"artefact": artefact.spec.artefact, "runs": runs}


def print_plan(artefact: Artefact) -> None:
    """Prints each planned run with `hit` (in the journal) or `miss`, and the reason of a miss."""
    for planned in artefact.runs.planned:
        run, name = planned.run, artefact.spec.artefact
        given = " ".join(f"{key}={value}" for key, value in run.method.params.items())
        found = f"miss ({planned.reason})" if planned.reason else "hit"
        click.echo(f"{name} {run.dataset.name} {run.method.name} {given} seed={run.seed}: {found}")


def print_plan_summary(artefact: Artefact) -> None:
    """Prints one line: the number of runs in the journal, and of missing runs by cause.

    A cause is a data set, a method and a reason.
    """
    missing = [one for one in artefact.runs.planned if one.reason]
    misses = Counter(
        f"{one.run.dataset.name} {one.run.method.name}, {one.reason}" for one in missing
    )
    parts = [f"{len(artefact.runs.planned) - len(missing)} hits"]
    parts += [f"{count} misses ({words})" for words, count in misses.most_common(MOST_REASONS)]
    if len(misses) > MOST_REASONS:
        parts.append(f"{len(misses) - MOST_REASONS} more kinds of misses")
    click.echo(f"{artefact.spec.artefact}: {'; '.join(parts)}")
