"""Tree-augmented network: synthetic records from noisy counts along a privately chosen tree.

Source: a spanning tree chosen as in MST (McKenna, Miklau and Sheldon 2021), measured and sampled as
    a Bayesian network as in PrivBayes (Zhang et al. 2017); the label is a parent of every variable,
    as in the tree-augmented network of Friedman, Geiger and Goldszmidt (1997).
Differs: The score of an edge between two variables is the L1 distance of their contingency table
    from the product of the exact marginals, minus the expected noise of the measured table. MST
    uses noisy marginals instead. Edges are chosen one by one from the root `protected`, with 0.2 of
    the budget, under pure differential privacy. The roles of label and root are ours: the measured
    table of label and root keeps the dependence of the label on the protected attribute. Noisy
    counts below the scale of their noise become 0; most of these counts belong to empty cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.errors import nearest
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, checked
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.exponential import exponential
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.counts import L1_REPLACED
from dpfair_cli.mechanisms.sensitivity.dependence import L1_DEPENDENCE
from dpfair_cli.models.causal_discovery.contingency import CountedTables, counted
from dpfair_cli.models.synthesis.tree_records import TreeNetwork, dependence, shares


@checked
def fit(
    observations: Observations,
    *,
    epsilon: Epsilon = 1.0,
    label: str = "",
    protected: str = "",
    rng: np.random.Generator,
) -> TreeNetwork:
    """The private network of categorical observations, from which records can be drawn.

    Args:
        label: The variable that is a parent of all others; by default the last one.
        protected: The root of the tree; by default the last variable other than the label.

    Raises:
        ValueError: the variables are numeric, there are fewer than two variables or no records,
            `label` or `protected` is not the name of a variable, or both are the same variable.
    """
    top, root = _roles(observations, label, protected)
    tables = counted(observations)
    steps = len(observations.names) - 2  # edges; without any, all of the budget measures
    epsilon_select, epsilon_measure = (0.2 * epsilon, 0.8 * epsilon) if steps else (0.0, epsilon)
    # one table of label and root, and one for each edge
    epsilon_table = epsilon_measure / (steps + 1)
    # the expected absolute noise of a cell, over all labels
    cost = observations.levels[top] * L1_REPLACED / epsilon_table
    edges = tuple(_grow(tables, top, root, cost=cost, epsilon=epsilon_select, rng=rng))
    # (levels of the label, levels of the root)
    joint = _measure(tables.table(top, root)[0], epsilon_table, rng)
    measured = [
        _measure(tables.table(parent, child, (top,)), epsilon_table, rng) for child, parent in edges
    ]
    return TreeNetwork(
        *(observations.names, observations.levels, top, root, edges),
        joint=shares(joint.ravel()).reshape(joint.shape),
        conditionals=tuple(map(shares, measured)),
    )


def _roles(observations: Observations, label: str, protected: str) -> tuple[int, int]:
    """The indices of the variables that are the label and the root of the tree."""
    names = observations.names
    if len(names) < 2 or not len(observations):
        raise ValueError(
            "tree_augmented_network needs at least two variables and one record, got "
            f"{len(names)} variables and {len(observations)} records"
        )
    label = label or names[-1]
    protected = protected or [name for name in names if name != label][-1]
    for role, name in (("label", label), ("protected", protected)):
        if name not in names:
            raise ValueError(
                f"the data set has no variable {name!r}, which was given as {role}: "
                f"{nearest(name, names)}"
            )
    if label == protected:
        raise ValueError(
            f"`label` and `protected` must be two different variables, got {label!r} for both"
        )
    return names.index(label), names.index(protected)


def _grow(
    tables: CountedTables,
    label: int,
    root: int,
    *,
    cost: float,
    epsilon: float,
    rng: np.random.Generator,
) -> Iterator[tuple[int, int]]:
    """Yields the edges (child, parent) of a private spanning tree."""
    others = [variable for variable in range(len(tables.levels)) if variable != label]
    scores = {
        (i, j): dependence(tables.table(i, j)[0]) - cost * tables.levels[i] * tables.levels[j]
        for i, j in permutations(others, 2)
    }
    inside = {root}
    for _ in others[1:]:
        leaving = [
            (child, parent) for child, parent in scores if parent in inside and child not in inside
        ]
        values = [scores[edge] for edge in leaving]
        # release
        best = exponential(
            values, sensitivity=L1_DEPENDENCE, epsilon=epsilon / (len(others) - 1), rng=rng
        )
        inside.add(leaving[best][0])
        yield leaving[best]


def _measure(counts: Floats, epsilon: float, rng: np.random.Generator) -> Floats:
    """The `counts` with Laplace noise, where noisy counts below the scale of the noise become 0."""
    # release
    noisy = laplace(counts, l1_sensitivity=L1_REPLACED, epsilon=epsilon, rng=rng)
    # post-process
    return np.where(noisy > L1_REPLACED / epsilon, noisy, 0)


ALGORITHM = Algorithm(
    fit,
    source=(
        "a spanning tree chosen as in MST (McKenna, Miklau and Sheldon 2021), measured and "
        "sampled as a Bayesian network as in PrivBayes (Zhang et al. 2017); the label is a parent "
        "of every variable, as in the tree-augmented network of Friedman, Geiger and Goldszmidt "
        "(1997)"
    ),
    guarantee=Guarantee(
        released="the network and any number of records drawn from it",
        neighbours=Neighbours.REPLACE_ONE,
        public="the number of records and the levels of the variables",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/counts.py, mechanisms/sensitivity/dependence.py",
    ),
)
