"""The rule of the verdicts, applied to simulated papers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dpfair_cli.addons.error_rates.simulation import PLAIN_KINDS, PaperKind, Truth, simulate_paper
from dpfair_cli.addons.error_rates.variants import simulate_chapters
from dpfair_cli.verdicts.cells.comparison import MARGIN
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.judging import at_levels, judge_cells
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.paper_rule import rule_of
from dpfair_cli.verdicts.score.skill import Skill, joint_tests, skill


@dataclass(frozen=True)
class JudgedPaper:
    """The verdicts of the rule on one simulated paper."""

    kind: PaperKind  # the kind of the paper
    seed: int  # the seed of the paper
    cells: Sequence[tuple[Truth, CellVerdict]]  # what is known about each cell, with the verdict
    # the skill of each table, and whether it names the right exchange, or none if none is
    skills: Sequence[tuple[Skill, bool]]
    # the standard deviation of runs in the table of each joint test, with the p-value
    joint_tests: Sequence[tuple[float, float]]
    # of each method with variants in each table: what variants explain
    explanations: Sequence[Explanation] = ()


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
    if kind is PaperKind.CHOSEN:
        return _judge_chapters(seed)
    tables = simulate_paper(kind, seed)
    judged = [
        (one.spec, judge_cells(one.rows, one.spec, [*one.truths], standins={})) for one in tables
    ]
    levels = rule_of(judged).levels
    decided = [[at_levels(cell, levels) for cell in cells] for _, cells in judged]
    truths = {cell: truth for one in tables for cell, truth in one.truths.items()}
    is_plain = kind in PLAIN_KINDS
    found = [skill(cells) if is_plain else None for cells in decided]
    return JudgedPaper(
        kind,
        seed,
        cells=[(truths[cell.published], cell.verdict) for cells in decided for cell in cells],
        skills=[
            (one, one.exchange == table.exchanged)
            for one, table in zip(found, tables, strict=True)
            if one
        ],
        joint_tests=[
            (table.setting.spread, one.p_value)
            for table, cells in zip(tables, decided, strict=True)
            for one in (joint_tests(cells) if is_plain else ())
        ],
    )


def _judge_chapters(seed: int) -> JudgedPaper:
    """A simulated paper whose methods have variants, without skill and joint tests."""
    tables = simulate_chapters(seed)
    judged = [
        (one.spec, judge_cells(one.rows, one.spec, [*one.truths], standins={})) for one in tables
    ]
    rule = rule_of(judged)
    found: list[tuple[Truth, CellVerdict]] = []
    explanations = []
    for table, (spec, cells) in zip(tables, judged, strict=True):
        groups: dict[str, list[tuple[Truth, JudgedCell]]] = {}
        for cell in (at_levels(cell, rule.levels) for cell in cells):
            truth = table.truths[cell.published]
            found.append((truth, cell.verdict))
            groups.setdefault(cell.published.method, []).append((truth, cell))
        for method, own in groups.items():
            explanations.append(_explanation(own, rule.variants_of(spec.name).get(method, ())))
    return JudgedPaper(PaperKind.CHOSEN, seed, found, (), (), explanations)


def _explanation(cells: Sequence[tuple[Truth, JudgedCell]], chosen: Collection[str]) -> Explanation:
    """What variants explain of the cells of a method; `chosen` are those of the other tables."""
    differing = [one for one in cells if one[1].verdict is CellVerdict.DIFFERS]
    names = [variant.name for variant in cells[0][1].others]
    best = _agreeing(cells, differing, names)
    explained = _agreeing(cells, differing, [name for name in names if name in chosen])
    wrong = sum(abs(truth.under[name]) >= MARGIN for truth, name in explained)
    return Explanation(cells[0][0].choice, len(differing), len(best), len(explained), wrong)


def _agreeing(
    cells: Sequence[tuple[Truth, JudgedCell]],
    differing: Sequence[tuple[Truth, JudgedCell]],
    names: Sequence[str],
) -> list[tuple[Truth, str]]:
    """The differing cells that agree under the best of some variants, with its name.

    More cells must agree under the variant than by default.
    """
    best: list[tuple[Truth, str]] = []
    for name in names:
        agree = [truth for truth, cell in cells if _agrees(cell, name)]
        if len(agree) > sum(cell.verdict.agrees for _, cell in cells):
            best = max(best, [(t, name) for t, cell in differing if _agrees(cell, name)], key=len)
    return best


def _agrees(cell: JudgedCell, name: str) -> bool:
    variant = cell.variant(name)
    return variant is not None and variant.verdict.agrees
