"""Random linear Gaussian models, as in xu2021, Section 4.6.2: each seed has its own graph, weights and records.

With the defaults of pcalg, which the dissertation used: every edge with probability `sparseness`, weights uniform in
(0.1, 1), standard normal errors, nothing rescaled.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpfair_cli.contracts import File, Mask, Observations
from dpfair_cli.models.random_dag import bernoulli_dag, gaussian_values, require_size

TASK = "causal_discovery"
NOTE = "made: random linear Gaussian models (xu2021, Section 4.6.2); no person"
FILES: tuple[File, ...] = ()


@dataclass(frozen=True)
class RandomGaussians:
    """The law of the graphs, weights and records."""

    nodes: int
    sparseness: float
    records: int

    def draw(self, rng: np.random.Generator) -> tuple[Observations, Mask]:
        """Records of a new model, and its graph."""
        dag = bernoulli_dag(self.nodes, self.sparseness, rng=rng)
        names = tuple(f"v{j}" for j in range(self.nodes))
        return Observations(gaussian_values(dag, self.records, rng=rng), names), dag


def load(folder: Path, *, nodes: int = 10, sparseness: float = 0.4, records: int = 10_000) -> RandomGaussians:
    """The law (`folder` is not used).

    Raises:
        ValueError: a parameter that no graph has.
    """
    require_size(nodes, sparseness, records)
    return RandomGaussians(nodes, sparseness, records)
