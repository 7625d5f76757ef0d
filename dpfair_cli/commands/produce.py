"""Makes and renders artefacts under a progress bar, for `table`, `plot`, `reproduce`, `sweep`."""

from __future__ import annotations

import re
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dpfair_cli.commands import FAILED, MISTAKEN, SAY_MORE, Stopped, terminal
from dpfair_cli.commands.json_output import echo_json

COLOURS = {
    "reproduced": "green",
    "consistent": "green",
    "undecided": "yellow",
    "differs": "red",
    "refuted": "red",
}
VERDICTS = re.compile(rf"\b({'|'.join(COLOURS)})\b(?: \(\w+\))?")
SLOW_SECONDS = 30
MOST_REASONS = 3  # largest number of reasons in a line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from dpfair_cli.contracts.devices import Device
    from dpfair_cli.contracts.layouts import Table
    from dpfair_cli.contracts.resolved import DataSet, Method
    from dpfair_cli.reporting.report import ReportedArtefact
    from dpfair_cli.reproduction.artefact import Artefact, RunOptions
    from dpfair_cli.running.batches import FailedRun


def run_options(
    *,
    quick: bool,
    fresh: bool,
    collect: bool,
    data_dir: Path,
    out: Path | None,
    jobs: int | None,
    cluster: str,
    device: Device | None = None,
    replicas: bool = False,
) -> RunOptions:
    """The options that several commands share, as one record.

    Without `out`, the results go to the folder results, and those of quick runs to results/quick.
    Replicas stand in for missing data in quick runs, and in other runs if `replicas` is set.

    Raises:
        DpfairError: the device of networks is not on this machine, which makes the runs.
    """
    from dpfair_cli import paths
    from dpfair_cli.contracts.devices import CPU
    from dpfair_cli.reproduction.artefact import RunOptions
    from dpfair_cli.running.workers import Workers, default_jobs

    out = out or (paths.folder("results") / "quick" if quick else paths.folder("results"))
    workers = Workers(jobs or default_jobs(), cluster)
    device = device or CPU
    if not (collect or cluster):
        device.require()
    return RunOptions(data_dir, out, workers, quick, fresh, collect, replicas, device)


@contextmanager
def finished_runs() -> Iterator[None]:
    """A context for a command that reads the finished runs of many artefacts, and makes none."""
    import pandas as pd

    from dpfair_cli.running import copies

    # in tables of few lines, texts of Python take less time than those of Arrow
    with copies.all_objects_kept(), pd.option_context("mode.string_storage", "python"):
        yield


def require_networks(artefacts: Iterable[Artefact], device: Device) -> None:
    """Refuses an accelerator if no run of the artefacts trains a network.

    Raises:
        click.UsageError: the option has no effect.
    """
    if device.is_processor:
        return
    settings = (setting for artefact in artefacts for setting in artefact.spec.settings())
    if not any(setting.run(0).trains_network for setting in settings):
        raise click.UsageError(
            f"no run trains a network, so --device {device.name} has no effect: leave it out"
        )


def make_artefacts(
    names: Sequence[str], options: RunOptions, *, dry_run: bool, as_json: bool
) -> list[ReportedArtefact]:
    """Makes the runs of artefacts and writes their files; with `dry_run`, only prints the plan.

    Raises:
        Stopped: some runs failed, after all artefacts were rendered.
    """
    from dpfair_cli.reproduction.whole_paper import write_rules
    from dpfair_cli.running import checkpoints

    artefacts = _artefacts(names, options)
    require_networks(artefacts, options.device)
    if dry_run:
        _show_plans(artefacts, as_json)
        return []
    for artefact in artefacts:
        artefact.require_data()
    for folder in {artefact.folder.parent for artefact in artefacts if options.fresh}:
        checkpoints.put_aside(folder)
    if options.collect:
        return _collected(artefacts)
    if len(artefacts) == 1:
        say_if_finished(artefacts[0])
    made = _made(artefacts, options)
    entries = [entry for one in made for entry in one.entries]
    changed = write_rules(artefacts)  # which needs the runs of all artefacts
    entries = [_again(entry, artefacts) if entry.paper in changed else entry for entry in entries]
    if failed := [failure for one in made for failure in one.failures]:
        raise runs_failed(failed)
    return entries


