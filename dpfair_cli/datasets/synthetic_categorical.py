"""Random Bayesian networks of categorical variables, a new one per seed (xu2021, Section 4.6.1).

The dissertation drew graphs and tables with the program TETRAD, and the settings are not published.
Here a graph has exactly round(sparseness nodes (nodes - 1) / 2) edges, or `edges` if this number is
not 0, and each variable has 2 to `most_levels` levels. With `edge_law` "independent" each pair of
variables has an edge with the probability `sparseness`, independently of the other pairs. Networks
are drawn until the table of all variables has at most `most_cells` cells. The rows of the
conditional probability tables are drawn from a Dirichlet distribution. `concentration` 1 is the
uniform distribution over all rows, and a smaller `concentration` makes dependence stronger.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, inf, prod
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from dpfair_cli.contracts.arrays import Mask
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import (
    AtLeast,
    Count,
    CountOrZero,
    Positive,
    PositiveFinite,
    checked,
)
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.bayesian_network import (
    FEWEST_LEVELS,
    BayesianNetwork,
    random_network,
)
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
    most_cells: float  # the largest number of cells of the table of all variables
    edges: int  # the number of edges; 0 if the sparseness gives it

    def draw(self, rng: np.random.Generator) -> tuple[Observations, Mask]:
        """Records of a new random network, with the adjacency matrix (nodes, nodes) of its graph.

        Entry (i, j) is True for an edge i -> j.
        """
        network = self._network(rng)
        while prod(network.levels) > self.most_cells:
            network = self._network(rng)
        return network.sample(self.records, rng=rng), network.dag

    def _network(self, rng: np.random.Generator) -> BayesianNetwork:
        share = self.edges / comb(self.nodes, 2) if self.edges else self.sparseness
        dag = GRAPHS[self.edge_law](self.nodes, share, rng=rng)
        return random_network(
            dag, most_levels=self.most_levels, concentration=self.concentration, rng=rng
        )

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
    most_cells: Positive = inf,
    edges: CountOrZero = 0,
) -> RandomNetworks:
    """The population of random networks with these parameters (`folder` is not used).

    Raises:
        ValueError: `most_cells` is below the cells of variables with two levels each.
    """
    if most_cells < FEWEST_LEVELS**nodes:
        raise ValueError(
            f"most_cells must be at least {FEWEST_LEVELS}^nodes = {FEWEST_LEVELS**nodes}, got "
            f"{most_cells:g}"
        )
    return RandomNetworks(
        nodes, sparseness, records, most_levels, concentration, edge_law, most_cells, edges
    )


DATASET = DataSource(
    load=load,
    note="made: random Bayesian networks with 2 to 5 levels a variable (xu2021, Section 4.6.1); "
    "no person",
    task="causal_discovery",
    optional_in_rows=("edge_law", "most_cells", "edges"),
)
