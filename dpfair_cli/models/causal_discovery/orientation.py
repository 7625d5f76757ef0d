"""The second phase of PC: a partially directed graph from a skeleton and its separators.

Source: xu2021, Algorithm 2, lines 16 to 28; Meek 1995, rules 1 to 3 (rule 4 needs background
    knowledge).

This phase does not use the data. A collider is a triple i -> k <- j whose variables i and j are not
adjacent. Conflicts are settled by the order of the variables: of two colliders that need opposite
directions of an edge, the collider whose middle variable comes first is drawn. A collider or an
arrow that would close a directed cycle is not drawn. causal-learn uses the same rules (uc_rule 0,
uc_priority 2), except that causal-learn draws colliders that close a cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from itertools import combinations

import numpy as np

from dpfair_cli.contracts.arrays import Mask
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph

Pair = tuple[int, int]
Triple = tuple[int, int, int]


def orient(
    skeleton: Mask,
    separators: Mapping[Pair, Set[int]],
    names: tuple[str, ...],
    *,
    tests: int = 0,
    reads: int = 0,
) -> CausalGraph:
    """The partially directed graph with the edges of a skeleton.

    i - k - j becomes i -> k <- j if i and j are not adjacent and k is not in their separator.

    Args:
        skeleton: the adjacent pairs, a symmetric mask (p, p).
        separators: for each pair i < j that is not adjacent, the variables that separate i and j.
        names: the names of the variables.
        tests: the number of independence tests that were made to find the skeleton.
        reads: the number of records or table cells that these tests summed over.
    """
    colliders = []
    for i, k, j in unshielded(skeleton):
        if k not in separators.get((i, j), frozenset()):
            colliders.append((i, k, j))
    return CausalGraph(names, completed(skeleton, colliders), tests, reads)


def equivalence_class(dag: Mask, names: tuple[str, ...]) -> CausalGraph:
    """The CPDAG of a directed graph, whose entry (i, j) of `dag` (p, p) is an edge i -> j.

    Raises:
        ValueError: the graph has a cycle.
    """
    require_acyclic(dag)
    skeleton = dag | dag.T
    colliders = [(i, k, j) for i, k, j in unshielded(skeleton) if dag[i, k] and dag[j, k]]
    return CausalGraph(names, completed(skeleton, colliders))


def require_acyclic(dag: Mask) -> None:
    """Refuses a directed graph (p, p) with a cycle."""
    left = np.arange(len(dag))
    while len(left):
        roots = ~dag[np.ix_(left, left)].any(axis=0)
        if not roots.any():
            raise ValueError(
                f"the causal graph must have no cycle, but {len(left)} of its variables are on a "
                "cycle or depend on one: remove an edge of the cycle"
            )
        # each pass takes away the variables that nothing left causes
        left = left[~roots]


def unshielded(skeleton: Mask) -> Iterator[Triple]:
    """Yields the triples of variables i - k - j in which i and j are not adjacent.

    Each triple has i < j, and the order is that of k, then of i and j.
    """
    for k, neighbours in enumerate(skeleton):
        for i, j in combinations(np.flatnonzero(neighbours).tolist(), 2):
            if not skeleton[i, j]:
                yield i, k, j


def completed(skeleton: Mask, colliders: list[Triple]) -> Mask:
    """The skeleton with the arrows of the colliders and all that follow from these, (p, p)."""
    cpdag = skeleton.copy()
    for i, k, j in colliders:
        undecided = cpdag[i, k] and cpdag[j, k]  # no earlier collider points an edge away from k
        if undecided and not _reaches(cpdag, k, i) and not _reaches(cpdag, k, j):
            cpdag[k, i] = cpdag[k, j] = False
    # only when all colliders are set: a rule may not decide an edge of a collider
    _follow(cpdag, skeleton)
    return cpdag


def _follow(cpdag: Mask, skeleton: Mask) -> None:
    """Changes `cpdag` by Meek's rules, one rule after the other, until no rule applies."""
    ends = np.argwhere(cpdag & skeleton).tolist() + np.argwhere(~cpdag & skeleton).tolist()
    # undirected edges before arrows, then by the end j; if rules conflict, the first one wins
    pairs = [(i, j) for j, i in ends]
    around = [row.nonzero()[0].tolist() for row in skeleton]
    changed = True
    while changed:
        changed = False
        for rule in (_no_new_collider, _no_cycle, _no_forced_collider):
            for i, j in rule(cpdag, around, pairs):
                # separators from noisy tests may conflict; no arrow may close a cycle
                if _line(cpdag, i, j) and not _reaches(cpdag, j, i):
                    cpdag[j, i], changed = False, True


def _no_new_collider(cpdag: Mask, around: list[list[int]], pairs: list[Pair]) -> Iterator[Pair]:
    """Yields j -> k by Meek's rule 1: for i -> j - k with i and k not adjacent."""
    for i, j in pairs:
        if _arrow(cpdag, i, j):
            yield from ((j, k) for k in around[j] if k != i and k not in around[i])


def _no_cycle(cpdag: Mask, around: list[list[int]], pairs: list[Pair]) -> Iterator[Pair]:
    """Yields i -> k by Meek's rule 2: for i -> j -> k and i - k."""
    for i, j in pairs:
        for k in around[j]:
            if k in around[i] and _arrow(cpdag, i, j) and _arrow(cpdag, j, k):
                yield i, k


def _no_forced_collider(cpdag: Mask, around: list[list[int]], pairs: list[Pair]) -> Iterator[Pair]:
    """Yields i -> l by Meek's rule 3.

    The rule is for i - l, i - j -> l and i - k -> l with j and k not adjacent.
    """
    for i, end in pairs:
        for j, k in combinations(around[i], 2):
            lines = _line(cpdag, i, j) and _line(cpdag, i, k)
            if lines and k not in around[j] and _arrow(cpdag, j, end) and _arrow(cpdag, k, end):
                yield i, end


def _arrow(cpdag: Mask, i: int, j: int) -> bool:
    return bool(cpdag[i, j] and not cpdag[j, i])


def _line(cpdag: Mask, i: int, j: int) -> bool:
    return bool(cpdag[i, j] and cpdag[j, i])


def _reaches(cpdag: Mask, start: int, end: int) -> bool:
    """Whether a path of arrows in the mask `cpdag` (p, p) leads from `start` to `end`."""
    # breadth first, all variables of a distance at once
    arrows, seen, front = cpdag & ~cpdag.T, {start}, [start]
    while front:
        new = set(np.flatnonzero(arrows[front].any(axis=0)).tolist()) - seen
        if end in new:
            return True
        seen, front = seen | new, sorted(new)
    return False
