"""The rule of the verdicts, applied to simulated papers."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dpfair_cli.addons.error_rates.simulation import PaperKind, Truth, simulate_paper
from dpfair_cli.addons.error_rates.variants import simulate_chapters
from dpfair_cli.verdicts.cells.comparison import MARGIN, CellVerdict
from dpfair_cli.verdicts.cells.judging import JudgedCell, at_levels, judge_cells
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.paper_rule import rule_of
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.whole_tables import (
    ColumnVerdict,
    JudgedColumn,
    JudgedOrder,
    OrderVerdict,
    judge_columns,
    judge_orders,
)

KnownCell = tuple[Truth, JudgedCell]


@dataclass(frozen=True)
class JudgedPaper:
    """The verdicts of the rule on one simulated paper."""

    kind: PaperKind  # the kind of the paper
    seed: int  # the seed of the paper
    cells: list[tuple[Truth, CellVerdict]]  # what is known about each cell, with the verdict
    # whether our true means have the printed order of two methods, with the verdict
    orders: list[tuple[bool, OrderVerdict]]
    # the true distance of each column in margins, with the verdict
    columns: list[tuple[float, ColumnVerdict]]
    # of each method with variants in each table: what variants explain
    explanations: list[Explanation] = field(default_factory=list)


class Explanation(NamedTuple):
    """The cells of a method in a table that differ by default, and what variants explain."""

    choice: str  # how the default variant of the method was chosen
    differs: int  # the number of cells that differ by default
    agrees: int  # the number of these cells that agree under the variant that suits the table best
    explained: int  # number that agree under such a variant if the other tables must choose it, too
    # the number of explained cells whose true difference under the variant is the margin or more
    wrong: int


def judge_paper(kind: PaperKind, seed: int) -> JudgedPaper:
    """A simulated paper with the verdicts of `dpfair check`."""
    tables = simulate_chapters(seed) if kind is PaperKind.CHOSEN else simulate_paper(kind, seed)
    judged = []
    for table in tables:
        cells = judge_cells(table.rows, table.spec, [*table.truths], standins={})
        judged.append(Verdicts(table.spec, tuple(cells)))
    rule = rule_of(judged)  # over all tables, as the levels and variants of a real paper
    found = JudgedPaper(kind, seed, [], [], [])
    for table, one in zip(tables, judged, strict=True):
        truths = table.truths
        decided = [(truths[cell.published], at_levels(cell, rule.levels)) for cell in one.cells]
        found.cells.extend((truth, cell.verdict) for truth, cell in decided)
        if kind is PaperKind.CHOSEN:
            variants = rule.variants_of(one.spec.name)
            found.explanations.extend(_explanations(decided, variants))
        found.orders.extend(_orders(judge_orders(one.cells, rule.order_levels), truths))
        found.columns.extend(_columns(judge_columns(one.cells, rule.column_levels), truths))
    return found


def _orders(
    orders: Iterable[JudgedOrder], truths: Mapping[PublishedCell, Truth]
) -> Iterator[tuple[bool, OrderVerdict]]:
    """Yields whether each printed order is that of our true means, with the verdict on it."""
    for order in orders:
        higher, lower = (truths[cell.published].expected for cell in (order.higher, order.lower))
        if not math.isnan(higher):
            yield bool(higher > lower), order.verdict


def _columns(
    columns: Iterable[JudgedColumn], truths: Mapping[PublishedCell, Truth]
) -> Iterator[tuple[float, ColumnVerdict]]:
    """Yields the true distance of each column, in margins, with the verdict on it."""
    for column in columns:
        apart = [truths[cell.published].difference / MARGIN for cell in column.cells]
        yield math.sqrt(sum(one**2 for one in apart) / len(apart)), column.verdict


def _explanations(
    cells: Sequence[KnownCell], variants: Mapping[str, Collection[str]]
) -> Iterator[Explanation]:
    """Yields what variants explain of the cells of each method of a table.

    `variants` are those that the rule lets explain cells of a method.
    """
    of_method: dict[str, list[KnownCell]] = {}
    for truth, cell in cells:
        of_method.setdefault(cell.published.method, []).append((truth, cell))
    for method, own in of_method.items():
        yield _explanation(own, variants.get(method, ()))


def _explanation(cells: Sequence[KnownCell], chosen: Collection[str]) -> Explanation:
    """What variants explain of the cells of a method; `chosen` are those of the other tables."""
    differing = [one for one in cells if one[1].verdict is CellVerdict.DIFFERS]
    names = [variant.name for variant in cells[0][1].others]
    best = _agreeing(cells, differing, names)
    explained = _agreeing(cells, differing, [name for name in names if name in chosen])
    wrong = sum(abs(truth.under[name]) >= MARGIN for truth, name in explained)
    return Explanation(cells[0][0].choice, len(differing), len(best), len(explained), wrong)


def _agreeing(
    cells: Sequence[KnownCell],
    differing: Sequence[KnownCell],
    names: Sequence[str],
) -> list[tuple[Truth, str]]:
    """The differing cells that agree under the best of some variants, with its name.

    More cells must agree under the variant than by default.
    """
    best: list[tuple[Truth, str]] = []
    for name in names:
        agree = [truth for truth, cell in cells if _agrees(cell, name)]
        # a variant that suits no more cells than the default explains nothing
        if len(agree) > sum(cell.verdict.agrees for _, cell in cells):
            best = max(best, [(t, name) for t, cell in differing if _agrees(cell, name)], key=len)
    return best


def _agrees(cell: JudgedCell, name: str) -> bool:
    """Whether a cell agrees under the variant with a name; false if the cell lacks the variant."""
    variant = cell.variant(name)
    return variant is not None and variant.verdict.agrees
