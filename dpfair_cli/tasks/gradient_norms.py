"""Norms of gradients after private training, of records and group means, clipped and not clipped.

The scores are curves over the groups, with the total first. They are computed on the training
records at the end of training:

    record_gradient_norm            mean norm of the gradients of the group's records
    clipped_record_gradient_norm    mean norm of the clipped gradients
    average_gradient_norm           norm of the mean of the gradients of the group's records
    clipped_average_gradient_norm   norm of the mean of the clipped gradients
    weighted_average_gradient_norm  norm of the mean of the clipped gradients times the weight
                                    n / (K n^k), for n records in K groups of which group k has n^k
                                    (the average weight in Algorithm 8 of xu2021)
    clipping_bound                  mean clipping bound of the group over the last epoch; for
                                    DPSGD-F with weights, the bound computed from the exact counts
                                    of all training records at the end

The training run is the same as in tasks/private_training.py, and both tasks share checkpoints.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import BoundFit, Study
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.metrics.groups import by_group
from dpfair_cli.models.training.descent import (
    DescentEpoch,
    clipping_weights,
    group_bounds,
    long_and_other,
)
from dpfair_cli.tasks import private_training
from dpfair_cli.tasks.private_training import GroupSplit, fit_and_measure

AXIS = "group"
NORMS = (
    "record_gradient_norm",
    "clipped_record_gradient_norm",
    "average_gradient_norm",
    "clipped_average_gradient_norm",
    "weighted_average_gradient_norm",
)
SCORES = (AXIS, *NORMS, "clipping_bound")
METHODS = ("sgd", "dpsgd", "naive_dpsgd", "dpsgd_f")
"""The methods that clip the gradient of a record to the bound of its group, or do not clip."""

split = private_training.split_by_groups


def study(fit: BoundFit, case: GroupSplit, *, rng: np.random.Generator) -> Outcome:
    """The fitted model with all scores of the norms of its gradients."""
    if fit.name not in METHODS:
        raise ValueError(
            f"the task gradient_norms cannot compute clipping bounds for {fit.name}: use one of "
            f"the methods {', '.join(METHODS)}"
        )
    model, finished = fit_and_measure(fit, case, rng)
    descent = finished[-1].last
    norms = norms_by_group(descent, clipping_bounds(fit, descent))
    curves: dict[str, Any] = {name: list(values) for name, values in norms.items()}
    return Outcome(model, {}, curves={AXIS: ["total", *case.names]} | curves)


def clipping_bounds(fit: BoundFit, descent: DescentEpoch) -> Floats:
    """The clipping bound of the gradients of each group, (groups,); infinite for SGD."""
    shown = descent.mean_bounds
    # the recorded bounds include the weights of the records, which are not clipping
    if fit.name == "naive_dpsgd":
        return np.full_like(shown, fit.params["clip_norm"])
    if fit.params.get("weights", "one") == "one":
        return shown
    # with weights, the bounds again, from the exact counts of all training records
    groups, clip_norm = descent.model.groups, fit.params["clip_norm"]
    counts = long_and_other(groups, record_norms(descent) > clip_norm, len(shown))
    return group_bounds(counts, clip_norm, len(groups))


def record_norms(descent: DescentEpoch) -> Floats:
    """The norm of the gradient of each record, (n,), computed group by group to save memory."""
    groups = descent.model.groups
    norms = np.zeros(len(groups))
    for k in np.unique(groups):
        rows = np.flatnonzero(groups == k)
        norms[rows] = descent.model.gradients(descent.parameters, rows).norms
    return norms


def norms_by_group(descent: DescentEpoch, bounds: Floats) -> dict[str, Floats]:
    """The norms of gradients and the clipping bounds by name, (1 + groups,), the total first."""
    groups = descent.model.groups
    records = np.bincount(groups, minlength=len(bounds))
    norms, means, clipped = np.zeros(len(groups)), [], []
    for k, bound in enumerate(bounds):
        rows = np.flatnonzero(groups == k)
        gradients = descent.model.gradients(descent.parameters, rows)
        norms[rows] = gradients.norms
        means.append(gradients.total(np.full(len(rows), 1 / len(rows))))
        clipped.append(gradients.total(_shrinkage(norms[rows], bound) / len(rows)))
    shares = records / len(groups)
    weights = 1 / (len(bounds) * shares)  # n / (K n^k)
    shrunk = norms * _shrinkage(norms, bounds[groups])
    found = (
        by_group(norms, groups, len(bounds)),
        by_group(shrunk, groups, len(bounds)),
        _norms_of_means(np.array(means), shares),
        _norms_of_means(np.array(clipped), shares),
        _norms_of_means(weights[:, None] * np.array(clipped), shares),
    )
    finite = np.where(np.isinf(bounds), np.nan, bounds)
    clipping_bound = np.concatenate([[finite.max()], finite])
    return dict(zip(NORMS, found, strict=True)) | {"clipping_bound": clipping_bound}


def _shrinkage(norms: Floats, bounds: float | Floats) -> Floats:
    """The factor by which clipping multiplies each gradient, (n,); 1 for an infinite bound."""
    # SGD does not clip: inf / inf would be NaN
    unbounded = np.isinf(bounds)
    return np.where(unbounded, 1.0, clipping_weights(norms, np.where(unbounded, 1.0, bounds)))


def _norms_of_means(means: Floats, shares: Floats) -> Floats:
    """The norm of the mean gradient over all records and of that of each group, (1 + groups,).

    `means` (groups, p) are the mean gradients of the groups, and `shares` (groups,) the groups'
    shares of the records.
    """
    return np.asarray(np.linalg.norm(np.concatenate([shares[None] @ means, means]), axis=1))


TASK = Study(
    split=split, study=study, scores=SCORES, unbounded=(*NORMS, "clipping_bound"), axis=AXIS
)
