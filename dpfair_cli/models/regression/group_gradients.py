"""Sums over records that descent under rate constraints reads: gradients, and a histogram.

The loss of a record with group k and label y at weights w is the logistic loss of its score z'w
plus a pull times its probability of decision 1. The pull is one number for each group and label.
Gradients are clipped by the length of z, or of P'z if P will be applied to their sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # which imports `scipy.special` when it is used

from dpfair_cli.contracts.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class RecordInputs:
    """The inputs of n records, with their labels and groups."""

    Z: Floats  # the inputs, (n, p)
    y: Ints  # the labels, (n,)
    groups: Ints  # the protected groups, (n,)
    lengths: Floats  # the norms of the inputs that gradients are clipped by, (n,)

    def take(self, rows: Ints) -> RecordInputs:
        """The inputs of the records whose indices are `rows`."""
        Z = self.Z.take(rows, axis=0)
        return RecordInputs(Z, self.y[rows], self.groups[rows], self.lengths[rows])


def clipped_gradient(inputs: RecordInputs, *, w: Floats, pulls: Floats, clip_norm: float) -> Floats:
    """The sum of the gradients of the records at w, each clipped to `clip_norm`, (p,).

    `pulls` (groups, 2) has the pull of a record with each group and label.
    """
    probability = scipy.special.expit(inputs.Z @ w)
    pull = pulls[inputs.groups, inputs.y] * probability * (1 - probability)
    by_score = probability - inputs.y + pull
    norms = np.abs(by_score) * inputs.lengths
    clipped: Floats = (by_score * (clip_norm / np.maximum(norms, clip_norm))) @ inputs.Z
    return clipped


def decision_histogram(inputs: RecordInputs, *, w: Floats, group_count: int) -> Floats:
    """The number of records with each group, label and decision at w, (groups, 2, 2)."""
    decisions = inputs.Z @ w > 0
    cells = (2 * inputs.groups + inputs.y) * 2 + decisions
    return np.bincount(cells, minlength=4 * group_count).reshape(-1, 2, 2).astype(float)
