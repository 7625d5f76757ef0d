"""The decision boundary covariance as a fairness term of a quadratic objective.

Source: xu2021, Equations 3.17 and 8.2. g = sum (s_i - s_bar) x_i is the scaled difference of the
mean records of the two groups. The papers allow three interpretations, the values of `fairness`:

- "penalty" adds alpha |g'w| to the objective (the text; closed form);
- "shift" adds alpha g to the linear coefficients (the text on PFLR*);
- "drift" adds alpha sum |s_i - s_bar| x_i to them (line 3 of xu2021's Algorithm 5).
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
    """The covariance g, (d,); for "drift" its one-sided form.

    Raises:
        ValueError: the protected attribute does not have two groups.
    """
    if len(records.domain.groups) != 2:
        raise ValueError(
            "the records must have two groups for the decision boundary covariance, got "
            f"{len(records.domain.groups)} groups"
        )
    offset = records.protected - records.protected.mean()  # (n,)
    factor = np.abs(offset) if fairness == "drift" else offset
    covariance: Floats = bounded(records, bound=bound).T @ factor
    return covariance


@dataclass(frozen=True)
class FairObjective:
    """The objective f(w) + |p'w| of a quadratic f and a penalty vector p."""

    quadratic: Quadratic
    """f."""
    penalty: Floats
    """p, (d,), or an empty array for no penalty."""

    def with_ridge(self, ridge: float | Floats) -> FairObjective:
        """The same objective with `ridge` added to the diagonal of f."""
        return FairObjective(self.quadratic.with_ridge(ridge), self.penalty)

    def minimiser(self) -> Floats:
        """The weights that minimise f(w) + |p'w|, (d,)."""
        penalty = self.penalty if len(self.penalty) else np.zeros_like(self.quadratic.linear)
        return minimise_with_penalty(self.quadratic, penalty, 1.0)


@dataclass(frozen=True)
class FairnessTerm:
    """The fairness term of an objective."""

    fairness: Fairness = "penalty"
    """The interpretation of the term: "penalty", "shift" or "drift"."""
    alpha: NotNegativeFinite = 1.0
    """The factor of the decision boundary covariance."""

    def covariance(self, records: Records, bound: Bound) -> Floats:
        """The covariance g of bounded records in this interpretation, (d,)."""
        return boundary_covariance(records, bound=bound, fairness=self.fairness)

    def added_to(self, objective: Quadratic, g: Floats) -> FairObjective:
        """The objective with the term of a (noisy) covariance g, as penalty or in `linear`."""
        if self.fairness == "penalty":
            return FairObjective(objective, self.alpha * g)
        shifted = Quadratic(objective.linear + self.alpha * g, objective.square)
        return FairObjective(shifted, np.empty(0))


DEFAULT_TERM = FairnessTerm()
