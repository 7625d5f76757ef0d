"""Judges a table of ours next to a published table, by the rule for published cells.

Neither table needs a spec or a journal: both are CSV files, frames of pandas or lists of
dictionaries, of any field.

    published.csv                            ours.csv
    method,dataset,metric,mean,std,runs      method,dataset,metric,seed,value
    GAT,cora,accuracy,0.830,0.007,100        GAT,cora,accuracy,0,0.834
                                             GAT,cora,accuracy,1,0.829

A table of ours has a row for each run, or means with the columns of a published table. Means stand
for runs with the same mean and deviation whose seeds no other mean has. The runs of two means are
thus not paired, and their noise counts as independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.declarations import Algorithm, DataSet, DataSource, Method, Study, Task
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.contracts.specs import Layout, Spec, Vocabulary
from dpfair_cli.verdicts.cells.comparison import (
    MARGIN,
    RELATIVE_MARGIN,
    UNCORRECTED,
    CellVerdict,
)
from dpfair_cli.verdicts.cells.judging import JudgedCell, at_levels, judge_cells
from dpfair_cli.verdicts.cells.published import PublishedCell, is_number
from dpfair_cli.verdicts.claims.point_results import Scores
from dpfair_cli.verdicts.given_tables import (
    ARTEFACT,
    Given,
    GivenTable,
    MatchedTables,
    matched_tables,
    names_of,
)
from dpfair_cli.verdicts.paper_rule import rule_of
from dpfair_cli.verdicts.trust import share
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.whole_tables import (
    ColumnVerdict,
    JudgedColumn,
    JudgedOrder,
    OrderVerdict,
)

BOUND = 1.0  # a score whose values all lie from -1 to 1 has the margin of rates


@dataclass(frozen=True, eq=False)
class JudgedTables:
    """The verdicts on a published table by a table of ours."""

    verdicts: Verdicts
    remarks: tuple[str, ...]  # what the verdicts rest on, and which rows were not compared

    @property
    def cells(self) -> list[JudgedCell]:
        """The compared numbers, each with its verdict, in the order of the published table."""
        return self.verdicts.compared

    @property
    def orders(self) -> list[JudgedOrder]:
        """The order of each two methods that are published a margin apart, with its verdict."""
        return self.verdicts.orders

    @property
    def columns(self) -> list[JudgedColumn]:
        """All numbers of each method and score together, with the verdict on them."""
        return self.verdicts.columns

    @cached_property
    def differences(self) -> tuple[str, ...]:
        """Each reversed order, and each column and number that differs, in words."""
        return (*self._orders(), *self._columns(), *self._cells())

    def _orders(self) -> Iterator[str]:
        for one in self.orders:
            if one.verdict is OrderVerdict.REVERSED:
                published = one.higher.published.mean - one.lower.published.mean
                yield (
                    f"order reversed: {one.higher.description} is published {published:.4g} above "
                    f"{one.lower.published.method}, and is {-one.difference:.4g} below it in ours"
                )

    def _columns(self) -> Iterator[str]:
        for one in self.columns:
            if one.verdict is ColumnVerdict.DIFFERS:
                yield (
                    f"column differs: {one.method}, {one.metric}: the {len(one.cells)} numbers "
                    f"together are {one.distance:.3g} margins away"
                )

    def _cells(self) -> Iterator[str]:
        for one in self.cells:
            if one.verdict is CellVerdict.DIFFERS:
                reason = one.variants[0].decision.reason
                yield f"cell differs: {one.description}: {reason}"


class NotReproducedError(AssertionError):
    """The error that a table of ours differs from a published one; the message says where."""


def assert_reproduced(published: Given, ours: Given) -> JudgedTables:
    """The verdicts on a published table from which a table of ours does not differ.

    The arguments are those of `judge`. Undecided numbers do not fail.

    Raises:
        NotReproducedError: an order of methods is reversed, or a column or a number differs.
        DpfairError: as `judge`.
    """
    __tracebackhide__ = True
    judged = judge(published, ours)
    if judged.differences:
        number = len(judged.differences)
        heading = f"not reproduced: {number} difference{'s' * (number != 1)}"
        raise NotReproducedError("\n  ".join([heading, *judged.differences]))
    return judged


def judge(published: Given, ours: Given) -> JudgedTables:
    """The verdicts on a published table by a table of ours.

    Args:
        published: The rows with the columns `method` and `mean`. The columns `std`, `runs` and
            `margin` may be empty or missing; `metric` names the score, and every other column is
            part of the name of the place, such as `dataset`.
        ours: Rows with the same names, and with `seed` and `value` for one run, or `mean`, `std`
            and `runs` for several.

    Raises:
        DpfairError: a table cannot be read, or no row of one names a row of the other.

    Examples:
        >>> rows = [{"method": "A", "seed": k, "value": 0.8 + 0.001 * k} for k in range(5)]
        >>> judge([{"method": "A", "mean": 0.8, "runs": 5}], rows).cells[0].verdict
        <CellVerdict.REPRODUCED: 'reproduced'>
    """
    tables = matched_tables(published, ours)
    margins = _margins(tables)
    spec = _spec(tables, margins)
    judged = judge_cells(_rows(tables), spec, tables.cells, standins={})
    cells = [_with_margin(one, margins[one.published]) for one in judged]
    verdicts = _decided(spec, cells)
    remarks = (
        *tables.ignored,
        *_assumptions(tables, margins),
        *_left_out(verdicts),
        *_false_matches(verdicts),
        *tables.unmatched,
    )
    return JudgedTables(verdicts, remarks)


def _decided(spec: Spec, cells: Sequence[JudgedCell]) -> Verdicts:
    """The cells at the levels of their table, with the orders and columns that they make."""
    judged = Verdicts(spec, tuple(cells))
    rule = rule_of([judged])
    return replace(
        judged,
        cells=tuple(at_levels(one, rule.levels) for one in cells),
        order_levels=rule.order_levels,
        column_levels=rule.column_levels,
    )


@dataclass(frozen=True)
class Margin:
    """The largest difference of two means that count as the same number, as a user states it."""

    size: float  # in the unit of the score, or a part of the published value
    is_relative: bool = False

    def __str__(self) -> str:
        return (
            f"{100 * self.size:g} % of the published value"
            if self.is_relative
            else f"{self.size:g}"
        )

    @property
    def factor(self) -> float:
        """The size divided by that of the margin for published cells."""
        return self.size / (RELATIVE_MARGIN if self.is_relative else MARGIN)


def _margins(tables: MatchedTables) -> dict[PublishedCell, Margin]:
    """The margin of each published number: the stated one, or that of a rate.

    Raises:
        DpfairError: a stated margin is no positive number, a score that is no rate has no margin,
            or a score has margins of both kinds.
    """
    largest: dict[str, float] = {}
    for cell in tables.cells:
        largest[cell.metric] = max(largest.get(cell.metric, 0.0), abs(cell.mean))
    for (*_, metric), runs in tables.compared_samples.items():
        largest[metric] = max(largest[metric], float(np.abs(runs.values).max()))
    found: dict[PublishedCell, Margin] = {}
    kinds: dict[str, bool] = {}
    for cell, (line, row) in zip(tables.cells, tables.theirs.rows, strict=True):
        text = row.get("margin", "")
        if not text and largest[cell.metric] > BOUND:
            raise tables.theirs.mistake(
                line,
                f"{cell.metric} has values beyond -1 and 1, so that {MARGIN} may be no sensible "
                "margin: state it in a column margin, such as 2 (for percent) or 10% (of the "
                "published value)",
            )
        found[cell] = _stated(tables.theirs, line, text) if text else Margin(MARGIN)
        if kinds.setdefault(cell.metric, found[cell].is_relative) != found[cell].is_relative:
            raise tables.theirs.mistake(
                line, f"{cell.metric} has margins with and without %: state all in one way"
            )
    return found


def _stated(table: GivenTable, line: int, text: str) -> Margin:
    """The margin of a text such as 0.02 or 10%."""
    number = text.removesuffix("%").strip()
    if not is_number(number) or float(number) <= 0:
        raise table.mistake(line, f"margin must be a number above 0, or such as 10%, got {text!r}")
    return Margin(float(number) / 100, True) if text.endswith("%") else Margin(float(number))


def _with_margin(cell: JudgedCell, margin: Margin) -> JudgedCell:
    """The cell judged with a margin."""
    variants = []
    for variant in cell.variants:
        comparison = replace(variant.comparison, margin_factor=margin.factor)
        decision = replace(variant.decision, comparison=comparison)
        variants.append(replace(variant, decision=decision))
    return at_levels(replace(cell, variants=tuple(variants)), UNCORRECTED)


def _assumptions(tables: MatchedTables, margins: Mapping[PublishedCell, Margin]) -> Iterator[str]:
    """Yields what the verdicts rest on: margins, and numbers of runs that are not stated."""
    by_score: dict[str, dict[str, None]] = {}
    for cell, margin in margins.items():
        by_score.setdefault(cell.metric, {})[str(margin)] = None
    for metric, texts in by_score.items():
        yield f"margin of {metric}: {', '.join(texts)}"
    for table, column in ((tables.theirs, "runs"), (tables.own, "std")):
        silent = sum(not text for text in table.texts(column)) if "mean" in table.columns else 0
        if silent:
            yield f"{table.name}: means without {column}, which count as single runs: {silent}"


def _left_out(verdicts: Verdicts) -> Iterator[str]:
    """Yields each number of both tables that the rule does not compare."""
    for cell in verdicts.cells:
        if cell.verdict is CellVerdict.NOT_COMPARED:
            yield f"{cell.description}: not compared, because running times depend on the machine"
        elif cell.verdict is CellVerdict.RECORD_COUNT:
            yield f"{cell.description}: not compared, because it is a number of records"


def _false_matches(verdicts: Verdicts) -> Iterator[str]:
    """Yields how often the rule accepts the published value of another method, if there is one."""
    found = share(verdicts.wrong_pairings)
    if found.pairings:
        yield (
            f"false matches: {found.matched} of {found.pairings} means of ours would count as "
            "reproduced next to the published value of another method"
        )


def _rows(tables: MatchedTables) -> pd.DataFrame:
    """Our runs as rows of a journal: a column for each score, and one row for each seed."""
    groups: dict[tuple[Any, ...], dict[str, Scores]] = {}
    for (dataset, method, place, metric), runs in tables.compared_samples.items():
        groups.setdefault((dataset, method, place), {})[metric] = runs
    metrics = dict.fromkeys(metric for scores in groups.values() for metric in scores)
    blocks = [_block(own, tables.places, metrics, scores) for own, scores in groups.items()]
    columns = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    return pd.DataFrame(columns).infer_objects()


def _block(
    names: tuple[str, str, tuple[tuple[str, Any], ...]],
    places: Iterable[str],
    metrics: Iterable[str],
    scores: Mapping[str, Scores],
) -> dict[str, Any]:
    """The columns of the rows of one method in one place, each (rows,)."""
    dataset, method, place = names
    seeds = np.unique(np.concatenate([runs.seeds for runs in scores.values()]))
    given = {"dataset": dataset, "method": method, "algorithm": method}
    given |= dict.fromkeys(places, np.nan) | dict(place)
    # of objects, because a column of texts may have empty entries
    block: dict[str, Any] = {
        name: np.full(len(seeds), value, dtype=object) for name, value in given.items()
    }
    for metric in metrics:
        block[metric] = np.full(len(seeds), np.nan)
        if metric in scores:
            block[metric][np.searchsorted(seeds, scores[metric].seeds)] = scores[metric].values
    return {**block, "seed": seeds}


@dataclass(frozen=True)
class _Columns(Layout):
    """The layout of two tables, which is not drawn."""

    places: tuple[str, ...]
    metrics: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that tell the numbers of one score apart."""
        return ("dataset", *self.places, "method")

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of the scores."""
        return self.metrics

    def check(self, known: Vocabulary) -> None:
        """Accepts all names, which were found in the tables."""

    def write(self, *_: Any, **__: Any) -> list[Path]:
        """Writes nothing."""
        return []


def _spec(tables: MatchedTables, margins: Mapping[PublishedCell, Margin]) -> Spec:
    """A spec of the published table, whose declarations cannot be run."""
    relative = {cell.metric for cell, margin in margins.items() if margin.is_relative}
    names = dict.fromkeys([*map(names_of, tables.cells), *tables.compared_samples])
    metrics = tuple(dict.fromkeys(metric for *_, metric in names))
    algorithms = {method: Algorithm(_no_runs).registered(method, "") for _, method, *_ in names}
    settings = dict.fromkeys((method, place) for _, method, place, _ in names)
    datasets = dict.fromkeys(dataset for dataset, *_ in names)
    study = Study(_no_runs, _no_runs, metrics, unbounded=tuple(sorted(relative)))
    return Spec(
        artefact=ARTEFACT,
        title="",
        source="",
        task=Task(study.registered("", ""), {}),
        datasets=tuple(
            DataSet(DataSource(_no_runs, note="").registered(name, ""), {}) for name in datasets
        ),
        methods=tuple(
            Method(algorithms[method], dict(place), method, method) for method, place in settings
        ),
        seeds=1,
        layout=_Columns(tuple(tables.places), metrics),
    )


def _no_runs(*_: object, **__: object) -> Outcome:
    """What the spec has in place of a fit, a loader and a study."""
    raise NotImplementedError("two tables have no code that can run")
