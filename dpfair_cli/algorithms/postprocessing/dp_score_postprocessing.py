"""DP score post-processing: fair random thresholds from noisy counts of score, group and label.

Source: ours, after Hardt, Price and Srebro 2016 (random thresholds on scores) and jagielski2019,
    Algorithm 1 (noise on the counts).
Differs: There is no paper to differ from. The base classifier is that of `dp_postprocessing`:
    logistic regression without the group, fitted to all records. Its scores are public, because
    features and labels are. So are the edges of the bins, and the number of records with each bin
    and label. With two groups only the counts of one group are released: a changed group moves one
    of them by 1, and the public numbers give the counts of the other group. Noisy counts are
    replaced by the nearest ones that are not negative and add up to the public numbers. The bound
    `fairness_gap` is not widened for the noise. All records of a bin and a group have the same
    probability of decision 1; this loses accuracy. More bins lose less, but add more noise to a
    rate, which needs the sum of up to 2 `bins_per_decision` noisy counts. With the default, 16, a
    bin has 1/16 of the records of its base decision, and the noise of such a sum has a standard
    deviation of at most 8 / epsilon records for two groups.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.parameters import Count, Epsilon, NotNegative, PositiveFinite, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.group_counts import l1_counts_with_totals
from dpfair_cli.models.postprocessing import score_thresholds
from dpfair_cli.models.regression.logistic import logistic


@checked
def fit(
    records: Records,
    *,
    epsilon: Epsilon = 1.0,
    fairness_gap: NotNegative = 0.05,
    bins_per_decision: Count = 16,
    l2: PositiveFinite = 1.0,
    rng: np.random.Generator,
) -> score_thresholds.ScoreThresholds:
    """The random thresholds with the least error among those that are fair enough.

    Thresholds are fair enough if the true positive rates of any two groups differ by at most
    `fairness_gap`, and the false positive rates too. Error and rates are computed from noisy counts
    of score, group and label.

    Args:
        fairness_gap: gamma, the largest difference of rates between groups that is allowed.
        bins_per_decision: The number of bins of the scores for each decision of the base
            classifier.
        l2: The strength of the L2 penalty of the logistic regression.
    """
    base = logistic(records, l2=l2)
    edges = _edges(records, l2=l2, bins=bins_per_decision)
    counts = _counts(records, l2=l2, bins=bins_per_decision)  # query: (groups, 2, bins)
    totals, groups = counts.sum(axis=0), len(counts)  # totals are public: (2, bins)
    # bound: one protected attribute moves one record to the same cell of another group
    noisy = laplace(
        counts[1:] if groups == 2 else counts,
        l1_sensitivity=l1_counts_with_totals(groups),
        epsilon=epsilon,
        rng=rng,
    )  # release
    if groups == 2:
        noisy = np.concatenate([totals - noisy, noisy])
    chances = score_thresholds.fair_chances(
        score_thresholds.consistent(noisy, totals), fairness_gap
    )  # post-processing
    return score_thresholds.ScoreThresholds(base.weights, base.intercept, edges, chances)


@once_per_records
def _scores(records: Records, *, l2: float) -> Floats:
    return score_thresholds.linear_scores(logistic(records, l2=l2), records)


@once_per_records
def _edges(records: Records, *, l2: float, bins: int) -> Floats:
    return score_thresholds.score_edges(_scores(records, l2=l2), bins)


@once_per_records
def _counts(records: Records, *, l2: float, bins: int) -> Floats:
    """The number of records with each group, label and bin, (groups, 2, 2 bins)."""
    groups, edges = len(records.domain.groups), _edges(records, l2=l2, bins=bins)
    scores, cells = _scores(records, l2=l2), 2 * records.protected + records.y  # (n,)
    members = [np.flatnonzero(cells == cell) for cell in range(2 * groups)]  # faster than masks
    counts = [score_thresholds.counts_of_bins(scores[those], edges) for those in members]
    return np.array(counts, dtype=float).reshape(groups, 2, 2 * bins)


ALGORITHM = Algorithm(
    fit,
    source="ours, after Hardt, Price and Srebro 2016 (random thresholds on scores) and "
    "jagielski2019, Algorithm 1 (noise on the counts)",
    guarantee=Guarantee(
        released="the rule",
        neighbours=Neighbours.ONE_PROTECTED_ATTRIBUTE,
        public="features, labels and the number of records",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/group_counts.py",
    ),
    uses_groups=True,
)
