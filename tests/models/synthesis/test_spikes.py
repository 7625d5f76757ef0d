"""The search for single numbers that many records have."""

import numpy as np
import pytest

from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.synthesis.column_cells import GRID, CellBins, CountedColumn, Spike
from dpfair_cli.models.synthesis.spikes import (
    LEVELS,
    PARTS,
    SpikeSearch,
    searches,
    with_spikes,
)

AGE = Domain(("age",), {"age": (0,)}, ("a", "b"))
NUMBER = CountedColumn((0,), True, len(GRID))


def records(x):
    labels = np.zeros(len(x), dtype=int)
    return Records(np.array(x, dtype=float)[:, None], labels, labels, AGE)


def search(x, whole):
    """A search in the cell of the number x."""
    return SpikeSearch(0, 0, int(NUMBER.codes(np.array([[x]]))[0]), whole)


@pytest.mark.parametrize("x", [0.3, 1 / 3, 0.5, 1 / 40, float(GRID[7]), 1 - 1 / 40])
def test_a_number_is_found_to_nine_decimals_of_a_wide_range(x):
    people, found = records([x] * 30 + [x + 1e-9] * 5), search(x, 35.0)
    for _ in range(LEVELS):
        found = found.narrowed(found.counts(people), 0.0)
    assert found.found.number == pytest.approx(x, abs=1e-14)
    assert found.found.share == pytest.approx(30 / 35)


def test_a_record_is_in_at_most_one_part():
    found, edges = search(0.3, 9.0), np.linspace(0, 1, 4 * PARTS + 1)
    inside = found.counts(records(edges))
    low, high = GRID[found.cell], GRID[found.cell + 1]
    assert inside.sum() == ((edges >= low) & (edges < high)).sum()
    assert found.counts(records([-3.0, 0.3, 7.0])).sum() == 1


def test_a_part_with_less_than_half_or_as_much_as_noise_is_no_spike():
    counts = np.zeros(PARTS)
    counts[5] = 40.0
    assert search(0.3, 81.0).narrowed(counts, 0.0) is None
    assert search(0.3, 79.0).narrowed(counts, 8.1) is None
    assert search(0.3, 79.0).narrowed(counts, 7.9).part == 5


def test_searches_begin_in_large_cells_but_the_first_and_the_last():
    counts = np.ones(len(GRID))
    counts[[0, 9, 30, -1]] = 50, 50, 49, 50
    bins = [CellBins(np.arange(len(GRID)), counts), CellBins(np.arange(2), np.full(2, 90.0))]
    columns = [NUMBER, CountedColumn((1,), False, 2)]
    (found,) = searches(columns, bins, 50)
    assert (found.column, found.cell, found.whole) == (0, 9, 50.0)
    number, levels = with_spikes(bins, [found])
    assert [spike.cell for spike in number.spikes] == [9]
    assert levels.spikes == ()


def test_a_share_of_the_records_of_a_cell_has_the_number():
    bins = CellBins(np.zeros(3, int), np.ones(3), (Spike(1, 0.7, 0.25),))
    cells = np.repeat([1, 2], 4000)
    found = bins.with_spikes(np.full((8000, 1), 0.5), cells, rng=np.random.default_rng(0))
    assert np.mean(found[:4000] == 0.7) == pytest.approx(0.25, abs=0.03)
    assert (found[4000:] == 0.5).all()
