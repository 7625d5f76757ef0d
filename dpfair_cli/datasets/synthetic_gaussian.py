"""Random linear Gaussian models, a new one per seed (xu2021, Section 4.6.2).

The models have the defaults of the R package pcalg, which the dissertation used: every possible
edge has the probability `sparseness`, the weights of edges are uniform in (0.1, 1), the errors are
standard normal, and the values are not rescaled.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Mask
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import Count, checked
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.random_dag import (
    Nodes,
    Sparseness,
    bernoulli_dag,
    gaussian_values,
)


@dataclass(frozen=True)
class RandomGaussians:
    """A population: random graphs with random weights, and records of linear Gaussian models."""

    nodes: int  # the number of variables
    sparseness: float  # the probability of an edge
    records: int  # the number of records of a draw

    def draw(self, rng: np.random.Generator) -> tuple[Observations, Mask]:
        """Records of a new random model, with the adjacency matrix (nodes, nodes) of its graph.

        Entry (i, j) is True for an edge i -> j.
        """
        dag = bernoulli_dag(self.nodes, self.sparseness, rng=rng)  # as pcalg's randomDAG
        names = tuple(f"v{j}" for j in range(self.nodes))
        return Observations(gaussian_values(dag, self.records, rng=rng), names), dag

    def counts(self) -> dict[str, Any]:
        """The number of variables, the only count that is the same in all draws."""
        return {"nodes": self.nodes}


@checked
def load(
    folder: Path, *, nodes: Nodes = 10, sparseness: Sparseness = 0.4, records: Count = 10_000
) -> RandomGaussians:
    """The population of random Gaussian models with these parameters (`folder` is not used)."""
    return RandomGaussians(nodes, sparseness, records)


DATASET = DataSource(
    load=load,
    note="made: random linear Gaussian models (xu2021, Section 4.6.2); no person",
    task="causal_discovery",
)
