"""Algorithm 2 of ghoukasian2024 against formulas, numbers by hand and audits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpfair_cli.auditing.audit import audit
from dpfair_cli.auditing.losses import privacy_loss
from dpfair_cli.catalog import algorithm
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, spent_epsilon
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.papers.ghoukasian2024.methods import dpsgd_with_flips
from dpfair_cli.papers.ghoukasian2024.models.group_flips import GroupFlips, flips, restore
from tests.oracles import fermi as oracle


def crowd(n=600, seed=0):
    """Group 1 has more of the first number, on which the label depends."""
    rng = np.random.default_rng(seed)
    protected = rng.integers(0, 2, n)
    X = np.clip(rng.random((n, 2)) * 0.7 + 0.3 * protected[:, None] * [1, 0], 0, 1)
    y = (X[:, 0] > 0.5).astype(int)
    return Records(X, y, protected, Domain(("a", "b"), {"a": (0,), "b": (1,)}, ("women", "men")))


def fit(records, seed=0, **options):
    small = {"batch_size": 50, "epochs": 4} | options
    return dpsgd_with_flips.fit(records, rng=np.random.default_rng(seed), **small)


@pytest.mark.parametrize(("high", "low"), [(0.3, 0.1), (1.0, 0.0), (0.2, 0.2), (0.9, 0.7)])
def test_flips_bring_both_groups_to_the_mean_rate(high, low):
    rule = flips(np.array([low, high]))
    rates = [rate * rule[1, k] + (1 - rate) * rule[0, k] for k, rate in enumerate((low, high))]
    assert rates == pytest.approx([(high + low) / 2] * 2)
    if 0 < low < high < 1:
        assert oracle.selection_after_flips(high, low) == pytest.approx(tuple(reversed(rates)))


def test_flips_by_hand():
    """Rates 0.1 and 0.3, target 0.2: keep 2/3 of the decisions 1, turn 1/9 of the decisions 0."""
    np.testing.assert_allclose(flips(np.array([0.1, 0.3])), [[1 / 9, 0], [1, 2 / 3]])


def test_flips_are_probabilities_for_three_groups_and_extreme_rates():
    rng = np.random.default_rng(0)
    for rates in ([0, 0, 0], [1, 1, 1], [0, 1, 0.5], *rng.random((50, 3))):
        rule = flips(np.array(rates, dtype=float))
        assert rule.min() >= 0
        assert rule.max() <= 1


def test_a_saved_rule_makes_the_same_decisions():
    records = crowd()
    model = fit(records)
    again = restore(model.saved())
    np.testing.assert_array_equal(again.predict(records), model.predict(records))


def test_a_damaged_rule_is_refused():
    saved = fit(crowd()).saved()
    with pytest.raises(ValueError, match="two rows with a number for each group"):
        restore(saved | {"rule": [[0.0, 1.0]]})


def test_a_step_releases_the_sum_of_clipped_gradients():
    records = crowd(n=30)
    options = {"batch_size": 30, "epochs": 1, "learning_share": 0.9, "numbers": "in_range"}
    with record() as tape:
        fit(records, clip_norm=0.3, epsilon=math.inf, **options)
    rng = np.random.default_rng(0)
    part = rng.permutation(30)[:27]
    theta = rng.uniform(-1 / math.sqrt(3), 1 / math.sqrt(3), size=4)  # two numbers, one, the group
    batch = [([*records.X[i], 1.0, float(records.protected[i])], records.y[i]) for i in part]
    expected = oracle.clipped_sum(theta.tolist(), batch, clip_norm=0.3)
    np.testing.assert_allclose(tape[0].value, expected, atol=1e-12)


def test_without_noise_the_gap_on_the_second_part_is_closed():
    records = crowd(n=4000)
    model = fit(
        records, epsilon=math.inf, epochs=40, learning_rate=5.0, group_sizes="exact", seed=1
    )
    after = np.setdiff1d(np.arange(4000), np.random.default_rng(1).permutation(4000)[:2667])
    part = records.take(after)
    rates = [model.predict(part)[part.protected == g].mean() for g in (0, 1)]
    assert rates[0] == pytest.approx(rates[1], abs=1e-9)
    base = GroupFlips(model.weights, model.intercepts, np.array([[0.0, 0.0], [1.0, 1.0]]))
    before = [base.predict(part)[part.protected == g].mean() for g in (0, 1)]
    assert before[1] - before[0] > 0.2


@pytest.mark.parametrize("group_sizes", ["noisy", "exact"])
def test_the_declared_sensitivities_cost_at_most_epsilon(group_sizes):
    with record() as tape:
        fit(crowd(), epsilon=2.0, group_sizes=group_sizes)
    rates = [entry for entry in tape if entry.mechanism == "laplace"]
    spent = sum(entry.sensitivity / entry.scale for entry in rates)
    assert spent == pytest.approx(2.0 * 0.1 / 3)
    cost = privacy_loss(tape, [entry.sensitivity for entry in tape], 1e-5)
    assert 1.8 < cost <= 2.0 * (1 + 1e-6)


def test_one_record_pays_for_one_part_only():
    """The parts are disjoint, so that the larger one would do in place of their sum."""
    learning = NoisySteps(noise_multiplier=3.13 / 1.5, sampling_rate=1 / 30, steps=1500)
    spent = spent_epsilon([learning], 1e-5)
    assert 2.5 < spent < 2.9  # the released code states 2.9, at a slightly larger rate
    assert max(spent, 0.05) < spent + 0.05 + 0.05 <= 3


def test_too_little_given_noise_is_refused():
    with pytest.raises(ValueError, match="use a larger `noise_multiplier`"):
        fit(crowd(), epsilon=1.0, calibration="given", noise_multiplier=0.3)


@pytest.mark.parametrize(
    ("options", "holds"),
    [({}, True), ({"group_sizes": "exact"}, False), ({"numbers": "standardised"}, False)],
    ids=["default", "exact sizes", "standardised numbers"],
)
def test_the_audit_finds_what_is_not_private(options, holds):
    params = algorithm("dpsgd_with_flips").complete({"epochs": 4} | options)
    found = audit("dpsgd_with_flips", crowd(), params=params, neighbours=24)
    assert found.holds == holds, found.problems
