"""Joint tests: published means of runs like ours are consistent with them, and others are not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.score.trust import joint_tests
from tests.verdicts.judged_cells import judged_cell

PAPERS = 200
STD = 0.05  # of a run: five runs then leave a cell undecided
Floats = NDArray[np.float64]
Runs = Callable[[np.random.Generator, int], Floats]  # (cells, runs)


def cells(ours: Floats, published: Floats, *, one_data_set: bool) -> list[JudgedCell]:
    return [
        judged_cell(
            "FM",
            tuple(scores.tolist()),
            float(mean),
            verdict=CellVerdict.UNDECIDED,
            dataset="adult" if one_data_set else f"data {k}",
            epsilon=k,
        )
        for k, (scores, mean) in enumerate(zip(ours, published, strict=True))
    ]


def independent(rng: np.random.Generator, runs: int) -> Floats:
    """Runs of eight cells whose data differ."""
    return rng.normal(0.7, STD, (8, runs))


def of_one_split(rng: np.random.Generator, runs: int) -> Floats:
    """Runs of eight cells that are nearly equal, because a seed means one split for all of them."""
    return rng.normal(0.7, STD, runs) + rng.normal(0, STD / 10, (8, runs))


def p_values(
    runs_of: Runs, *, one_data_set: bool, shift: float = 0.0, papers: int = PAPERS
) -> Floats:
    """The p-values of papers that print means of five runs of a method, and we made ten."""
    found = []
    for seed in range(papers):
        rng = np.random.default_rng(seed)
        published = runs_of(rng, 5).mean(axis=1) + shift
        judged = cells(runs_of(rng, 10), published, one_data_set=one_data_set)
        (test,) = joint_tests(judged)
        found.append(test.p_value)
    return np.array(found)


@pytest.mark.parametrize(("runs_of", "one_data_set"), [(independent, False), (of_one_split, True)])
def test_published_means_of_runs_like_ours_are_rarely_refuted(
    runs_of: Runs, one_data_set: bool
) -> None:
    found = p_values(runs_of, one_data_set=one_data_set)
    assert np.mean(found <= 0.05) <= 0.1
    assert 0.35 <= np.mean(found <= 0.5) <= 0.65


def test_means_that_are_drawn_from_our_own_runs_are_rarely_refuted() -> None:
    found = []
    for seed in range(PAPERS // 2):
        rng = np.random.default_rng(seed)
        ours = independent(rng, 10)
        drawn = np.array([rng.choice(scores, 5).mean() for scores in ours])
        (test,) = joint_tests(cells(ours, drawn, one_data_set=False))
        found.append(test.p_value)
    assert np.mean(np.array(found) <= 0.05) <= 0.1


@pytest.mark.parametrize(("runs_of", "one_data_set"), [(independent, False), (of_one_split, True)])
def test_a_shift_of_three_deviations_is_refuted(runs_of: Runs, one_data_set: bool) -> None:
    found = p_values(runs_of, one_data_set=one_data_set, shift=3 * STD, papers=40)
    assert np.mean(found <= 0.05) >= 0.95


def test_a_shift_of_a_few_cells_is_found_by_all_together() -> None:
    rng = np.random.default_rng(3)
    ours, published = independent(rng, 20), independent(rng, 5).mean(axis=1)
    (before,) = joint_tests(cells(ours, published, one_data_set=False))
    published[:2] += 3 * STD
    (after,) = joint_tests(cells(ours, published, one_data_set=False))
    assert after.p_value < 0.01 < before.p_value


def test_a_test_counts_cells_and_undecided_ones_of_a_method_and_score() -> None:
    rng = np.random.default_rng(0)

    def cell(method: str, metric: str, verdict: CellVerdict, runs: int = 10) -> JudgedCell:
        scores = tuple(rng.normal(0.7, STD, runs).tolist())
        return judged_cell(method, scores, 0.7, verdict=verdict, metric=metric)

    undecided, passing = CellVerdict.UNDECIDED, CellVerdict.REPRODUCED
    given = [cell("FM", "accuracy", undecided) for _ in range(3)]
    given += [cell("FM", "accuracy", passing), cell("FM", "accuracy", CellVerdict.MISSING)]
    given += [cell("FM", "fpr", undecided) for _ in range(2)]  # too few
    given += [cell("LR", "accuracy", undecided, runs=4) for _ in range(3)]  # of too few runs
    given += [cell("PFLR", "accuracy", passing) for _ in range(3)]  # none is undecided
    given += [cell("PFLR", "fpr", undecided, runs=5) for _ in range(4)]
    found = joint_tests(given)
    assert [(one.method, one.metric, one.cells, one.undecided) for one in found] == [
        ("FM", "accuracy", 4, 3),
        ("PFLR", "accuracy", 3, 0),
        ("PFLR", "fpr", 4, 4),
    ]


def test_cells_whose_runs_are_all_equal_are_not_tested() -> None:
    given = [judged_cell("FM", (0.7,) * 5, 0.7, verdict=CellVerdict.UNDECIDED) for _ in range(3)]
    assert joint_tests(given) == []


def test_a_p_value_is_the_same_each_time_and_never_zero() -> None:
    rng = np.random.default_rng(1)
    given = cells(independent(rng, 20), np.full(8, 5.0), one_data_set=True)
    (first,), (second,) = joint_tests(given), joint_tests(given)
    assert 0 < first.p_value == second.p_value < 0.001


def test_equal_means_are_the_nearest_of_all_draws() -> None:
    ours = independent(np.random.default_rng(2), 10)
    (test,) = joint_tests(cells(ours, ours.mean(axis=1), one_data_set=False))
    assert test.p_value == 1
