"""Makes artefacts: their plan, their runs under a progress bar, and then their files."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import click

from dpfair_cli.commands import (
    FAILED,
    MISTAKEN,
    SAY_MORE,
    Stopped,
    input_validation,
    options,
    terminal,
)
from dpfair_cli.contracts import errors, specs, training_context
from dpfair_cli.reporting import shown
from dpfair_cli.reproduction import artefact, runs, whole_paper
from dpfair_cli.running import artefact_names, checkpoints, plan, pool, progress, runner, spec

Tell: TypeAlias = Callable[[str], Any]
"""A function that prints a line about one artefact on stderr, or leaves it out."""
KEPT = "you can stop at any time, finished runs are kept"
SLOW_SECONDS = 30
MOST_REASONS = 3  # largest number of reasons in the line of a plan
say: Tell = partial(click.echo, err=True)


class MadeArtefact(NamedTuple):
    """An artefact after its runs.

    Attributes:
        failures: the failed runs.
        entry: the artefact with its verdicts; None if it has no run.
        kept: the number of rows that the journal had before.
        new: the number of rows that were made now.
    """

    failures: Sequence[runner.FailedRun]
    entry: shown.ReportedArtefact | None
    kept: int
    new: int


class Made(NamedTuple):
    """Several artefacts after their runs; the numbers of rows are sums.

    Attributes:
        options: the options with which they were made, or only read if all runs were finished.
        artefacts: the artefacts, as they were planned.
        entries: those that have a run, with their verdicts.
        kept: the number of rows that the journals had before.
        new: the number of rows that were made now.
    """

    options: runs.RunOptions
    artefacts: Sequence[artefact.Artefact] = ()
    entries: Sequence[shown.ReportedArtefact] = ()
    kept: int = 0
    new: int = 0

    @property
    def left_out(self) -> dict[str, str]:
        """The Python module that is not installed, by the name of what has missing runs for it."""
        found = {}
        for one in self.artefacts:
            found.update(one.runs.missing_modules if one.runs.missing else {})
        return found


def make_artefacts(
    names: Sequence[str],
    run_options: runs.RunOptions,
    rendering: options.Rendering,
    tell: Tell = say,
) -> Made:
    """Makes the runs of artefacts and writes their files; with --dry-run, only prints the plan.

    `tell` gets the folder of each artefact and the runs that are left out.

    Raises:
        Stopped: some runs failed, after all artefacts were rendered.
    """
    every = [spec.load(name, quick=run_options.quick) for name in names]
    if not run_options.quick:  # a quick run can omit names that claims use
        input_validation.check_premises(every, run_options.paper)
    if not rendering.dry_run and _are_finished(every, run_options):
        run_options = replace(run_options, collect=True)
    artefacts = [artefact.artefact_of(one, run_options) for one in every]
    require_networks(artefacts, run_options.device)  # also before a plan is printed
    if rendering.dry_run:
        show_plans(artefacts, rendering.as_json)
        return Made(run_options)
    if run_options.collect:
        return _collected(artefacts, run_options, tell)
    return _completed(artefacts, run_options, tell)


def _completed(
    artefacts: Sequence[artefact.Artefact], run_options: runs.RunOptions, tell: Tell
) -> Made:
    """The artefacts after their missing runs; their files are written.

    Raises:
        Stopped: some runs failed, after all artefacts were rendered.
        DpfairError: data of a missing run are not here.
    """
    for one in artefacts:
        one.runs.require_data()  # of all artefacts, before the first run
    for folder in {one.folder.parent for one in artefacts if run_options.fresh}:
        checkpoints.put_aside(folder)
    # of several artefacts, some may well be finished
    if len(artefacts) == 1 and artefacts[0].runs.number == len(artefacts[0].runs.planned):
        everything = f"all {artefacts[0].runs.number} runs are in the journal"
        tell(f"{everything}: --fresh runs them again")
    made = _made(artefacts, run_options, tell)
    failures = list(chain.from_iterable(one.failures for one in made))
    changed = whole_paper.write_rules(artefacts)  # which needs the runs of all artefacts
    entries = [
        one.render() if own.entry.spec.paper in changed else own.entry
        for one, own in zip(artefacts, made, strict=True)
        if own.entry
    ]
    if failures:
        raise runs_failed(failures)
    kept, new = sum(one.kept for one in made), sum(one.new for one in made)
    return Made(run_options, artefacts, entries, kept, new)


def _are_finished(every: Sequence[specs.Spec], run_options: runs.RunOptions) -> bool:
    """Whether the journals have all runs of several artefacts, which several processes then render.

    Raises:
        DpfairError: a journal, a claim or a published cell is malformed.
    """
    if run_options.quick or run_options.fresh or run_options.collect or len(every) == 1:
        return False
    reading = replace(run_options, collect=True)  # which has the same dictionary of artefacts
    artefacts = [artefact.artefact_of(one, reading) for one in every]
    artefact.read_artefacts(artefacts)
    if not any(one.runs.missing for one in artefacts):
        return True
    reading.artefacts.clear()  # they get more runs
    return False


def _collected(
    artefacts: Sequence[artefact.Artefact], run_options: runs.RunOptions, tell: Tell
) -> Made:
    """The artefacts of finished runs; their files are written."""
    with finished_runs():
        artefact.read_artefacts(artefacts)
        whole_paper.write_rules(artefacts)  # which the verdicts follow
        found = artefact.map_artefacts(partial(_rendered, tell=tell), artefacts, "render")
    rows = sum(one.runs.rows_found for one in artefacts)
    return Made(run_options, artefacts, list(filter(None, found)), rows)


def require_networks(
    artefacts: Iterable[artefact.Artefact], device: training_context.Device
) -> None:
    """Refuses an accelerator if no run of the artefacts trains a network.

    Raises:
        click.UsageError: the option has no effect.
    """
    first_runs = chain.from_iterable(one.spec.first_runs() for one in artefacts)
    trains = any(run.trains_network for run in first_runs)
    options.require_network(device, trains, "no run trains a network")


def _made(
    artefacts: Sequence[artefact.Artefact], run_options: runs.RunOptions, tell: Tell
) -> list[MadeArtefact]:
    """The artefacts after their runs; their files are written.

    Quick runs of an artefact are too few for several processes, so each fork makes whole artefacts.
    """
    in_forks = run_options.quick and len(artefacts) > 1 and pool.forks()
    if in_forks and not run_options.workers.cluster:
        # processes that start processes would be more than there are processors
        alone = replace(run_options, workers=pool.Workers())
        return artefact.map_artefacts(
            lambda one: _make(artefact.Artefact(one.spec, alone), tell), artefacts, "make"
        )
    count = len(artefacts)
    places = [f" ({k} of {count})" if count > 1 else "" for k in range(1, count + 1)]
    with run_options.workers:
        pairs = zip(artefacts, places, strict=True)
        return [_make(one, tell, place) for one, place in pairs]


def _make(one: artefact.Artefact, tell: Tell, place: str = "") -> MadeArtefact:
    """The artefact after its runs, made under a progress bar; its files are written."""
    kept = one.runs.rows_found
    failures = run_with_progress(one, tell, place)
    return MadeArtefact(failures, _rendered(one, tell), kept, one.runs.rows_found - kept)


def _rendered(one: artefact.Artefact, tell: Tell) -> shown.ReportedArtefact | None:
    """The artefact with its verdicts, after its files were written; None if no run could be made.

    Raises:
        Stopped: no run is made, and the journal has none.
    """
    if not one.runs.number:
        if one.options.collect and one.missing_runs:
            raise Stopped(
                f"{one.spec.artefact}: the journal contains no run of this artefact, so "
                "there is nothing to render",
                MISTAKEN,
            )
        return None
    entry = one.render()  # the path is said once the files are there
    tell(str(one.folder))
    return entry


@contextmanager
def finished_runs() -> Iterator[None]:
    """A context for a command that reads the finished runs of many artefacts, and makes none."""
    import pandas as pd  # a second, which a command that only prints its help does not wait

    # in tables of few lines, texts of Python take less time than those of Arrow
    with pd.option_context("mode.string_storage", "python"):
        yield


def run_with_progress(
    one: artefact.Artefact, tell: Tell = say, place: str = ""
) -> list[runner.FailedRun]:
    """Makes the missing runs under a progress bar; returns the failed runs.

    `tell` gets the runs that are left out; `place` is that of the artefact among several ones.
    """
    collect = one.options.collect
    waiting = [] if collect else [each for each in one.runs.runnable() if each.reason]
    if not collect and one.runs.missing_modules:
        tell(left_out(one))
    pace = progress.Pace(map(plan.EndedRun.of, waiting))
    name = f"{one.spec.artefact}{place}"
    look = {"desc": name, "unit": "run", "delay": 1, "left": pace.left}
    look["disable"] = not waiting
    methods = [planned.run.method.name for planned in waiting]
    with progress.bar(total=len(waiting), **look) as bar, notice_if_slow(methods) as notice:

        def tick(ended: Sequence[plan.EndedRun]) -> None:
            notice.cancel()  # runs do end
            pace.end(ended)
            # of several artefacts, the rest is that of one
            progress.advance(bar, len(ended), KEPT, of=name if place else "")

        failures = one.run(tick)
    # a mistake in a method fails in each of its runs: it is said once for each data set
    alike: dict[tuple[str, str, str], list[runner.FailedRun]] = {}
    for failed in failures:
        cause = (failed.run.dataset.name, failed.run.method.name, failed.cause)
        alike.setdefault(cause, []).append(failed)
    for first, *others in alike.values():
        more = f" (and {len(others)} more runs in the same way)" if others else ""
        click.echo(f"failed: {first}{more}", err=True)
    return failures


@contextmanager
def notice_if_slow(methods: Iterable[str]) -> Iterator[threading.Timer]:
    """Prints a hint after SLOW_SECONDS without a finished run.

    The first finished run must cancel the timer.
    """
    names = ", ".join(dict.fromkeys(methods))
    words = (
        f"no run has ended in {SLOW_SECONDS} seconds: `dpfair info METHOD` says what makes a fit "
        f"long ({names})"
    )
    notice = threading.Timer(SLOW_SECONDS, partial(click.echo, words, err=True))
    notice.daemon = True  # the process may end before
    notice.start()
    try:
        yield notice
    finally:
        notice.cancel()


def left_out(one: artefact.Artefact) -> str:
    """A message about runs that this machine cannot make, with the packages to install."""
    missing = one.runs.missing_modules
    modules = sorted(set(missing.values()))
    command = f"{errors.how_to_install(modules)} ({', '.join(modules)})"
    return f"{one.spec.artefact}: runs of {', '.join(missing)} are left out: {command}"


def runs_failed(failures: Sequence[runner.FailedRun]) -> Stopped:
    """The error that ends a command in which runs failed."""
    number = "1 run" if len(failures) == 1 else f"{len(failures)} runs"
    return Stopped(f"{number} failed, first: {failures[0]}", FAILED)


def nothing_made(one: artefact.Artefact, failures: Sequence[runner.FailedRun]) -> Stopped:
    """The error that ends a command without a finished run: all failed, or a library is missing."""
    return runs_failed(failures) if failures else Stopped(left_out(one), MISTAKEN)


def show_plans(artefacts: Sequence[artefact.Artefact], as_json: bool) -> None:
    """Prints the planned runs of artefacts.

    One artefact, or `-v`, gives a line for each run; otherwise there is one line for each artefact.
    """
    if as_json:
        terminal.echo_json(list(map(plan_as_json, artefacts)))
        return
    in_full = len(artefacts) == 1 or click.get_current_context().meta.get(SAY_MORE)
    for one in artefacts:
        (print_plan if in_full else _print_plan_summary)(one)


def plan_as_json(one: artefact.Artefact) -> Mapping[str, Any]:
    """The planned runs of an artefact for JSON; each missing run has the reason."""
    runs = [
        {
            "dataset": planned.run.dataset.name,
            "method": planned.run.method.name,
            "params": planned.run.method.params,
            "seed": planned.run.seed,
            "missing because": planned.reason or None,
        }
        for planned in one.runs.planned
    ]
    return {"artefact": one.spec.artefact, "runs": runs}


def print_plan(one: artefact.Artefact) -> None:
    """Prints each planned run with `hit` (in the journal) or `miss`, and the reason of a miss."""
    for planned in one.runs.planned:
        run, name = planned.run, one.spec.artefact
        given = " ".join(f"{key}={value}" for key, value in run.method.params.items())
        found = f"miss ({planned.reason})" if planned.reason else "hit"
        click.echo(f"{name} {run.dataset.name} {run.method.name} {given} seed={run.seed}: {found}")


def _print_plan_summary(one: artefact.Artefact) -> None:
    """Prints one line: the number of runs in the journal, and of missing runs by cause.

    A cause is a data set, a method and a reason.
    """
    missing = [planned for planned in one.runs.planned if planned.reason]
    misses = Counter(
        f"{planned.run.dataset.name} {planned.run.method.name}, {planned.reason}"
        for planned in missing
    )
    parts = [f"{len(one.runs.planned) - len(missing)} hits"]
    parts += [f"{count} misses ({words})" for words, count in misses.most_common(MOST_REASONS)]
    if len(misses) > MOST_REASONS:
        parts.append(f"{len(misses) - MOST_REASONS} more kinds of misses")
    click.echo(f"{one.spec.artefact}: {'; '.join(parts)}")


def artefacts_of_kind(names: tuple[str, ...], kind: str) -> list[str]:
    """The names of the requested artefacts: of papers and patterns, those of a kind.

    An artefact that is named itself may be of either kind, `table` or `figure`.

    Raises:
        click.UsageError: no artefact is named, or a paper has none of the kind.
    """
    if not names:
        known = artefact_names.artefacts()
        first = next((name for name in known if _kind(name) == kind), "one of a paper")
        raise click.UsageError(
            f"no artefact is named: name {kind}s, such as {first}, or all of them by '*'"
        )
    found = artefact_names.artefacts_named(names)  # of a whole paper, those of both kinds
    chosen = [name for name in found if name in names or _kind(name) == kind]
    if not chosen:
        raise click.UsageError(
            f"the names {', '.join(found)} include no {kind}: use `dpfair reproduce` instead"
        )
    return chosen


def _kind(name: str) -> str:
    """`table` or `figure`: the kind of an artefact, given by the layout of its spec."""
    return "figure" if spec.load(name).layout.picture else "table"
