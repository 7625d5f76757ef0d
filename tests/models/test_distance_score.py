"""Distances to another verdict of the G^2 test: by hand, by brute force over all tables, and between neighbours."""

import numpy as np
import pytest
from scipy.stats import chi2

from dpfair_cli.models.causal_discovery.distance_score import certified, signed
from dpfair_cli.models.causal_discovery.distance_search import SEARCHED, exact, greedy, radius
from dpfair_cli.models.causal_discovery.independence import g_squared

SHAPES = [(1, 2, 2), (1, 2, 3), (2, 2, 2), (1, 3, 3)]
SIZES = {(1, 2, 2): 24, (1, 2, 3): 14, (2, 2, 2): 10, (1, 3, 3): 9}  # records: brute force must end


def critical(shape, significance=0.01):
    strata, rows, columns = shape
    return float(chi2.isf(significance, strata * (rows - 1) * (columns - 1)))


def neighbours(table):
    """Every table with one record moved."""
    for a in np.argwhere(table.ravel() > 0).ravel():
        for b in range(table.size):
            if a != b:
                other = table.ravel().copy()
                other[a] -= 1
                other[b] += 1
                yield other.reshape(table.shape)


def brute_force(table, c, limit):
    """The least number of moves to another verdict, trying all tables; limit + 1 if it is more than `limit`."""
    verdict, seen, front = g_squared(table) < c, {table.tobytes()}, [table]
    for distance in range(1, limit + 1):
        front = list({other.tobytes(): other for t in front for other in neighbours(t)}.items())
        front = [other for key, other in front if key not in seen]
        seen |= {other.tobytes() for other in front}
        if any((g_squared(other) < c) != verdict for other in front):
            return distance
    return limit + 1


def tables(shape, n, how_many, seed=0):
    """Random tables, many with empty cells, and the extreme ones: diagonal, constant, one row."""
    rng = np.random.default_rng(seed)
    for _ in range(how_many):
        cells = rng.dirichlet(np.full(np.prod(shape), rng.choice([0.2, 1.0, 5.0])))
        yield rng.multinomial(rng.integers(1, n + 1), cells).reshape(shape).astype(float)
    diagonal, row = np.zeros(shape), np.zeros(shape)
    diagonal[:, range(2), range(2)] = n // (2 * shape[0])
    row[0, 0] = n // shape[2]
    yield from (diagonal, row, np.full(shape, float(max(n // np.prod(shape), 1))))


def score(table, c, distance=certified):
    return signed(distance(table, c), g_squared(table), c)


def test_five_on_each_end_of_the_diagonal_are_two_records_from_independence():
    # G^2 = 20 ln 2 = 13.9; one record moved: at least 8.46; two, one from each end: 16 ln 1.6 + 4 ln 0.4 = 3.86 < 6.63
    table = np.array([[[5.0, 0.0], [0.0, 5.0]]])
    assert g_squared(table) == pytest.approx(20 * np.log(2))
    assert brute_force(table, critical((1, 2, 2)), 5) == exact(table, critical((1, 2, 2))) == 2
    assert score(table, critical((1, 2, 2)), exact) == -1.5


@pytest.mark.parametrize("shape", SHAPES)
def test_the_exact_search_agrees_with_brute_force_and_the_bounds_enclose_it(shape):
    c, limit, found = critical(shape), radius(np.prod(shape)), 0
    for table in tables(shape, SIZES[shape], 40):
        distance, searched = brute_force(table, c, limit), exact(table, c)
        assert searched == distance if distance <= limit else searched >= limit + 1
        if distance <= limit:
            found += 1
            assert certified(table, c) <= distance + 1e-9
            assert greedy(table, c) >= distance
    assert found >= 5


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("significance", [0.01, 0.2])
def test_one_record_moves_the_certified_score_by_at_most_one(shape, significance):
    c, largest = critical(shape, significance), 0.0
    for table in tables(shape, 4 * SIZES[shape], 25, seed=1):
        own = score(table, c)
        largest = max([largest, *(abs(score(other, c) - own) for other in neighbours(table))])
    assert 0.5 < largest <= 1 + 1e-9


@pytest.mark.parametrize("shape", [(1, 2, 2), (1, 4, 4), (6, 3, 3)])
def test_one_record_moves_the_certified_score_of_a_large_table_by_at_most_one(shape):
    """Near independence, far from it, and where a row is nearly empty."""
    rng, c = np.random.default_rng(2), critical(shape)
    for strength in (0.0, 0.3, 1.0):
        rows, columns = rng.dirichlet(np.ones(shape[1]), shape[0]), rng.dirichlet(np.ones(shape[2]), shape[0])
        joint = rng.dirichlet(np.ones(np.prod(shape[1:])), shape[0]).reshape(shape)
        law = (1 - strength) * rows[:, :, None] * columns[:, None, :] + strength * joint
        table = rng.multinomial(3000, law.ravel() / law.sum()).reshape(shape).astype(float)
        others = list(neighbours(table))
        for k in rng.choice(len(others), min(40, len(others)), replace=False):
            assert abs(score(others[k], c) - score(table, c)) <= 1 + 1e-9


def test_the_exact_score_has_sensitivity_one_and_without_the_half_it_has_two():
    c, halved, whole = critical((1, 2, 2)), 0.0, 0.0
    for table in tables((1, 2, 2), 12, 20, seed=3):
        for other in neighbours(table):
            one, two = score(table, c, exact), score(other, c, exact)
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
