"""How the functional mechanism perturbs an objective: four choices that all algorithms with such
noise share.
"""

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
    """Which sensitivity noise is made for, what bounds a record, which coefficients get noise, and
    the repair.

    `regularisation` is how many standard deviations of the noise are added to the diagonal of the
    noisy objective, which may have no minimum otherwise.
    """

    sensitivity: Sensitivity = "published"
    bound: Bound = "box"
    layout: Layout = "monomials"
    regularisation: NotNegativeFinite = 5.0

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
        """The objective in d weights that has these (noisy) coefficients (m,)."""
        return Quadratic.from_coefficients(coefficients, d, self.layout)


DEFAULT_PERTURBATION = Perturbation()
