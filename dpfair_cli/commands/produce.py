"""What `table`, `plot`, `reproduce` and `sweep` share: run an artefact with a progress bar and say what was written."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from dpfair_cli.artefacts import Artefact, RunOptions
    from dpfair_cli.contracts.specs import Part
    from dpfair_cli.reporting.report import Entry


def run_options(
    *, quick: bool, fresh: bool, collect: bool, data_dir: Path, out: Path | None, jobs: int | None, cluster: str
) -> RunOptions:
    """The shared options as one record; quick results have a folder of their own and never mix with real ones."""
    from dpfair_cli import paths
    from dpfair_cli.artefacts import RunOptions
    from dpfair_cli.running.workers import Workers, default_jobs

    out = out or (paths.folder("results") / "quick" if quick else paths.folder("results"))
    return RunOptions(data_dir, out, Workers(jobs or default_jobs(), cluster), quick, fresh, collect)


def make_artefacts(names: list[str], options: RunOptions, *, dry_run: bool) -> list[Entry]:
    """Make artefacts by name; exits with 1 after the last if a run failed.

    Raises:
        click.ClickException: some runs failed; each was named with its cause.
    """
    from dpfair_cli.artefacts import Artefact
    from dpfair_cli.running import checkpoints, spec

    artefacts = [Artefact(spec.load(name, quick=options.quick), options) for name in names]
    if dry_run:
        for artefact in artefacts:
            print_plan(artefact)
        return []
    for folder in {artefact.folder.parent for artefact in artefacts if options.fresh}:
        checkpoints.put_aside(folder)
    failed, entries = [], []
    with options.workers:
        for artefact in artefacts:
            failed += run_with_progress(artefact)
            if artefact.finished_runs:
                entries.append(artefact.render())
                click.echo(artefact.folder, err=True)
            elif options.collect and artefact.missing_runs:
                raise click.ClickException(f"{artefact.spec.artefact}: the journal holds none of its runs")
    if failed:
        raise click.ClickException(f"{len(failed)} runs failed, first: {failed[0]}")
    return entries


def show_preview(dataset: str, options: Mapping[str, Any], parts: Iterable[Part]) -> Mapping[Part, str]:
    """Say on stderr what was understood of a user's own table; the methods that cannot run on it, and why."""
    from dpfair_cli.preview import preview

    found = preview(dataset, options, parts)
    for line in found.lines() if found else ():
        click.echo(line, err=True)
    return found.refusals if found else {}


def print_plan(artefact: Artefact) -> None:
    """Print each run with hit or miss, and why."""
    for pending in artefact.planned:
        run = pending.run
        given = " ".join(f"{name}={value}" for name, value in run.algorithm.params.items())
        found = f"miss ({pending.reason})" if pending.reason else "hit"
        click.echo(f"{artefact.spec.artefact} {run.dataset.name} {run.algorithm.name} {given} seed={run.seed}: {found}")


def run_with_progress(artefact: Artefact) -> list[str]:
    """Run what is missing under a progress bar; the bar shows the time left."""
    from tqdm import tqdm

    total = 0 if artefact.options.collect else artefact.runs_to_make
    if not artefact.options.collect and artefact.missing_modules:
        names, needs = ", ".join(artefact.missing_modules), ", ".join(sorted(set(artefact.missing_modules.values())))
        click.echo(
            f"{artefact.spec.artefact}: runs of {names} are left out: pip install 'dpfair[deep]' ({needs})", err=True
        )
    with tqdm(total=total, desc=artefact.spec.artefact, unit="run", disable=total == 0, delay=1) as bar:
        failures = artefact.run(lambda count: _advance(bar, count))
    for failure, count in _by_cause(failures).items():
        more = f" (and {count - 1} more runs of it so)" if count > 1 else ""
        click.echo(f"failed: {failure}{more}", err=True)
    return failures


def _by_cause(failures: list[str]) -> dict[str, int]:
    """The first failure of each data set and method for each cause, and how many there are."""
    alike: dict[tuple[str, str], list[str]] = {}
    for failure in failures:
        run, _, cause = re.split(r"(, seed \d+): ", failure, maxsplit=1)
        alike.setdefault((run.partition("(")[0], cause), []).append(failure)
    return {found[0]: len(found) for found in alike.values()}


def _advance(bar: Any, count: int) -> None:
    """Move the bar; once a twentieth is done, say how long the rest takes if that is more than a minute."""
    before, soon = bar.n, bar.total / 20  # a batch ends at least one run, so the bar moves
    bar.update(count)
    seconds = (bar.total - bar.n) * (time.time() - bar.start_t) / bar.n
    if before < soon <= bar.n and seconds > 60:
        bar.write(f"about {seconds / 60:.0f} more minutes; stop at any time, what is done is kept", file=sys.stderr)


def artefacts_of_kind(names: tuple[str, ...], everything: bool, kind: str) -> list[str]:
    """The artefacts of a kind (`table`, `figure`) that were asked for.

    Raises:
        click.UsageError: nothing was asked for, or something of another kind.
    """
    from dpfair_cli.running import spec

    if not names and not everything:
        raise click.UsageError(f"name {kind}s, such as {spec.artefacts()[0]}, or give --all")
    found = spec.artefacts_named(names)
    others = [name for name in found if spec.kind(name) != kind]
    for name in set(others) & set(names):
        raise click.UsageError(f"{name} is no {kind}: use `dpfair {'plot' if kind == 'table' else 'table'}`")
    return [name for name in found if name not in others]


def parse_shared_options(given: dict[str, Any]) -> tuple[RunOptions, bool]:
    """(how to run, only say what would run) from the shared options."""
    dry_run = given.pop("dry_run")
    if given["fresh"] and given["collect"]:
        raise click.UsageError("--fresh runs everything again, --collect nothing: give one of them")
    return run_options(**given), dry_run
