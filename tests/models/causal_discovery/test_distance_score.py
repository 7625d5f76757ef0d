"""The certified score against the exhaustive distance of Equation 4.1, and its sensitivity."""

from functools import cache

import numpy as np
import pytest

from dpfair_cli.models.causal_discovery.edge_scores import certified, signed
from dpfair_cli.models.causal_discovery.independence import g_squared
from tests.oracles.causal import every_distance, replace_one
from tests.oracles.causal import g_squared as slow_g_squared
from tests.oracles.distances import (
    SHAPES,
    SIZES,
    arranged,
    critical,
    critical_of_counts,
    neighbours,
    tables,
)

SMALL = [
    ((2, 2, 1), 10, 0.05),
    ((2, 2, 1), 16, 0.01),
    ((2, 3, 1), 7, 0.05),
    ((2, 2, 2), 6, 0.05),
    ((2, 2, 2), 5, 0.2),
]
every_small = pytest.mark.parametrize(("shape", "n", "level"), SMALL, ids=str)


def lower_bound(counts, shape, level):
    """`certified` of counts in the order (a, b, strata)."""
    return certified(arranged(counts, shape), critical_of_counts(shape, level))


@cache
def evaluated(shape, n, level):
    """All tables with their G^2 and their certified distance."""
    tables, *_ = every_distance(shape, n, level)
    statistics = np.array([slow_g_squared(table.reshape(shape)) for table in tables])
    return tables, statistics, np.array([lower_bound(table, shape, level) for table in tables])


def largest_move(tables, scores):
    return max(np.abs(scores[a] - scores[b]).max() for a, b in replace_one(tables))


@every_small
def test_the_certified_distance_is_never_above_the_true_one(shape, n, level):
    _, _, distance = every_distance(shape, n, level)
    *_, bounds = evaluated(shape, n, level)
    assert (bounds >= 1).all()
    assert (bounds <= np.minimum(np.abs(distance), n)).all()


@every_small
def test_one_record_moves_the_signed_certified_distance_by_at_most_one(shape, n, level):
    tables, statistics, bounds = evaluated(shape, n, level)
    _, p, _ = every_distance(shape, n, level)
    scores = np.array(
        [
            signed(d, g, critical_of_counts(shape, level))
            for d, g in zip(bounds, statistics, strict=True)
        ]
    )
    np.testing.assert_array_equal(scores > 0, p > level)
    assert largest_move(tables, scores) <= 1


@every_small
def test_a_finite_distance_minus_one_half_has_sensitivity_one(shape, n, level):
    tables, statistics, _ = evaluated(shape, n, level)
    _, _, distance = every_distance(shape, n, level)
    scores = np.array(
        [
            signed(abs(d), g, critical_of_counts(shape, level))
            for d, g in zip(distance, statistics, strict=True)
        ]
    )
    np.testing.assert_array_equal(np.abs(scores), np.abs(distance) - 0.5)
    assert largest_move(tables, scores) == 1


def certified_score(table, c):
    return signed(certified(table, c), g_squared(table), c)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("significance", [0.01, 0.2])
def test_one_record_moves_the_certified_score_by_at_most_one(shape, significance):
    c, largest = critical(shape, significance), 0.0
    for table in tables(shape, 4 * SIZES[shape], 25, seed=1):
        own = certified_score(table, c)
        for other in neighbours(table):
            largest = max(largest, abs(certified_score(other, c) - own))
    assert 0.5 < largest <= 1 + 1e-9


@pytest.mark.parametrize("shape", [(1, 2, 2), (1, 4, 4), (6, 3, 3)])
def test_one_record_changes_the_score_of_a_large_table_by_at_most_one(shape):
    """Near independence, far from it, and with a nearly empty row."""
    rng, c = np.random.default_rng(2), critical(shape)
    for strength in (0.0, 0.3, 1.0):
        rows, columns = (
            rng.dirichlet(np.ones(shape[1]), shape[0]),
            rng.dirichlet(np.ones(shape[2]), shape[0]),
        )
        joint = rng.dirichlet(np.ones(np.prod(shape[1:])), shape[0]).reshape(shape)
        law = (1 - strength) * rows[:, :, None] * columns[:, None, :] + strength * joint
        table = rng.multinomial(3000, law.ravel() / law.sum()).reshape(shape).astype(float)
        others = list(neighbours(table))
        for k in rng.choice(len(others), min(40, len(others)), replace=False):
            assert abs(certified_score(others[k], c) - certified_score(table, c)) <= 1 + 1e-9


def random_table(shape, n, rng):
    """A random table, from even to one with nearly all records in a few cells."""
    share = rng.dirichlet(np.full(int(np.prod(shape)), rng.choice([0.02, 0.1, 0.5, 5])))
    return rng.multinomial(n, share)


@pytest.mark.parametrize("shape", [(2, 2, 1), (3, 4, 1), (2, 2, 4), (5, 5, 3), (2, 5, 25)], ids=str)
def test_one_record_changes_the_score_of_any_table_by_at_most_one(
    shape,
):
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 30, 200, 3000):
        for _ in range(10):
            old = random_table(shape, n, rng)
            new = old.copy()
            new[rng.choice(np.flatnonzero(old))] -= 1
            new[rng.integers(len(new))] += 1
            scores = [
                signed(
                    lower_bound(t, shape, 0.01),
                    slow_g_squared(t.reshape(shape)),
                    critical_of_counts(shape, 0.01),
                )
                for t in (old, new)
            ]
            assert abs(scores[0] - scores[1]) <= 1 + 1e-9, (old.tolist(), new.tolist(), scores)


def test_the_certified_distance_grows_with_the_number_of_records():
    # twice the records of an independent table need more changes, and one of strong dependence too
    for table in ([5, 5, 5, 5], [9, 1, 1, 9]):
        bounds = [lower_bound(np.array(table) * size, (2, 2, 1), 0.01) for size in (1, 10, 100)]
        assert bounds == sorted(bounds)
        assert bounds[2] > 5 * bounds[0]


def test_the_two_by_two_table_by_hand_needs_what_it_needs():
    # (2 0 / 0 2), level 0.05: one change undoes the dependence, so the bound is 1 whatever its
    # slack
    assert lower_bound([2, 0, 0, 2], (2, 2, 1), 0.05) == 1
    # all in one cell: G^2 0; of four records one change reaches 4.50 > 3.84
    assert lower_bound([4, 0, 0, 0], (2, 2, 1), 0.05) == 1
