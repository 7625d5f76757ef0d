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
from dpfair_cli.kinds.fingerprints import fingerprint
from dpfair_cli.kinds.records import Records


@dataclass(frozen=True, eq=False)
class CausalDag:
    """A causal directed acyclic graph of p variables.

    Raises:
        ValueError: a cycle, a repeated or unknown name, or a label that causes another variable.
    """

    names: tuple[str, ...]
    """The names of the variables."""
    arrows: Mask
    """A mask (p, p): arrows[i, j] says that i is a direct cause of j."""
    protected: str
    """The name of the protected attribute."""
    label: str
    """The name of the label."""

    def __post_init__(self) -> None:
        p = len(self.names)
        if len(set(self.names)) != p:
            raise ValueError("the variables of the graph must have different names")
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
        """The index of a variable among the names.

        Raises:
            ValueError: there is no variable with this name.
        """
        if name not in self.names:
            raise ValueError(f"unknown variable {name!r} in the graph: {nearest(name, self.names)}")
        return self.names.index(name)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """A topological order of the variables; of several candidates the first comes next."""
        return tuple(self._in_order())

    def _in_order(self) -> Iterator[int]:
        """The variables in topological order."""
        left = list(range(len(self.names)))
        while left:
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
        """The variables of `left` that are on a cycle, or lead to one."""
        kept = [j for j in left if self.arrows[j, left].any()]
        return kept if kept == left else self._trimmed(kept)

    def parents(self, j: int) -> tuple[int, ...]:
        """The direct causes of a variable, ascending."""
        return tuple(np.flatnonzero(self.arrows[:, j]).tolist())

    def descendants(self, i: int) -> frozenset[int]:
        """The variables that a variable causes, directly or not."""
        found: set[int] = set()
        for j in self.order:
            if any(k == i or k in found for k in self.parents(j)):
                found.add(j)
        return frozenset(found)


@dataclass(frozen=True, eq=False)
class CausalRecords(Records):
    """Records of binary attributes, with the causal graph of attributes, protected column, label.

    Raises:
        ValueError: an attribute without two levels, or names that do not fit the graph.
    """

    graph: CausalDag
    """The causal graph."""
    through: tuple[str, ...] = ()
    """R of xu2021, Section 7.2.1: attributes that may not transmit the group to a decision."""
    context: tuple[str, ...] = ()
    """O in xu2021, Section 7.2.1: the attributes that counterfactual fairness is conditioned on."""
    tiers: tuple[tuple[str, ...], ...] = ()
    """Known order: no variable causes one of an earlier tier, and nothing causes the first."""
    graph_epsilon: float = math.inf
    """The privacy loss of the graph that a method finds; infinity means that `graph` is given."""

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
                f"graph and data must have the same variables, got {ours} in the graph and "
                f"{theirs} in the data"
            )
        known = list(chain.from_iterable(self.tiers))
        if known and sorted(known) != sorted(self.graph.names):
            raise ValueError("the tiers must name every variable exactly once")
        for name in (*self.through, *self.context):
            if name not in self.domain.attributes:
                raise ValueError(
                    f"unknown attribute {name!r}: {nearest(name, self.domain.attributes)}"
                )

    def take(self, rows: Ints) -> CausalRecords:
        """The records at `rows`, in that order."""
        return replace(self, X=self.X[rows], y=self.y[rows], protected=self.protected[rows])

    @cached_property
    def codes(self) -> Ints:
        """The level of every variable, 0 or 1, in the order of the graph's names, (n, p)."""
        places = [columns[1] for columns in self.domain.attributes.values()]
        return np.column_stack([self.X[:, places].astype(np.int64), self.protected, self.y])

    def fingerprint(self) -> str:
        """SHA-256 of what a fit reads, including the graph."""
        names = self.graph.names, self.through, self.context
        about = (super().fingerprint(), *names, self.graph_epsilon)
        return fingerprint(about, self.graph.arrows)
