"""Records of two-valued attributes, with a graph that says what causes what."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dpfair_cli.contracts.arrays import Ints, Mask
from dpfair_cli.contracts.errors import nearest
from dpfair_cli.kinds.fingerprints import fingerprint
from dpfair_cli.kinds.records import Records


@dataclass(frozen=True, eq=False)
class CausalDag:
    """A directed acyclic graph of p variables: arrows[i, j] says that i is a direct cause of j.

    Raises:
        ValueError: a cycle, a doubled or unknown name, or a label with an effect of its own.
    """

    names: tuple[str, ...]
    arrows: Mask
    protected: str
    label: str

    def __post_init__(self) -> None:
        p = len(self.names)
        if len(set(self.names)) != p:
            raise ValueError("two variables of the graph have one name")
        if self.arrows.shape != (p, p) or self.arrows.dtype != bool:
            raise ValueError(
                f"the arrows between {p} variables are a ({p}, {p}) mask, got {self.arrows.shape}"
            )
        if self.arrows[self.place(self.label)].any():
            caused = self.names[int(self.arrows[self.place(self.label)].argmax())]
            raise ValueError(f"the label {self.label!r} causes {caused!r}: it must come last")
        self.place(self.protected)
        self.arrows.flags.writeable = False
        self.order  # noqa: B018  # a graph with a cycle has none

    def place(self, name: str) -> int:
        """Where a variable stands among the names.

        Raises:
            ValueError: it is none of them.
        """
        if name not in self.names:
            raise ValueError(f"no variable {name!r} in the graph: {nearest(name, self.names)}")
        return self.names.index(name)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The variables, each after its causes; of several that could be next the first."""
        return tuple(self._in_order())

    def _in_order(self) -> Iterator[int]:
        left = list(range(len(self.names)))
        while left:
            free = [j for j in left if not self.arrows[left, j].any()]
            if not free:
                raise ValueError(
                    f"the graph has a cycle among {', '.join(self.names[j] for j in self._trimmed(left))}"
                )
            left.remove(free[0])
            yield free[0]

    def _trimmed(self, left: list[int]) -> list[int]:
        """Those of which each causes another one of them: what comes after a cycle, and is in none,
        is left out.
        """
        kept = [j for j in left if self.arrows[j, left].any()]
        return kept if kept == left else self._trimmed(kept)

    def parents(self, j: int) -> tuple[int, ...]:
        """The direct causes of a variable, ascending."""
        return tuple(np.flatnonzero(self.arrows[:, j]).tolist())

    def descendants(self, i: int) -> frozenset[int]:
        """Everything that a variable is a cause of, direct or not."""
        found: set[int] = set()
        for j in self.order:
            if any(k == i or k in found for k in self.parents(j)):
                found.add(j)
        return frozenset(found)


@dataclass(frozen=True, eq=False)
class CausalRecords(Records):
    """Records of levels, two for each attribute, with the causal graph of attributes, protected
    column and label.

    `through` names the attributes that a decision must not depend on as far as the group moves
    them, `context` those that say for whom a decision has to be counterfactually fair (R and O of
    xu2021, Section 7.2.1). `tiers` is what is known of the order of causes: no variable of a later
    tier causes one of an earlier, and nothing causes the first. With a finite `graph_epsilon` a
    private graph is to be found in the place of `graph`.

    Raises:
        ValueError: an attribute without two levels, or names that do not fit.
    """

    graph: CausalDag
    through: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    tiers: tuple[tuple[str, ...], ...] = ()
    graph_epsilon: float = math.inf

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, levels in self.domain.values.items():
            if len(levels) != 2:
                raise ValueError(
                    f"{name!r} has {len(levels)} levels: causal fairness takes two of each, merge some"
                )
        if self.graph.names != tuple(self.domain.values):
            raise ValueError(
                f"the graph has {', '.join(self.graph.names)}, the data {', '.join(self.domain.values)}"
            )
        known = [name for tier in self.tiers for name in tier]
        if known and sorted(known) != sorted(self.graph.names):
            raise ValueError("the tiers must name every variable once")
        for name in (*self.through, *self.context):
            if name not in self.domain.attributes:
                raise ValueError(f"no attribute {name!r}: {nearest(name, self.domain.attributes)}")

    def take(self, rows: Ints) -> CausalRecords:
        """The records at `rows`, in that order."""
        return replace(self, X=self.X[rows], y=self.y[rows], protected=self.protected[rows])

    @cached_property
    def codes(self) -> Ints:
        """The level of every variable, 0 or 1, in the order of the graph's names, (n, p)."""
        second = [
            self.X[:, places[1]].astype(np.int64) for places in self.domain.attributes.values()
        ]
        return np.column_stack([*second, self.protected, self.y])

    def fingerprint(self) -> str:
        """SHA-256 of what a fit reads, the graph among it."""
        return fingerprint(
            (
                super().fingerprint(),
                self.graph.names,
                self.through,
                self.context,
                self.graph_epsilon,
            ),
            self.graph.arrows,
        )
