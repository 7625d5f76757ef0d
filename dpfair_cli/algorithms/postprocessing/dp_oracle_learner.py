"""DP-oracle-learner: a private learner and a private auditor play for the best fair classifier.

Source: jagielski2019, Algorithm 3 with Subroutine 2 (at epsilon = infinity: Agarwal et al. 2018
    with a regression oracle).
Differs: The paper computes rates, and the scale of the noise, from the exact numbers of records of
    each group and label, which are private. Here one more step releases these counts, and all later
    steps use the noisy counts. The sensitivities are computed from the noisy counts and from
    features and labels, which are public. For two equal groups these sensitivities are half of the
    paper's 2|A| / (m min q - 1), because one noise serves both signs of a constraint. The budget of
    a step is the largest with which all steps compose to (epsilon, delta) by
    mechanisms/accounting/composition.py. This budget is about twice the paper's epsilon / (4 sqrt(T
    ln(1/delta))). For epsilon above 8 ln(1/delta) (129 at delta 1e-7), no theorem that we know
    shows that the paper's budget composes to epsilon. The cost of decision 0 does not depend on the
    group and gets no noise. With `features` "aware" the features X have indicators of the group,
    and the block of X'X for these indicators gets noise once. The number of rounds T is `rounds`,
    100 as in the authors' code; `schedule` "published" takes the T of Algorithm 3. The bound B of
    the dual variables is `dual_scale` / `fairness_gap`. `noise` "released_code" reproduces a
    mistake of the authors' code, np.random.laplace(scale, size=...), which shifts the noisy sum X'C
    by the scale and adds noise of scale 1. The guarantee of this variant is refuted by the audit.
"""

from __future__ import annotations

from math import isinf, log, sqrt
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Count, Delta, Epsilon, Fraction, PositiveFinite, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.accounting.composition import step_epsilon
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity import rates
from dpfair_cli.mechanisms.sensitivity.counts import L1_REPLACED
from dpfair_cli.models.postprocessing import fair_game as game
from dpfair_cli.models.postprocessing.linear_ensemble import LinearEnsemble

Features = Literal["blind", "aware"]
Parity = Literal["equalized_odds", "false_positive"]
Schedule = Literal["given", "published"]
Noise = Literal["published", "released_code"]
SMALLEST = 1e-6  # eigenvalues of X'X, relative to the largest, below which a direction is left out
SIGN = np.array([1.0, -1.0])  # the cost of deciding 1 for a record of label 0, 1


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
    schedule: Schedule = "given",
    features: Features = "blind",
    parity: Parity = "equalized_odds",
    noise: Noise = "published",
    rng: np.random.Generator,
) -> LinearEnsemble:
    """The classifier that averages the decisions that a learner makes in all rounds of a game.

    In each round the learner chooses a linear rule, and an auditor changes the costs of unfair
    decisions.

    Args:
        fairness_gap: gamma, the largest difference of rates between groups that is allowed.
        beta: The probability with which the bounds on error and unfairness may fail.
        dual_scale: The bound of the dual variables, multiplied by `fairness_gap`.
        rounds: The number of rounds of the game, for the schedule "given".
        schedule: Where the number of rounds comes from: `rounds` ("given"), or Algorithm 3
            ("published").
        features: Whether the learner sees indicators of the group ("aware") or not ("blind").
        parity: The rates that are to be equal: of both labels, or false positive rates only.
        noise: The noise of the paper ("published"), or with the mistake of the released code.

    Raises:
        ValueError: the schedule is "published" and epsilon is infinite, for which Algorithm 3 gives
            no number of rounds.
    """
    data, groups, aware = game.grouped(records), len(records.domain.groups), features == "aware"
    labels, bound = 2 if parity == "equalized_odds" else 1, dual_scale / fairness_gap
    dimension = data.features.shape[1] + (groups - 1) * aware
    T = rounds
    if schedule == "published":
        T = _published_rounds(len(records), groups, epsilon, delta, bound, beta, dimension)
    # of T costs, T rates, the counts, and with "aware" the features
    epsilon_step = step_epsilon(epsilon, delta, 2 * T + 1 + aware)

    # bound: a record is in one group; changing it moves two counts by 1
    # release: (groups, 2)
    noisy = laplace(data.counts, l1_sensitivity=L1_REPLACED, epsilon=epsilon_step, rng=rng)
    # post-process
    counts = np.maximum(noisy, 1.0)
    inverse = _inverse(data, features, epsilon_step, rng)  # (d, d)
    eta = 0.5 * sqrt(log(2 * labels * (groups - 1) + 1) / T) / bound
    theta, plays = np.zeros((2, groups - 1, labels)), np.empty((T, groups, data.features.shape[1]))
    for t in range(T):
        extra = game.unfairness_costs(game.auditor_weights(theta, bound), counts, len(records))
        cost = _released_cost(data, extra, features, noise, epsilon_step, rng)  # X'(C1 - C0), (d,)
        plays[t] = -_by_group(inverse @ cost, groups, features)
        # query
        gaps = game.rate_gaps(_decisions(data, plays[t], features), data.cell, counts, labels)
        # release
        gaps = laplace(
            gaps, l1_sensitivity=rates.l1_rate_gaps(counts, labels), epsilon=epsilon_step, rng=rng
        )
        # post-process
        theta = theta + eta * game.violations(gaps, fairness_gap)
    settings = (1 / epsilon, delta, fairness_gap, beta, bound, float(dimension), labels, aware)
    return LinearEnsemble(plays[:, 0, 1:].copy(), plays[:, :, 0].copy(), *settings)


