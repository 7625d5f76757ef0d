"""Makes artefacts: their runs under a progress bar, and then their files."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import click

from dpfair_cli.commands import FAILED, MISTAKEN, Stopped, plans

SLOW_SECONDS = 30

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dpfair_cli.commands.options import Rendering
    from dpfair_cli.contracts.training_context import Device
    from dpfair_cli.reporting.judged_artefact import ReportedArtefact
    from dpfair_cli.reproduction.artefact import Artefact
    from dpfair_cli.reproduction.runs import RunOptions
    from dpfair_cli.running.runner import FailedRun


def make_artefacts(
    names: Sequence[str], options: RunOptions, rendering: Rendering
) -> list[ReportedArtefact]:
    """Makes the runs of artefacts and writes their files; with --dry-run, only prints the plan.

    Raises:
        Stopped: some runs failed, after all artefacts were rendered.
    """
    from dpfair_cli.reproduction.whole_paper import write_rules
    from dpfair_cli.running import checkpoints

    artefacts = _artefacts(names, options)
    require_networks(artefacts, options.device)
    if rendering.dry_run:
        plans.show_plans(artefacts, rendering.as_json)
        return []
    for artefact in artefacts:
        artefact.runs.require_data()
    for folder in {artefact.folder.parent for artefact in artefacts if options.fresh}:
        checkpoints.put_aside(folder)
    if options.collect:
        return _collected(artefacts)
    if len(artefacts) == 1:
        say_if_finished(artefacts[0])
    made = _made(artefacts, options)
    entries = list(chain.from_iterable(one.entries for one in made))
    changed = write_rules(artefacts)  # which needs the runs of all artefacts
    entries = [_again(entry, artefacts) if entry.paper in changed else entry for entry in entries]
    if failed := list(chain.from_iterable(one.failures for one in made)):
        raise runs_failed(failed)
    return entries


class Made(NamedTuple):
    """An artefact after its runs."""

    failures: list[FailedRun]
    """The failed runs."""

    entries: list[ReportedArtefact]
    """The artefact with its verdicts, or nothing if none of its runs could be made."""


def _artefacts(names: Sequence[str], options: RunOptions) -> list[Artefact]:
    """The artefacts with these names; before full runs, the files of their papers are validated."""
    from dpfair_cli.commands.input_validation import check_premises
    from dpfair_cli.reproduction.artefact import artefact_of
    from dpfair_cli.running.spec import load

    specs = [load(name, quick=options.quick) for name in names]
    if not options.quick:  # a quick run can omit names that claims use
        check_premises(specs, options.paper)
    return [artefact_of(one, options) for one in specs]


def require_networks(artefacts: Iterable[Artefact], device: Device) -> None:
    """Refuses an accelerator if no run of the artefacts trains a network.

    Raises:
        click.UsageError: the option has no effect.
    """
    if device.is_processor:
        return
    runs = chain.from_iterable(artefact.spec.first_runs() for artefact in artefacts)
    if not any(run.trains_network for run in runs):
        raise click.UsageError(
            f"no run trains a network, so --device {device.name} has no effect: leave it out"
        )


def say_if_finished(artefact: Artefact) -> None:
    """Prints that no run is made, if the journal of the artefact contains all its runs."""
    if not artefact.options.collect and artefact.runs.number == len(artefact.runs.planned):
        found = f"all {artefact.runs.number} runs are in the journal"
        click.echo(f"{found}: --fresh runs them again", err=True)


def _made(artefacts: Sequence[Artefact], options: RunOptions) -> list[Made]:
    """The artefacts after their runs; their files are written.

    Quick runs of an artefact are too few for several processes, so each fork makes whole artefacts.
    """
    from dpfair_cli.reproduction.artefact import map_artefacts
    from dpfair_cli.running import pool

    if options.quick and not options.workers.cluster and len(artefacts) > 1 and pool.forks():
        return map_artefacts(_make_in_one_process, artefacts, "make")
    with options.workers:
        return list(map(_make, artefacts))


def _make_in_one_process(artefact: Artefact) -> Made:
    """The artefact after its runs, all of which the present process makes."""
    from dpfair_cli.reproduction.artefact import Artefact
    from dpfair_cli.running.pool import Workers

    return _make(Artefact(artefact.spec, replace(artefact.options, workers=Workers())))


def _make(artefact: Artefact) -> Made:
    """The artefact after its runs, made under a progress bar; its files are written."""
    failures = run_with_progress(artefact)
    return Made(failures, _rendered(artefact))


def _collected(artefacts: Sequence[Artefact]) -> list[ReportedArtefact]:
    """The artefacts with their verdicts, after the files of their finished runs were written."""
    from dpfair_cli.reproduction.artefact import map_artefacts, read_artefacts
    from dpfair_cli.reproduction.whole_paper import write_rules

    read_artefacts(artefacts)
    write_rules(artefacts)
    return list(chain.from_iterable(map_artefacts(_rendered, artefacts, "render")))


def _rendered(artefact: Artefact) -> list[ReportedArtefact]:
    """The artefact with its verdicts, after its files were written, as a list of one.

    The list is empty if none of the runs of the artefact could be made.
    """
    if not artefact.runs.number:
        if artefact.options.collect and artefact.judgement.missing_runs:
            raise Stopped(
                f"{artefact.spec.artefact}: the journal contains no run of this artefact, so "
                "there is nothing to render",
                MISTAKEN,
            )
        return []
    entry = artefact.render()
    click.echo(artefact.folder, err=True)
    return [entry]


def _again(entry: ReportedArtefact, artefacts: Sequence[Artefact]) -> ReportedArtefact:
    """The artefact of an entry, rendered again."""
    return next(one for one in artefacts if one.spec is entry.spec).render()


@contextmanager
def finished_runs() -> Iterator[None]:
    """A context for a command that reads the finished runs of many artefacts, and makes none."""
    import pandas as pd

    # in tables of few lines, texts of Python take less time than those of Arrow
    with pd.option_context("mode.string_storage", "python"):
        yield


def run_with_progress(artefact: Artefact) -> list[FailedRun]:
    """Makes the missing runs under a progress bar; returns the failed runs."""
    from dpfair_cli.running import progress

    total = 0 if artefact.options.collect else artefact.runs.runs_to_make
    if not artefact.options.collect and artefact.runs.missing_modules:
        click.echo(left_out(artefact), err=True)
    look = {"desc": artefact.spec.artefact, "unit": "run", "disable": total == 0, "delay": 1}
    methods = [one.run.method.name for one in artefact.runs.planned if one.reason]
    with progress.bar(total=total, **look) as bar, notice_if_slow(methods) as notice:

        def tick(count: int) -> None:
            notice.cancel()
            progress.advance(bar, count, "you can stop at any time, finished runs are kept")

        failures = artefact.run(tick)
    for alike in _by_cause(failures):
        more = f" (and {len(alike) - 1} more runs in the same way)" if len(alike) > 1 else ""
        click.echo(f"failed: {alike[0]}{more}", err=True)
    return failures


def _by_cause(failures: Sequence[FailedRun]) -> list[list[FailedRun]]:
    """The failed runs, grouped by data set, method and error."""
    alike: dict[tuple[str, str, str], list[FailedRun]] = {}
    for failed in failures:
        names = (failed.run.dataset.name, failed.run.method.name)
        alike.setdefault((*names, failed.cause), []).append(failed)
    return list(alike.values())


@contextmanager
def notice_if_slow(methods: Iterable[str]) -> Iterator[threading.Timer]:
    """Prints a hint after SLOW_SECONDS without a finished run.

    The first finished run must cancel the timer.
    """
    names = ", ".join(dict.fromkeys(methods))
    words = (
        f"no run has ended in {SLOW_SECONDS} seconds: `dpfair info METHOD` says what makes a fit"
    )
    words = f"{words} long ({names})"
    notice = threading.Timer(SLOW_SECONDS, partial(click.echo, words, err=True))
    notice.daemon = True
    notice.start()
    try:
        yield notice
    finally:
        notice.cancel()


def left_out(artefact: Artefact) -> str:
    """A message about runs that this machine cannot make, with the packages to install."""
    from dpfair_cli.contracts.errors import how_to_install

    names, modules = (
        ", ".join(artefact.runs.missing_modules),
        sorted(set(artefact.runs.missing_modules.values())),
    )
    command = f"{how_to_install(modules)} ({', '.join(modules)})"
    return f"{artefact.spec.artefact}: runs of {names} are left out: {command}"


def runs_failed(failures: Sequence[FailedRun]) -> Stopped:
    """The error that ends a command in which runs failed."""
    number = "1 run" if len(failures) == 1 else f"{len(failures)} runs"
    return Stopped(f"{number} failed, first: {failures[0]}", FAILED)


def artefacts_of_kind(names: tuple[str, ...], everything: bool, kind: str) -> list[str]:
    """The names of the requested artefacts of a kind, `table` or `figure`.

    Raises:
        click.UsageError: no artefact is named, or an artefact is of another kind.
    """
    from dpfair_cli.running.artefact_names import artefacts, artefacts_named

    if not names and not everything:
        first = next((name for name in artefacts() if _kind(name) == kind), "one of a paper")
        raise click.UsageError(
            f"no artefact is named: name {kind}s, such as {first}, or give --all"
        )
    found = artefacts_named(names)
    others = [name for name in found if _kind(name) != kind]
    for name in set(others) & set(names):
        instead = "plot" if kind == "table" else "table"
        raise click.UsageError(f"{name} is not a {kind}: use `dpfair {instead}` instead")
    chosen = [name for name in found if name not in others]
    if not chosen:
        raise click.UsageError(
            f"the names {', '.join(found)} include no {kind}: use `dpfair reproduce` instead"
        )
    return chosen


def _kind(artefact: str) -> str:
    """`table` or `figure`: the kind of an artefact, given by the layout of its spec."""
    from dpfair_cli.running.spec import load

    return "figure" if load(artefact).layout.picture else "table"
