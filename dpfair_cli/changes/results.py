"""What one side says of one artefact: its numbers, each with the runs under it, its published cells and its claims."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

import pandas as pd

from dpfair_cli import artefacts, catalog
from dpfair_cli.changes.sides import Side
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.data_access import locating
from dpfair_cli.running.journal import Row, parse
from dpfair_cli.running.migration import migrate
from dpfair_cli.running.plan import as_json, key_without_versions
from dpfair_cli.verdicts.decision import decide_cells_and_claims, name_verdict
from dpfair_cli.verdicts.means import shown_scores, to_records, with_axis_columns
from dpfair_cli.verdicts.published import Paper
from dpfair_cli.verdicts.wording import describe_parameters, label

NUMBERS, CELLS, CLAIMS = "numbers", "cells", "claims"
EVERYTHING = frozenset((NUMBERS, CELLS, CLAIMS))
RUN = "run"  # the column that says which row of the journal a line is of


class State(NamedTuple):
    """A number on one side: mean, deviation (ddof 1) and number of runs; of a published cell also the rest.

    `line` is where the published cell stands in published.csv.
    """

    mean: float
    std: float
    runs: int
    published: float = math.nan
    verdict: str = ""
    line: int = 0
    rows: tuple[Row, ...] = ()


class Claimed(NamedTuple):
    """A part of a claim on one side: its verdict, the reason in numbers, and what it says as predicates."""

    verdict: str
    reason: str
    text: str


@dataclass(frozen=True, eq=False)
class Results:
    """What one side says of an artefact.

    `numbers` and `cells` (the published ones) are by their description, `claims` by id; `rows` are the runs that they
    are of, `remarks` what could not be read.
    """

    numbers: Mapping[str, State] = field(default_factory=dict)
    cells: Mapping[str, State] = field(default_factory=dict)
    claims: Mapping[str, Claimed] = field(default_factory=dict)
    rows: Sequence[Row] = ()
    remarks: tuple[str, ...] = ()


def read_rows(side: Side, artefact: str) -> list[Row]:
    """The rows of an artefact's journal on a side, none if it has no journal; a torn last line is none."""
    file = side.journals.get(artefact)
    content = file.read_bytes() if file else b""
    return parse(content[: content.rfind(b"\n") + 1], file.name if file else "")


def results_of_spec(rows: Sequence[Row], spec: Spec, paper: Paper, wanted: frozenset[str] = EVERYTHING) -> Results:
    """What rows say of an artefact with a spec: of NUMBERS that it shows, published CELLS and CLAIMS those `wanted`.

    Raises:
        DpfairError: a claim or a deviation is of a grammar that this code does not know.
    """
    found = match_runs(rows, spec)
    used = list(found.values())
    if not used:
        return Results(remarks=(f"none of its {len(rows)} runs is one of its spec",) if rows else ())
    pairs = list(enumerate(found.items()))
    frame = pd.DataFrame([line | {RUN: k} for k, (run, row) in pairs for line in artefacts.lines(run, row, spec)])
    frame = with_axis_columns(frame, spec)
    stray = len(rows) - len(used)
    remarks = [f"{stray} of its {len(rows)} runs are none of its spec"] if stray else []
    asked = _asked(paper, wanted)
    cells, claims = decide_cells_and_claims(frame, spec, asked, standins=_standins(spec, used))
    return Results(
        numbers=_numbers(frame, used, spec) if NUMBERS in wanted else {},
        cells={line["cell"]: _cell(line, frame, used, spec) for line in to_records(cells) if line["is_default"]},
        claims=_claims(claims, asked, spec),
        rows=used,
        remarks=tuple(remarks),
    )


def _asked(paper: Paper, wanted: frozenset[str]) -> Paper:
    """The paper with what is wanted of it alone."""
    if CELLS not in wanted:
        own = [entry for entry in paper.deviations if "claim" in entry]
        paper = replace(paper, published=paper.published[:0], deviations=own)
    return paper if CLAIMS in wanted else replace(paper, claims=[])


