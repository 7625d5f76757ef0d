"""A causal model of binary variables: a graph, and the table P(v = 1 | causes) of each variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.kinds.causal_records import CausalDag
from dpfair_cli.models.causal_fairness.joint import marginal, share_given


@dataclass(frozen=True, eq=False)
class CausalModel:
    """A causal graph with the conditional probabilities of its p binary variables."""

    graph: CausalDag  # the direct causes of each variable
    # P(v_j = 1 | causes) of each j, (2,) * (number of causes of j); causes in ascending order
    tables: tuple[Floats, ...]

    def joint(self) -> Floats:
        """The joint distribution of all variables without an intervention, (2,) * p."""
        return self._product({})

    def outcome(self, along: Mask) -> float:
        """P(label = 1) if the protected variable S is 1 along the edges `along` (p, p), else 0.

        This is the path-specific intervention of xu2021, Section 7.2.4, for path sets without a
        recanting witness. For such path sets only the protected variable needs two values at once.
        With all edges the intervention is do(S = 1), and with no edges do(S = 0).
        """
        label = self.graph.place(self.graph.label)
        return float(marginal(self.intervened(along), (label,)).ravel()[1])

    def intervened(self, along: Mask) -> Floats:
        """The distribution of all variables but S if S is 1 along the edges `along`, and else 0.

        The axis of the protected variable S has length 1, the other axes have length 2.
        """
        protected = self.graph.place(self.graph.protected)
        affected, p = sources_of_label(along, self.graph), len(self.graph.names)
        return self._product({j: int(along[protected, j] and j in affected) for j in range(p)})

    def _product(self, forced: Mapping[int, int]) -> Floats:
        """The product of the tables P(v_j | causes) of all variables j of the graph.

        In the tables with j in `forced`, the protected variable has the value forced[j]. The table
        of the protected variable itself is left out, unless `forced` is empty.
        """
        p, protected = len(self.graph.names), self.graph.place(self.graph.protected)
        product = np.ones((1,) * p)
        for j in range(p):
            if not (forced and j == protected):
                product = product * self._factor(j, forced, protected)
        return product

    def _factor(self, j: int, forced: Mapping[int, int], protected: int) -> Floats:
        """The table P(v_j | causes) of variable j.

        There is one axis for each variable: the axes of v_j and of each cause that is not forced
        have length 2, and the others have length 1. If j is in `forced`, v_j sees the protected
        variable as `forced[j]`.
        """
        causes = self.graph.parents(j)
        shape = [2 if k in causes else 1 for k in range(len(self.graph.names))]
        ones = self.tables[j].reshape(shape)
        if forced and protected in causes:
            ones = ones.take([forced[j]], axis=protected)
        return np.concatenate([1 - ones, ones], axis=j)


def sources_of_label(along: Mask, graph: CausalDag) -> set[int]:
    """The label and all variables from which a path of edges in `along` leads to the label."""
    found = {graph.place(graph.label)}
    for i in reversed(graph.order):
        if any(along[i, j] for j in found):
            found.add(i)
    return found


def estimate(joint: Floats, graph: CausalDag) -> CausalModel:
    """The causal model whose tables are the conditional shares of a joint distribution.

    For values of the causes that never occur together, the share among all records is used instead.
    """
    return CausalModel(graph, tuple(_table(joint, graph, j) for j in range(len(graph.names))))


def _table(joint: Floats, graph: CausalDag, j: int) -> Floats:
    causes, overall = graph.parents(j), float(marginal(joint, (j,)).ravel()[1])
    return share_given(joint, j, causes, unseen=overall).reshape((2,) * len(causes))
