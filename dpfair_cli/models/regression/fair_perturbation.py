"""The fair objective as the functional mechanism perturbs it, with its sensitivities.

The mechanism adds noise to the coefficients of the objective. With `fairness` "penalty" it also
adds noise to the covariance of group and features (see fairness.py). In ding2020 one attribute gets
another amount of noise than the others: Phi_s is the set of coefficients with a weight of this
attribute, which `involves` marks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.errors import nearest
from dpfair_cli.kinds.partitioned_records import PartitionedRecords
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.sensitivity.objective import (
    l1_fair_objective,
    l1_part,
    l2_fair_objective,
    l2_part,
)
from dpfair_cli.models.regression.fairness import FairnessTerm, FairObjective
from dpfair_cli.models.regression.perturbation import Perturbation
from dpfair_cli.models.regression.quadratic import Quadratic, logistic_polynomial


@dataclass(frozen=True)
class FairPerturbation:
    """A fairness term in an objective that the functional mechanism perturbs."""

    term: FairnessTerm
    """The fairness term."""
    perturbation: Perturbation
    """The settings of the functional mechanism."""

    def query(self, records: Records | PartitionedRecords) -> Floats:
        """The coefficients to which noise is added, of an objective with a fairness term.

        The shape is (m,), or (m + d,) if the fairness term has separate coefficients. The records
        are bounded first.
        """
        bound = self.perturbation.bound
        objective = logistic_polynomial(records, bound=bound)
        covariance = self.term.covariance(records, bound)
        return self._coefficients(self.term.added_to(objective, covariance))

    def l1(self, d: int) -> float:
        """The L1 sensitivity of the coefficients that `query` returns, for d features."""
        choices, term = self.perturbation, self.term
        return l1_fair_objective(
            d,
            sensitivity=choices.sensitivity,
            bound=choices.bound,
            fairness=term.fairness,
            alpha=term.alpha,
        )

    def l2(self, d: int) -> float:
        """The L2 sensitivity of the coefficients that `query` returns, for d features."""
        choices, term = self.perturbation, self.term
        return l2_fair_objective(
            d,
            sensitivity=choices.sensitivity,
            bound=choices.bound,
            layout=choices.layout,
            fairness=term.fairness,
            alpha=term.alpha,
        )

    def l1_part(self, d: int, k: int) -> float:
        """The proved L1 sensitivity of the coefficients that belong to k of the d columns.

        The coefficients are those that `query` returns and `involves` marks.
        """
        return l1_part(
            d, k, bound=self.perturbation.bound, fairness=self.term.fairness, alpha=self.term.alpha
        )

    def l2_part(self, d: int, k: int) -> float:
        """The proved L2 sensitivity of the coefficients that belong to k of the d columns.

        The coefficients are those that `query` returns and `involves` marks.
        """
        choices, term = self.perturbation, self.term
        return l2_part(
            d,
            k,
            bound=choices.bound,
            layout=choices.layout,
            fairness=term.fairness,
            alpha=term.alpha,
        )

    @property
    def tight(self) -> FairPerturbation:
        """The same perturbation with sensitivities that dpfair proves, not the published ones."""
        return replace(self, perturbation=replace(self.perturbation, sensitivity="tight"))

    def objective(self, coefficients: Floats, d: int) -> FairObjective:
        """The objective with a fairness term, in d weights, that has these (noisy) coefficients."""
        end = len(coefficients) - d if self.term.fairness == "penalty" else len(coefficients)
        return FairObjective(self.perturbation.objective(coefficients[:end], d), coefficients[end:])

    def involves(self, columns: tuple[int, ...], d: int) -> Mask:
        """True for the coefficients that `query` returns that belong to a weight in `columns`.

        These coefficients are Phi_s of ding2020, for records with d features.
        """
        touched = np.isin(np.arange(d), columns)  # (d,)
        pairs = touched[:, None] | touched[None, :]  # (d, d)
        marked = Quadratic(touched.astype(float), pairs.astype(float))
        marking = replace(self, term=replace(self.term, alpha=1.0))
        return marking._coefficients(marking.term.added_to(marked, touched.astype(float))) > 0

    def _coefficients(self, objective: FairObjective) -> Floats:
        coefficients = objective.quadratic.coefficients(self.perturbation.layout)
        return np.concatenate([coefficients, objective.penalty])


def chosen_columns(domain: Domain, attribute: str, rng: np.random.Generator) -> tuple[int, ...]:
    """The indices of the columns that encode `attribute`; if it is "random", of a random attribute.

    Raises:
        ValueError: the domain does not have the attribute.
    """
    if attribute == "random":
        return domain.attributes[rng.choice(sorted(domain.attributes))]
    if attribute not in domain.attributes:
        raise ValueError(
            f"unknown attribute {attribute!r}: {nearest(attribute, domain.attributes)}"
        )
    return domain.attributes[attribute]
