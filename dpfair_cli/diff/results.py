"""What one side says of one artefact: its numbers, each with the runs under it, its published cells
and its claims.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.declarations import StandIn
from dpfair_cli.contracts.resolved import DataSet, Method
from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.data_access import locating
from dpfair_cli.diff.runs import FinishedRun, Setting, settings_of
from dpfair_cli.reproduction import artefact
from dpfair_cli.running.plan import key_without_versions
from dpfair_cli.verdicts.decision import decide_cells_and_claims, name_verdict
from dpfair_cli.verdicts.means import shown_scores, to_records, with_axis_columns
from dpfair_cli.verdicts.published import Paper
from dpfair_cli.verdicts.wording import describe_parameters, label

NUMBERS, CELLS, CLAIMS = "numbers", "cells", "claims"
EVERYTHING = frozenset((NUMBERS, CELLS, CLAIMS))
SHOWN = (
    "cell",
    "mean",
    "std",
    "runs",
    "published_mean",
    "verdict",
    "kind",
    "line",
    "members",
)  # of a published cell
RUN = "run"  # the column that says which row of the journal a line is of


class State(NamedTuple):
    """A number on one side: mean, deviation (ddof 1) and number of runs; of a published cell also
    the rest.

    `line` is where the published cell stands in published.csv, `under` are the runs that the mean
    is of.
    """

    mean: float
    std: float
    runs: int
    published: float = math.nan
    verdict: str = ""
    line: int = 0
    under: tuple[FinishedRun, ...] = ()


class Claimed(NamedTuple):
    """A part of a claim on one side: its verdict, the reason in numbers, and what it says as
    predicates.
    """

    verdict: str
    reason: str
    text: str


@dataclass(frozen=True, eq=False)
class Results:
    """What one side says of an artefact.

    `numbers` and `cells` (the published ones) are by their description, `claims` by id; `runs` are
    those that they are of, `remarks` what could not be read.
    """

    numbers: Mapping[str, State] = field(default_factory=dict)
    cells: Mapping[str, State] = field(default_factory=dict)
    claims: Mapping[str, Claimed] = field(default_factory=dict)
    runs: tuple[FinishedRun, ...] = ()
    remarks: tuple[str, ...] = ()


def results_of_spec(
    runs: Sequence[FinishedRun], spec: Spec, paper: Paper, wanted: frozenset[str] = EVERYTHING
) -> Results:
    """What runs say of an artefact with a spec: of NUMBERS that it shows, published CELLS and
    CLAIMS those `wanted`.

    Raises:
        DpfairError: a claim or a deviation is of a grammar that this code does not know.
    """
    found = match_runs(runs, spec)
    used = tuple(found.values())
    if not used:
        return Results(
            remarks=(f"none of its {len(runs)} runs is one of its spec",) if runs else ()
        )
    pairs = list(enumerate(found.items()))
    frame = pd.DataFrame(
        [line | {RUN: k} for k, (run, own) in pairs for line in artefact.lines(run, own.row, spec)]
    )
    frame = with_axis_columns(frame, spec)
    stray = len(runs) - len(used)
    remarks = [f"{stray} of its {len(runs)} runs are none of its spec"] if stray else []
    asked = _asked(paper, wanted)
    cells, claims = decide_cells_and_claims(
        frame, spec, asked, standins=_standins(spec, settings_of(used))
    )
    of_lines = frame[RUN].to_numpy()
    return Results(
        numbers=_numbers(frame, used, spec) if NUMBERS in wanted else {},
        cells={line["cell"]: _cell(line, of_lines, used) for line in _default_lines(cells)},
        claims=_claims(claims, asked, spec),
        runs=used,
        remarks=tuple(remarks),
    )


def _asked(paper: Paper, wanted: frozenset[str]) -> Paper:
    """The paper with what is wanted of it alone."""
    if CELLS not in wanted:
        own = [entry for entry in paper.deviations if "claim" in entry]
        paper = replace(paper, published=paper.published[:0], deviations=own)
    return paper if CLAIMS in wanted else replace(paper, claims=[])


def match_runs(runs: Sequence[FinishedRun], spec: Spec) -> dict[Run, FinishedRun]:
    """The journal's run of each run of a spec, whatever version of the code and of the data made
    it.

    Of several the first one holds: a journal has those of its day first. A run that lacks
    parameters which its algorithm has gained since counts as having their defaults.
    """
    known: dict[tuple[str, int], FinishedRun] = {}
    for run in runs:
        known.setdefault((run.setting.question, run.seed), run)
    questions = _questions(spec)
    wanted = {run: (questions[run.dataset, run.method], run.seed) for run in spec.runs()}
    asked = {*wanted.values()}
    if not asked <= known.keys():
        for name, run in list(known.items()):
            if name not in asked:
                known.setdefault((run.setting.question_now, run.seed), run)
    return {run: known[name] for run, name in wanted.items() if name in known}


def _questions(spec: Spec) -> dict[tuple[DataSet, Method], str]:
    """What the runs of a data set and a method ask, as `Setting.question` has it."""
    protocol = {"task": spec.task.name, "protocol": spec.task.json_protocol}
    return {
        (dataset, method): key_without_versions(
            {
                "dataset": dataset.name,
                "options": dataset.json_options,
                **protocol,
                "algorithm": method.name,
                "params": method.json_params,
            }
        )
        for dataset in spec.datasets
        for method in spec.methods
    }


def _standins(spec: Spec, settings: Iterable[Setting]) -> dict[str, StandIn]:
    """The data sets that are not the paper's own, by the data that the runs were made on."""
    made_on = {(setting.row["dataset"], setting.row["data"]) for setting in settings}
    replicas = {}
    for dataset in spec.datasets:
        file = locating.replica_path(dataset.source)
        is_file = file.is_file()
        identity = locating.replica_identity(file) if is_file else ""
        replicas[dataset] = (dataset.name, identity) in made_on
    return artefact.standins(replicas)