class Made(NamedTuple):
    """An artefact after its runs."""

    failures: list[FailedRun]
    """The failed runs."""

    entries: list[ReportedArtefact]
    """The artefact with its verdicts, or nothing if none of its runs could be made."""


def _made(artefacts: Sequence[Artefact], options: RunOptions) -> list[Made]:
    """The artefacts after their runs; their files are written.

    Quick runs of an artefact are too few for several processes, so each process makes whole
    artefacts.
    """
    from dpfair_cli.reproduction import at_once
    from dpfair_cli.running.copies import can_copy

    workers = options.workers
    if options.quick and not workers.cluster and len(artefacts) > 1 and can_copy(workers.jobs):
        # without patience: no library starts threads before the process is copied
        return at_once.each(artefacts, _make_in_one_process, "make", patience=0.0)
    made: list[Made] = []
    with workers:
        made += map(_make, artefacts)
    return made


def _make_in_one_process(artefact: Artefact) -> Made:
    """The artefact after its runs, all of which the present process makes."""
    from dpfair_cli.reproduction.artefact import Artefact
    from dpfair_cli.running.workers import Workers

    return _make(Artefact(artefact.spec, replace(artefact.options, workers=Workers())))


def _make(artefact: Artefact) -> Made:
    """The artefact after its runs, made under a progress bar; its files are written."""
    failures = run_with_progress(artefact)
    return Made(failures, _rendered(artefact))


def _collected(artefacts: Sequence[Artefact]) -> list[ReportedArtefact]:
    """The artefacts with their verdicts, after the files of their finished runs were written."""
    from dpfair_cli.reproduction import at_once
    from dpfair_cli.reproduction.whole_paper import write_rules

    at_once.read(artefacts)
    write_rules(artefacts)
    return [entry for found in at_once.each(artefacts, _rendered, "render") for entry in found]


def _again(entry: ReportedArtefact, artefacts: Sequence[Artefact]) -> ReportedArtefact:
    """The artefact of an entry, rendered again."""
    return next(one for one in artefacts if one.spec is entry.spec).render()


def _show_plans(artefacts: Sequence[Artefact], as_json: bool) -> None:
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


def say_if_finished(artefact: Artefact) -> None:
    """Prints that no run is made, if the journal of the artefact contains all its runs."""
    if not artefact.options.collect and artefact.finished_runs == len(artefact.planned):
        found = f"all {artefact.finished_runs} runs are in the journal"
        click.echo(f"{found}: --fresh runs them again", err=True)


def _artefacts(names: Sequence[str], options: RunOptions) -> list[Artefact]:
    """The artefacts with these names; before full runs, the files of their papers are validated."""
    from dpfair_cli.commands.input_validation import check_premises

    if not options.quick:  # a quick run can omit names that claims use
        check_premises(list(map(options.spec, names)), options.paper)
    return list(map(options.artefact, names))


def runs_failed(failures: Sequence[FailedRun]) -> Stopped:
    """The error that ends a command in which runs failed."""
    number = "1 run" if len(failures) == 1 else f"{len(failures)} runs"
    return Stopped(f"{number} failed, first: {failures[0]}", FAILED)


def _rendered(artefact: Artefact) -> list[ReportedArtefact]:
    """The artefact with its verdicts, after its files were written, as a list of one.

    The list is empty if none of the runs of the artefact could be made.
    """
    if not artefact.finished_runs:
        if artefact.options.collect and artefact.missing_runs:
            raise Stopped(
                f"{artefact.spec.artefact}: the journal contains no run of this artefact, so "
                "there is nothing to render",
                MISTAKEN,
            )
        return []
    entry = artefact.render()
    click.echo(artefact.folder, err=True)
    return [entry]


def show_preview(dataset: DataSet, methods: Iterable[Method]) -> Mapping[Method, str]:
    """Prints to stderr how a user's table was interpreted.

    Returns the methods that cannot be run on the table, each with the reason.
    """
    from dpfair_cli.reproduction.preview import preview

    found = preview(dataset, methods)
    for line in found.lines() if found.facts else ():
        terminal.echo(line, indent=4, err=True)
    return found.refusals