def _released_cost(
    data: game.GroupedRecords,
    extra: Floats,
    features: Features,
    noise: Noise,
    epsilon: float,
    rng: np.random.Generator,
) -> Floats:
    """The noisy sum, over the records i, of (C1_i - C0_i) x_i, (d,); x_i are the features.

    C1_i and C0_i are the costs of the decisions 1 and 0. `extra` (groups, 2) is added to the cost
    of decision 1 for each group and label.
    """
    total = SIGN @ data.label_sums + np.einsum("ay,ayd->d", extra, data.sums)
    sensitivity = rates.l1_cost_sum(extra, data.longest)
    if extra.any():  # otherwise the sum is the same for all neighbours
        largest = 1 + float(np.abs(extra).max())
        sensitivity = max(sensitivity, rates.least_l1_of_sum(largest, data.longest, len(data.cell)))
    if features == "aware":
        cost = SIGN + extra  # (groups, 2)
        total = np.concatenate([total, (cost * data.counts).sum(axis=1)[1:]])
        sensitivity += rates.l1_cost_totals(cost)
    if noise == "released_code":
        scale = sensitivity / epsilon
        return laplace(
            total + scale, l1_sensitivity=sensitivity, epsilon=max(sensitivity, 1e-12), rng=rng
        )
    return laplace(total, l1_sensitivity=sensitivity, epsilon=epsilon, rng=rng)


def _inverse(
    data: game.GroupedRecords, features: Features, epsilon: float, rng: np.random.Generator
) -> Floats:
    """The pseudo-inverse (d, d) of X'X, where X are the features of all records.

    With `features` "aware", the indicators of the groups count as features. Noise is added to the
    part of X'X that contains these indicators.
    """
    square = data.square
    if features == "aware":
        # query: X of each group but the first, (groups - 1, d); its first entry counts the group
        block = data.sums.sum(axis=1)[1:]
        # release
        block = laplace(
            block, l1_sensitivity=rates.l1_feature_sums(data.longest), epsilon=epsilon, rng=rng
        )
        square = np.block([[square, block.T], [block, np.diag(block[:, 0])]])
    values, vectors = np.linalg.eigh(square)
    # features of levels that nobody has make X'X singular
    kept = values > SMALLEST * values[-1]
    inverse: Floats = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    return inverse


def _by_group(weights: Floats, groups: int, features: Features) -> Floats:
    """The weights that a linear rule gives to the records of each group, (groups, d).

    `weights` are the weights of the features, the intercept first, and with `features` "aware" also
    the weights of the group indicators.
    """
    if features == "blind":
        return np.tile(weights, (groups, 1))
    common = np.tile(weights[: -(groups - 1)], (groups, 1))
    common[1:, 0] += weights[-(groups - 1) :]
    return common


def _decisions(data: game.GroupedRecords, play: Floats, features: Features) -> Floats:
    """The decisions, 0 or 1, of the rule with the weights `play` (groups, d), (n,)."""
    # one product for all groups, whose rules differ in the intercept only
    scores = data.features[:, 1:] @ play[0, 1:]
    intercept = play[0, 0] if features == "blind" else play[data.cell // 2, 0]
    return np.asarray(scores + intercept > 0, dtype=float)


def _published_rounds(
    m: int, groups: int, epsilon: float, delta: float, bound: float, beta: float, dimension: int
) -> int:
    """The number of rounds that Algorithm 3 of jagielski2019 prescribes, at least 1."""
    if isinf(epsilon):
        raise ValueError(
            "the published number of rounds of dp_oracle_learner grows with epsilon and must not "
            "be infinite: set `schedule` to 'given' and give `rounds`, or use a finite epsilon"
        )
    complexity = dimension * log(m) + log(2 / beta)
    step = 2 * (2 * groups * bound + 1) * sqrt(log(1 / delta)) * complexity
    return max(1, int(bound * sqrt(log(4 * groups - 3)) * m * epsilon / step))


ALGORITHM = Algorithm(
    fit,
    version=2,
    source=(
        "jagielski2019, Algorithm 3 with Subroutine 2 (at epsilon = infinity: Agarwal et al. 2018 "
        "with a regression oracle)"
    ),
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="all rounds",
        neighbours=Neighbours.ONE_PROTECTED_ATTRIBUTE,
        public="features, labels and the number of records",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/rates.py, mechanisms/accounting/composition.py",
        variants={("noise", "released_code"): Status.REFUTED},
    ),
    uses_groups=True,
)
