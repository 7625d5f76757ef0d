"""The verdicts at other margins, counted by hand."""

from __future__ import annotations

from dataclasses import replace

from dpfair_cli.contracts.specs import ChosenByCells
from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.scoreboard import MARGINS, score, verdicts_by_margin
from tests.verdicts.toy_paper import SPEC, published, verdicts

CELLS = (
    published("PFLR", 0.1, 0.605),  # 0.005 away
    published("PFLR", 1, 0.715),  # 0.015 away
    published("PFLR", 10, 0.825),  # 0.025 away
    published("PFLR*", 1, 0.79),  # 0.04 away
)


def test_a_wider_margin_makes_more_cells_agree_and_fewer_differ() -> None:
    found = verdicts_by_margin([verdicts(*CELLS)])
    agreeing = [sum(one.agrees * n for one, n in found[margin].items()) for margin in MARGINS]
    differing = [found[margin][CellVerdict.DIFFERS] for margin in MARGINS]
    assert (agreeing, differing) == ([1, 2, 3], [3, 2, 1])


def test_the_counts_at_the_margin_of_the_rule_are_those_of_the_scoreboard() -> None:
    board = score([verdicts(*CELLS)])
    (tally,) = board.cells
    assert {str(one): n for one, n in board.margins[0.02].items()} == dict(tally.verdicts)
    assert board.agreeing == 2


def test_cells_that_chose_a_default_are_counted_among_those_that_agree() -> None:
    spec = replace(SPEC, chosen_by_cells=(ChosenByCells("PFLR", "", ("adult",)),))
    board = score([verdicts(*CELLS, published("LR", 1, 0.84), spec=spec)])
    assert (board.agreeing, board.chosen_agreeing) == (3, 2)
