"""The gaps of one method, next to those without an intervention on the same data.

Source: dpfairness2026, files in the authors' repository.
Differs: Nothing is trained: the gaps of the authors' runs are read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dpfair_cli.plugin as dp

from ..models.stored_gaps import METHODS, Gap, Intervention, StoredGaps


@dataclass(frozen=True, eq=False)
class MethodGaps(dp.NotSaved):
    """The gaps of a method, and those without an intervention in the same order of seeds."""

    kind: Gap
    gaps: dp.Floats  # (seeds,)
    without: dp.Floats  # (seeds,)
    clean_gap: float
    clean_without: float


@dp.checked
def fit(
    runs: StoredGaps,
    *,
    intervention: Intervention = "no intervention",
    rng: np.random.Generator,
) -> MethodGaps:
    """The gaps of the authors' runs with an intervention; `rng` is not used.

    Args:
        runs: The stored gaps.
        intervention: The intervention of the runs.
        rng: The source of randomness.
    """
    own, none = METHODS.index(intervention), METHODS.index("no intervention")
    return MethodGaps(
        runs.kind,
        runs.private[:, own],
        runs.private[:, none],
        float(runs.clean[own]),
        float(runs.clean[none]),
    )


ALGORITHM = dp.Algorithm(fit, source="dpfairness2026, files in the authors' repository")
