"""A partially directed graph of causes and effects, the result of causal discovery."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Mask
from dpfair_cli.contracts.results import FittedFields


@dataclass(frozen=True, eq=False)
class CausalGraph(FittedFields):
    """A partially directed graph of p variables.

    Raises:
        ValueError: the mask does not have the shape (p, p), or a variable has an edge to itself.
    """

    names: tuple[str, ...]  # the names of the p variables, in the order of the rows of `cpdag`
    # A mask (p, p); (i, j) alone is the arrow i -> j, with (j, i) the undirected edge i - j
    cpdag: Mask
    tests: int = 0  # the number of conditional independence tests that were made to find the graph
    reads: int = 0  # the number of records or table cells that these tests summed over

    def __post_init__(self) -> None:
        p = len(self.names)
        if self.cpdag.shape != (p, p) or self.cpdag.dtype != bool or self.cpdag.diagonal().any():
            raise ValueError(
                f"the graph of {p} variables must be a ({p}, {p}) mask with a False "
                f"diagonal, got the shape {self.cpdag.shape}"
            )
        self.cpdag.flags.writeable = False

    @property
    def skeleton(self) -> Mask:
        """The edges of the graph without their directions, a symmetric mask (p, p)."""
        return self.cpdag | self.cpdag.T

    @property
    def arcs(self) -> list[tuple[str, str, str]]:
        """The edges of the graph as (from, "->" or "-", to), in the order of the variables."""
        pairs = zip(*np.nonzero(np.triu(self.skeleton)), strict=True)
        return [self._arc(i, j) for i, j in pairs]

    @property
    def edges(self) -> list[str]:
        """The edges of the graph as texts such as "age -> income" and "race - sex"."""
        return [" ".join(arc) for arc in self.arcs]

    def _arc(self, i: int, j: int) -> tuple[str, str, str]:
        forth, back = self.cpdag[i, j], self.cpdag[j, i]
        first, second = (self.names[i], self.names[j]) if forth else (self.names[j], self.names[i])
        return first, "-" if forth and back else "->", second

    def as_output(self) -> dict[str, Any]:
        """The causal graph as JSON, for a journal of runs."""
        return {"variables": list(self.names), "edges": [list(arc) for arc in self.arcs]}

    def saved(self) -> dict[str, Any]:
        """The causal graph as JSON, for a model file; no module restores this graph."""
        return {"variables": list(self.names), "edges": self.edges}

    def described(self) -> list[str]:
        """The edges of the causal graph as lines of text."""
        return self.edges
