"""The results of one artefact on one side: numbers with runs, published cells and claims.

With a spec, the results are what the artefact shows. Without one, as for a sweep or another
project's journal, a number is named by the options that distinguish its runs, without seeds, data
and versions. An option with a single value on each side, different on the two sides, counts as a
cause of changes and is not part of the name.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli import data_access
from dpfair_cli.contracts.declarations import DataSet, Method, StandIn, Task
from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.diff.runs import FinishedRun, question_now, settings_of
from dpfair_cli.reproduction import judgement
from dpfair_cli.reproduction.runs import run_table
from dpfair_cli.running.plan import protocol_in_row
from dpfair_cli.running.rows import SettingFields, key_without_versions
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.decision import explained, tested
from dpfair_cli.verdicts.means import shown_scores, with_axis_columns
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.paper_rule import PaperRule
from dpfair_cli.verdicts.wording import describe_parameters

RUN = "run"  # the column with the number of the run that a line belongs to
PARTS = ("options", "protocol", "params")  # parts of a row that hold options
Group = tuple[str, str]  # data set and algorithm


class ComparedNumber(NamedTuple):
    """A mean score of one of the two compared states of the results.

    Attributes:
        mean: the mean; NaN without runs.
        std: the standard deviation (ddof 1); NaN if it is not known.
        runs: the number of runs.
        under: the runs.
        cell: the published cell with which the mean is compared.
        dataset: the name of the data set.
        method: the name of the method.
    """

    mean: float
    std: float
    runs: int
    under: tuple[FinishedRun, ...] = ()
    cell: JudgedCell | None = None
    dataset: str = ""
    method: str = ""

    @property
    def published(self) -> float:
        """The published value of a number; NaN if the paper prints no value."""
        return self.cell.published.mean if self.cell else math.nan

    @property
    def full_verdict(self) -> str:
        """The verdict on a number and the kind of deviation; empty without a published value."""
        return self.cell.full_verdict if self.cell else ""


@dataclass(frozen=True, eq=False)
class Results:
    """The results of an artefact in one state.

    Attributes:
        numbers: the numbers that the artefact shows, by description.
        cells: the published cells, by description.
        claims: the parts of claims, by id.
        runs: the runs of the artefact.
        remarks: messages about things that could not be read.
    """

    numbers: Mapping[str, ComparedNumber] = field(default_factory=dict)
    cells: Mapping[str, ComparedNumber] = field(default_factory=dict)
    claims: Mapping[str, JudgedClaim] = field(default_factory=dict)
    runs: tuple[FinishedRun, ...] = ()
    remarks: tuple[str, ...] = ()


def results_of_spec(
    runs: Sequence[FinishedRun], spec: Spec, paper: Paper, rule: PaperRule, results: Path | None
) -> Results:
    """The results of an artefact with a spec.

    The levels of the tests are those of `rule`. The evidence for theorems is that of the folder
    `results`; without a folder, there is no evidence.

    Raises:
        DpfairError: a claim or a deviation has a syntax that this code does not know.
    """
    found = match_runs(runs, spec)
    # the others are of settings that the spec no longer has
    used = tuple(found.values())
    if not used:
        remark = f"none of {len(runs)} runs is in the spec"
        return Results(remarks=(remark,) if runs else ())
    table = run_table([(run, own.row) for run, own in found.items()], spec)
    frame = with_axis_columns(table.reset_index(names=RUN), spec)
    evidence = judgement.theorem_evidence(results, paper.claims_of(spec.name)) if results else {}
    standins = _standins(spec, settings_of(used))
    found_here = tested(frame, spec, paper, standins=standins, theorems=evidence)
    cells, claims = explained(found_here, paper, rule)
    of_lines, stray = frame[RUN].to_numpy(), len(runs) - len(used)
    return Results(
        numbers=_numbers(frame, used, spec),
        cells={cell.description: _number(cell, of_lines, used) for cell in cells},
        claims={claim.part.id: claim for claim in claims},
        runs=used,
        remarks=(f"{stray} of {len(runs)} runs are not in the spec",) if stray else (),
    )


def match_runs(runs: Sequence[FinishedRun], spec: Spec) -> dict[Run, FinishedRun]:
    """The finished run for each run of a spec, whatever the versions of code and data.

    If several rows match, the first is taken, because the current rows of a journal come first.
    If a row lacks a parameter of its algorithm, the default of the parameter is assumed.
    """
    known: dict[tuple[str, int], FinishedRun] = {}
    for run in runs:
        known.setdefault((run.setting.key_without_versions, run.seed), run)
    questions = _questions(spec)
    wanted = {run: (questions[run.task, run.dataset, run.method], run.seed) for run in spec.runs()}
    asked = {*wanted.values()}
    # only if needed: to complete the parameters of all rows takes long
    if not asked <= known.keys():
        for name, run in list(known.items()):
            if name not in asked:
                known.setdefault((question_now(run.setting), run.seed), run)
    return {run: known[name] for run, name in wanted.items() if name in known}


def _questions(spec: Spec) -> dict[tuple[Task, DataSet, Method], str]:
    """The key without versions of the runs of each task, data set and method of a spec."""
    return {
        (run.task, run.dataset, run.method): key_without_versions(
            {
                "dataset": run.dataset.name,
                "options": run.dataset.json_options,
                "task": run.task.name,
                "protocol": protocol_in_row(run.task),
                "algorithm": run.method.name,
                "params": run.method.json_params,
            }
        )
        for run in spec.first_runs()
    }


def _standins(spec: Spec, settings: Iterable[SettingFields]) -> dict[str, StandIn]:
    """The data sets that replace those of the paper, judged by the data that the runs used."""
    made_on = {(setting.values["dataset"], setting.values["data"]) for setting in settings}
    replicas = {}
    for dataset in spec.datasets:
        file = data_access.replica_path(dataset.source)
        identity = data_access.replica_identity(file) if file.is_file() else ""
        replicas[dataset] = (dataset.name, identity) in made_on
    return judgement.standins(replicas)


def _numbers(
    frame: pd.DataFrame, runs: Sequence[FinishedRun], spec: Spec
) -> dict[str, ComparedNumber]:
    """All numbers that the artefact shows, by data set, method, parameters and key of the score."""
    axes = list(spec.layout.axes)
    scores = [score for score in shown_scores(spec) if score in frame]
    groups = frame.groupby(["dataset", "method", *axes], dropna=False, sort=False)
    means = groups[scores].mean()
    tables = (table.to_numpy() for table in (means, groups[scores].std(), groups[scores].count()))
    members = _members(np.asarray(groups.ngroup(), dtype=np.intp), frame[RUN].to_numpy(), runs)
    found = {}
    for place, under, *lines in zip(means.index, members, *tables, strict=True):
        dataset, method, *values = cast("tuple[Any, ...]", place)
        own = {axis: value for axis, value in zip(axes, values, strict=True) if pd.notna(value)}
        words = ", ".join(filter(None, (str(dataset), str(method), describe_parameters(own))))
        for name, mean, std, count in zip(scores, *(line.tolist() for line in lines), strict=True):
            if count:
                found[f"{words}, {name}"] = ComparedNumber(
                    mean, std, count, under, dataset=str(dataset), method=str(method)
                )
    return found


def _members(
    groups: NDArray[np.intp], of_lines: NDArray[np.intp], runs: Sequence[FinishedRun]
) -> Iterator[tuple[FinishedRun, ...]]:
    """Yields the finished runs of each group.

    `groups` gives the group of every line of a table, and `of_lines` its run.
    """
    # one sort for all groups: a frame of ten thousands of lines has thousands of them
    order = np.argsort(groups, kind="stable")
    for part in np.split(of_lines[order], np.cumsum(np.bincount(groups))[:-1]):
        yield tuple(runs[k] for k in dict.fromkeys(part.tolist()))


def _number(
    cell: JudgedCell, of_lines: NDArray[np.intp], runs: Sequence[FinishedRun]
) -> ComparedNumber:
    """A published cell as a `ComparedNumber`: our mean, with the runs under the mean."""
    dataset, method = cell.published.dataset, cell.published.method
    if not cell.default:
        return ComparedNumber(math.nan, math.nan, 0, cell=cell, dataset=dataset, method=method)
    ours, rows = cell.default.ours, list(cell.default.rows)
    under = tuple(runs[k] for k in dict.fromkeys(of_lines[rows].tolist()))
    return ComparedNumber(ours.mean, ours.std, ours.runs, under, cell, dataset, method)


def results_of_rows(
    before: Sequence[FinishedRun], after: Sequence[FinishedRun]
) -> tuple[Results, Results]:
    """The means of the scores of runs before and after, with equal names for equal settings."""
    naming: dict[Group, dict[str, bool]] = {}  # whether an option is part of names, in their order
    for runs in (before, after):
        for (group, name), values in _values(settings_of(runs)).items():
            names = naming.setdefault(group, {})
            names[name] = names.get(name, False) or len(values) > 1
    return _results(before, naming), _results(after, naming)


def _values(settings: Iterable[SettingFields]) -> dict[tuple[Group, str], set[str]]:
    """The values of every option in settings of runs, by data set and algorithm, and name."""
    found: dict[tuple[Group, str], set[str]] = {}
    for setting in settings:
        for name, value in _options(setting).items():
            found.setdefault((_group(setting), name), set()).add(str(value))
    return found


def _group(setting: SettingFields) -> Group:
    return setting.values["dataset"], setting.values["algorithm"]


def _options(setting: SettingFields) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for part in PARTS:
        options |= setting.values[part]
    return options


def _results(runs: Sequence[FinishedRun], naming: Mapping[Group, Mapping[str, bool]]) -> Results:
    words = {one: _words(one, naming.get(_group(one), {})) for one in settings_of(runs)}
    groups: dict[str, list[FinishedRun]] = {}
    for run in runs:
        groups.setdefault(words[run.setting], []).append(run)
    numbers = {}
    for name, members in groups.items():
        for score in members[0].row["scores"]:
            number = _mean(score, tuple(members))
            if number.runs:
                numbers[f"{name}, {score}"] = number
    return Results(numbers=numbers, runs=tuple(runs))


def _words(setting: SettingFields, naming: Mapping[str, bool]) -> str:
    """The name of a setting of runs: data set, algorithm, and the options of `naming`."""
    own = _options(setting)
    told = [name for name, is_part in naming.items() if is_part and name in own]
    values = describe_parameters({name: _plain(own[name]) for name in told})
    return ", ".join(filter(None, (*_group(setting), values)))


def _plain(value: Any) -> Any:
    """A value of an option in a form that can be written as one word."""
    is_plain = isinstance(value, float | int | str) and not isinstance(value, bool)
    return value if is_plain else str(value)


def _mean(score: str, runs: tuple[FinishedRun, ...]) -> ComparedNumber:
    """The mean of a score over the runs that have it."""
    scores = [run.row["scores"].get(score, math.nan) for run in runs]
    values = [value for value in scores if not math.isnan(value)]
    mean = statistics.fmean(values) if values else math.nan
    std = statistics.stdev(values) if len(values) > 1 else math.nan
    dataset, method = _group(runs[0].setting)
    return ComparedNumber(mean, std, len(values), runs, dataset=dataset, method=method)
