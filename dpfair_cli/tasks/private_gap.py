"""The effect of noise on fairness: many draws of a private fit against the same fit without noise.

The task is for algorithms with one Gaussian release, the weights on standardised records (output
perturbation). h* is the model with the weights before the noise, and h_priv a model with noisy
weights. A run draws `draws` private models with the same split and the same h*, as in mangold2023,
and scores the models on held-out records. F_k are the fairness functions of a notion of fairness,
and Fair is the mean of |F_k| (metrics/fairness_functions.py). The scores of each notion are:

    <notion>                  Fair of the private models, mean over the draws
    <notion>_optimal          Fair of h*
    <notion>_gap              mean over the draws and over k of gap_k = |F_k(h_priv) - F_k(h*)|
    <notion>_gap_high         1 - zeta quantile over the draws of the mean of gap_k over k
    <notion>_bound            mean over k of the bound of Theorem 2 with h_ref = h*
    <notion>_chernoff         mean over k of the Chernoff form of this bound
    <notion>_within           share of draws with every gap_k within the bound of Theorem 2
    <notion>_within_private   the same share for the bound with h_ref = h_priv
    <notion>_within_chernoff  the same share for the Chernoff form
    <notion>_ratio            median over the draws of the largest gap_k / bound_k

The distances are |h_priv - h*|. `distance_scaled` is the mean distance divided by sigma sqrt(p),
which is nearly 1 for p independent normal variables of standard deviation sigma.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Study
from dpfair_cli.contracts.parameters import Count, Fraction, checked
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.metrics.fairness_bounds import chernoff, distance_bound, linear, total
from dpfair_cli.metrics.fairness_functions import NOTIONS, Coefficients, fair, levels
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.logistic import standard_weights, standardised
from dpfair_cli.tasks import classification

PARTS = (
    "",
    "_optimal",
    "_gap",
    "_gap_high",
    "_bound",
    "_chernoff",
    "_within",
    "_within_private",
    "_within_chernoff",
    "_ratio",
)
NOTION_SCORES = tuple(notion + part for notion in NOTIONS for part in PARTS)
SCORES = (
    "accuracy",
    "accuracy_optimal",
    "majority_accuracy",
    "selection_rate",
    "distance",
    "distance_bound",
    "distance_within",
    "distance_ratio",
    "distance_scaled",
    *NOTION_SCORES,
)
ROUNDING = 1e-12  # by which a value may exceed its bound, since without noise both are 0
NO_LIMIT = np.inf  # records are not clipped here, because the norm cancels in |rho| / |z|


@dataclass(frozen=True, eq=False)
class RepeatedFitSplit(classification.TrainTestSplit):
    """A split, with the settings of the repeated private fits."""

    draws: int  # the number of private fits
    zeta: float  # the failure probability of the bounds


@dataclass(frozen=True, eq=False)
class CellAccuracies:
    """The accuracies and bounds of the models on the held-out records of each group and label."""

    record_counts: Floats  # the number of records of each cell, (groups, 2)
    accuracy: Floats  # the accuracy of each model in each cell, h* first, (cells, 1 + draws)
    linear: Floats  # the bounds of Theorem 2 in each cell, with h_ref = h* first, then each h_priv
    chernoff: Floats  # the bounds of the Chernoff form with h_ref = h*, (cells,)


@checked
def split(
    records: Records,
    *,
    test_fraction: Fraction = 0.1,
    draws: Count = 100,
    zeta: Fraction = 0.01,
    rng: np.random.Generator,
) -> RepeatedFitSplit:
    """A uniformly random split; `zeta` is the failure probability of the bounds."""
    train, test = classification.shuffled_rows(len(records), test_fraction, rng=rng)
    return RepeatedFitSplit(records.take(train), records.take(test), draws, zeta)


def study(
    fit: Callable[..., LinearClassifier], case: RepeatedFitSplit, *, rng: np.random.Generator
) -> Outcome:
    """The last of the private models, with the scores of all private models."""
    # the tape has the exact weights h*, which no model file would hold
    with record() as tape:
        models = [fit(case.train, rng=rng) for _ in range(case.draws)]
    if [entry.mechanism for entry in tape] != ["gaussian"] * case.draws:
        raise ValueError(
            "the task private_gap needs a method with exactly one Gaussian release, that of its "
            "weights: use output_perturbation"
        )
    best, sigma = tape[0].value, tape[0].scale
    private = [standard_weights(model, case.train.domain) for model in models]
    weights = np.array([best, *private])  # (1 + draws, d)
    limit = distance_bound(sigma, len(best), case.zeta)
    cells = _cell_accuracies(case.test, weights, limit)
    scores = _accuracies(cells) | _distances(weights, limit, sigma)
    for notion, coefficients in NOTIONS.items():
        scores |= _notion_scores(notion, coefficients(cells.record_counts), cells, case.zeta)
    return Outcome(models[-1], {name: scores[name] for name in SCORES})


def _cell_accuracies(test: Records, weights: Floats, limit: float) -> CellAccuracies:
    """The accuracies and bounds of all models on the test records of each group and label.

    `limit` bounds the distance of a private model from the model without noise. A cell (group,
    label) without records has zeros.
    """
    Z = standardised(test.X, test.domain, clip_norm=NO_LIMIT)  # (m, d)
    # of norm 1, because the bounds are about |rho| / |z|; 0 stays 0
    Z /= np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), np.finfo(float).tiny)
    groups, models = len(test.domain.groups), len(weights)
    counts = np.zeros((groups, 2))
    accuracy, linear_bound = np.zeros((2 * groups, models)), np.zeros((2 * groups, models))
    chernoff_bound = np.zeros(2 * groups)
    for cell, (s, y) in enumerate(product(range(groups), (0, 1))):
        scores = Z[(test.protected == s) & (test.y == y)] @ weights.T  # (records, 1 + draws)
        counts[s, y] = len(scores)
        if len(scores):
            accuracy[cell] = ((scores > 0) == y).mean(axis=0)
            linear_bound[cell] = linear(np.abs(scores), limit)
            chernoff_bound[cell] = chernoff(np.abs(scores[:, 0]), limit)
    return CellAccuracies(counts, accuracy, linear_bound, chernoff_bound)


def _accuracies(cells: CellAccuracies) -> dict[str, float]:
    """The mean accuracies of private models, h* and the majority class, and the selection rate."""
    share = cells.record_counts.ravel() / cells.record_counts.sum()
    accuracy = share @ cells.accuracy  # (1 + draws,)
    signs = np.tile([-1.0, 1.0], len(cells.record_counts))
    selected = share @ np.where(signs[:, None] > 0, cells.accuracy, 1 - cells.accuracy)
    return {
        "accuracy": float(accuracy[1:].mean()),
        "accuracy_optimal": float(accuracy[0]),
        "majority_accuracy": float(max(share[0::2].sum(), share[1::2].sum())),
        "selection_rate": float(selected[1:].mean()),
    }


def _distances(weights: Floats, limit: float, sigma: float) -> dict[str, float]:
    """The scores of the distances of the private models from the model without noise.

    The scores compare the distances with `limit`, the bound of Theorem 1 of mangold2023.
    """
    distance = np.linalg.norm(weights[1:] - weights[0], axis=1)  # (draws,)
    expected = sigma * np.sqrt(weights.shape[1])
    return {
        "distance": float(distance.mean()),
        "distance_bound": limit,
        "distance_within": float((distance <= limit + ROUNDING).mean()),
        "distance_ratio": float(np.median(distance) / limit) if limit else 0.0,
        "distance_scaled": float(distance.mean() / expected) if expected else 0.0,
    }


def _notion_scores(
    notion: str, coefficients: Coefficients, cells: CellAccuracies, zeta: float
) -> dict[str, float]:
    """The scores of one fairness notion, under names that start with `notion`."""
    values = levels(coefficients, cells.accuracy)  # (K, 1 + draws)
    gap = np.abs(values[:, 1:] - values[:, :1])  # (K, draws)
    bound = total(coefficients[1], cells.linear)  # (K, 1 + draws)
    tail = total(coefficients[1], cells.chernoff)  # (K,)
    fairness, mean_gap = fair(values), gap.mean(axis=0)
    # a bound of 0 gives the ratio 0, because the difference is 0 as well
    positive_bound = np.where(bound[:, :1] > 0, bound[:, :1], np.inf)  # (K, 1)
    found = {
        "": fairness[1:].mean(),
        "_optimal": fairness[0],
        "_gap": mean_gap.mean(),
        "_gap_high": np.quantile(mean_gap, 1 - zeta),
        "_bound": bound[:, 0].mean(),
        "_chernoff": tail.mean(),
        "_within": _share_below(gap, bound[:, :1]),
        "_within_private": _share_below(gap, bound[:, 1:]),
        "_within_chernoff": _share_below(gap, tail[:, None]),
        "_ratio": np.median(np.max(gap / positive_bound, axis=0)),
    }
    return {notion + part: float(value) for part, value in found.items()}


def _share_below(gap: Floats, bound: Floats) -> float:
    """The share of draws in which no difference `gap` exceeds its bound by more than ROUNDING."""
    return float((gap <= bound + ROUNDING).all(axis=0).mean())


TASK = Study(split=split, study=study, scores=SCORES, fits=lambda protocol: int(protocol["draws"]))
