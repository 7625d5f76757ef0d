"""What `table`, `plot`, `reproduce` and `sweep` share: run an artefact with a progress bar and say
what was written.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
from collections import Counter
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli.commands import FAILED, MISTAKEN, SAY_MORE, Stopped
from dpfair_cli.commands.json_output import echo_json

COLOURS = {
    "reproduced": "green",
    "within noise": "green",
    "undecided": "yellow",
    "differs": "red",
    "refuted": "red",
}
VERDICTS = re.compile(rf"\b({'|'.join(COLOURS)})\b(?: \(\w+\))?")
SLOW_SECONDS = 30
MOST_REASONS = 3  # of misses in a line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dpfair_cli.contracts.layouts import Table
    from dpfair_cli.contracts.specs import Part
    from dpfair_cli.reporting.report import ReportedArtefact
    from dpfair_cli.reproduction.artefact import Artefact, RunOptions


def run_options(
    *,
    quick: bool,
    fresh: bool,
    collect: bool,
    data_dir: Path,
    out: Path | None,
    jobs: int | None,
    cluster: str,
) -> RunOptions:
    """The shared options as one record; quick results have a folder of their own and never mix with
    real ones.
    """
    from dpfair_cli import paths
    from dpfair_cli.reproduction.artefact import RunOptions
    from dpfair_cli.running.workers import Workers, default_jobs

    out = out or (paths.folder("results") / "quick" if quick else paths.folder("results"))
    return RunOptions(
        data_dir, out, Workers(jobs or default_jobs(), cluster), quick, fresh, collect
    )


def make_artefacts(
    names: list[str], options: RunOptions, *, dry_run: bool, as_json: bool
) -> list[ReportedArtefact]:
    """Make artefacts by name, or print what would run; the command ends after the last one if a run
    failed.

    Raises:
        Stopped: some runs failed; each was named with its cause.
    """
    from dpfair_cli.running import checkpoints

    artefacts = _artefacts(names, options)
    if dry_run:
        _show_plans(artefacts, as_json)
        return []
    for artefact in artefacts:
        artefact.require_data()
    for folder in {artefact.folder.parent for artefact in artefacts if options.fresh}:
        checkpoints.put_aside(folder)
    if len(artefacts) == 1:
        say_if_finished(artefacts[0])
    failed, entries = [], []
    with options.workers:
        for artefact in artefacts:
            failed += run_with_progress(artefact)
            entries += _rendered(artefact)
    if failed:
        raise runs_failed(failed)
    return entries


def _show_plans(artefacts: Sequence[Artefact], as_json: bool) -> None:
    """Print what would run: every run of one artefact or if more is asked for, a line for each of
    several.
    """
    if as_json:
        echo_json(list(map(plan_as_json, artefacts)))
        return
    in_full = len(artefacts) == 1 or click.get_current_context().meta.get(SAY_MORE)
    for artefact in artefacts:
        (print_plan if in_full else print_plan_summary)(artefact)


def say_if_finished(artefact: Artefact) -> None:
    """Say that no run is made, where all are in the journal: who changed code of their own waits
    for others.
    """
    if not artefact.options.collect and artefact.finished_runs == len(artefact.planned):
        click.echo(
            f"all {artefact.finished_runs} runs are in the journal: --fresh runs them again",
            err=True,
        )


def _artefacts(names: list[str], options: RunOptions) -> list[Artefact]:
    """The artefacts of that name; a full run does not begin where a file of the paper would be
    refused in the end.
    """
    from dpfair_cli.commands.input_validation import check_premises
    from dpfair_cli.reproduction.artefact import Artefact
    from dpfair_cli.running import spec

    specs = [spec.load(name, quick=options.quick) for name in names]
    if not options.quick:  # which may leave out what claims name
        check_premises(specs)
    return [Artefact(one, options) for one in specs]


def runs_failed(failures: Sequence[str]) -> Stopped:
    """The end of a command in which runs failed."""
    number = "1 run" if len(failures) == 1 else f"{len(failures)} runs"
    return Stopped(f"{number} failed, first: {failures[0]}", FAILED)


def _rendered(artefact: Artefact) -> list[ReportedArtefact]:
    """The artefact with its files written; nothing where none of its runs could be made."""
    if not artefact.finished_runs:
        if artefact.options.collect and artefact.missing_runs:
            raise Stopped(f"{artefact.spec.artefact}: the journal holds none of its runs", MISTAKEN)
        return []
    entry = artefact.render()
    click.echo(artefact.folder, err=True)
    return [entry]


def show_preview(
    dataset: str, options: Mapping[str, Any], parts: Iterable[Part]
) -> Mapping[Part, str]:
    """Say on stderr what was understood of a user's own table; the methods that cannot run on it,
    and why.
    """
    from dpfair_cli.reproduction.preview import preview

    found = preview(dataset, options, parts)
    for line in found.lines() if found else ():
        click.echo(line, err=True)
    return found.refusals if found else {}


def echo_table(table: Table) -> None:
    """Print a table: in a terminal as wide as that is, and with verdicts in colour unless NO_COLOR
    is set.
    """
    from dpfair_cli.reporting import tables

    seen = sys.stdout.isatty()
    text = tables.text(table, width=shutil.get_terminal_size().columns if seen else 0)
    click.echo(coloured(text) if seen and not os.environ.get("NO_COLOR") else text)


def coloured(text: str) -> str:
    """A text with its verdicts in colour."""
    return VERDICTS.sub(lambda found: click.style(found[0], fg=COLOURS[found[1]]), text)


def plan_as_json(artefact: Artefact) -> dict[str, Any]:
    """Each run that would be made or is there, and why; without a reason it is there."""
    runs = [
        {
            "dataset": pending.run.dataset.name,
            "method": pending.run.algorithm.name,
            "params": pending.run.algorithm.params,
            "seed": pending.run.seed,
            "missing because": pending.reason or None,
        }
        for pending in artefact.planned
    ]
    return {"artefact": artefact.spec.artefact, "runs": runs}


def print_plan(artefact: Artefact) -> None:
    """Print each run with hit or miss, and why."""
    for pending in artefact.planned:
        run = pending.run
        given = " ".join(f"{name}={value}" for name, value in run.algorithm.params.items())
        found = f"miss ({pending.reason})" if pending.reason else "hit"
        click.echo(
            f"{artefact.spec.artefact} {run.dataset.name} {run.algorithm.name} {given} seed={run.seed}: {found}"
        )


def print_plan_summary(artefact: Artefact) -> None:
    """Print how many runs are hits, and how many are misses of which data sets, methods and
    reasons, in one line.
    """
    misses = Counter(
        f"{pending.run.dataset.name} {pending.run.algorithm.name}, {pending.reason}"
        for pending in artefact.planned
        if pending.reason
    )
    hits = len(artefact.planned) - misses.total()
    parts = [f"{count} misses ({words})" for words, count in misses.most_common(MOST_REASONS)]
    more = (
        f"{len(misses) - MOST_REASONS} more kinds of misses" if len(misses) > MOST_REASONS else ""
    )
    click.echo(
        f"{artefact.spec.artefact}: {'; '.join(filter(None, (f'{hits} hits', *parts, more)))}"
    )


def run_with_progress(artefact: Artefact) -> list[str]:
    """Run what is missing under a progress bar; the bar shows the time left."""
    from dpfair_cli.running import progress

    total = 0 if artefact.options.collect else artefact.runs_to_make
    if not artefact.options.collect and artefact.missing_modules:
        click.echo(left_out(artefact), err=True)
    look = {"desc": artefact.spec.artefact, "unit": "run", "disable": total == 0, "delay": 1}
    methods = [pending.run.algorithm.name for pending in artefact.planned if pending.reason]
    with progress.bar(total=total, **look) as bar, notice_if_slow(methods) as notice:

        def tick(count: int) -> None:
            notice.cancel()
            progress.advance(bar, count, "stop at any time, what is done is kept")

        failures = artefact.run(tick)
    for failure, count in _by_cause(failures).items():
        more = f" (and {count - 1} more runs of it so)" if count > 1 else ""
        click.echo(f"failed: {failure}{more}", err=True)
    return failures


def _by_cause(failures: Sequence[str]) -> dict[str, int]:
    """The first failure of each data set and method for each cause, and how many there are."""
    alike: dict[tuple[str, str], list[str]] = {}
    for failure in failures:
        run, _, cause = re.split(r"(, seed \d+): ", failure, maxsplit=1)
        alike.setdefault((run.partition("(")[0], cause), []).append(failure)
    return {found[0]: len(found) for found in alike.values()}


@contextmanager
def notice_if_slow(methods: Iterable[str]) -> Iterator[threading.Timer]:
    """Says what can be done where no run has ended after SLOW_SECONDS; the timer is to be cancelled
    by the first.
    """
    names = ", ".join(dict.fromkeys(methods))
    words = f"no run has ended in {SLOW_SECONDS} seconds: `dpfair info METHOD` says what makes a fit long ({names})"
    notice = threading.Timer(SLOW_SECONDS, partial(click.echo, words, err=True))
    notice.daemon = True
    notice.start()
    try:
        yield notice
    finally:
        notice.cancel()


def left_out(artefact: Artefact) -> str:
    """Which runs cannot be made here, and what to install."""
    from dpfair_cli.contracts.extras import how_to_install

    names, modules = (
        ", ".join(artefact.missing_modules),
        sorted(set(artefact.missing_modules.values())),
    )
    command = f"{how_to_install(modules)} ({', '.join(modules)})"
    return f"{artefact.spec.artefact}: runs of {names} are left out: {command}"


def artefacts_of_kind(names: tuple[str, ...], everything: bool, kind: str) -> list[str]:
    """The artefacts of a kind (`table`, `figure`) that were asked for.

    Raises:
        click.UsageError: nothing was asked for, or something of another kind.
    """
    from dpfair_cli.running import spec

    if not names and not everything:
        first = next(
            (name for name in spec.artefacts() if spec.kind(name) == kind), "one of a paper"
        )
        raise click.UsageError(f"name {kind}s, such as {first}, or give --all")
    found = spec.artefacts_named(names)
    others = [name for name in found if spec.kind(name) != kind]
    for name in set(others) & set(names):
        raise click.UsageError(
            f"{name} is no {kind}: use `dpfair {'plot' if kind == 'table' else 'table'}`"
        )
    chosen = [name for name in found if name not in others]
    if not chosen:
        raise click.UsageError(f"no {kind} among {', '.join(found)}: use `dpfair reproduce`")
    return chosen


def parse_shared_options(given: dict[str, Any]) -> tuple[RunOptions, dict[str, bool]]:
    """(how to run, whether only to say what would run and in which form) from the shared options."""
    form = {name: given.pop(name) for name in ("dry_run", "as_json")}
    if form["as_json"] and not form["dry_run"]:
        raise click.UsageError("--json is for --dry-run")
    if given["fresh"] and given["collect"]:
        raise click.UsageError("--fresh runs everything again, --collect nothing: give one of them")
    return run_options(**given), form
