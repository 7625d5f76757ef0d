"""The cells and bins of columns: what is counted, and what noisy counts say."""

import numpy as np
import pytest

from dpfair_cli.models.synthesis import column_cells
from dpfair_cli.models.synthesis.column_cells import (
    GRID,
    CellBins,
    CountedColumn,
    bins_of_levels,
    bins_of_number,
    columns_of,
    estimated_counts,
    onto_simplex,
    summing,
)
from tests.algorithms import mixed_people
from tests.algorithms.synthesis import made_tables

NUMBER = CountedColumn((0,), True, len(GRID))
LEVELS = CountedColumn((0, 1), False, 3)


def test_the_columns_of_records_are_levels_numbers_groups_and_labels():
    found = columns_of(mixed_people.domain(3))
    assert [column.is_number for column in found] == [False, True, False, True, False, False]
    assert [column.cells for column in found if not column.is_number] == [4, 2, 3, 2]


def test_records_with_bins_are_refused():
    with pytest.raises(ValueError, match="encoding=one_hot"):
        columns_of(made_tables.domain())


def test_the_grid_is_fine_near_both_ends_and_keeps_them_apart():
    assert (GRID[0], GRID[-1]) == (0.0, 1.0)
    assert np.diff(GRID).max() == pytest.approx(1 / 256)
    codes = NUMBER.codes(np.array([[0.0], [1e-7], [1e-5], [0.5], [1 - 1e-5], [1.0], [-3], [7]]))
    assert codes[0] == codes[1] == codes[6] == 0
    assert codes[5] == codes[7] == len(GRID) - 1
    assert len(set(codes[:6].tolist())) == 5


def test_a_record_is_in_one_cell_whatever_its_features():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-5.0, 9.0]])
    np.testing.assert_array_equal(LEVELS.codes(X), [0, 1, 2, 1, 2])


def test_features_of_cells_lie_in_their_cells():
    rng = np.random.default_rng(0)
    cells = rng.integers(len(GRID), size=500)
    np.testing.assert_array_equal(NUMBER.codes(NUMBER.features(cells, rng=rng)), cells)
    assert NUMBER.features(np.zeros(9, dtype=int), rng=rng).max() == 0.0  # zeros stay zeros
    np.testing.assert_array_equal(LEVELS.features(np.array([0, 2]), rng=rng), [[0, 0], [0, 1]])


def test_a_record_adds_one_count_at_each_resolution():
    for cell in (0, 7, 100, len(GRID) - 1):
        assert NUMBER.counts(np.array([cell])).sum() == NUMBER.resolutions == 3
    assert LEVELS.counts(np.array([1])).tolist() == [0, 1, 0]


def test_counts_without_noise_are_found_again():
    rng = np.random.default_rng(0)
    counts = np.bincount(rng.integers(30, 300, size=500), minlength=len(GRID)).astype(float)
    found = estimated_counts(summing(NUMBER) @ counts, NUMBER, 500, 0.0)
    np.testing.assert_allclose(found, counts, atol=0.5)
    assert found.sum() == pytest.approx(500)


def test_a_part_of_the_range_that_may_be_noise_is_empty():
    counts = np.zeros(len(GRID))
    counts[10], counts[-1] = 900.0, 30.0
    noisy = summing(NUMBER) @ counts
    assert estimated_counts(noisy, NUMBER, 930, 20.0)[-64:].sum() == 0
    assert estimated_counts(noisy, NUMBER, 930, 5.0)[-64:].sum() == pytest.approx(30, abs=1)


def test_the_nearest_numbers_with_a_sum_by_hand():
    np.testing.assert_allclose(onto_simplex(np.array([3.0, 1.0, -2.0]), 2.0), [2.0, 0.0, 0.0])
    np.testing.assert_allclose(onto_simplex(np.array([1.0, 1.0, -np.inf]), 4.0), [2.0, 2.0, 0.0])


def test_bins_hold_about_equal_counts_and_a_large_count_is_a_bin():
    counts = np.array([50.0, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5])
    found = bins_of_number(counts, 5)  # a count of 20 is large, and the others have 10 for a bin
    np.testing.assert_array_equal(found.places, [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    np.testing.assert_allclose(found.shares, [0.5, 0.1, 0.1, 0.1, 0.1, 0.1])


def test_rare_levels_share_a_bin():
    found = bins_of_levels(np.array([40.0, 3.0, 60.0, 0.0]), sigma=5.0)
    np.testing.assert_array_equal(found.places, [0, 2, 1, 2])
    np.testing.assert_array_equal(bins_of_levels(np.array([9.0, 1.0]), 2.0).places, [0, 1])


def test_cells_of_a_bin_are_drawn_by_their_counts():
    bins = CellBins(np.array([0, 0, 1]), np.array([30.0, 10.0, 0.0]))
    drawn = bins.cells(np.repeat([0, 1], [4000, 5]), rng=np.random.default_rng(0))
    assert np.mean(drawn[:4000] == 0) == pytest.approx(0.75, abs=0.03)
    assert (drawn[4000:] == 2).all()  # also of a bin without any count
    again = column_cells.restored(column_cells.saved(bins))
    np.testing.assert_array_equal(again.places, bins.places)
