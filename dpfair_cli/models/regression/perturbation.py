"""The settings of the functional mechanism, which adds noise to coefficients of an objective."""

from __future__ import annotations

from dataclasses import dataclass

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.parameters import NotNegativeFinite
from dpfair_cli.kinds.partitioned_records import PartitionedRecords
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
    """The settings of the functional mechanism."""

    sensitivity: Sensitivity = "published"
    """The sensitivity that the noise is calibrated to, "published", or "tight" as proved here."""
    bound: Bound = "box"
    """The set to which records are clipped, the "box" [0, 1]^d, or also the unit "ball"."""
    layout: Layout = "monomials"
    """The coefficients that get noise, one for each monomial or all entries of the matrix."""
    regularisation: NotNegativeFinite = 5.0
    """The multiple of the noise's standard deviation that is added to the diagonal."""

    def query(self, records: Records | PartitionedRecords) -> Floats:
        """The coefficients of the truncated logistic loss of bounded records, (m,)."""
        return logistic_polynomial(records, bound=self.bound).coefficients(self.layout)

    def l1(self, d: int) -> float:
        """The L1 sensitivity of the coefficients that `query` returns, for d features."""
        return l1_objective(d, sensitivity=self.sensitivity, bound=self.bound)

    def l2(self, d: int) -> float:
        """The L2 sensitivity of the coefficients that `query` returns, for d features."""
        return l2_objective(d, sensitivity=self.sensitivity, bound=self.bound, layout=self.layout)

    def objective(self, coefficients: Floats, d: int) -> Quadratic:
        """The quadratic objective in d weights that has the (exact or noisy) coefficients (m,)."""
        return Quadratic.from_coefficients(coefficients, d, self.layout)


DEFAULT_PERTURBATION = Perturbation()
