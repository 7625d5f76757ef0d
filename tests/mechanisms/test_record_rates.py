"""Sensitivities of rates and of costs to one replaced record, against all replacements."""

from itertools import product

import numpy as np
import pytest

from dpfair_cli.mechanisms.sensitivity.record_rates import l1_record_gaps, rule_cost


def gaps_of(ones, counts, labels):
    rates = (ones / counts)[:, :labels]
    return rates[1:] - rates[0]


@pytest.mark.parametrize("groups", [2, 3, 5])
@pytest.mark.parametrize("labels", [1, 2])
def test_the_gaps_move_at_most_by_their_sensitivity_and_reach_it(groups, labels):
    counts = np.random.default_rng(groups).integers(1, 50, (groups, 2)).astype(float)
    ones, moves = np.full((groups, 2), 5.0), []
    before = gaps_of(ones, counts, labels)
    records = [*product(range(groups), range(2), range(2))]  # group, label, decision
    for (a, y, d), (b, z, e) in product(records, repeat=2):
        after = ones.copy()
        after[a, y] -= d
        after[b, z] += e
        moves.append(np.abs(gaps_of(after, counts, labels) - before).sum())
    assert max(moves) == pytest.approx(l1_record_gaps(counts, labels))


@pytest.mark.parametrize("groups", [2, 3])
def test_the_cost_of_a_rule_moves_at_most_by_its_sensitivity_and_reaches_it(groups):
    for seed in range(10):
        extra = np.random.default_rng(seed).normal(size=(groups, 2)) * 3
        costs = [
            y if not decision else (1 - y) + extra[a, y]
            for a, y, decision in product(range(groups), range(2), range(2))
        ]
        assert max(costs) - min(costs) == pytest.approx(rule_cost(extra))


def test_without_costs_of_unfairness_a_record_is_one_error():
    assert rule_cost(np.zeros((2, 2))) == 1
