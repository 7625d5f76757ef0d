"""Records of binary attributes with a causal graph, from a table or drawn from a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.contracts.schemas import Schema
from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.bayesian_network import BayesianNetwork
from dpfair_cli.models.causal_discovery.records_g2 import g2
from dpfair_cli.models.causal_discovery.skeleton import find_skeleton
from dpfair_cli.models.causal_fairness.causal_model import CausalModel
from dpfair_cli.models.causal_fairness.record_distribution import records_of
from dpfair_cli.models.tabular.encoding import encode

SIGNIFICANCE = 0.01  # of the tests of PC; xu2021, Section 4.6
LEVELS = ("no", "yes")  # the names of codes 0 and 1
Tiers = Sequence[Sequence[str]]
"""Names of variables in the order of causes; a variable causes only later variables."""


def pc_graph(codes: Ints, names: tuple[str, ...], tiers: Tiers) -> CausalDag:
    """The causal graph with the edges that the algorithm PC finds in the codes (n, p) of records.

    The tiers, groups of variables in the order of causes, give the directions. The last two names
    are the protected variable and the label.
    """
    observed = Observations(codes, names, (2,) * len(names))
    found = find_skeleton(len(names), g2(observed, "full", 0.0), significance=SIGNIFICANCE)
    return directed(found.adjacent, names, tiers)


def directed(skeleton: Mask, names: tuple[str, ...], tiers: Tiers) -> CausalDag:
    """The causal graph with the edges of a skeleton (p, p), from earlier to later names of tiers.

    Edges inside the first tier are dropped. This tier has the variables that are given at birth,
    which may be dependent although none of them causes another.

    Raises:
        ValueError: a name is in no tier.
    """
    order = [name for tier in tiers for name in tier]
    rank = np.array([order.index(name) for name in names])
    born = np.isin(names, tiers[0])
    arrows = skeleton & (rank[:, None] < rank[None, :]) & ~(born[:, None] & born[None, :])
    return CausalDag(names, arrows, protected=names[-2], label=names[-1])


def full_skeleton(p: int) -> Mask:
    """The complete undirected graph of p variables, (p, p)."""
    return ~np.eye(p, dtype=bool)


def causal_records(
    frame: pd.DataFrame,
    schema: Schema,
    tiers: Tiers,
    graph: str,
    *,
    through: tuple[str, ...],
    context: tuple[str, ...],
) -> CausalRecords:
    """The rows of a table as records with a causal graph.

    Args:
        frame: one record a row; every column has two values.
        schema: the public levels, the label and the protected column.
        tiers: the names of the variables in the order of causes; no variable causes a variable of
            an earlier tier or of the first tier.
        graph: "pc" for the graph that PC finds, "all" for every edge that `tiers` allow.
        through: the variables through which the indirect paths go.
        context: the variables that a counterfactual effect is conditional on.
    """
    records = encode(frame, schema, encoding="binned")
    names = tuple(records.domain.values)
    codes = codes_of(records)
    if graph == "pc":
        found = pc_graph(codes, names, tiers)
    else:
        found = directed(full_skeleton(len(names)), names, tiers)
    return with_graph(
        records, found, tiers=tuple(map(tuple, tiers)), through=through, context=context
    )


def codes_of(records: Records) -> np.ndarray:
    """The levels of the attributes, the protected group and the label of each record, (n, p)."""
    places = records.domain.attributes.values()
    columns = [records.X[:, list(own)].argmax(axis=1) for own in places]
    columns += [records.protected, records.y]
    return np.column_stack(columns)


def with_graph(records: Records, graph: CausalDag, **known: object) -> CausalRecords:
    """The same records with a causal graph; `known` are the other fields of `CausalRecords`."""
    fields = (records.X, records.y, records.protected, records.domain)
    return CausalRecords(*fields, graph, **known)  # type: ignore[arg-type]


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
