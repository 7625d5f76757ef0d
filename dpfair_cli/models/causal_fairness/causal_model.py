"""Joint distributions of p binary variables, and causal models of such variables.

A joint distribution is an array of probabilities with shape (2,) * p. A causal model is a graph
with the table P(v = 1 | causes) of each variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.kinds.causal_records import CausalDag


def empirical_joint(codes: Ints) -> Floats:
    """The share of the records in each cell, (2,) * p, for their codes 0 and 1 (n, p)."""
    p = codes.shape[1]
    return np.asarray(np.bincount(cells(codes), minlength=2**p).reshape((2,) * p) / len(codes))


def distance_by_chance(joint: Floats, n: int) -> float:
    """The mean total variation distance between a joint distribution and n records drawn from it.

    Source: de Moivre's mean deviation, E|X - n p| = 2 m (1 - p) P(X = m) for a binomial X, where m
    is the smallest integer above n p.
    """
    p = joint[(joint > 0) & (joint < 1)]
    m = np.floor(n * p) + 1
    log_choices = gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1)
    share = np.exp(log_choices + xlogy(m, p) + xlog1py(n - m, -p))
    return float((m * (1 - p) * share).sum() / n)


def cells(codes: Ints) -> Ints:
    """The index of the cell of each record, (n,), for the codes 0 and 1 (n, p) of the records.

    The index is that in the flattened joint distribution.
    """
    return np.asarray(codes @ (1 << np.arange(codes.shape[1])[::-1]))


def all_codes(p: int) -> Ints:
    """The codes 0 and 1 of p variables in every cell, (2 ** p, p).

    The cells are in the order of the flattened joint distribution.
    """
    return np.indices((2,) * p).reshape(p, 2**p).T


def marginal(joint: Floats, kept: tuple[int, ...]) -> Floats:
    """The joint distribution of the variables `kept`.

    `joint` is the distribution of all variables. The axes of the variables that are not kept have
    length 1 in the result.
    """
    others = tuple(j for j in range(joint.ndim) if j not in kept)
    return np.asarray(joint.sum(axis=others, keepdims=True))


def share_given(joint: Floats, j: int, given: tuple[int, ...], *, unseen: float) -> Floats:
    """The probability P(v_j = 1 | given) for each combination of values of the variables `given`.

    The axis of a given variable has length 2, the axes of other variables have length 1. The result
    is `unseen` for given values that never occur together.
    """
    together = marginal(joint, tuple(sorted({*given, j})))
    whole = together.sum(axis=j, keepdims=True)
    ones = together.take([1], axis=j)
    return np.asarray(np.divide(ones, whole, out=np.full(whole.shape, unseen), where=whole > 0))


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
        """The distribution of all variables but S, if S is 1 along the edges `along` and else 0.

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

    Causes that never occur together have the share among all records.
    """
    return CausalModel(graph, tuple(_table(joint, graph, j) for j in range(len(graph.names))))


def _table(joint: Floats, graph: CausalDag, j: int) -> Floats:
    causes, overall = graph.parents(j), float(marginal(joint, (j,)).ravel()[1])
    return share_given(joint, j, causes, unseen=overall).reshape((2,) * len(causes))
