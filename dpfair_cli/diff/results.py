"""The results of one artefact on one side: numbers with runs, published cells and claims.

The spec of the artefact says which numbers it shows, and so how they are named: runs of the two
sides belong to the same number if they have the same place in the artefact, whatever the versions
of code and data that made them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from dpfair_cli import catalog, data_access
from dpfair_cli.contracts.conversion import as_json
from dpfair_cli.contracts.declarations import DataSet, Method, StandIn, Task
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.diff.runs import FinishedRun, settings_of
from dpfair_cli.reproduction import notes
from dpfair_cli.reproduction.runs import compared, run_table, standins
from dpfair_cli.running.plan import protocol_in_row
from dpfair_cli.running.rows import SettingFields
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.decision import by_rule, judge
from dpfair_cli.verdicts.means import shown_scores, with_axis_columns
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.paper_rule import PaperRule
from dpfair_cli.verdicts.wording import describe_parameters

RUN = "run"  # the column with the number of the run that a line belongs to
GROUP = ["dataset", "method"]


class ComparedNumber(NamedTuple):
    """A mean score of one of the two compared states of the results.

    Attributes:
        mean: the mean; NaN without runs.
        std: the standard deviation (ddof 1); NaN if it is not known.
        runs: the number of runs.
        under: the runs; none for printed values.
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
        remark: what could not be read; empty if everything was read.
    """

    numbers: Mapping[str, ComparedNumber] = field(default_factory=dict)
    cells: Mapping[str, ComparedNumber] = field(default_factory=dict)
    claims: Mapping[str, JudgedClaim] = field(default_factory=dict)
    runs: tuple[FinishedRun, ...] = ()
    remark: str = ""


def results_of_spec(
    runs: Sequence[FinishedRun], spec: Spec, paper: Paper, rule: PaperRule, results: Path | None
) -> Results:
    """The results of an artefact with a spec; a re-analysis compares the values in `paper.folder`.

    The levels of the tests are those of `rule`. The evidence for theorems is that of the folder
    `results`; without a folder, there is no evidence.

    Raises:
        DpfairError: a claim or a deviation has a syntax that this code does not know.
    """
    found = {} if spec.is_reanalysis else match_runs(runs, spec)
    # the others are of settings that the spec no longer has
    used = tuple(found.values())
    if spec.is_reanalysis:
        table = compared(spec, paper.folder)
    elif used:
        table = run_table([(run, own.row) for run, own in found.items()], spec)
    else:
        return Results(remark=f"none of {len(runs)} runs is in the spec" if runs else "")
    frame = with_axis_columns(table.reset_index(names=RUN), spec)
    evidence = notes.theorem_evidence(results, paper.claims_of(spec.name)) if results else {}
    others = _standins(spec, settings_of(used))
    judged = judge(frame, spec, paper, standins=others, theorems=evidence)
    decided = by_rule(judged, paper, rule)
    scores = [score for score in shown_scores(spec) if score in frame]  # older runs lack some
    return Results(
        numbers=_numbers(frame, used, spec.layout.axes, scores),
        cells={cell.description: _number(cell, frame, used) for cell in decided.cells},
        claims={claim.part.id: claim for claim in decided.claims},
        runs=used,
    )


def match_runs(runs: Sequence[FinishedRun], spec: Spec) -> dict[Run, FinishedRun]:
    """The finished run for each run of a spec, whatever the versions of code and data.

    If several rows match, the first is taken, because the current rows of a journal come first.
    If a row lacks a parameter of its algorithm, the default of the parameter is assumed.
    """
    known: dict[tuple[str, int], FinishedRun] = {}
    for own in runs:
        known.setdefault((_key_now(own.setting), own.seed), own)
    key_of = cache(_key_of_setting)  # many runs of a spec differ in the seed alone
    keys = ((run, (key_of(run.task, run.dataset, run.method), run.seed)) for run in spec.runs())
    return {run: known[key] for run, key in keys if key in known}


def _key_of_setting(task: Task, dataset: DataSet, method: Method) -> str:
    """The key without versions of the runs of a task, a data set and a method of a spec."""
    values = {
        "dataset": dataset.name,
        "options": dataset.json_options,
        "task": task.name,
        "protocol": protocol_in_row(task),
        "algorithm": method.name,
        "params": method.json_params,
    }
    return SettingFields(values).key_without_versions


@cache
def _key_now(setting: SettingFields) -> str:
    """The key without versions, with the present parameters of the algorithm of a setting.

    A parameter has the value in the setting, or else its default.
    """
    params = setting.values["params"]
    with suppress(DpfairError):  # of an algorithm that does not exist any more
        known = catalog.algorithm(setting.values["algorithm"]).parameters
        defaults = as_json({name: parameter.default for name, parameter in known.items()})
        params = {name: params.get(name, default) for name, default in defaults.items()}
    return SettingFields({**setting.values, "params": params}).key_without_versions


def _standins(spec: Spec, settings: Iterable[SettingFields]) -> dict[str, StandIn]:
    """The data sets that replace those of the paper, judged by the data that the runs used."""
    made_on = {(setting.values["dataset"], setting.values["data"]) for setting in settings}
    replicas = {}
    for dataset in spec.datasets if made_on else ():  # printed values are no data
        file = data_access.replica_path(dataset.source)
        identity = data_access.replica_identity(file) if file.is_file() else ""
        replicas[dataset] = (dataset.name, identity) in made_on
    return standins(replicas)


def _numbers(
    frame: pd.DataFrame, runs: Sequence[FinishedRun], axes: Sequence[str], scores: Sequence[str]
) -> dict[str, ComparedNumber]:
    """The mean of each score, by data set, method, parameters on the axes and name of the score.

    A line of `frame` belongs to one of the runs, or to a point of its curves.
    """
    groups = frame.groupby([*GROUP, *axes], dropna=False, sort=False)
    statistics = groups[list(scores)].agg(["mean", "std", "count"])  # (groups, 3 scores)
    # one sort for all groups: a frame of ten thousands of lines has thousands of them
    numbers = np.asarray(groups.ngroup(), dtype=np.intp)
    ends = np.cumsum(np.bincount(numbers))[:-1]
    lines = np.split(np.argsort(numbers, kind="stable"), ends)
    found = {}
    for place, own, values in zip(statistics.index, lines, statistics.to_numpy(), strict=True):
        dataset, method, *point = cast("tuple[Any, ...]", place)
        known = {axis: value for axis, value in zip(axes, point, strict=True) if pd.notna(value)}
        words = ", ".join(filter(None, (str(dataset), str(method), describe_parameters(known))))
        under = _runs_of(frame, own, runs)
        for score, (mean, std, count) in zip(scores, values.reshape(-1, 3), strict=True):
            if count:  # a score that no run of the group has
                found[f"{words}, {score}"] = ComparedNumber(
                    float(mean), float(std), int(count), under, None, str(dataset), str(method)
                )
    return found


def _runs_of(
    frame: pd.DataFrame, lines: Any, runs: Sequence[FinishedRun]
) -> tuple[FinishedRun, ...]:
    """The finished runs of some lines of a table, each once; none for printed values."""
    numbers = frame[RUN].to_numpy()[lines].tolist() if runs else []  # lines of curves repeat it
    return tuple(runs[k] for k in dict.fromkeys(numbers))


def _number(cell: JudgedCell, frame: pd.DataFrame, runs: Sequence[FinishedRun]) -> ComparedNumber:
    """A published cell as a `ComparedNumber`: our mean, with the runs under the mean."""
    names = cell.published.dataset, cell.published.method
    if not cell.default:  # the paper prints what we have no run of
        return ComparedNumber(math.nan, math.nan, 0, (), cell, *names)
    ours, under = cell.default.ours, _runs_of(frame, list(cell.default.rows), runs)
    return ComparedNumber(ours.mean, ours.std, ours.runs, under, cell, *names)