def echo_table(table: Table, *, variants: Collection[str] = ()) -> None:
    """Prints a table; in a terminal the table fits the width, and verdicts are coloured.

    In a terminal, the rows of the methods `variants` are left out. The environment variable
    NO_COLOR switches the colours off.
    """
    from dpfair_cli.reporting import tables, terminal_table

    width = terminal.width()
    text = (
        terminal_table.text(table, width=width, left_out=variants) if width else tables.text(table)
    )
    click.echo(coloured(text) if terminal.is_coloured() else text)


def coloured(text: str) -> str:
    """A text in which the names and the symbols of verdicts are coloured."""
    from dpfair_cli.reporting.terminal_table import SYMBOL_OF

    tones = {SYMBOL_OF[word]: tone for word, tone in COLOURS.items() if word in SYMBOL_OF}
    text = VERDICTS.sub(lambda found: click.style(found[0], fg=COLOURS[found[1]]), text)
    symbols = re.compile("|".join(map(re.escape, tones)))
    return re.sub(
        r" (\S) \(",
        lambda found: symbols.sub(lambda one: click.style(one[0], fg=tones[one[0]]), found[0]),
        text,
    )


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
        for planned in artefact.planned
    ]
    return {"artefact": artefact.spec.artefact, "runs": runs}


def print_plan(artefact: Artefact) -> None:
    """Prints each planned run with `hit` (in the journal) or `miss`, and the reason of a miss."""
    for planned in artefact.planned:
        run, name = planned.run, artefact.spec.artefact
        given = " ".join(f"{key}={value}" for key, value in run.method.params.items())
        found = f"miss ({planned.reason})" if planned.reason else "hit"
        click.echo(f"{name} {run.dataset.name} {run.method.name} {given} seed={run.seed}: {found}")


def print_plan_summary(artefact: Artefact) -> None:
    """Prints one line: the number of runs in the journal, and of missing runs by cause.

    A cause is a data set, a method and a reason.
    """
    missing = [one for one in artefact.planned if one.reason]
    misses = Counter(
        f"{one.run.dataset.name} {one.run.method.name}, {one.reason}" for one in missing
    )
    parts = [f"{len(artefact.planned) - len(missing)} hits"]
    parts += [f"{count} misses ({words})" for words, count in misses.most_common(MOST_REASONS)]
    if len(misses) > MOST_REASONS:
        parts.append(f"{len(misses) - MOST_REASONS} more kinds of misses")
    click.echo(f"{artefact.spec.artefact}: {'; '.join(parts)}")


def run_with_progress(
    artefact: Artefact, meanwhile: Callable[[], Any] = lambda: None
) -> list[FailedRun]:
    """Makes the missing runs under a progress bar; returns the failed runs.

    `meanwhile` is called as by `runner.execute`.
    """
    from dpfair_cli.running import progress

    total = 0 if artefact.options.collect else artefact.runs_to_make
    if not artefact.options.collect and artefact.missing_modules:
        click.echo(left_out(artefact), err=True)
    look = {"desc": artefact.spec.artefact, "unit": "run", "disable": total == 0, "delay": 1}
    methods = [one.run.method.name for one in artefact.planned if one.reason]
    with progress.bar(total=total, **look) as bar, notice_if_slow(methods) as notice:

        def tick(count: int) -> None:
            notice.cancel()
            progress.advance(bar, count, "you can stop at any time, finished runs are kept")

        failures = artefact.run(tick, meanwhile)
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
    from dpfair_cli.contracts.extras import how_to_install

    names, modules = (
        ", ".join(artefact.missing_modules),
        sorted(set(artefact.missing_modules.values())),
    )
    command = f"{how_to_install(modules)} ({', '.join(modules)})"
    return f"{artefact.spec.artefact}: runs of {names} are left out: {command}"


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


def parse_shared_options(given: dict[str, Any]) -> tuple[RunOptions, dict[str, bool]]:
    """The run options, and `dry_run` and `as_json`, from the options that commands share."""
    form = {name: given.pop(name) for name in ("dry_run", "as_json")}
    if form["as_json"] and not form["dry_run"]:
        raise click.UsageError("--json can only be given together with --dry-run")
    if given["fresh"] and given["collect"]:
        raise click.UsageError(
            "--fresh and --collect exclude each other: --fresh makes every run again, "
            "--collect makes no run; give one of them"
        )
    return run_options(**given), form
