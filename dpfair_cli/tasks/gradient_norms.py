"""Norms of gradients after private training: of records and of group means, before clipping,
clipped and weighted.

Curves over the groups, total first, on the training records at the end of training:

    record_gradient_norm, clipped_record_gradient_norm      the mean of the norms of the group's
    records
    average_gradient_norm, clipped_average_gradient_norm    the norm of the mean of their gradients
    weighted_average_gradient_norm    of the clipped ones when a record counts for (b / K) / b^k,
    its group having b^k
                                      of the b records of a batch, as in Algorithm 8 of xu2021: n /
                                      (K n^k) on average
    clipping_bound    what the records of the group are clipped to: means over the last epoch; where
    DPSGD-F weighs its
                      records, what the counts of all training records give at the end, without
                      noise

The training run is that of tasks/private_training.py, and one that is kept serves both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import BoundFit, Study
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.metrics.groups import by_group
from dpfair_cli.models.training.clipping import clipping_weights, group_bounds, long_and_other
from dpfair_cli.models.training.descent import DescentEpoch
from dpfair_cli.tasks import private_training
from dpfair_cli.tasks.private_training import GroupSplit, fit_and_measure

AXIS = "group"
NORMS = (
    *("record_gradient_norm", "clipped_record_gradient_norm"),
    *("average_gradient_norm", "clipped_average_gradient_norm", "weighted_average_gradient_norm"),
)
SCORES = (AXIS, *NORMS, "clipping_bound")
METHODS = (
    "sgd",
    "dpsgd",
    "naive_dpsgd",
    "dpsgd_f",
)  # each record is clipped to a bound of its group, or none is

split = private_training.split


def study(fit: BoundFit, case: GroupSplit, *, rng: np.random.Generator) -> Outcome:
    """The model and all scores.

    Raises:
        ValueError: a method that is none of METHODS.
    """
    if fit.name not in METHODS:
        raise ValueError(
            f"{fit.name} does not clip to a bound of each group: only {', '.join(METHODS)} do"
        )
    model, finished = fit_and_measure(fit, case, rng)
    descent = finished[-1].last
    curves: dict[str, Any] = {
        AXIS: ["total", *case.names],
        **norms_by_group(descent, clipping_bounds(fit, descent)),
    }
    return Outcome(model, {}, curves={name: list(values) for name, values in curves.items()})


def clipping_bounds(fit: BoundFit, descent: DescentEpoch) -> Floats:
    """What a record of each group is clipped to, infinite under SGD, (groups,).

    The bounds that a descent shows are what a record may add to the sum, its weight included: Naive
    clips to C_0.
    """
    shown = descent.mean_bounds
    if fit.name == "naive_dpsgd":
        return np.full_like(shown, fit.params["clip_norm"])
    if fit.params.get("weights", "one") == "one":
        return shown
    groups, clip_norm = descent.model.groups, fit.params["clip_norm"]
    counts = long_and_other(groups, record_norms(descent) > clip_norm, len(shown))
    return group_bounds(counts, clip_norm, len(groups))


def record_norms(descent: DescentEpoch) -> Floats:
    """The norm of the gradient of each record, (n,), group by group: all at once would take
    gigabytes of images.
    """
    groups = descent.model.groups
    norms = np.zeros(len(groups))
    for k in np.unique(groups):
        rows = np.flatnonzero(groups == k)
        norms[rows] = descent.model.gradients(descent.parameters, rows).norms
    return norms


def norms_by_group(descent: DescentEpoch, bounds: Floats) -> dict[str, Floats]:
    """NORMS and clipping_bound with these `bounds` (groups,), each (1 + groups,)."""
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
    return dict(zip(NORMS, found, strict=True)) | {
        "clipping_bound": np.concatenate([[finite.max()], finite])
    }


def _shrinkage(norms: Floats, bounds: float | Floats) -> Floats:
    """What clipping multiplies each gradient by, (n,): 1 where there is no bound."""
    unbounded = np.isinf(bounds)
    return np.where(unbounded, 1.0, clipping_weights(norms, np.where(unbounded, 1.0, bounds)))


def _norms_of_means(means: Floats, shares: Floats) -> Floats:
    """The norm of the mean over all records, and of those of the groups, (1 + groups,), from
    `means` (groups, p).
    """
    return np.asarray(np.linalg.norm(np.concatenate([shares[None] @ means, means]), axis=1))


TASK = Study(
    split=split, study=study, scores=SCORES, unbounded=(*NORMS, "clipping_bound"), axis=AXIS
)
