"""Runs that are made again on this machine, to show that it gives the committed rows.

The runs on data that dpfair makes itself, such as random graphs, are compared with their committed
rows: the first run of each method on each data set of an artefact. Each other method makes a quick
run. It is compared, too, if the data are here and the journal has the run; on a synthetic replica,
it only has to end without an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from dpfair_cli import catalog, data_access
from dpfair_cli.catalog import matching
from dpfair_cli.contracts.declarations import DataSource, Method
from dpfair_cli.contracts.errors import DpfairError, RunsFailedError
from dpfair_cli.contracts.specs import Run
from dpfair_cli.data_access import Located
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.running import runner, spec
from dpfair_cli.running.plan import PlannedRun, identity
from dpfair_cli.running.rows import Row, SettingFields, line
from dpfair_cli.running.runner import RunBatch

NO_DATA = "data that are not here"  # what a method lacks


class Match(Enum):
    """What a run that was made again says about its committed row."""

    EQUAL = "equal to the byte"
    CLOSE = "equal within the tolerance"
    OTHER = "different"
    NOT_COMPARED = "ended without an error"
    FAILED = "failed"

    @property
    def is_compared(self) -> bool:
        """Whether the run was compared with a committed row."""
        return self in (Match.EQUAL, Match.CLOSE, Match.OTHER)


@dataclass(frozen=True)
class Repetition:
    """A run to make again.

    Attributes:
        artefact: the name of the artefact, or "no artefact".
        planned: the run.
        located: the data, or their replica.
        committed: the committed row of the run; None for a run that is not compared.
    """

    artefact: str
    planned: PlannedRun
    located: Located
    committed: Row | None


class Repeated(NamedTuple):
    """A run that was made again.

    Attributes:
        method: the name of the method.
        match: what the run says about its committed row.
        words: the run in words, with the error of a failed one.
    """

    method: str
    match: Match
    words: str


def choose(artefacts: Sequence[Artefact]) -> tuple[list[Repetition], dict[str, str]]:
    """The runs to make again, and what each method lacks that cannot be run here, by its name.

    The second is the name of a Python module, or `NO_DATA`.
    """
    chosen = [found for one in artefacts for found in _on_made_data(one)]
    taken = {one.planned.run.method.name for one in chosen}
    lacking: dict[str, str] = {}
    for one in artefacts:
        quick = spec.load(one.spec.artefact, quick=True)
        for run in () if one.spec.is_reanalysis else quick.first_runs():
            name = run.method.name
            if name in taken:
                continue
            lacks = _lacks(run, one.options.data_dir)
            lacking.setdefault(name, lacks)
            if not lacks:
                chosen.append(_quick(one, run))
                taken.add(name)
    return chosen, {name: lacks for name, lacks in lacking.items() if name not in taken}


def of_no_artefact(artefacts: Sequence[Artefact], data_dir: Path) -> list[Repetition]:
    """A run of each method of dpfair that no artefact has, on the first data set that fits.

    A method whose result no task scores has no run.
    """
    used = {method.name for one in artefacts for method in one.spec.methods}
    modules = catalog.data_sources.own_modules.items()
    # data of a paper may have a form that only its own methods expect
    common = f"dpfair_cli.{catalog.data_sources.folder}."
    names = [name for name, module in modules if module.startswith(common)]
    every = [one for one in map(catalog.data_source, names) if one.replica or _is_made(one)]
    # a made graph takes a second, and the replica of one half a minute
    sources = sorted(every, key=lambda one: not _is_made(one))
    chosen = []
    for name in sorted(catalog.algorithms.own_modules.keys() - used):
        algorithm = catalog.algorithm(name)
        fitting = (
            one
            for one in sources
            # made records do not have the form that data options ask for
            if not (algorithm.data_options and _is_made(one))
            and algorithm in matching.algorithms_for(one)
        )
        source = next(fitting, None)
        if source is None:
            continue
        study = matching.study_named("", source, [algorithm])
        method = Method(algorithm, algorithm.complete({}), name, published=name)
        dataset = catalog.data_set(source.name, algorithm.data_options)
        run = Run(catalog.task(study.name), dataset, method, seed=0)
        if not _lacks(run, data_dir):
            located = data_access.locate(run.dataset, data_dir=data_dir, replica_ok=True)
            planned = PlannedRun(run, SettingFields(identity(run, located)), "")
            chosen.append(Repetition("no artefact", planned, located, None))
    return chosen


def repeat(one: Repetition, tolerance: float) -> Repeated:
    """The result of making a run again and, if it is compared, of comparing it as `compare`."""
    run = one.planned.run
    words = f"{one.artefact}: {run.dataset.name}, {run.label}, seed {run.seed}"
    try:
        row = make_again(one.planned, one.located)
    except DpfairError as error:
        return Repeated(run.method.name, Match.FAILED, f"{one.artefact}: {error}")
    match = compare(row, one.committed, tolerance) if one.committed else Match.NOT_COMPARED
    return Repeated(run.method.name, match, words)


def make_again(planned: PlannedRun, located: Located) -> Row:
    """The row of a run that is made now, from no checkpoint.

    Raises:
        RunsFailedError: the run fails.
    """
    with TemporaryDirectory() as nothing:
        answer = runner.work(RunBatch(located, (planned,), Path(nothing)))
    for failed in answer.failures:
        raise RunsFailedError(str(failed))
    return answer.rows[0]


def committed_row(found: Artefact, planned: PlannedRun) -> Row | None:
    """The row of a run in the journal, with the present names of its scores; None without one."""
    row = found.runs.journal.rows.get(planned.key)
    return row.under_present_names(found.spec.task.study.renamed) if row else None


def compare(row: Row, committed: Row, tolerance: float) -> Match:
    """Whether a row is equal to the committed one, or no score differs by more than `tolerance`."""
    if line(row) == line(committed):
        return Match.EQUAL
    return Match.CLOSE if difference(row, committed) <= tolerance else Match.OTHER


def difference(row: Mapping[str, Any], committed: Mapping[str, Any]) -> float:
    """The largest difference of a score or a point of a curve, relative to the committed value.

    A value below 1 counts as 1, and NaN equals NaN.
    """
    pairs = zip(_numbers(row), _numbers(committed), strict=True)
    known = [(ours, theirs) for ours, theirs in pairs if None not in (ours, theirs)]
    found = [abs(ours - theirs) / max(1, abs(theirs)) for ours, theirs in known]
    return max((gap for gap in found if not math.isnan(gap)), default=0.0)


def _numbers(row: Mapping[str, Any]) -> list[float]:
    """Every score of a row, and every point of its curves that is a number."""
    points = [point for curve in row.get("curves", {}).values() for point in curve]
    return [value for value in [*row["scores"].values(), *points] if not isinstance(value, str)]


def _on_made_data(one: Artefact) -> Iterator[Repetition]:
    """Yields the first run of each method on each data set that dpfair makes, with its row.

    Networks train too long to be repeated.
    """
    made = {run.dataset.name for run in one.spec.first_runs() if _is_made(run.dataset.source)}
    if one.spec.is_reanalysis or not made:  # without a look at the journal
        return
    seen = set()
    for planned in one.runs.planned:
        run = planned.run
        key = (run.dataset.name, run.method.name)
        if run.dataset.name not in made or run.trains_network or key in seen:
            continue
        committed = committed_row(one, planned)
        if committed:
            seen.add(key)
            yield Repetition(one.spec.artefact, planned, one.runs.located[run.dataset], committed)


def _is_made(source: DataSource) -> bool:
    """Whether dpfair makes the data of a source itself, as it does random graphs."""
    return not (source.files or source.own_files)


def _quick(one: Artefact, run: Run) -> Repetition:
    """A quick run of an artefact, with its committed row if the journal has it."""
    located = data_access.locate(run.dataset, data_dir=one.options.data_dir, replica_ok=True)
    planned = PlannedRun(run, SettingFields(identity(run, located)), "")
    # the journal has no run on a replica, and need not be read
    committed = None if located.replica else committed_row(one, planned)
    return Repetition(one.spec.artefact, planned, located, committed)


def _lacks(run: Run, data_dir: Path) -> str:
    """What a run lacks here: a Python module, or `NO_DATA`; empty if it can be made."""
    needs = filter(None, (run.method.algorithm.needs, run.dataset.source.needs))
    for module in needs:
        if find_spec(module) is None:
            return module
    try:
        data_access.locate(run.dataset, data_dir=data_dir, replica_ok=True)
    except DpfairError:
        return NO_DATA
    return ""
