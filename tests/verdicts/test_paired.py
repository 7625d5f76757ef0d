"""Cells as differences to a reference method on the same draws, each worked by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from dpfair_cli.verdicts.scoreboard import PairedCount, paired_counts
from tests.verdicts.toy_paper import ROWS, published, runs, verdicts

WIDE = (-0.3, 0.0, 0.3)  # of both methods, as of graphs that are easy and graphs that are hard


def rows(*sides: float) -> pd.DataFrame:
    """Runs of LR and PFLR* that vary with the seed; PFLR* varies by `sides` on top."""
    others = ROWS[~ROWS["method"].isin(["LR", "PFLR*"])]
    shared = [wide + own for wide, own in zip(WIDE, sides, strict=True)]
    made = runs("LR", 0, 0.6, WIDE) + runs("PFLR*", 1.0, 0.5, shared)
    return pd.concat([others, pd.DataFrame(made)], ignore_index=True)


def counts(ours: pd.DataFrame, star: float, baseline: float = 0.7) -> list[PairedCount]:
    """The counts of PFLR* against LR, published with these means and a deviation of 0.3."""
    cells = (published("PFLR*", 1, star, 0.3), published("LR", None, baseline, 0.3))
    return paired_counts([verdicts(*cells, rows=ours)], "LR")


@pytest.mark.parametrize(
    ("star", "equal", "other"),
    [(0.6, 1, 0), (0.605, 1, 0), (0.68, 0, 1), (0.5, 0, 1), (0.618, 0, 0)],
)
def test_an_undecided_cell_is_decided_as_a_difference(star: float, equal: int, other: int) -> None:
    """Ours is 0.1 below LR in each of three runs, within 0.002; published LR is 0.7.

    The standard error of the difference of differences is 0.002 sqrt(2 / 3) = 0.0016; at the level
    0.05, Student's quantile for 2 degrees of freedom is 2.92, which makes 0.0048.
    """
    assert counts(rows(-0.002, 0.0, 0.002), star) == [
        PairedCount("PFLR*", "accuracy", undecided=1, equal=equal, other=other)
    ]


def test_a_difference_that_varies_much_stays_undecided() -> None:
    assert counts(rows(0.3, -0.3, 0.0), 0.6) == [PairedCount("PFLR*", "accuracy", 1, 0, 0)]


def test_decided_cells_and_cells_without_a_reference_do_not_count() -> None:
    reproduced = (published("PFLR", 1, 0.70), published("LR", None, 0.84))
    alone = (published("PFLR*", 1, 0.6, 0.3),)
    for cells, ours in ((reproduced, ROWS), (alone, rows(0.0, 0.0, 0.0))):
        assert paired_counts([verdicts(*cells, rows=ours)], "LR") == []


def test_a_number_that_two_artefacts_print_counts_once() -> None:
    cells = (published("PFLR*", 1, 0.6, 0.3), published("LR", None, 0.7, 0.3))
    judged = verdicts(*cells, rows=rows(-0.002, 0.0, 0.002))
    again = verdicts(*cells, rows=rows(-0.002, 0.0, 0.002))
    assert [one.undecided for one in paired_counts([judged, again], "LR")] == [1]
