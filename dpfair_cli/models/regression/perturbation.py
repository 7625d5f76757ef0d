"""The objectives that the functional mechanism perturbs, with a fairness term and sensitivities.

The mechanism adds noise to the coefficients of the objective. With `fairness` "penalty" it also
adds noise to the covariance of group and features. In ding2020 one attribute gets another amount
of noise than the others (`OneAttribute`).

Source: xu2021, Equations 3.17 and 8.2. Here x_i is a record, s_i its group (0 or 1), s_bar the mean
of the groups, and w are the weights. g = sum (s_i - s_bar) x_i is proportional to the difference
between the mean records of the two groups. The papers allow three interpretations of the fairness
term, which are the values of `fairness`:

- "penalty" adds alpha |g'w| to the objective, as the text says;
- "shift" adds alpha g to the linear coefficients, as the text on PFLR* says;
- "drift" adds alpha sum |s_i - s_bar| x_i to the linear coefficients (line 3 of xu2021's Algorithm
  5).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.contracts.errors import nearest
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.parameters import NotNegativeFinite
from dpfair_cli.kinds.partitioned_records import PartitionedRecords, total
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.sensitivity.objective import (
    Bound,
    Fairness,
    Layout,
    Sensitivity,
    l1_fair_objective,
    l1_objective,
    l1_part,
    l2_fair_objective,
    l2_objective,
    l2_part,
)
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.quadratic import (
    Quadratic,
    bounded,
    logistic_polynomial,
    minimise_with_penalty,
)


@once_per_records
def boundary_covariance(
    records: Records | PartitionedRecords, *, bound: Bound, fairness: Fairness
) -> Floats:
    """The covariance of groups and features, sum (s_i - s_bar) x_i over the records i, (d,).

    s_i is the group, s_bar the mean of the groups, and x_i are the features, bounded first as
    `bound` says. For `fairness` "drift" the sum is that of |s_i - s_bar| x_i.

    Raises:
        ValueError: the protected attribute does not have two groups.
    """
    if len(records.domain.groups) != 2:
        raise ValueError(
            "the records must have two groups for the decision boundary covariance, got "
            f"{len(records.domain.groups)} groups"
        )
    # two passes over the records: the sum needs the mean of all partitions first
    s_bar = total(records, _group_counts)[1] / len(records)
    covariance: Floats = total(
        records, partial(_covariance_sum, s_bar=s_bar, bound=bound, fairness=fairness)
    )
    return covariance


def _group_counts(records: Records) -> Ints:
    """The number of records of each of the two groups, (2,)."""
    return np.bincount(records.protected, minlength=2)


def _covariance_sum(records: Records, *, s_bar: float, bound: Bound, fairness: Fairness) -> Floats:
    """The sum of `boundary_covariance`, for a given mean s_bar of the groups, (d,)."""
    offset = records.protected - s_bar  # (n,)
    # line 3 of Algorithm 5 has the absolute value, the text has not
    factor = np.abs(offset) if fairness == "drift" else offset
    covariance: Floats = bounded(records, bound=bound).T @ factor
    return covariance


@dataclass(frozen=True)
class FairObjective:
    """The objective f(w) + |p'w| of a quadratic f and a penalty vector p."""

    quadratic: Quadratic  # the quadratic function f
    penalty: Floats  # the penalty vector p, (d,); an empty array if there is no penalty

    def with_ridge(self, ridge: float | Floats) -> FairObjective:
        """The same objective with `ridge`, (d,) or one number, added to the diagonal of f."""
        return FairObjective(self.quadratic.with_ridge(ridge), self.penalty)

    def minimiser(self) -> Floats:
        """The weights w that minimise f(w) + |p'w|, (d,)."""
        penalty = self.penalty if len(self.penalty) else np.zeros_like(self.quadratic.linear)
        return minimise_with_penalty(self.quadratic, penalty, 1.0)


@dataclass(frozen=True)
class FairnessTerm:
    """The fairness term of an objective."""

    fairness: Fairness = "penalty"
    """The interpretation of the term, "penalty", "shift" or "drift"."""
    alpha: NotNegativeFinite = 1.0
    """The factor of the decision boundary covariance."""

    def covariance(self, records: Records | PartitionedRecords, bound: Bound) -> Floats:
        """The covariance of groups and features within `bound`, for this fairness term, (d,)."""
        return boundary_covariance(records, bound=bound, fairness=self.fairness)

    def added_to(self, objective: Quadratic, g: Floats) -> FairObjective:
        """The objective plus the fairness term of a covariance g (d,), exact or noisy."""
        # the penalty is kept apart, because |g'w| is not a quadratic function of w
        if self.fairness == "penalty":
            return FairObjective(objective, self.alpha * g)
        shifted = Quadratic(objective.linear + self.alpha * g, objective.square)
        return FairObjective(shifted, np.empty(0))


DEFAULT_TERM = FairnessTerm()


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
