"""Two searches for the distance of Equation 4.1: by hand, by brute force, on all small tables."""

import numpy as np
import pytest

from dpfair_cli.models.causal_discovery.edge_scores import (
    SEARCHED,
    certified,
    exact,
    greedy,
    radius,
    signed,
)
from dpfair_cli.models.causal_discovery.independence import g_squared
from tests.oracles.causal import every_distance, replace_one
from tests.oracles.causal import g_squared as slow_g_squared
from tests.oracles.distances import (
    SHAPES,
    SIZES,
    arranged,
    brute_force,
    critical,
    critical_of_counts,
    neighbours,
    tables,
)

SMALL = [((2, 2, 1), 10, 0.05), ((2, 2, 1), 16, 0.01), ((2, 3, 1), 7, 0.05), ((2, 2, 2), 6, 0.2)]
every_small = pytest.mark.parametrize(("shape", "n", "level"), SMALL, ids=str)


def exact_score(table, c):
    return signed(exact(table, c), g_squared(table), c)


def test_five_records_at_each_end_of_the_diagonal_have_distance_two():
    # G^2 = 20 ln 2 = 13.9; one record moved: at least 8.46; two, one from each end: 16 ln 1.6 + 4
    # ln 0.4 = 3.86 < 6.63
    table = np.array([[[5.0, 0.0], [0.0, 5.0]]])
    assert g_squared(table) == pytest.approx(20 * np.log(2))
    assert brute_force(table, critical((1, 2, 2)), 5) == exact(table, critical((1, 2, 2))) == 2
    assert exact_score(table, critical((1, 2, 2))) == -1.5


@pytest.mark.parametrize("shape", SHAPES)
def test_the_exact_search_equals_brute_force_and_lies_within_the_bounds(shape):
    c, limit, found = critical(shape), radius(np.prod(shape)), 0
    for table in tables(shape, SIZES[shape], 40):
        distance, searched = brute_force(table, c, limit), exact(table, c)
        assert searched == distance if distance <= limit else searched >= limit + 1
        if distance <= limit:
            found += 1
            assert certified(table, c) <= distance + 1e-9
            assert greedy(table, c) >= distance
    assert found >= 5


@every_small
def test_the_exact_search_finds_the_distance_of_every_table_of_its_radius(shape, n, level):
    tables, _, distance = every_distance(shape, n, level)
    reach = radius(int(np.prod(shape)))
    assert reach >= 2
    for counts, wanted in zip(tables[::3], np.abs(distance)[::3], strict=True):
        table, c = arranged(counts, shape), critical_of_counts(shape, level)
        expected = wanted if wanted <= reach else max(reach + 1, certified(table, c))
        assert exact(table, c) == expected, (counts.tolist(), wanted)


@every_small
def test_the_greedy_search_never_says_less_than_the_distance(shape, n, level):
    tables, _, distance = every_distance(shape, n, level)
    for counts, wanted in zip(tables, np.abs(distance), strict=True):
        assert greedy(arranged(counts, shape), critical_of_counts(shape, level)) >= min(
            wanted, n
        ), counts.tolist()


@pytest.mark.parametrize(("shape", "n", "level"), [((2, 2, 1), 12, 0.05), ((2, 3, 1), 6, 0.1)])
def test_one_record_moves_the_signed_exact_distance_by_at_most_one(shape, n, level):
    tables, *_ = every_distance(shape, n, level)
    c = critical_of_counts(shape, level)
    scores = np.array(
        [signed(exact(arranged(t, shape), c), slow_g_squared(t.reshape(shape)), c) for t in tables]
    )
    assert max(np.abs(scores[a] - scores[b]).max() for a, b in replace_one(tables)) <= 1


def test_the_exact_score_has_sensitivity_one_and_without_the_half_two():
    c, halved, whole = critical((1, 2, 2)), 0.0, 0.0
    for table in tables((1, 2, 2), 12, 20, seed=3):
        for other in neighbours(table):
            one, two = exact_score(table, c), exact_score(other, c)
            halved = max(halved, abs(one - two))
            whole = max(whole, abs(one + np.sign(one) / 2 - two - np.sign(two) / 2))
    assert halved == 1
    assert whole == 2  # Equation 4.1 as printed: Corollary 1 is refuted


def test_the_greedy_distance_has_a_sensitivity_above_one():
    table, other = np.array([[[4.0, 0.0], [17.0, 1.0]]]), np.array([[[3.0, 1.0], [17.0, 1.0]]])
    c = critical((1, 2, 2))
    assert (g_squared(table) < c) == (g_squared(other) < c)
    assert (greedy(table, c), greedy(other, c)) == (9, 1)


def test_what_cannot_change_is_as_far_as_there_are_records():
    lonely = np.zeros((1, 2, 2))
    lonely[0, 0, 0] = 1.0
    assert certified(lonely, 6.63) == greedy(lonely, 6.63) == exact(lonely, 6.63) - radius(4) == 1
    assert certified(np.zeros((1, 2, 2)), 6.63) == 1


def test_rows_of_one_record_or_of_many_levels_are_no_special_case():
    table = np.zeros((2, 9, 3))
    table[0, :, 0], table[1, 4, :] = 3, 5
    assert certified(table, critical(table.shape)) >= 1
    assert greedy(table, critical(table.shape)) >= 1


def test_the_search_radius_is_the_largest_with_few_enough_tables():
    # 4 cells: C(9, 6)^2 = 7056 ways to move six records, C(10, 7)^2 = 14400 to move seven
    assert radius(4) == 6
    assert 7056 <= SEARCHED < 14400
    assert radius(500) == 0


def test_the_searches_leave_the_table_as_it_is():
    table = arranged([4, 1, 1, 4, 2, 2, 2, 2], (2, 2, 2))
    before = table.copy()
    exact(table, 9.21), greedy(table, 9.21), certified(table, 9.21)
    np.testing.assert_array_equal(table, before)


@pytest.mark.parametrize("search", [exact, greedy, certified])
@pytest.mark.parametrize("counts", [[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 0], [1, 1, 0, 0]])
def test_no_record_and_few_records_that_can_never_be_rejected_end(search, counts):
    assert search(arranged(counts, (2, 2, 1)), 6.63) >= 0
