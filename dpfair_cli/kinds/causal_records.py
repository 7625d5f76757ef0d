"""Records of binary attributes, with a causal graph."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from dpfair_cli.contracts.arrays import Ints, Mask
from dpfair_cli.contracts.errors import nearest
from dpfair_cli.kinds import fingerprint
from dpfair_cli.kinds.records import Records


@dataclass(frozen=True, eq=False)
class CausalDag:
    """A causal directed acyclic graph of p variables.

    Raises:
        ValueError: the graph has a cycle, a name is repeated or unknown, or the label causes
            another variable.
    """

    names: tuple[str, ...]  # the names of the p variables, in the order of the rows of `arrows`
    arrows: Mask  # a mask (p, p), where arrows[i, j] is True if i is a direct cause of j
    protected: str  # the name of the protected attribute
    label: str  # the name of the label, which causes no other variable

    def __post_init__(self) -> None:
        p = len(self.names)
        if len(set(self.names)) != p:
            raise ValueError("the variables of the causal graph must have different names")
        if self.arrows.shape != (p, p) or self.arrows.dtype != bool:
            raise ValueError(
                f"the arrows of {p} variables must be a ({p}, {p}) mask, got {self.arrows.shape}"
            )
        if self.arrows[self.place(self.label)].any():
            caused = self.names[int(self.arrows[self.place(self.label)].argmax())]
            raise ValueError(
                f"the label {self.label!r} must be no cause of another variable, got an edge "
                f"to {caused!r}: remove the edge"
            )
        self.place(self.protected)
        self.arrows.flags.writeable = False
        self.order  # noqa: B018  # raises if there is a cycle

    def place(self, name: str) -> int:
        """The index of the variable `name` among the variables of the graph.

        Raises:
            ValueError: there is no variable with this name.
        """
        if name not in self.names:
            raise ValueError(f"unknown variable {name!r} in the graph: {nearest(name, self.names)}")
        return self.names.index(name)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The indices of the variables in topological order: each variable comes after its causes.

        If several variables can come next, the first of them does.
        """
        return tuple(self._in_order())

    def _in_order(self) -> Iterator[int]:
        """Yields the indices of the variables in topological order: each after its causes."""
        left = list(range(len(self.names)))
        while left:
            # the first one that has no cause left is next, so that a graph has one order
            free = [j for j in left if not self.arrows[left, j].any()]
            if not free:
                cycle = ", ".join(self.names[j] for j in self._trimmed(left))
                raise ValueError(
                    f"the graph must have no cycle, got a cycle among {cycle}: remove an "
                    "edge of the cycle"
                )
            left.remove(free[0])
            yield free[0]

    def _trimmed(self, left: list[int]) -> list[int]:
        """The variables of `left` that are on a cycle of the graph or on a path between cycles."""
        kept = [j for j in left if self.arrows[j, left].any()]
        return kept if kept == left else self._trimmed(kept)

    def parents(self, j: int) -> tuple[int, ...]:
        """The indices of the direct causes of variable j, ascending."""
        return tuple(np.flatnonzero(self.arrows[:, j]).tolist())

    def descendants(self, i: int) -> frozenset[int]:
        """The indices of the variables that variable i causes, directly or not."""
        found: set[int] = set()
        for j in self.order:
            if any(k == i or k in found for k in self.parents(j)):
                found.add(j)
        return frozenset(found)


@dataclass(frozen=True, eq=False)
class CausalRecords(Records):
    """Records of binary attributes, with the causal graph of attributes, protected column, label.

    Raises:
        ValueError: an attribute does not have two levels, or graph, tiers, `through` or `context`
            have other names than the data.
    """

    graph: CausalDag  # the graph that is given with the data, not found from them
    through: tuple[str, ...] = ()
    """The attributes through which an effect cannot be justified (R in xu2021, Section 7.2.1)."""
    context: tuple[str, ...] = ()
    """The attributes that a counterfactual effect is conditional on (O in xu2021)."""
    tiers: tuple[tuple[str, ...], ...] = ()
    """The order of causes; no variable causes one of an earlier tier or of the first tier."""
    graph_epsilon: float = math.inf
    """The privacy loss of a graph found by PrivPC; infinity means that methods use `graph`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, levels in self.domain.values.items():
            if len(levels) != 2:
                raise ValueError(
                    "every variable must have two levels for causal fairness, got "
                    f"{len(levels)} levels of {name!r}: merge levels"
                )
        if self.graph.names != tuple(self.domain.values):
            ours, theirs = ", ".join(self.graph.names), ", ".join(self.domain.values)
            raise ValueError(
                "the causal graph and the data must have the same variables in the same order, got "
                f"{ours} in the graph and {theirs} in the data"
            )
        known = list(chain.from_iterable(self.tiers))
        if known and sorted(known) != sorted(self.graph.names):
            raise ValueError("the tiers of the causal graph must name every variable exactly once")
        for option, names in (("through", self.through), ("observed", tuple(self.context))):
            for name in names:
                if name not in self.domain.attributes:
                    raise ValueError(
                        f"unknown attribute {name!r} in `{option}`: "
                        f"{nearest(name, self.domain.attributes)}"
                    )

    def take(self, rows: Ints) -> CausalRecords:
        """The records whose indices are `rows`, in the order of `rows`."""
        return replace(self, X=self.X[rows], y=self.y[rows], protected=self.protected[rows])

    @cached_property
    def codes(self) -> Ints:
        """The level of every variable in every record, 0 or 1, (n, p).

        The order of the variables is that of the names in the causal graph.
        """
        # a binary attribute has two columns, of which the second is 1 for its level 1
        places = [columns[1] for columns in self.domain.attributes.values()]
        return np.column_stack([self.X[:, places].astype(np.int64), self.protected, self.y])

    def fingerprint(self) -> str:
        """The SHA-256 digest of everything that a fit to the records reads, including the graph."""
        names = self.graph.names, self.through, self.context
        about = (super().fingerprint(), *names, self.graph_epsilon)
        return fingerprint(about, self.graph.arrows)
