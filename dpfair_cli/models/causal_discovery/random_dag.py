"""Random directed acyclic graphs, and numbers that follow a linear Gaussian model on one.

Source: xu2021, Sections 4.6.1 and 4.6.2, with the defaults of pcalg (randomDAG, rmvDAG), which the
    dissertation used.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.parameters import AtLeast, AtMost

Nodes = Annotated[int, AtLeast(2)]  # fewer have no edge
Sparseness = Annotated[float, AtLeast(0), AtMost(1)]  # share of the possible edges

WEIGHTS = (0.1, 1.0)  # pcalg's lB and uB


def bernoulli_dag(p: int, sparseness: float, *, rng: np.random.Generator) -> Mask:
    """Each of the p (p - 1) / 2 possible edges with probability `sparseness` (pcalg); the order is
    random.
    """
    return _shuffled(np.triu(rng.random((p, p)) < sparseness, 1), rng)


def exact_dag(p: int, sparseness: float, *, rng: np.random.Generator) -> Mask:
    """Exactly round(sparseness p (p - 1) / 2) edges, all such graphs of a random order alike."""
    places = np.transpose(np.triu_indices(p, 1))
    chosen = rng.choice(len(places), round(sparseness * len(places)), replace=False)
    dag = np.zeros((p, p), dtype=bool)
    dag[tuple(places[chosen].T)] = True
    return _shuffled(dag, rng)


def gaussian_values(dag: Mask, n: int, *, rng: np.random.Generator) -> Floats:
    """Values (n, p) of X_j = sum_i w_ij X_i + e_j, w uniform in WEIGHTS, e standard normal; nothing
    is rescaled.
    """
    weights = np.where(dag, rng.uniform(*WEIGHTS, size=dag.shape), 0.0)
    errors = rng.standard_normal((n, len(dag)))
    return np.asarray(errors @ np.linalg.inv(np.eye(len(dag)) - weights))  # X = X W + E


def topological_order(dag: Mask) -> list[int]:
    """The variables, each after its parents; of several that could come next, the first.

    Raises:
        ValueError: the graph has a cycle.
    """
    order: list[int] = []
    left = list(range(len(dag)))
    while left:
        free = [j for j in left if not dag[left, j].any()]
        if not free:
            raise ValueError(f"the graph has a cycle among {len(left)} of its variables")
        order.append(free[0])
        left.remove(free[0])
    return order


def _shuffled(dag: Mask, rng: np.random.Generator) -> Mask:
    """The same graph with its variables in a random order: no place tells a cause from an effect."""
    order = rng.permutation(len(dag))
    return dag[np.ix_(order, order)]
