"""A mixture of products: its tables, its samples, and what it learns from measured tables."""

import numpy as np
import pytest

from dpfair_cli.models.synthesis.pair_tables import PairTables
from dpfair_cli.models.synthesis.product_mixture import (
    Blocks,
    Measured,
    MixtureFit,
    ProductMixture,
)

TWO = ProductMixture(
    Blocks((2, 3)), np.array([[1.0, 0.0, 0.5, 0.5, 0.0], [0.0, 1.0, 0.0, 0.2, 0.8]])
)
JOINT = [[0.25, 0.25, 0.0], [0.0, 0.1, 0.4]]  # by hand: half of each component's product


def test_the_tables_of_a_mixture_by_hand():
    np.testing.assert_allclose(TWO.blocks.table(TWO.tables, (0, 1)), JOINT)


@pytest.mark.parametrize("n", [1, 3, 1000])
def test_a_sample_has_the_shares_of_the_mixture(n):
    found = np.zeros((2, 3))
    for seed in range(2000 // n):
        first, second = TWO.sample(n, rng=np.random.default_rng(seed))
        np.add.at(found, (first, second), 1)
    np.testing.assert_allclose(found / found.sum(), JOINT, atol=0.05)


def test_a_large_sample_has_nearly_the_expected_numbers():
    first, second = TWO.sample(1000, rng=np.random.default_rng(0))
    assert abs(np.sum(first == 0) - 500) <= 1
    assert abs(np.sum(second == 0) - 250) <= 2


def test_the_mixture_learns_measured_tables_and_keeps_other_columns_independent():
    shares = [np.array([0.5, 0.5]), np.array([0.25, 0.35, 0.4]), np.array([0.3, 0.7])]
    fit = MixtureFit(shares, 50, np.random.default_rng(0))
    found = fit.fit({(0, 1): Measured(np.array(JOINT), 1e6)}, 300)
    table = found.blocks.table
    np.testing.assert_allclose(table(found.tables, (0, 1)), JOINT, atol=0.005)
    np.testing.assert_allclose(
        table(found.tables, (0, 2)), np.outer(shares[0], shares[2]), atol=0.01
    )


def test_two_measurements_are_joined_by_precision():
    one, other = Measured(np.array([[1.0]]), 3.0), Measured(np.array([[0.0]]), 1.0)
    joined = one.joined(other)
    assert (joined.shares[0, 0], joined.precision) == (0.75, 4.0)
    assert one.joined(None) is one


def test_tables_of_pairs_their_distances_and_releases_by_hand():
    codes = [np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([0, 0, 0])]
    tables = PairTables(codes, (2, 2, 1), 3)
    assert tables.pairs == [(0, 1), (0, 2), (1, 2)]
    np.testing.assert_array_equal(tables.counts[0], [[1, 1], [0, 1]])
    np.testing.assert_array_equal(tables.cells, [4, 2, 2])
    np.testing.assert_allclose(tables.distances(np.zeros((5, 5))), [3, 3, 3])
    weights = np.array([0.5, 2.0])
    query = tables.weighted([2, 0], weights)
    np.testing.assert_allclose(query, [0.5, 1.0, 2, 2, 0, 2])
    (pair, found), (other, table) = tables.measured(query, [2, 0], weights, 1.0)
    assert (pair, other) == ((1, 2), (0, 1))
    np.testing.assert_allclose(table.shares, np.array([[1, 1], [0, 1]]) / 3)
    assert found.precision == pytest.approx(9 / (4 + 1))  # noise of 1 / 0.5, and of rounding
