"""Sensitivities of counts, rates and sums over groups against every record that can change."""

from itertools import product

import numpy as np
import pytest

from dpfair_cli.mechanisms.sensitivity import counts, rates
from dpfair_cli.models.postprocessing.fair_game import rate_gaps


@pytest.fixture(params=[(seed, groups) for seed in range(6) for groups in (2, 3, 5)], ids=str)
def crowd(request):
    """Features (60, 3) of any sign, labels and groups; no pair of group and label is empty."""
    seed, groups = request.param
    rng = np.random.default_rng(seed)
    group, y = np.divmod(np.arange(60) % (2 * groups), 2)
    return rng.normal(size=(60, 3)), y, group, groups


def neighbours(group, groups):
    """The groups with one record in another one."""
    for person, other in product(range(len(group)), range(groups)):
        changed = group.copy()
        changed[person] = other
        yield changed


def largest_move(query, group, groups):
    return max(np.abs(query(changed) - query(group)).sum() for changed in neighbours(group, groups))


def longest(X, y):
    lengths = np.abs(X).sum(axis=1)
    return np.array([lengths[y == label].max() for label in (0, 1)])


def test_a_changed_group_moves_two_counts_and_no_more(crowd):
    _, y, group, groups = crowd

    def query(who):
        return np.bincount(2 * who + y, minlength=2 * groups)

    assert largest_move(query, group, groups) == counts.L1_REPLACED
    assert counts.l1_shares(60) == pytest.approx(counts.L1_REPLACED / 60)
    assert np.abs(np.bincount(y[1:], minlength=2) - np.bincount(y)).sum() == counts.L1_ADDED


def test_the_sensitivity_of_the_gaps_of_rates_is_reached(crowd):
    """By decision 1 for all; the counts are public, and rates are divided by them."""
    _, y, group, groups = crowd
    counted = np.random.default_rng(3).uniform(5, 20, size=(groups, 2))
    for labels in (1, 2):
        found = largest_move(
            lambda who, labels=labels: rate_gaps(np.ones(60), 2 * who + y, counted, labels),
            group,
            groups,
        )
        assert found == pytest.approx(rates.l1_rate_gaps(counted, labels))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_sensitivity_of_the_sum_of_costs_is_reached(crowd, seed):
    X, y, group, groups = crowd
    cost = np.random.default_rng(seed).normal(size=(groups, 2))
    found = largest_move(lambda who: cost[who, y] @ X, group, groups)
    bound = rates.l1_cost_sum(cost, longest(X, y))
    assert found <= bound * (1 + 1e-9)
    assert groups > 2 or found == pytest.approx(
        bound
    )  # of more, the longest record may be in a middling group


def test_the_sensitivity_of_the_totals_of_groups_is_reached(crowd):
    _, y, group, groups = crowd
    cost = np.random.default_rng(2).normal(size=(groups, 2))
    found = largest_move(
        lambda who: np.bincount(who, weights=cost[who, y], minlength=groups), group, groups
    )
    assert found == pytest.approx(rates.l1_cost_totals(cost))


def test_the_sensitivity_of_the_feature_sums_is_reached(crowd):
    X, y, group, groups = crowd
    found = largest_move(
        lambda who: np.stack([X[who == k].sum(axis=0) for k in range(groups)]), group, groups
    )
    assert found == pytest.approx(rates.l1_feature_sums(longest(X, y)))
