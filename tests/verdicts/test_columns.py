"""Columns: all cells of one method and one score together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.claims.verdict import ClaimLevels
from dpfair_cli.verdicts.whole_tables import ColumnVerdict, JudgedColumn, judge_columns
from tests.verdicts.judged_cells import judged_cell

LEVELS = ClaimLevels()
AGREES, DIFFERS, UNDECIDED = ColumnVerdict
SPREAD = 0.04  # of a run: five runs then leave a cell undecided
Floats = NDArray[np.float64]


def cells(ours: Floats, published: Floats, *, one_data_set: bool = False) -> list[JudgedCell]:
    """A column of cells; `ours` is (cells, runs)."""
    return [
        judged_cell(
            "FM",
            tuple(scores.tolist()),
            float(mean),
            dataset="adult" if one_data_set else f"data {k}",
            epsilon=float(k),
        )
        for k, (scores, mean) in enumerate(zip(ours, published, strict=True))
    ]


def only_column(own: Sequence[JudgedCell]) -> JudgedColumn:
    (found,) = judge_columns(own, LEVELS)
    return found


def drawn(seed: int, moved: Floats, *, shared: bool, runs: int = 20) -> JudgedColumn:
    """A column of means of five published runs, moved, of which we made twenty."""
    rng = np.random.default_rng(seed)
    k = len(moved)

    def noise(n: int) -> Floats:
        own = rng.normal(0, SPREAD, (k, n))
        return np.asarray(rng.normal(0, SPREAD, n) + own / 10 if shared else own)

    published = 0.7 + moved + noise(5).mean(axis=1)
    return only_column(cells(0.7 + noise(runs), published, one_data_set=shared))


def test_many_undecided_cells_agree_or_differ_together() -> None:
    agreeing = [drawn(seed, np.zeros(30), shared=False).verdict for seed in range(10)]
    assert agreeing.count(AGREES) >= 5
    far = [drawn(seed, np.full(30, 0.06), shared=False).verdict for seed in range(10)]
    assert far.count(DIFFERS) >= 9


@pytest.mark.parametrize("shared", [False, True])
def test_columns_that_are_a_margin_apart_are_seldom_decided(shared: bool) -> None:
    signs = np.random.default_rng(7).choice([-1, 1], 12)
    for moved in (np.full(12, 0.02), 0.02 * signs):
        verdicts = [drawn(seed, moved, shared=shared).verdict for seed in range(150)]
        # 5 % each at the level of a single test, and three standard errors
        assert verdicts.count(AGREES) <= 16
        assert verdicts.count(DIFFERS) <= 16


def test_the_distance_is_the_root_mean_square_in_margins() -> None:
    ours = np.array([[0.70, 0.70, 0.70, 0.70, 0.71], [0.50, 0.50, 0.50, 0.50, 0.51]])
    found = only_column(cells(ours, np.array([0.722, 0.482])))
    assert found.distance == pytest.approx(1.0)
    assert found.verdict is UNDECIDED
    relative = [judged_cell("FM", (95.0,) * 5, 100.0, relative=True, epsilon=k) for k in (1.0, 2.0)]
    assert only_column(relative).distance == pytest.approx(0.5)  # 5 of 10


def test_means_that_do_not_vary_are_decided_without_chance() -> None:
    same = np.full((2, 5), 0.7)
    assert only_column(cells(same, np.array([0.72, 0.68]))).verdict is AGREES
    assert only_column(cells(same, np.array([0.73, 0.73]))).verdict is DIFFERS


def test_noise_that_is_shared_decides_less() -> None:
    rng = np.random.default_rng(0)
    ours = 0.7 + rng.normal(0, SPREAD, 20) + np.zeros((12, 1))
    published = np.full(12, 0.7)
    of_one_split = only_column(cells(ours, published, one_data_set=True))
    of_many = only_column(cells(ours, published, one_data_set=False))
    assert of_one_split.p_values.holds > 3 * of_many.p_values.holds


def test_a_column_has_two_cells_or_more_of_five_runs_or_more() -> None:
    ours = np.full((3, 5), 0.7)
    one = cells(ours[:1], np.array([0.7]))
    few = judged_cell("FM", (0.7,) * 4, 0.7, epsilon=9.0)
    zero = judged_cell("FM", (0.7,) * 5, 0.0, relative=True, epsilon=8.0)  # has no margin
    assert not judge_columns([*one, few, zero], LEVELS)
    other_score = judged_cell("FM", (0.7,) * 5, 0.7, metric="rd", epsilon=7.0)
    other_method = judged_cell("PM", (0.7,) * 5, 0.7, epsilon=7.0)
    assert not judge_columns([*one, other_score, other_method], LEVELS)
    assert len(judge_columns(cells(ours, np.full(3, 0.7)), LEVELS)) == 1


def test_a_printed_deviation_counts_in_place_of_ours() -> None:
    ours = np.tile([0.69, 0.70, 0.70, 0.71, 0.70], (2, 1))
    near = np.full(2, 0.713)
    quiet = only_column(cells(ours, near))
    loud = [
        judged_cell("FM", tuple(own), float(mean), std=0.1, dataset=f"data {k}")
        for k, (own, mean) in enumerate(zip(ours.tolist(), near, strict=True))
    ]
    assert quiet.verdict is AGREES
    assert only_column(loud).verdict is UNDECIDED
