"""A Bayesian network of binary variables as a population of records with a known distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
from dpfair_cli.kinds.records import Domain
from dpfair_cli.models.causal_discovery.bayesian_network import BayesianNetwork
from dpfair_cli.models.causal_fairness.binary_records import with_graph
from dpfair_cli.models.causal_fairness.causal_model import CausalModel
from dpfair_cli.models.causal_fairness.record_distribution import records_of

LEVELS = ("no", "yes")  # the names of codes 0 and 1


@dataclass(frozen=True, eq=False)
class NetworkRecords:
    """A Bayesian network of binary variables with a protected variable and a label.

    Code 1 of a variable stands for the first state of the variable in the file of the network.
    """

    network: BayesianNetwork  # binary variables, arcs and tables
    records: int  # the number of records of a draw
    protected: str  # the name of the protected variable
    label: str  # the name of the variable that is predicted; it causes no other variable
    through: tuple[str, ...]  # the variables through which the indirect paths go
    context: tuple[str, ...]  # the variables that a counterfactual effect is conditional on
    tiers: tuple[tuple[str, ...], ...]  # the variables in the order of causes

    def draw(self, rng: np.random.Generator) -> tuple[CausalRecords, Floats]:
        """Records drawn from the network, and their true distribution, (2,) * p."""
        order, graph = self._order(), self.graph
        # state 0 of the file is code 1 of the records
        codes = 1 - self.network.sample(self.records, rng=rng).values[:, order]
        attributes = {name: (2 * k, 2 * k + 1) for k, name in enumerate(graph.names[:-2])}
        columns = tuple(f"{name}={level}" for name in attributes for level in LEVELS)
        domain = Domain(columns, attributes, LEVELS, values=dict.fromkeys(graph.names, LEVELS))
        drawn = with_graph(
            records_of(codes, domain),
            graph,
            through=self.through,
            context=self.context,
            tiers=self.tiers,
        )
        return drawn, self._model().joint()

    @property
    def graph(self) -> CausalDag:
        """The true causal graph of the network, with the protected variable and the label last."""
        order = self._order()
        names = tuple(self.network.names[k] for k in order)
        return CausalDag(names, self.network.dag[np.ix_(order, order)], self.protected, self.label)

    def counts(self) -> dict[str, Any]:
        """The numbers of variables, arcs and free parameters of the tables of the network."""
        network = self.network
        return {
            "nodes": len(network.names),
            "arcs": int(network.dag.sum()),
            "parameters": network.parameters,
        }

    def _order(self) -> list[int]:
        names = self.network.names
        last = [names.index(self.protected), names.index(self.label)]
        # records have the attributes first, then the group and the label
        return [k for k in range(len(names)) if k not in last] + last

    def _model(self) -> CausalModel:
        """The causal model with the tables of the network."""
        order, tables = self._order(), []
        for k in order:
            parents = self.network.parents[k]
            table = self.network.tables[k][:, 0].reshape((2,) * len(parents))
            table = np.flip(table)  # code 0 of every cause is its second state
            tables.append(table.transpose(np.argsort([order.index(parent) for parent in parents])))
        return CausalModel(self.graph, tuple(np.asarray(table) for table in tables))
