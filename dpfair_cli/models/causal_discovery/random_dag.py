"""Random directed acyclic graphs, and random records, of a model on a graph or independent.

Source: xu2021, Sections 4.6.1 and 4.6.2, with the defaults of pcalg (randomDAG, rmvDAG), which the
    dissertation used.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.parameters import AtLeast, AtMost
from dpfair_cli.kinds.variables import Observations

Nodes = Annotated[int, AtLeast(2)]
"""The number of variables."""
Sparseness = Annotated[float, AtLeast(0), AtMost(1)]
"""The share of the possible edges."""

WEIGHTS = (0.1, 1.0)  # range of the weights of edges: pcalg's lB and uB
FEWEST = 200  # records: enough that no variable is a copy of another one by chance
STEPS = 1000  # numeric values are multiples of 1 / STEPS


def bernoulli_dag(p: int, sparseness: float, *, rng: np.random.Generator) -> Mask:
    """A random graph, a mask (p, p) with True at (i, j) for an edge i -> j (as in pcalg).

    Each of the p (p - 1)/2 possible edges has the probability `sparseness`. The order of the
    variables is random.
    """
    return _shuffled(np.triu(rng.random((p, p)) < sparseness, 1), rng)


def exact_dag(p: int, sparseness: float, *, rng: np.random.Generator) -> Mask:
    """A random graph, a mask (p, p) with True at (i, j) for an edge i -> j.

    The graph has exactly round(sparseness p (p - 1)/2) edges, and the order of the variables is
    random.
    """
    places = np.transpose(np.triu_indices(p, 1))
    chosen = rng.choice(len(places), round(sparseness * len(places)), replace=False)
    dag = np.zeros((p, p), dtype=bool)
    dag[tuple(places[chosen].T)] = True
    return _shuffled(dag, rng)


def gaussian_values(dag: Mask, n: int, *, rng: np.random.Generator) -> Floats:
    """Values (n, p) of a linear Gaussian model X_j = sum_i w_ij X_i + e_j on a graph.

    The weights w are uniform in WEIGHTS and the noise e is standard normal. The values are not
    rescaled.
    """
    weights = np.where(dag, rng.uniform(*WEIGHTS, size=dag.shape), 0.0)
    errors = rng.standard_normal((n, len(dag)))
    return np.asarray(errors @ np.linalg.inv(np.eye(len(dag)) - weights))  # X = X W + E


def topological_order(dag: Mask) -> list[int]:
    """The indices of the variables in topological order, each after its parents.

    Entry (i, j) of `dag` (p, p) is True for an edge i -> j. Of several variables that could come
    next, the first is taken.

    Raises:
        ValueError: the graph has a cycle.
    """
    order: list[int] = []
    left = list(range(len(dag)))
    while left:
        free = [j for j in left if not dag[left, j].any()]
        if not free:
            raise ValueError(
                f"the graph must have no cycle, but {len(left)} of its variables are on a cycle or "
                "depend on one: remove an edge of the cycle"
            )
        order.append(free[0])
        left.remove(free[0])
    return order


def _shuffled(dag: Mask, rng: np.random.Generator) -> Mask:
    """The graph `dag` (p, p) with its variables in a random order."""
    order = rng.permutation(len(dag))
    return dag[np.ix_(order, order)]


def made_up_observations(
    names: tuple[str, ...], levels: tuple[int, ...], *, enough: bool, rng: np.random.Generator
) -> Observations:
    """Random records of independent variables.

    Args:
        names: the variables.
        levels: the number of levels of each; if empty, the variables are numbers from -1 to 1.
        enough: True for more records than variables, False for as many records as variables.
        rng: the source of randomness.
    """
    p = len(names)
    n = max(FEWEST, 2 * p) if enough else p
    if levels:
        return Observations(rng.integers(np.array(levels), size=(n, p)), names, levels)
    return Observations(rng.integers(-STEPS, STEPS, size=(n, p)) / STEPS, names, levels)