def _numbers(frame: pd.DataFrame, runs: Sequence[FinishedRun], spec: Spec) -> dict[str, State]:
    """Every number that the artefact shows, by data set, method, parameters and score."""
    axes = list(spec.layout.axes)
    scores = [score for score in shown_scores(spec) if score in frame]
    labels = [label(score, spec) for score in scores]
    groups = frame.groupby(["dataset", "method", *axes], dropna=False, sort=False)
    means = groups[scores].mean()
    tables = (table.to_numpy() for table in (means, groups[scores].std(), groups[scores].count()))
    members = _members(np.asarray(groups.ngroup(), dtype=np.intp), frame[RUN].to_numpy(), runs)
    found = {}
    for place, under, *lines in zip(means.index, members, *tables, strict=True):
        dataset, method, *values = cast("tuple[Any, ...]", place)
        own = {axis: value for axis, value in zip(axes, values, strict=True) if pd.notna(value)}
        words = ", ".join(filter(None, (str(dataset), str(method), describe_parameters(own))))
        for name, mean, std, count in zip(labels, *(line.tolist() for line in lines), strict=True):
            if count:
                found[f"{words}, {name}"] = State(mean, std, count, under=under)
    return found


def _members(
    groups: NDArray[np.intp], of_lines: NDArray[np.intp], runs: Sequence[FinishedRun]
) -> Iterator[tuple[FinishedRun, ...]]:
    """The runs of each group, each once; `groups` says of every line in which group it is,
    `of_lines` of which run.
    """
    order = np.argsort(groups, kind="stable")
    for part in np.split(of_lines[order], np.cumsum(np.bincount(groups))[:-1]):
        yield tuple(runs[k] for k in dict.fromkeys(part.tolist()))


def _default_lines(cells: pd.DataFrame) -> list[dict[str, Any]]:
    """The lines of the default variants."""
    return to_records(cells.loc[cells["is_default"].astype(bool), list(SHOWN)])


def _cell(
    line: Mapping[str, Any], of_lines: NDArray[np.intp], runs: Sequence[FinishedRun]
) -> State:
    """A published cell, by its line of `compare_cells`."""
    verdict = name_verdict(line["verdict"], line["kind"])
    under = tuple(runs[k] for k in dict.fromkeys(of_lines[list(line["members"])].tolist()))
    count = 0 if pd.isna(line["runs"]) else int(line["runs"])
    return State(
        line["mean"], line["std"], count, line["published_mean"], verdict, int(line["line"]), under
    )


def _claims(claims: pd.DataFrame, paper: Paper, spec: Spec) -> dict[str, Claimed]:
    texts = {
        claim["id"]: json.dumps(claim, sort_keys=True, default=str)
        for claim in paper.claims_of(spec.name)
    }
    lines = to_records(claims)
    return {
        line["id"]: Claimed(
            name_verdict(line["verdict"], line["kind"]), line["reason"], texts[line["id"]]
        )
        for line in lines
    }
