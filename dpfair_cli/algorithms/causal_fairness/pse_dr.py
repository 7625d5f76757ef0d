"""PSE-DR: the smallest change of P(label | causes) that makes direct and indirect effects small.

Source: Zhang, Wu and Wu (2017), "A causal framework for discovering and removing direct and
    indirect discrimination"; xu2021, Section 7.3.3.
Differs: The size of a change is the sum of its squares over all cells of the joint distribution
    that the causal graph gives. The result is the joint distribution with the changed table P(label
    | causes), not a sample of this distribution. Entries of the table for combinations of causes
    without records keep their value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import clarabel
import numpy as np
from scipy import sparse

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import NotNegativeFinite, checked
from dpfair_cli.kinds.causal_records import CausalRecords
from dpfair_cli.models.causal_fairness import causal_model
from dpfair_cli.models.causal_fairness.effects import (
    Path,
    direct_path,
    edges_of,
    paths_through,
    require_identifiable,
)
from dpfair_cli.models.causal_fairness.record_distribution import RecordDistribution

PRECISION = 1e-10  # tolerance of the solver; the bounds on effects then hold to 1e-8


@checked
def fit(
    records: CausalRecords, *, threshold: NotNegativeFinite = 0.05, rng: np.random.Generator
) -> RecordDistribution:
    """The nearest distribution to the records in which two effects are at most `threshold`.

    The two effects are the direct and the indirect effect of the protected variable on the label.
    The indirect effect is along the paths through `records.through`. `rng` is not used.

    Args:
        threshold: The largest direct or indirect effect that is allowed.

    Raises:
        ValueError: the indirect effect is not identified, because the graph has a recanting
            witness for these attributes.
    """
    graph, indirect = records.graph, paths_through(records.graph, records.through)
    require_identifiable(graph, indirect)
    model = causal_model.estimate(causal_model.empirical_joint(records.codes), graph)
    table = LabelTable(model)
    # (2, configurations)
    effects = np.array([table.effect(paths) for paths in (direct_path(graph), indirect)])
    found = table.nearest(effects, threshold)
    return RecordDistribution(table.replaced(found).joint(), records.domain, records.graph)


@dataclass(frozen=True, eq=False)
class LabelTable:
    """The flattened table P(label = 1 | causes), for the c configurations of the label's causes."""

    model: causal_model.CausalModel  # the causal model that the table belongs to

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
        return causal_model.marginal(rest**2, self.model.graph.parents(self.label)).ravel()

    def effect(self, paths: Sequence[Path]) -> Floats:
        """The coefficients of the effect along `paths` as a function of the label's rates, (c,)."""
        p = len(self.model.graph.names)
        return self._masses(edges_of(paths, p)) - self._masses(edges_of((), p))

    def _masses(self, along: Mask) -> Floats:
        """The probability of each value of the label's causes under an intervention, (c,)."""
        graph = self.model.graph
        causes, protected = graph.parents(self.label), graph.place(graph.protected)
        found = causal_model.marginal(
            self.model.intervened(along), tuple(k for k in causes if k != protected)
        )
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

    def replaced(self, rates: Floats) -> causal_model.CausalModel:
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


ALGORITHM = Algorithm(
    fit,
    version=2,
    source=(
        'Zhang, Wu and Wu (2017), "A causal framework for discovering and removing direct and '
        'indirect discrimination"; xu2021, Section 7.3.3'
    ),
)
