"""Two searches for the distance of Equation 4.1 against all tables there are."""

import numpy as np
import pytest
from causal_oracles import every_distance, g_squared, replace_one
from scipy.stats import chi2

from dpfair_cli.models.causal_discovery.distance_score import certified, signed
from dpfair_cli.models.causal_discovery.distance_search import exact, greedy, radius

SMALL = [((2, 2, 1), 10, 0.05), ((2, 2, 1), 16, 0.01), ((2, 3, 1), 7, 0.05), ((2, 2, 2), 6, 0.2)]
every_small = pytest.mark.parametrize(("shape", "n", "level"), SMALL, ids=str)


def critical(shape, level):
    a, b, strata = shape
    return float(chi2.isf(level, (a - 1) * (b - 1) * strata))


def arranged(counts, shape):
    """Counts of my order (a, b, strata) as (strata, a, b)."""
    return np.moveaxis(np.reshape(counts, shape).astype(float), 2, 0)


@every_small
def test_the_exact_search_finds_the_distance_of_every_table_of_its_radius(shape, n, level):
    tables, _, distance = every_distance(shape, n, level)
    reach = radius(int(np.prod(shape)))
    assert reach >= 2
    for counts, wanted in zip(tables[::3], np.abs(distance)[::3], strict=True):
        table, c = arranged(counts, shape), critical(shape, level)
        expected = wanted if wanted <= reach else max(reach + 1, certified(table, c))
        assert exact(table, c) == expected, (counts.tolist(), wanted)


@every_small
def test_the_greedy_search_never_says_less_than_the_distance(shape, n, level):
    tables, _, distance = every_distance(shape, n, level)
    for counts, wanted in zip(tables, np.abs(distance), strict=True):
        assert greedy(arranged(counts, shape), critical(shape, level)) >= min(wanted, n), counts.tolist()


@pytest.mark.parametrize(("shape", "n", "level"), [((2, 2, 1), 12, 0.05), ((2, 3, 1), 6, 0.1)])
def test_one_record_moves_the_signed_exact_distance_by_at_most_one(shape, n, level):
    tables, *_ = every_distance(shape, n, level)
    c = critical(shape, level)
    scores = np.array([signed(exact(arranged(t, shape), c), g_squared(t.reshape(shape)), c) for t in tables])
    assert max(np.abs(scores[a] - scores[b]).max() for a, b in replace_one(tables)) <= 1


def test_the_searches_leave_the_table_as_it_is():
    table = arranged([4, 1, 1, 4, 2, 2, 2, 2], (2, 2, 2))
    before = table.copy()
    exact(table, 9.21), greedy(table, 9.21), certified(table, 9.21)
    np.testing.assert_array_equal(table, before)


@pytest.mark.parametrize("search", [exact, greedy, certified])
@pytest.mark.parametrize("counts", [[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 0], [1, 1, 0, 0]])
def test_no_record_and_few_records_that_can_never_be_rejected_end(search, counts):
    assert search(arranged(counts, (2, 2, 1)), 6.63) >= 0
