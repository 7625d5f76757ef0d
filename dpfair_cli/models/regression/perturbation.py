"""How the functional mechanism perturbs an objective: four choices that its algorithms share."""

from __future__ import annotations

from dataclasses import dataclass

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.parameters import NotNegativeFinite
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.sensitivity.objective import (
    Bound,
    Layout,
    Sensitivity,
    l1_objective,
    l2_objective,
)
from dpfair_cli.models.regression.quadratic import Quadratic, logistic_polynomial


@dataclass(frozen=True)
class Perturbation:
    """The choices of a perturbed objective."""

    sensitivity: Sensitivity = "published"
    """Which sensitivity the noise is for: the published or the proved one."""
    bound: Bound = "box"
    """The set that records are moved into: a box or a ball."""
    layout: Layout = "monomials"
    """Which coefficients get noise: one for each monomial, or each entry of the matrix."""
    regularisation: NotNegativeFinite = 5.0
    """Standard deviations of the noise that are added to the diagonal, so that a minimum exists."""

    def query(self, records: Records) -> Floats:
        """The coefficients of the truncated objective of bounded records, (m,)."""
        return logistic_polynomial(records, bound=self.bound).coefficients(self.layout)

    def l1(self, d: int) -> float:
        """The L1 sensitivity of `query` with d features."""
        return l1_objective(d, sensitivity=self.sensitivity, bound=self.bound)

    def l2(self, d: int) -> float:
        """The L2 sensitivity of `query` with d features."""
        return l2_objective(d, sensitivity=self.sensitivity, bound=self.bound, layout=self.layout)

    def objective(self, coefficients: Floats, d: int) -> Quadratic:
        """The objective in d weights with these (noisy) coefficients (m,)."""
        return Quadratic.from_coefficients(coefficients, d, self.layout)


DEFAULT_PERTURBATION = Perturbation()
