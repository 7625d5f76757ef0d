"""Three interventions after the training: reject option, equalized odds, calibrated equalized odds.

Each reads the scores, the labels and the groups of calibration records, and changes decisions on
test records. Settings, the order of random draws and rounding are those of AIF360 0.6.1, which the
authors' framework calls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # which imports its modules when they are used

import dpfair_cli.plugin as dp

from .framework_draws import draws

LEAST, MOST, THRESHOLDS, MARGINS = 0.01, 0.99, 100, 50  # of the search of the reject option
GAP = 0.05  # of the shares of decision 1, at most
HALF = 0.5


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores, labels and groups of records."""

    scores: dp.Floats  # the probability of label 1, (n,)
    y: dp.Ints  # (n,)
    group: dp.Ints  # 0 or 1, (n,)

    def of(self, k: int) -> Scored:
        """The records of group k."""
        own = self.group == k
        return Scored(self.scores[own], self.y[own], self.group[own])


def reject_option(calibration: Scored, test: Scored) -> dp.Ints:
    """Decisions (n,) that favour group 0 where the score is near a threshold.

    Threshold and width are those with the best balanced accuracy among the pairs whose gap of
    decisions is at most GAP; if there are none, those with the lowest signed gap.

    Source: Kamiran, Karim and Zhang 2012.
    """
    pairs = [
        (threshold, margin)
        for threshold in np.linspace(LEAST, MOST, THRESHOLDS)
        for margin in np.linspace(0, min(threshold, 1 - threshold), MARGINS)
    ]
    gaps, balanced = np.empty(len(pairs)), np.empty(len(pairs))
    ones, zeros = calibration.y == 1, calibration.y == 0
    members = [calibration.group == k for k in (0, 1)]
    for place, pair in enumerate(pairs):
        decisions = _rejected(calibration, *pair)
        gaps[place] = decisions[members[0]].mean() - decisions[members[1]].mean()
        balanced[place] = 0.5 * (decisions[ones].mean() + (1 - decisions[zeros]).mean())
    allowed = (gaps >= -GAP) & (gaps <= GAP)
    if allowed.any():
        best = int(np.argmax(np.where(allowed, balanced, -np.inf)))
    else:
        best = int(np.argmin(gaps))
    return _rejected(test, *pairs[best])


def _rejected(records: Scored, threshold: float, margin: float) -> dp.Ints:
    scores = records.scores
    near = (scores <= threshold + margin) & (scores > threshold - margin)
    return np.where(near, records.group == 0, scores > threshold).astype(np.int64)


def equalized_odds(calibration: Scored, test: Scored, *, seed: int) -> dp.Ints:
    """Decisions (n,), of which random ones are changed so that both groups have equal rates.

    Source: Hardt, Price and Srebro 2016.
    """
    shares = _equal_odds(calibration)  # of decision 1 after the change
    random = draws(seed)
    decisions = (test.scores >= HALF).astype(np.int64)
    changed = decisions.copy()
    for k in (1, 0):
        rows = {value: np.flatnonzero((test.group == k) & (decisions == value)) for value in (0, 1)}
        random.shuffle(rows[1])
        random.shuffle(rows[0])
        changed[rows[0][: int(len(rows[0]) * shares[k, 0])]] = 1
        changed[rows[1][: int(len(rows[1]) * (1 - shares[k, 1]))]] = 0
    return changed


def _equal_odds(calibration: Scored) -> dp.Floats:
    """The share of changed decisions 1 in each group for decisions 0 and 1, (2 groups, 2)."""
    # P(decision 1 | label, group) of the groups 1 and 0, in the order of the variables
    positive, negative = [], []
    for k in (1, 0):
        own = calibration.of(k)
        decisions = own.scores >= HALF
        positive.append(decisions[own.y == 1].mean())
        negative.append(decisions[own.y == 0].mean())
    # of changed decisions 1, for decisions 1 and 0 of each group: what errors they add
    costs, true, false = [], [], []
    for tpr, fpr, sign in zip(positive, negative, (1, -1), strict=True):
        costs += [fpr - tpr, tpr - fpr]
        true += [sign * tpr, sign * (1 - tpr)]
        false += [sign * fpr, sign * (1 - fpr)]
    solved = scipy.optimize.linprog(costs, A_eq=[true, false], b_eq=[0, 0], bounds=(0, 1))
    (one_1, zero_1), (one_0, zero_0) = solved.x.reshape(2, 2)
    return np.array([[zero_0, one_0], [zero_1, one_1]])


def calibrated_odds(calibration: Scored, test: Scored, *, seed: int) -> dp.Ints:
    """Decisions (n,) by scores, some of which are replaced by the base rate of their group.

    The scores are replaced in the group with the smaller mean of 1 - score among records with label
    1, as often as makes these means equal.

    Source: Pleiss et al. 2017, with false negatives as costs.
    """
    costs, trivial, base = np.empty(2), np.empty(2), np.empty(2)
    for k in (0, 1):
        own = calibration.of(k)
        base[k] = own.y.mean()
        costs[k], trivial[k] = 1 - own.scores[own.y == 1].mean(), 1 - base[k]
    shares = np.zeros(2)
    mixed = int(costs[0] > costs[1])  # the group whose errors cost less
    shares[mixed] = (costs[1 - mixed] - costs[mixed]) / (trivial[mixed] - costs[mixed])
    random = draws(seed)
    scores = test.scores.copy()
    for k in (0, 1):
        rows = np.flatnonzero(test.group == k)
        scores[rows[random.random_sample(len(rows)) <= shares[k]]] = base[k]
    return (scores >= HALF).astype(np.int64)
