"""The objectives that the functional mechanism perturbs, with their sensitivities.

The mechanism adds noise to the coefficients of the objective. With `fairness` "penalty" it also
adds noise to the covariance of group and features (see fairness.py). In ding2020 one attribute gets
another amount of noise than the others (`OneAttribute`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.errors import nearest
from dpfair_cli.contracts.parameters import NotNegativeFinite
from dpfair_cli.kinds.partitioned_records import PartitionedRecords
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.sensitivity.objective import (
    Bound,
    Layout,
    Sensitivity,
    l1_fair_objective,
    l1_objective,
    l1_part,
    l2_fair_objective,
    l2_objective,
    l2_part,
)
from dpfair_cli.models.regression.fairness import FairnessTerm, FairObjective
from dpfair_cli.models.regression.linear import LinearClassifier
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


@dataclass(frozen=True)
class FairPerturbation:
    """A fairness term in an objective that the functional mechanism perturbs."""

    term: FairnessTerm  # the fairness term
    perturbation: Perturbation  # the settings of the functional mechanism

    def query(self, records: Records | PartitionedRecords) -> Floats:
        """The coefficients to which noise is added, of an objective with a fairness term.

        The shape is (m,), or (m + d,) if the fairness term has separate coefficients. The records
        are bounded first.
        """
        bound = self.perturbation.bound
        objective = logistic_polynomial(records, bound=bound)
        covariance = self.term.covariance(records, bound)
        return self.coefficients(self.term.added_to(objective, covariance))

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

    def objective(self, coefficients: Floats, d: int) -> FairObjective:
        """The objective with a fairness term, in d weights, that has these (noisy) coefficients."""
        # only the penalty is apart; the other terms are in the linear coefficients
        end = len(coefficients) - d if self.term.fairness == "penalty" else len(coefficients)
        return FairObjective(self.perturbation.objective(coefficients[:end], d), coefficients[end:])

    def coefficients(self, objective: FairObjective) -> Floats:
        """The coefficients of an objective in the order of `query`, (m,) or (m + d,)."""
        coefficients = objective.quadratic.coefficients(self.perturbation.layout)
        return np.concatenate([coefficients, objective.penalty])


@dataclass(frozen=True)
class OneAttribute:
    """The attribute whose coefficients get another amount of noise than all others (ding2020).

    Phi_s is the set of coefficients with a weight of this attribute, and Phi_n the set of all
    others.
    """

    fair: FairPerturbation  # the perturbed objective
    columns: tuple[int, ...]  # the k columns that encode the attribute
    d: int  # the number of features

    @property
    def share(self) -> float:
        """The share of the attribute in the split of epsilon.

        With the sensitivity "tight" the share is 0: the others get the whole epsilon.
        """
        tight = self.fair.perturbation.sensitivity == "tight"
        return 0.0 if tight else len(self.columns) / self.d

    def l1(self) -> tuple[float, float]:
        """The proved L1 sensitivities of Phi_s and of Phi_n.

        Phi_n has the coefficients of the other d - k features and changes by at most their tight
        sensitivity.
        """
        k, choices, term = len(self.columns), self.fair.perturbation, self.fair.term
        own = l1_part(self.d, k, bound=choices.bound, fairness=term.fairness, alpha=term.alpha)
        return own, self._tight.l1(self.d - k)

    def l2(self) -> tuple[float, float]:
        """The proved L2 sensitivities of Phi_s and of Phi_n, as those of `l1`."""
        k, choices, term = len(self.columns), self.fair.perturbation, self.fair.term
        own = l2_part(
            self.d,
            k,
            bound=choices.bound,
            layout=choices.layout,
            fairness=term.fairness,
            alpha=term.alpha,
        )
        return own, self._tight.l2(self.d - k)

    @property
    def _tight(self) -> FairPerturbation:
        """The same perturbation with sensitivities that dpfair proves, not the published ones."""
        perturbation = replace(self.fair.perturbation, sensitivity="tight")
        return replace(self.fair, perturbation=perturbation)

    @property
    def special(self) -> Mask:
        """True for the coefficients of `FairPerturbation.query` that are in Phi_s, (m,)."""
        own = self._encoding.astype(float)  # (d,)
        pairs = self._encoding[:, None] | self._encoding[None, :]  # (d, d)
        marked = Quadratic(own, pairs.astype(float))
        # an objective that is 1 at each weight of the attribute goes through the same steps as the
        # query, so that the marks are where the query has these weights, in every layout
        marking = replace(self.fair, term=replace(self.fair.term, alpha=1.0))
        return marking.coefficients(marking.term.added_to(marked, own)) > 0

    def classifier(self, noisy: Floats, deviation_s: float, deviation_n: float) -> LinearClassifier:
        """The classifier that minimises the objective with the coefficients `noisy`, (m,).

        The objective is repaired in proportion to the standard deviations of the noise of Phi_s
        and of Phi_n.
        """
        deviation = np.where(self._encoding, deviation_s, deviation_n)  # (d,)
        ridge = self.fair.perturbation.regularisation * deviation
        return LinearClassifier(self.fair.objective(noisy, self.d).with_ridge(ridge).minimiser())

    @property
    def _encoding(self) -> Mask:
        """True for the columns that encode the attribute, (d,)."""
        return np.isin(np.arange(self.d), self.columns)


def chosen_attribute(
    fair: FairPerturbation, domain: Domain, attribute: str, rng: np.random.Generator
) -> OneAttribute:
    """The attribute with this name; if the name is "random", a random attribute of the domain."""
    # sorted, so that the order of the columns does not change the draw
    name = rng.choice(sorted(domain.attributes)) if attribute == "random" else attribute
    if name not in domain.attributes:
        raise ValueError(f"unknown attribute {name!r}: {nearest(name, domain.attributes)}")
    return OneAttribute(fair, domain.attributes[name], len(domain.columns))
