"""A decision rule with a random threshold for each group on the score of a linear classifier.

Source: Hardt, Price and Srebro 2016, Section 5.2. The score of a record is the weighted sum of its
features plus the intercept. Public edges divide the scores into bins. The rule draws a threshold
among the edges, with probabilities that depend on the group, and decides 1 for scores above the
threshold. A rule is the table p (bins, groups) of the probabilities of decision 1; in each group
they do not decrease with the score. The error and the rates of a rule depend only on the counts c
(groups, 2, bins) of records with each group, label and bin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.results import SavedFields
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier


@dataclass(frozen=True, eq=False)
class ScoreThresholds(SavedFields):
    """The rule with decision 1 with probability `chances[b, a]` in bin b of the scores and group a.

    Bin 0 has the scores up to edges[0], and the last bin those above the last edge.
    """

    # the module whose `restore` reads a model file of this class
    form: ClassVar[str] = "score_thresholds"
    weights: Floats  # the weights of the score, (d,)
    intercept: float  # the intercept of the score
    edges: Floats  # the scores between the bins, ascending, (bins - 1,)
    chances: Floats  # the probability of decision 1 for each bin and group, (bins, groups)

    @property
    def reads_group(self) -> bool:
        """True, because the decision depends on the group of the record."""
        return True

    def predict(self, records: Records) -> Floats:
        """The probability of decision 1 for each record, (n,)."""
        scores = linear_scores(LinearClassifier(self.weights, self.intercept), records)
        decision: Floats = self.chances[places(scores, self.edges), records.protected]
        return decision


def restore(saved: Mapping[str, Any]) -> ScoreThresholds:
    """The decision rule that a model file holds."""
    found = ScoreThresholds.from_saved(saved)
    are_vectors = found.weights.ndim == 1 and found.edges.ndim == 1
    if not are_vectors or found.chances.ndim != 2 or len(found.chances) != len(found.edges) + 1:
        raise ValueError(
            "in the model file, the weights and the edges must be lists of numbers and the chances "
            "a table with one row more than there are edges"
        )
    return found


def linear_scores(base: LinearClassifier, records: Records) -> Floats:
    """The weighted sum of the features plus the intercept for each record, (n,)."""
    return np.asarray(records.X @ base.weights + base.intercept)


def places(scores: Floats, edges: Floats) -> Ints:
    """The bin of each score, (n,): the number of edges below the score.

    >>> places(np.array([-1.0, 0.0, 0.5, 7.0]), np.array([0.0, 2.0])).tolist()
    [0, 0, 1, 2]
    """
    return np.searchsorted(edges, scores, side="left")


def counts_of_bins(scores: Floats, edges: Floats) -> Ints:
    """The number of scores in each bin, (bins,).

    Sorting the scores is faster than `places`, which searches the bin of each.

    >>> counts_of_bins(np.array([7.0, 0.0, -1.0, 0.5]), np.array([0.0, 2.0])).tolist()
    [2, 1, 1]
    """
    at_most = np.searchsorted(np.sort(scores), edges, side="right")
    return np.diff(at_most, prepend=0, append=len(scores))


def score_edges(scores: Floats, bins: int) -> Floats:
    """The edges of `bins` bins for the scores of each base decision, ascending, (2 bins - 1,).

    The base decision is 1 for positive scores, and 0 is the middle edge. The bins of a decision
    have about equal numbers of scores; equal scores are in the same bin, so that some bins may be
    empty.

    >>> score_edges(np.array([-4.0, -2.0, 1.0, 3.0]), 2)
    array([-3.,  0.,  2.])
    """
    ranked = np.sort(scores)
    first_positive = np.searchsorted(ranked, 0.0, side="right")
    below, above = ranked[:first_positive], ranked[first_positive:]
    return np.concatenate([_middles(below, bins), [0.0], _middles(above, bins)])


def _middles(ranked: Floats, bins: int) -> Floats:
    """The edges of bins with about the same number of scores, (bins - 1,); 0 without scores.

    The scores are ascending. An edge is in the middle between two scores, so that rounding moves no
    score across it.
    """
    if not len(ranked):
        return np.zeros(bins - 1)
    sizes = -(-np.arange(1, bins) * len(ranked) // bins)  # of the first bins, rounded up
    below = ranked[sizes - 1]  # (bins - 1,)
    larger = np.searchsorted(ranked, below, side="right")
    above = ranked[np.minimum(larger, len(ranked) - 1)]
    return np.asarray((below + above) / 2)


def consistent(noisy: Floats, totals: Floats) -> Floats:
    """The nearest counts that are not negative and add up to the totals, (groups, 2, bins).

    Of all such counts these have the least sum of squared differences from `noisy`. The true counts
    are not negative and add up to the totals, and therefore the result is never further from them
    than `noisy` is.

    Args:
        noisy: Noisy counts of each group, label and bin, (groups, 2, bins).
        totals: The number of records with each label and bin in all groups together, (2, bins).

    >>> consistent(np.array([[[5.0, -1.0]], [[7.0, 3.0]]]), np.array([[10.0, 3.0]]))[:, 0].tolist()
    [[4.0, 0.0], [6.0, 3.0]]
    """
    descending = -np.sort(-noisy, axis=0)
    sizes = np.arange(1, len(noisy) + 1)[:, None, None]
    excess = (np.cumsum(descending, axis=0) - totals) / sizes  # if the largest counts stay positive
    positive = np.maximum((descending > excess).sum(axis=0), 1)  # (2, bins)
    shift = np.take_along_axis(excess, positive[None] - 1, axis=0)
    return np.maximum(noisy - shift, 0.0)


def fair_chances(counts: Floats, gap: float) -> Floats:
    """The rule with the least error among the rules that are fair enough, (bins, groups).

    A rule gives the probability of decision 1 for each bin and group. A rule is fair enough if the
    true positive rates of any two groups differ by at most `gap`, and the false positive rates too.
    A group without records of a label has no rate for this label. The linear program has a
    solution, because a rule that decides 1 for all records is fair.

    Args:
        counts: The number of records of each group, label and bin, (groups, 2, bins).
        gap: The largest difference of rates between groups that is allowed.

    Raises:
        ValueError: the solver finds no solution.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp  # slow to import

    groups, _, bins = counts.shape
    # a rule mixes thresholds, so that the program is about counts above each of them
    above = np.cumsum(counts[:, :, ::-1], axis=2)[:, :, ::-1]  # records above a threshold
    costs = (above[:, 0] - above[:, 1]) / max(counts.sum(), 1.0)  # of a threshold, (groups, bins)
    rows, limits = _conditions(above, gap)
    # `milp` without integers calls HiGHS with less overhead than `linprog`
    solution = milp(
        np.append(costs.ravel(), [0.0, 0.0]),
        constraints=LinearConstraint(rows, lb=0.0, ub=limits),
        bounds=Bounds(0, 1),
        options={"presolve": False},
    )
    if solution.x is None:
        raise ValueError(f"the linear program of the rule could not be solved: {solution.message}")
    thresholds = np.maximum(solution.x[:-2], 0.0).reshape(groups, bins)
    chances: Floats = np.minimum(np.cumsum(thresholds, axis=1), 1.0).T
    return chances


def _conditions(above: Floats, gap: float) -> tuple[Floats, Floats]:
    """Rows A (k, groups * bins + 2) and limits u (k,) of the linear program 0 <= A x <= u.

    x has the probability of each threshold of each group, and then the smallest false and the
    smallest true positive rate of a group. The first rows are the sums of a group's probabilities;
    the rest is the probability of decision 0 for all records. The other rows are the rate of each
    group and label minus the smallest rate for this label.

    Args:
        above: The number of records above a threshold, (groups, 2, bins).
        gap: The largest difference of rates between groups that is allowed.
    """
    groups, _, bins = above.shape
    sums = np.zeros((groups, groups * bins + 2))
    for group in range(groups):
        sums[group, group * bins : (group + 1) * bins] = 1
    members, labels = np.nonzero(above[:, :, 0] > 0)
    rates = np.zeros((len(members), groups * bins + 2))
    for row, (member, label) in enumerate(zip(members, labels, strict=True)):
        part = slice(member * bins, (member + 1) * bins)
        rates[row, part] = above[member, label] / above[member, label, 0]
        rates[row, groups * bins + label] = -1
    limits = np.concatenate([np.ones(groups), np.full(len(members), gap)])
    return np.concatenate([sums, rates]), limits
