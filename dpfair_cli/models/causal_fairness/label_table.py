"""The table P(label = 1 | causes) of a causal model, and the nearest table with bounded effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import clarabel
import numpy as np
from scipy import sparse

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.models.causal_fairness.causal_model import CausalModel, marginal
from dpfair_cli.models.causal_fairness.effects import Path, edges_of

PRECISION = 1e-10  # tolerance of the solver; the bounds on effects then hold to 1e-8


@dataclass(frozen=True, eq=False)
class LabelTable:
    """The flattened table P(label = 1 | causes), for the c configurations of the label's causes."""

    model: CausalModel  # the causal model that the table belongs to

    @cached_property
    def label(self) -> int:
        """The index of the label among the variables of the graph."""
        return self.model.graph.place(self.model.graph.label)

    @cached_property
    def rates(self) -> Floats:
        """The probability that the label is 1 for each configuration of its causes, (c,)."""
        return self.model.tables[self.label].ravel()

    @cached_property
    def weights(self) -> Floats:
        """The weight of the squared change of P(label = 1 | configuration), (c,).

        The weight is the sum of the squared probabilities of all cells of the other variables in
        the configuration.
        """
        # a change of one rate moves two cells for each combination of all other variables
        rest = self.model.joint().sum(axis=self.label, keepdims=True)
        return marginal(rest**2, self.model.graph.parents(self.label)).ravel()

    def effect(self, paths: Sequence[Path]) -> Floats:
        """The coefficients of the effect along `paths` as a function of the label's rates, (c,)."""
        p = len(self.model.graph.names)
        return self._masses(edges_of(paths, p)) - self._masses(edges_of((), p))

    def _masses(self, along: Mask) -> Floats:
        """The probability of each value of the label's causes under an intervention, (c,)."""
        graph = self.model.graph
        causes, protected = graph.parents(self.label), graph.place(graph.protected)
        found = marginal(self.model.intervened(along), tuple(k for k in causes if k != protected))
        if protected in causes:
            seen = int(along[protected, self.label])
            found = np.concatenate([found * (1 - seen), found * seen], axis=protected)
        return found.ravel()

    def nearest(self, effects: Floats, threshold: float) -> Floats:
        """The rates (c,) nearest to the present rates with |effects @ rates| <= threshold.

        Raises:
            ValueError: the solver finds no solution.
        """
        # no program is solved for a fair table, which comes out unchanged to the byte
        if (np.abs(effects @ self.rates) <= threshold).all():
            return self.rates.copy()
        # rates of configurations without probability are free, and stay as they are
        moved = self.weights > 0
        k, fixed = int(moved.sum()), effects[:, ~moved] @ self.rates[~moved]
        # with this unit all variables have the same weight, and the objective is |z|^2
        unit = np.sqrt(self.weights.max() / self.weights[moved])  # rate = unit * variable
        inside = np.vstack([effects[:, moved], -effects[:, moved], np.eye(k), -np.eye(k)]) * unit
        bounds = np.concatenate([threshold - fixed, threshold + fixed, np.ones(k), np.zeros(k)])
        solution = _solve(-2 * self.rates[moved] / unit, inside, bounds)
        if str(solution.status) != "Solved":
            raise ValueError(
                "no conditional probabilities of the label keep the effects within the threshold "
                f"{threshold:g} (status of the solver: {solution.status}): use a larger `threshold`"
            )
        rates = self.rates.copy()
        # the solver keeps to the bounds up to its precision
        rates[moved] = np.clip(unit * solution.x, 0.0, 1.0)
        return rates

    def replaced(self, rates: Floats) -> CausalModel:
        """The causal model with the rates (c,) in place of the present rates of the label."""
        tables = list(self.model.tables)
        tables[self.label] = rates.reshape(tables[self.label].shape)
        return replace(self.model, tables=tuple(tables))


def _solve(linear: Floats, inside: Floats, bounds: Floats) -> Any:
    """The vector z that minimises |z|^2 + linear @ z such that inside @ z <= bounds."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = PRECISION
    cones = [clarabel.NonnegativeConeT(len(bounds))]
    squares = 2 * sparse.eye(len(linear), format="csc")
    return clarabel.DefaultSolver(
        squares, linear, sparse.csc_matrix(inside), bounds, cones, settings
    ).solve()
