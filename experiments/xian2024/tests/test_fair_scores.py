"""Fair scores of xian2024, against numbers worked by hand and slow answers from the formulas."""

from itertools import product

import numpy as np
import pytest

from dpfair_cli.papers.xian2024.models import fair_scores
from dpfair_cli.papers.xian2024.models.fair_scores import GroupDistributions
from tests.oracles.barycentre import mean_quantile_cost


def _groups(*shares, weights):
    return GroupDistributions(np.array(weights), np.array(shares, dtype=float))


def _cost(groups, moves):
    bins = np.arange(moves.shape[1])
    squares = (bins[:, None] - bins) ** 2
    return float(np.einsum("a,ai,aij,ij->", groups.weights, groups.shares, moves, squares))


@pytest.mark.parametrize("values", list(product([0.0, 1.0, 2.0], repeat=4)))
def test_isotonic_regression_is_as_near_as_any_monotone_sequence(values):
    steps = np.arange(0, 2.01, 0.5)
    nearest = min(
        np.abs(np.array(other) - values).max()
        for other in product(steps, repeat=4)
        if all(np.diff(other) >= 0)
    )
    found = fair_scores.sup_norm_isotonic(np.array(values))
    assert (np.diff(found) >= 0).all()
    assert np.abs(found - values).max() == nearest


def test_distributions_of_a_histogram_without_noise_are_its_rows():
    found = fair_scores.distributions(np.array([[0.25, 0.25], [0.125, 0.375]]))
    assert found.weights.tolist() == [0.5, 0.5]
    assert found.shares.tolist() == [[0.5, 0.5], [0.25, 0.75]]


def test_distributions_of_negative_cells_are_still_distributions():
    rng = np.random.default_rng(0)
    found = fair_scores.distributions(rng.normal(size=(50, 6)))
    assert (found.shares >= 0).all()
    assert found.shares.sum(axis=1) == pytest.approx(np.ones(50))
    assert (found.weights >= fair_scores.SMALLEST_WEIGHT).all()


def test_groups_that_are_alike_do_not_move():
    moves = fair_scores.cheapest_moves(_groups([0.5, 0.5], [0.5, 0.5], weights=[0.3, 0.7]), 0)
    assert moves == pytest.approx(np.stack([np.eye(2)] * 2))


@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.5, 1.0])
def test_cost_of_two_bins_is_that_worked_by_hand(alpha):
    # Two point masses: the lighter group (0.25) moves the share 1 - alpha by one bin.
    groups = _groups([1, 0], [0, 1], weights=[0.25, 0.75])
    assert _cost(groups, fair_scores.cheapest_moves(groups, alpha)) == pytest.approx(
        0.25 * (1 - alpha)
    )


@pytest.mark.parametrize("alpha", [0.0, 0.2])
def test_new_distributions_are_within_alpha_of_each_other(alpha):
    rng = np.random.default_rng(1)
    groups = GroupDistributions(np.array([0.2, 0.3, 0.5]), rng.dirichlet(np.ones(5), 3))
    moves = fair_scores.cheapest_moves(groups, alpha)
    after = np.cumsum(np.einsum("ai,aij->aj", groups.shares, moves), axis=1)
    assert moves.sum(axis=2) == pytest.approx(np.ones((3, 5)))
    assert np.ptp(after, axis=0).max() <= alpha + 1e-9


def test_a_bin_without_mass_maps_to_itself():
    moves = fair_scores.cheapest_moves(_groups([1, 0, 0], [1, 0, 0], weights=[0.5, 0.5]), 0)
    assert moves[:, 1:] == pytest.approx(np.stack([np.eye(3)[1:]] * 2))


@pytest.mark.parametrize(("groups", "bins"), [(2, 3), (2, 8), (3, 5), (4, 6)])
@pytest.mark.parametrize("seed", range(3))
def test_cost_is_that_of_equal_levels_without_a_linear_program(groups, bins, seed):
    rng = np.random.default_rng(seed)
    known = GroupDistributions(
        rng.dirichlet(np.ones(groups)), rng.dirichlet(np.ones(bins), size=groups)
    )
    found = _cost(known, fair_scores.cheapest_moves(known, 0))
    assert found == pytest.approx(mean_quantile_cost(known.weights, known.shares), abs=1e-7)


def test_equal_levels_have_the_cost_worked_by_hand():
    # Point masses in the bins 0 and 2 with equal weights meet in bin 1.
    assert mean_quantile_cost(np.array([0.5, 0.5]), np.array([[1, 0, 0], [0, 0, 1]])) == 1
