"""Directed paths from the protected variable to the label, and which effects they identify."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Mask
from dpfair_cli.kinds.causal_records import CausalDag

Path = tuple[int, ...]
"""The indices of the variables on a path, from the protected variable to the label."""
Effect = Literal["total", "direct", "indirect", "counterfactual"]


def all_paths(graph: CausalDag) -> tuple[Path, ...]:
    """Every directed path of the causal graph from the protected variable to the label."""
    return tuple(_paths(graph, (graph.place(graph.protected),), graph.place(graph.label)))


def _paths(graph: CausalDag, begun: Path, end: int) -> Iterator[Path]:
    if begun[-1] == end:
        yield begun
    for j in np.flatnonzero(graph.arrows[begun[-1]]).tolist():
        yield from _paths(graph, (*begun, j), end)


def paths_through(graph: CausalDag, through: Iterable[str]) -> tuple[Path, ...]:
    """The paths from the protected variable to the label through one of the variables `through`."""
    passed = {graph.place(name) for name in through}
    return tuple(path for path in all_paths(graph) if passed & {*path[1:-1]})


def direct_path(graph: CausalDag) -> tuple[Path, ...]:
    """The path that is the edge from the protected variable to the label, if there is this edge."""
    return tuple(path for path in all_paths(graph) if len(path) == 2)


def edges_of(paths: Iterable[Path], p: int) -> Mask:
    """The mask (p, p) of all edges on the paths, in a graph of p variables."""
    edges = np.zeros((p, p), dtype=bool)
    for path in paths:
        for i, j in pairwise(path):
            edges[i, j] = True
    return edges


def recanting_witness(graph: CausalDag, paths: Iterable[Path]) -> str:
    """The name of a recanting witness of the paths; empty if there is none.

    A recanting witness is a variable on one of the paths from which some, but not all, ways to the
    label belong to the paths. The variable would need two values at once, and the effect along the
    paths is not identified (Avin, Shpitser and Pearl 2005).
    """
    # the rest of each path, from each variable between its ends
    ways = {path[k:] for path in paths for k in range(1, len(path) - 1)}
    reached = {way[0] for way in ways}
    for path in all_paths(graph):
        for k in range(1, len(path) - 1):
            if path[k] in reached and path[k:] not in ways:
                return graph.names[path[k]]
    return ""


def require_identifiable(graph: CausalDag, paths: Iterable[Path]) -> None:
    """Refuses a set of paths with a recanting witness.

    Raises:
        ValueError: there is a recanting witness, which the message names.
    """
    if witness := recanting_witness(graph, paths):
        raise ValueError(
            f"the path-specific effect is not identifiable, because {witness!r} is a recanting "
            f"witness: the chosen paths include some but not all ways from {witness!r} to "
            f"{graph.label!r}"
        )


def intervened_edges(graph: CausalDag, effect: Effect, through: tuple[str, ...]) -> Mask:
    """The mask (p, p) of the edges along which `effect` passes an intervention on S on.

    S is the protected variable. `through` are the variables of an indirect effect.

    Raises:
        ValueError: the effect along these edges is not identified.
    """
    # a total and a counterfactual effect go along all paths
    paths = {"direct": direct_path(graph), "indirect": paths_through(graph, through)}
    chosen = paths.get(effect, all_paths(graph))
    require_identifiable(graph, chosen)
    return edges_of(chosen, len(graph.names))
