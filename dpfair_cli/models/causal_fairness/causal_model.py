"""A causal model of two-valued variables: a graph, and for each variable the table P(v = 1 | its
causes).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.kinds.causal_records import CausalDag
from dpfair_cli.models.causal_fairness.joint import marginal, share_given


@dataclass(frozen=True, eq=False)
class CausalModel:
    """tables[j] has shape (2,) * (number of causes of j), an axis for each of them in ascending
    order.
    """

    graph: CausalDag
    tables: tuple[Floats, ...]

    def joint(self) -> Floats:
        """The distribution of what is observed, (2,) * p."""
        return self._product({})

    def outcome(self, along: Mask) -> float:
        """P(label = 1) if the protected variable is set to 0, but to 1 along the paths inside the
        edges `along` (p, p).

        This is the path-specific intervention of xu2021, Section 7.2.4, for path sets without a
        recanting witness: in such a set no variable but the protected one has to send out two
        values. All edges are do(S = 1), none is do(S = 0).
        """
        label = self.graph.place(self.graph.label)
        return float(marginal(self.intervened(along), (label,)).ravel()[1])

    def intervened(self, along: Mask) -> Floats:
        """The distribution of the others under that intervention; the axis of the protected
        variable has length 1.
        """
        protected, carried = self.graph.place(self.graph.protected), carried_on(along, self.graph)
        return self._product(
            {j: int(along[protected, j] and j in carried) for j in range(len(self.graph.names))}
        )

    def _product(self, forced: Mapping[int, int]) -> Floats:
        """The product of all tables, where variable j sees `forced[j]` as the protected one, which
        is left out.
        """
        p, protected = len(self.graph.names), self.graph.place(self.graph.protected)
        product = np.ones((1,) * p)
        for j in range(p):
            if not (forced and j == protected):
                product = product * self._factor(j, forced, protected)
        return product

    def _factor(self, j: int, forced: Mapping[int, int], protected: int) -> Floats:
        """P(v_j | causes), with an axis of length 2 for v_j and each of its causes that is not
        forced.
        """
        causes = self.graph.parents(j)
        ones = self.tables[j].reshape(
            [2 if k in causes else 1 for k in range(len(self.graph.names))]
        )
        if forced and protected in causes:
            ones = ones.take([forced[j]], axis=protected)
        return np.concatenate([1 - ones, ones], axis=j)


def carried_on(along: Mask, graph: CausalDag) -> set[int]:
    """The variables from which edges of `along` lead to the label, and the label."""
    found = {graph.place(graph.label)}
    for i in reversed(graph.order):
        if any(along[i, j] for j in found):
            found.add(i)
    return found


def estimate(joint: Floats, graph: CausalDag) -> CausalModel:
    """The model of a graph with the conditional shares of a joint distribution.

    Where causes have values that never occur together, the share is that among everybody.
    """
    return CausalModel(graph, tuple(_table(joint, graph, j) for j in range(len(graph.names))))


def _table(joint: Floats, graph: CausalDag, j: int) -> Floats:
    causes, overall = graph.parents(j), float(marginal(joint, (j,)).ravel()[1])
    return share_given(joint, j, causes, unseen=overall).reshape((2,) * len(causes))
