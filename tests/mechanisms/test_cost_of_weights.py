"""The cost of DPSGD-F's weights for a record alone in its group (xu2021/chapter9.md)."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpfair_cli.algorithms.training import dpsgd_f
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, joint_multiplier, spent_epsilon
from dpfair_cli.mechanisms.ledger import record

BATCH, DELTA = 256, 1e-6
RUNS = {  # Tables 9.2 and 9.5: training records, epochs, steps skipped, sigma, factor
    "mnist": (60_000, 60, 22, 0.8, 25.6),
    "mnist unbalanced": (54_649, 60, 19, 0.8, 25.6),
    "adult balanced": (22_400, 20, 5, 1.0, 128),
    "adult": (36_177, 20, 11, 1.0, 128),
    "dutch": (48_336, 20, 17, 1.0, 128),
}


def batches(name):
    records, epochs, skipped, _, _ = RUNS[name]
    return BATCH / records, math.ceil(epochs * records / BATCH) - skipped


def cost(name, factor=1.0):
    """Epsilon where a record changes the sum, not the counts, by `factor` times its bound."""
    sigma = RUNS[name][3]
    return spent_epsilon(
        [NoisySteps(joint_multiplier([sigma / factor, 10 * sigma]), *batches(name))], DELTA
    )


@pytest.mark.parametrize(("groups", "factor"), [(10, 25.6), (2, 128)])
@pytest.mark.parametrize("weights", ["exact", "noisy"])
def test_a_lone_record_of_a_group_moves_the_sum_by_a_batch_over_groups(weights, groups, factor):
    """The lone record's gradient has at least its bound C_0 (1 + 256) as norm; others are 0."""
    X, protected = np.zeros((BATCH, 1)), 1 + np.arange(BATCH) % (groups - 1)
    X[0], protected[0] = 1000, 0
    domain = Domain(("x",), {"x": (0,)}, tuple(f"group {k}" for k in range(groups)))
    people = Records(X, np.ones(BATCH, dtype=int), protected, domain)
    options = {
        "epsilon": math.inf,
        "weights": weights,
        "epochs": 1,
        "batch_size": BATCH,
        "intercept": "without",
    }
    with record() as tape:
        dpsgd_f.fit(people, **options, rng=np.random.default_rng(0))
    assert abs(tape[1].value[0]) / tape[1].sensitivity == pytest.approx(factor)


@pytest.mark.parametrize(
    ("name", "private", "weighted"),
    [
        ("mnist", 5.2, 51_000),
        ("mnist unbalanced", 5.5, 51_000),
        ("adult balanced", 3.2, 360_000),
        ("adult", 2.4, 360_000),
        ("dutch", 2.1, 360_000),
    ],
)
def test_weights_cost_at_least_what_likely_batches_cost(name, private, weighted):
    """By hand: 100 of 12,790 batches at (25.6 / 0.8)^2 / 2 each are 51,200.

    44 of 3,760 at 128^2 / 2 are 360,448.
    """
    rate, steps = batches(name)
    *_, sigma, factor = RUNS[name]
    found = cost(name, factor)
    assert round(cost(name), 1) == private
    assert found == pytest.approx(weighted, rel=0.02)
    assert found == pytest.approx(
        binom.isf(DELTA, steps, rate) * (factor / sigma) ** 2 / 2, rel=0.02
    )
