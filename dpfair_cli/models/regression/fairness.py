"""The decision boundary covariance as a fairness term of a quadratic objective (xu2021, Equations
3.17 and 8.2).

g = sum (s_i - s_bar) x_i is the (scaled) difference between the mean records of the two groups. The
papers can be read in three ways, which are the values of the parameter `fairness`:

- "penalty": add alpha |g'w| to the objective (what the text wants; closed form);
- "shift": add alpha g to the linear coefficients (what the text on PFLR* writes);
- "drift": add alpha sum |s_i - s_bar| x_i to them (what line 3 of xu2021's Algorithm 5 writes).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.parameters import NotNegativeFinite
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.sensitivity.objective import Bound, Fairness
from dpfair_cli.models.regression.quadratic import Quadratic, bounded, minimise_with_penalty


@once_per_records
def boundary_covariance(records: Records, *, bound: Bound, fairness: Fairness) -> Floats:
    """The covariance g, or its one-sided form for "drift", (d,).

    Raises:
        ValueError: the protected attribute does not have two groups.
    """
    if len(records.domain.groups) != 2:
        raise ValueError(
            f"the decision boundary covariance needs two groups, got {len(records.domain.groups)}"
        )
    offset = records.protected - records.protected.mean()  # (n,)
    covariance: Floats = bounded(records, bound=bound).T @ (
        np.abs(offset) if fairness == "drift" else offset
    )
    return covariance


@dataclass(frozen=True)
class FairObjective:
    """The quadratic f and a penalty vector p (empty for none) of the objective f(w) + |p'w|."""

    quadratic: Quadratic
    penalty: Floats

    def with_ridge(self, ridge: float | Floats) -> FairObjective:
        """The same with `ridge` added to the diagonal of f."""
        return FairObjective(self.quadratic.with_ridge(ridge), self.penalty)

    def minimiser(self) -> Floats:
        """The weights with the least f(w) + |p'w|, (d,)."""
        penalty = self.penalty if len(self.penalty) else np.zeros_like(self.quadratic.linear)
        return minimise_with_penalty(self.quadratic, penalty, 1.0)


@dataclass(frozen=True)
class FairnessTerm:
    """What makes an objective fair: `alpha` times the decision boundary covariance, read as
    `fairness` says.
    """

    fairness: Fairness = "penalty"
    alpha: NotNegativeFinite = 1.0

    def covariance(self, records: Records, bound: Bound) -> Floats:
        """The covariance g of bounded records as this variant wants it, (d,)."""
        return boundary_covariance(records, bound=bound, fairness=self.fairness)

    def added_to(self, objective: Quadratic, g: Floats) -> FairObjective:
        """The objective with the term of the (noisy) covariance g: a penalty, or added to the
        linear coefficients.
        """
        if self.fairness == "penalty":
            return FairObjective(objective, self.alpha * g)
        return FairObjective(
            Quadratic(objective.linear + self.alpha * g, objective.square), np.empty(0)
        )


DEFAULT_TERM = FairnessTerm()