def match_runs(rows: Sequence[Row], spec: Spec) -> dict[Run, Row]:
    """The row of each run of a spec, whatever version of the code and of the data made it.

    Of several rows the first one holds: a journal has those of its day first. A row that lacks parameters which its
    algorithm has gained since counts as having their defaults.
    """
    known: dict[str, Row] = {}
    for row in rows:
        known.setdefault(key_without_versions(row), row)
    params = {part: as_json(part.params) for part in (spec.task, *spec.datasets, *spec.algorithms)}
    wanted = {run: _question(run, params) for run in spec.runs()}
    asked = {*wanted.values()}
    if not asked <= known.keys():
        for name, row in list(known.items()):
            if name not in asked:
                known.setdefault(key_without_versions(_completed(row)), row)
    return {run: known[name] for run, name in wanted.items() if name in known}


def _completed(row: Row) -> Row:
    try:
        return migrate(row)
    except (DpfairError, KeyError):  # of an algorithm that is gone
        return row


def _question(run: Run, params: Mapping[Any, Row]) -> str:
    """The key of a run without its data and versions."""
    row = {"dataset": run.dataset.name, "task": run.task.name, "algorithm": run.algorithm.name, "seed": run.seed}
    own = catalog.dataset(run.dataset.name).own_files
    row |= {"options": {name: value for name, value in params[run.dataset].items() if name not in own}}
    return key_without_versions(row | {"protocol": params[run.task], "params": params[run.algorithm]})


def _standins(spec: Spec, rows: Iterable[Row]) -> dict[str, str]:
    """The data sets that are not the paper's own, by the data that the rows were made on."""
    made_on = {(row["dataset"], row["data"]) for row in rows}
    found = {}
    for part in spec.datasets:
        file = locating.replica_path(part.name)
        replica = file.is_file() and (part.name, locating.replica_identity(file)) in made_on
        found[part.name] = artefacts.standin(part.name, replica=replica)
    return {name: word for name, word in found.items() if word}


def _numbers(frame: pd.DataFrame, rows: Sequence[Row], spec: Spec) -> dict[str, State]:
    """Every number that the artefact shows, by data set, method, parameters and score."""
    axes = list(spec.layout.axes)
    scores = [score for score in shown_scores(spec) if score in frame]
    groups = frame.groupby(["dataset", "method", *axes], dropna=False, sort=False)
    table = groups[scores].agg(["mean", "std", "count"]).to_numpy().reshape(groups.ngroups, len(scores), 3)
    found = {}
    for k, (place, members) in enumerate(groups[RUN].agg(list).items()):
        dataset, method, *values = cast("tuple[Any, ...]", place)
        own = {axis: value for axis, value in zip(axes, values, strict=True) if pd.notna(value)}
        under = tuple(rows[member] for member in dict.fromkeys(members))
        for score, (mean, std, count) in zip(scores, table[k], strict=True):
            words = (str(dataset), str(method), describe_parameters(own), label(score, spec))
            if count:
                found[", ".join(filter(None, words))] = State(mean, std, int(count), rows=under)
    return found


def _cell(line: Mapping[str, Any], frame: pd.DataFrame, rows: Sequence[Row], spec: Spec) -> State:
    """A published cell, by its line of `compare_cells`."""
    verdict = name_verdict(line["verdict"], line["kind"])
    under = tuple(rows[k] for k in dict.fromkeys(frame.loc[list(line["members"]), RUN]))
    runs = 0 if pd.isna(line["runs"]) else int(line["runs"])
    return State(line["mean"], line["std"], runs, line["published_mean"], verdict, int(line["line"]), under)


def _claims(claims: pd.DataFrame, paper: Paper, spec: Spec) -> dict[str, Claimed]:
    texts = {claim["id"]: json.dumps(claim, sort_keys=True, default=str) for claim in paper.claims_of(spec.name)}
    lines = to_records(claims)
    return {
        line["id"]: Claimed(name_verdict(line["verdict"], line["kind"]), line["reason"], texts[line["id"]])
        for line in lines
    }
