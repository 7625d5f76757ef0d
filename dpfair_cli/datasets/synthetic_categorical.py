"""Random Bayesian networks of categorical variables, a new one per seed (xu2021, Section 4.6.1).

The dissertation drew graphs and tables with the program TETRAD, and the settings are not published.
Here a graph has exactly round(sparseness nodes (nodes - 1) / 2) edges, and each variable has 2 to
`most_levels` levels. With `edge_law` "independent" each pair of variables has an edge with the
probability `sparseness`, independently of the other pairs. The rows of the conditional probability
tables are drawn from a Dirichlet distribution. `concentration` 1 is the uniform distribution over
all rows, and a smaller `concentration` makes dependence stronger.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from dpfair_cli.contracts.arrays import Mask
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import AtLeast, Count, PositiveFinite, checked
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.bayesian_network import FEWEST_LEVELS, random_network
from dpfair_cli.models.causal_discovery.random_dag import (
    Nodes,
    Sparseness,
    bernoulli_dag,
    exact_dag,
)

EdgeLaw = Literal["exact", "independent"]
GRAPHS = {"exact": exact_dag, "independent": bernoulli_dag}


@dataclass(frozen=True)
class RandomNetworks:
    """A population: random graphs with random probability tables, and records drawn from these."""

    nodes: int  # the number of variables
    sparseness: float  # the share of pairs of variables with an edge
    records: int  # the number of records of a draw
    most_levels: int  # the largest number of levels of a variable
    concentration: float  # the parameter of the Dirichlet distribution
    edge_law: EdgeLaw
    """Whether the number of edges is exact, or each pair has an edge with a probability."""

    def draw(self, rng: np.random.Generator) -> tuple[Observations, Mask]:
        """Records of a new random network, with the adjacency matrix (nodes, nodes) of its graph.

        Entry (i, j) is True for an edge i -> j.
        """
        dag = GRAPHS[self.edge_law](self.nodes, self.sparseness, rng=rng)
        network = random_network(
            dag, most_levels=self.most_levels, concentration=self.concentration, rng=rng
        )
        return network.sample(self.records, rng=rng), dag

    def counts(self) -> dict[str, Any]:
        """The number of variables, the only count that is the same in all draws."""
        return {"nodes": self.nodes}


@checked
def load(
    folder: Path,
    *,
    nodes: Nodes = 10,
    sparseness: Sparseness = 0.2,
    records: Count = 10_000,
    most_levels: Annotated[int, AtLeast(FEWEST_LEVELS)] = 5,
    concentration: PositiveFinite = 1.0,
    edge_law: EdgeLaw = "exact",
) -> RandomNetworks:
    """The population of random networks with these parameters (`folder` is not used)."""
    return RandomNetworks(nodes, sparseness, records, most_levels, concentration, edge_law)


DATASET = DataSource(
    load=load,
    note="made: random Bayesian networks with 2 to 5 levels a variable (xu2021, Section 4.6.1); "
    "no person",
    task="causal_discovery",
    optional_in_rows=("edge_law",),
)
