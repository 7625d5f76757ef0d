"""DP-oracle-learner for a finite class: the learner chooses a rule by the exponential mechanism.

Source: jagielski2019, Algorithm 3 with Subroutine 2, for a finite class of rules (the lower half
    of Table 1).
Differs: The paper names no finite class. Here the class has all threshold rules on one feature,
    with public thresholds at equal distances in [0, 1], and both constant rules. With `features`
    "aware" it also has the indicators of the groups, as in Assumption 4.1. Table 1 says that a
    finite class protects whole records, and the noise of all steps here is for replaced records.
    The paper computes rates, and the scale of the noise, from the exact numbers of records of each
    group and label, which are private. Here one more step releases these counts, and all later
    steps use the noisy counts, from which the sensitivities are computed
    (mechanisms/sensitivity/record_rates.py). With `split` "published" each step costs epsilon / (4
    sqrt(T ln(1/delta))), as printed. For epsilon above about 8 ln(1/delta), no theorem that we know
    shows that these steps compose to epsilon, and the fit is refused. "composed" is the largest
    budget with which the steps compose to (epsilon, delta)
    (mechanisms/accounting/composition.py), about twice the printed one. The number of rounds T is
    `rounds`. The bound B of the dual variables is `dual_scale` / `fairness_gap`.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.parameters import Count, Delta, Epsilon, Fraction, PositiveFinite, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.accounting.composition import composed_epsilon, step_epsilon
from dpfair_cli.mechanisms.exponential import exponential
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.counts import L1_REPLACED
from dpfair_cli.mechanisms.sensitivity.record_rates import l1_record_gaps, rule_cost
from dpfair_cli.models.postprocessing import fair_game as game
from dpfair_cli.models.postprocessing.linear_ensemble import LinearEnsemble

Features = Literal["blind", "aware"]
Parity = Literal["equalized_odds", "false_positive"]
Split = Literal["composed", "published"]
SIGN = np.array([1.0, -1.0])  # the cost of deciding 1, less that of 0, for a record of label 0, 1


@checked
def fit(
    records: Records,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-7,
    fairness_gap: PositiveFinite = 0.05,
    beta: Fraction = 0.05,
    dual_scale: PositiveFinite = 1.0,
    rounds: Count = 100,
    thresholds: Count = 9,
    features: Features = "blind",
    parity: Parity = "equalized_odds",
    split: Split = "composed",
    rng: np.random.Generator,
) -> LinearEnsemble:
    """The classifier that averages the rules that a learner chooses in all rounds of a game.

    In each round the learner chooses a rule of low cost, and an auditor changes the costs of unfair
    decisions.

    Args:
        fairness_gap: gamma, the largest difference of rates between groups that is allowed.
        beta: The probability with which the bounds on error and unfairness may fail.
        dual_scale: The bound of the dual variables, multiplied by `fairness_gap`.
        rounds: The number of rounds of the game.
        thresholds: The number of thresholds of each feature.
        features: Whether the class has the indicators of the groups ("aware") or not ("blind").
        parity: The rates that are to be equal: of both labels, or false positive rates only.
        split: The budget of a step: the largest that composes to epsilon, or that of the paper.

    Raises:
        ValueError: the split is "published", and the steps do not compose to epsilon.
    """
    n, groups, aware = len(records), len(records.domain.groups), features == "aware"
    labels, bound = 2 if parity == "equalized_odds" else 1, dual_scale / fairness_gap
    weights, intercepts = _rules(records.X.shape[1], groups, thresholds, aware)
    data, ones = game.grouped(records), _decisions(records, thresholds, aware)
    # of the counts, T rules and T rates
    epsilon_step = _step(epsilon, delta, rounds, split)

    # bound: a record is in one group and has one label
    # release: (groups, 2)
    noisy = laplace(data.counts, l1_sensitivity=L1_REPLACED, epsilon=epsilon_step, rng=rng)
    # post-process
    counts = np.maximum(noisy, 1.0)
    eta = 0.5 * sqrt(log(2 * labels * (groups - 1) + 1) / rounds) / bound
    theta, plays = np.zeros((2, groups - 1, labels)), np.empty(rounds, dtype=np.int64)
    for t in range(rounds):
        extra = game.unfairness_costs(game.auditor_weights(theta, bound), counts, n)
        # query: the cost of each rule
        cost = data.counts[:, 1].sum() + (ones * (SIGN + extra)).sum(axis=(1, 2))
        # release
        plays[t] = exponential(-cost, sensitivity=rule_cost(extra), epsilon=epsilon_step, rng=rng)
        # query
        rates = (ones[plays[t]] / counts)[:, :labels]
        # release
        gaps = laplace(
            rates[1:] - rates[0],
            l1_sensitivity=l1_record_gaps(counts, labels),
            epsilon=epsilon_step,
            rng=rng,
        )
        # post-process
        theta = theta + eta * game.violations(gaps, fairness_gap)
    # in the bounds, ln |H| stands in the place of d_H ln n (Remark 4.2)
    dimension = log(len(weights)) / log(max(n, 2))
    settings = (1 / epsilon, delta, fairness_gap, beta, bound, dimension, labels, aware)
    return LinearEnsemble(weights[plays], intercepts[plays], *settings)


def _step(epsilon: float, delta: float, rounds: int, split: Split) -> float:
    """The budget of each of the 2 T + 1 steps."""
    steps = 2 * rounds + 1
    if split == "composed":
        return step_epsilon(epsilon, delta, steps)
    step = epsilon / (4 * sqrt(rounds * log(1 / delta)))
    if composed_epsilon([step] * steps, delta) > epsilon:
        raise ValueError(
            f"the published budget of a step must compose to epsilon, which is not known for "
            f"epsilon {epsilon:g} at delta {delta:g}: set `split` to 'composed'"
        )
    return step


def _rules(features: int, groups: int, thresholds: int, aware: bool) -> tuple[Floats, Floats]:
    """The weights (rules, d) and intercepts (rules, groups) of the rules of the class.

    A rule decides 1 if its weighted features and the intercept of the group are above 0.
    """
    above = np.repeat(np.eye(features), thresholds, axis=0)
    cut = np.tile(np.arange(1, thresholds + 1) / (thresholds + 1), features)
    weights = np.vstack([above, -above, np.zeros((2, features))])
    common = np.concatenate([-cut, cut, [1.0, -1.0]])
    intercepts = np.tile(common[:, None], groups)
    if aware:
        # of two groups, one group is where the other is not
        own = 2 * np.eye(groups)[: groups if groups > 2 else 1] - 1
        weights = np.vstack([weights, np.zeros((2 * len(own), features))])
        intercepts = np.vstack([intercepts, own, -own])
    return weights, intercepts


@once_per_records
def _decisions(records: Records, thresholds: int, aware: bool) -> Floats:
    """The number of records of each group and label for which a rule decides 1, (rules, groups, 2).

    It is cached, because every fit uses it.
    """
    groups, cell = len(records.domain.groups), game.grouped(records).cell
    found = []
    for weight, intercept in zip(
        *_rules(records.X.shape[1], groups, thresholds, aware), strict=True
    ):
        decided = records.X @ weight + intercept[records.protected] > 0
        found.append(np.bincount(cell[decided], minlength=2 * groups))
    return np.array(found, dtype=float).reshape(-1, groups, 2)


ALGORITHM = Algorithm(
    fit,
    source=(
        "jagielski2019, Algorithm 3 with Subroutine 2, for a finite class of rules (the lower half "
        "of Table 1)"
    ),
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="all rounds",
        neighbours=Neighbours.REPLACE_ONE,
        remark="protected attribute included",
        public="the number of records",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/record_rates.py, mechanisms/accounting/composition.py",
    ),
    uses_groups=True,
)
