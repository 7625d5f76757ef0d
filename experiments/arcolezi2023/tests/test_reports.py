"""What GRR passes to its trees, which are not trained here: budgets, and what is randomised."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.papers.arcolezi2023.methods import grr
from tests.kinds.test_local_records import people


@pytest.fixture(autouse=True)
def _untrained(monkeypatch):
    """`fit` returns the features and labels that the trees would be trained on."""
    monkeypatch.setattr(grr, "boosted_trees", lambda X, y, settings: (X, y))


def fit(records, seed=0, **options):
    return grr.fit(records, **options, rng=np.random.default_rng(seed))


def scales(**options):
    with record() as tape:
        fit(people(200), **options)
    return [entry.scale for entry in tape]


def test_the_k_based_split_of_epsilon_worked_by_hand():
    """town has 3 levels and group 2: epsilon 2 is 2 * 3/5 and 2 * 2/5."""
    assert scales(epsilon=2.0, budget_split="k_based") == pytest.approx([5 / 6, 5 / 4])


def test_the_uniform_split_of_epsilon_worked_by_hand():
    assert scales(epsilon=2.0, budget_split="uniform") == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("budget_split", ["k_based", "uniform"])
def test_what_one_record_can_cost_adds_up_to_epsilon(budget_split):
    with record() as tape:
        fit(people(200), epsilon=3.0, budget_split=budget_split)
    assert sum(entry.sensitivity / entry.scale for entry in tape) == pytest.approx(3.0)
    assert [entry.sensitivity for entry in tape] == [1, 1]


def test_only_the_randomised_attributes_are_changed():
    records = people(300)
    X, y = fit(records, epsilon=0.1)
    changed = X != records.X
    assert changed[:, :5].any()
    assert not changed[:, 5:].any()
    np.testing.assert_array_equal(X[:, :2].sum(axis=1), 1)
    np.testing.assert_array_equal(X[:, 2:5].sum(axis=1), 1)
    np.testing.assert_array_equal(y, records.y)


def test_equal_reports_of_neighbours_leave_no_difference():
    relation = Neighbours.RANDOMISED_ATTRIBUTES
    for left, right in people(60).neighbours(relation, count=9, rng=np.random.default_rng(0)):
        with record() as tape:
            first = fit(left)
        with replay(tape):
            again = fit(right, seed=1)
        np.testing.assert_array_equal(first[0], again[0])
        np.testing.assert_array_equal(first[1], again[1])


def test_reports_keep_a_level_with_the_probability_of_their_share():
    """At epsilon 5, town has epsilon 3 and group 2."""
    records = people(20_000)
    X, _ = fit(records, epsilon=5.0)
    for columns, odds in ((slice(2, 5), np.exp(3) / 2), (slice(0, 2), np.exp(2))):
        kept = int((X[:, columns] * records.X[:, columns]).sum())
        assert stats.binomtest(kept, 20_000, odds / (1 + odds)).pvalue > 1e-4


def test_two_fits_have_their_own_reports():
    records = people(300)
    first, other = (fit(records, seed)[0] for seed in (1, 2))
    assert (first != other).any()
