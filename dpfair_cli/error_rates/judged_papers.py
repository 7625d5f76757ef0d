"""The rule of the verdicts, applied to simulated papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpfair_cli.error_rates.simulation import PaperKind, Truth, simulate_paper
from dpfair_cli.verdicts.cells.judging import at_levels, judge_cells
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.paper_rule import rule_of
from dpfair_cli.verdicts.score.joint import joint_tests
from dpfair_cli.verdicts.score.skill import Skill, skill


@dataclass(frozen=True)
class JudgedPaper:
    """The verdicts of the rule on one simulated paper."""

    kind: PaperKind
    """The kind of the paper."""

    seed: int
    """The seed of the paper."""

    cells: Sequence[tuple[Truth, CellVerdict]]
    """What is known about each cell, with the verdict."""

    skills: Sequence[tuple[Skill, bool]]
    """The skill of each table, and whether it names the right exchange, or none if none is."""

    joint_tests: Sequence[tuple[float, float]]
    """The standard deviation of runs in the table of each joint test, with the p-value."""


def judge_paper(kind: PaperKind, seed: int) -> JudgedPaper:
    """A simulated paper with the verdicts of `dpfair check`."""
    tables = simulate_paper(kind, seed)
    judged = [
        (one.spec, judge_cells(one.rows, one.spec, [*one.truths], standins={})) for one in tables
    ]
    levels = rule_of(judged).levels
    decided = [[at_levels(cell, levels) for cell in cells] for _, cells in judged]
    truths = {cell: truth for one in tables for cell, truth in one.truths.items()}
    found = [skill(cells) for cells in decided]
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
            for one in joint_tests(cells)
        ],
    )
