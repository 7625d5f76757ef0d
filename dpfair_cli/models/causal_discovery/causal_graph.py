"""A partially directed graph of causes and effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Mask
from dpfair_cli.contracts.results import FittedFields


@dataclass(frozen=True, eq=False)
class CausalGraph(FittedFields):
    """A partially directed graph: cpdag[i, j] alone is the arrow i -> j, with cpdag[j, i] too the
    line i - j.

    `tests` counts the conditional independence tests behind it, `reads` the records or cells summed
    up for them.
    """

    names: tuple[str, ...]
    cpdag: Mask
    tests: int = 0
    reads: int = 0

    def __post_init__(self) -> None:
        p = len(self.names)
        if self.cpdag.shape != (p, p) or self.cpdag.dtype != bool or self.cpdag.diagonal().any():
            raise ValueError(
                f"a graph of {p} variables is a ({p}, {p}) mask without loops, got {self.cpdag.shape}"
            )
        self.cpdag.flags.writeable = False

    @property
    def skeleton(self) -> Mask:
        """The edges without their direction, (p, p) and symmetric."""
        return self.cpdag | self.cpdag.T

    @property
    def arcs(self) -> list[tuple[str, str, str]]:
        """The edges as (from, "->" or "-", to), in the order of the variables."""
        pairs = zip(*np.nonzero(np.triu(self.skeleton)), strict=True)
        return [self._arc(i, j) for i, j in pairs]

    @property
    def edges(self) -> list[str]:
        """The edges in words, such as "age -> income" and "race - sex", in the order of the
        variables.
        """
        return [" ".join(arc) for arc in self.arcs]

    def _arc(self, i: int, j: int) -> tuple[str, str, str]:
        forth, back = self.cpdag[i, j], self.cpdag[j, i]
        first, second = (self.names[i], self.names[j]) if forth else (self.names[j], self.names[i])
        return first, "-" if forth and back else "->", second

    def as_output(self) -> dict[str, Any]:
        """The graph as JSON, for a journal."""
        return {"variables": list(self.names), "edges": [list(arc) for arc in self.arcs]}

    def saved(self) -> dict[str, Any]:
        """The graph as JSON, for a model file; it classifies nobody, so that nothing restores it."""
        return {"variables": list(self.names), "edges": self.edges}

    def described(self) -> list[str]:
        """The edges in words."""
        return self.edges
