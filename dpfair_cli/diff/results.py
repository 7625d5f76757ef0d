"""The results of one artefact on one side: numbers with runs, published cells and claims."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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

NUMBERS, CELLS, CLAIMS = "numbers", "cells", "claims"
NO_CLAIMS = "without claims and deviations"  # begins the remark on a side that is so compared
RUN = "run"  # the column with the number of the run that a line belongs to


class ComparedNumber(NamedTuple):
    """A mean score of one of the two compared states of the results."""

    mean: float
    """The mean; NaN without runs."""

    std: float
    """The standard deviation (ddof 1); NaN if it is not known."""

    runs: int
    """The number of runs."""

    under: tuple[FinishedRun, ...] = ()
    """The runs."""

    cell: JudgedCell | None = None
    """The published cell with which the mean is compared."""

    dataset: str = ""
    """The name of the data set."""

    method: str = ""
    """The name of the method."""

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
    """The numbers, verdicts and claims of an artefact in one state of the results."""

    numbers: Mapping[str, ComparedNumber] = field(default_factory=dict)
    """The numbers that the artefact shows, by description."""

    cells: Mapping[str, ComparedNumber] = field(default_factory=dict)
    """The published cells, by description."""

    claims: Mapping[str, JudgedClaim] = field(default_factory=dict)
    """The parts of claims, by id."""

    runs: tuple[FinishedRun, ...] = ()
    """The runs of the artefact."""

    remarks: tuple[str, ...] = ()
    """Messages about things that could not be read."""


def results_of_spec(
    runs: Sequence[FinishedRun],
    spec: Spec,
    paper: Paper,
    wanted: frozenset[str],
    rule: PaperRule,
    results: Path | None,
) -> Results:
    """The results of an artefact with a spec; `wanted` names the parts: NUMBERS, CELLS, CLAIMS.

    The levels of the tests are those of `rule`. The evidence for theorems is that of the folder
    `results`; without a folder, there is no evidence.

    Raises:
        DpfairError: a claim or a deviation has a syntax that this code does not know.
    """
    found = match_runs(runs, spec)
    used = tuple(found.values())
    if not used:
        remark = f"none of {len(runs)} runs is in the spec"
        return Results(remarks=(remark,) if runs else ())
    table = run_table([(run, own.row) for run, own in found.items()], spec)
    frame = with_axis_columns(table.reset_index(names=RUN), spec)
    stray = len(runs) - len(used)
    asked, standins = _asked(paper, wanted), _standins(spec, settings_of(used))
    evidence = judgement.theorem_evidence(results, asked.claims_of(spec.name)) if results else {}
    found_here = tested(frame, spec, asked, standins=standins, theorems=evidence)
    cells, claims = explained(found_here, asked, rule)
    of_lines = frame[RUN].to_numpy()
    return Results(
        numbers=_numbers(frame, used, spec) if NUMBERS in wanted else {},
        cells={cell.description: _number(cell, of_lines, used) for cell in cells},
        claims={claim.part.id: claim for claim in claims},
        runs=used,
        remarks=(f"{stray} of {len(runs)} runs are not in the spec",) if stray else (),
    )


def _asked(paper: Paper, wanted: frozenset[str]) -> Paper:
    """The paper without published values or claims that `wanted` (NUMBERS, CELLS, CLAIMS) omits."""
    if CELLS not in wanted:
        own = [deviation for deviation in paper.deviations if deviation.claim]
        paper = replace(paper, published=(), deviations=own)
    return paper if CLAIMS in wanted else replace(paper, claims=())


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
        is_file = file.is_file()
        identity = data_access.replica_identity(file) if is_file else ""
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
