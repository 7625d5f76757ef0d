"""Paths from the protected variable S to the label y, and the exact effects of S on y along them.

Source: xu2021, Section 3.2.3.2 and Definitions 13 to 16. The effects are sums over all 2 ** p cells
of the joint distribution of p binary variables; nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.kinds.causal_records import CausalDag
from dpfair_cli.models.causal_fairness.causal_model import estimate, marginal, share_given

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
    """Refuses a set of paths with a recanting witness."""
    if witness := recanting_witness(graph, paths):
        raise ValueError(
            f"the path-specific effect is not identifiable, because {witness!r} is a recanting "
            f"witness: the chosen paths include some but not all ways from {witness!r} to "
            f"{graph.label!r}"
        )


def intervened_edges(graph: CausalDag, effect: Effect, through: tuple[str, ...]) -> Mask:
    """The mask (p, p) of the edges along which `effect` passes an intervention on S on.

    `through` are the variables of an indirect effect.

    Raises:
        ValueError: the effect along these edges is not identified.
    """
    # a total and a counterfactual effect go along all paths
    paths = {"direct": direct_path(graph), "indirect": paths_through(graph, through)}
    chosen = paths.get(effect, all_paths(graph))
    require_identifiable(graph, chosen)
    return edges_of(chosen, len(graph.names))


ContextWeights = Literal["equal", "proportional"]
"""How the contexts of a counterfactual effect are weighted in one number."""


def total_effect(joint: Floats, graph: CausalDag) -> float:
    """The total effect of the protected variable S on the label y, adjusted for the parents of S.

    The effect is P(y = 1 | do(S = 1)) - P(y = 1 | do(S = 0)). The parents of S are its direct
    causes in the graph; the adjustment uses no other edge. The result is NaN if a combination of
    values of the parents occurs with only one value of S.
    """
    return counterfactual_effect(joint, graph, {})


def counterfactual_effect(joint: Floats, graph: CausalDag, context: Mapping[str, int]) -> float:
    """The total effect of S on the label among the records with the values `context`.

    S is the protected variable, which must not cause a variable of the context.

    Raises:
        ValueError: S causes a variable of the context, or no record has these values.
    """
    protected, label = graph.place(graph.protected), graph.place(graph.label)
    causes = graph.parents(protected)
    require_identified_context(graph, tuple(context))
    among = joint
    for name, value in context.items():
        among = among.take([value], axis=graph.place(name))
    if not among.sum() > 0:
        values = ", ".join(f"{name}={value}" for name, value in context.items())
        raise ValueError(
            f"no record has the values {values}, so the effect for these values cannot be estimated"
        )
    weight = marginal(among, causes) / among.sum()
    rate = share_given(among, label, (*causes, protected), unseen=np.nan)
    change = rate.take([1], axis=protected) - rate.take([0], axis=protected)
    return float(np.where(weight > 0, weight * change, 0.0).sum())


def require_identified_context(graph: CausalDag, context: Sequence[str]) -> None:
    """Refuses a context that contains the protected variable or one of its effects."""
    moved = graph.descendants(graph.place(graph.protected)) | {graph.place(graph.protected)}
    for name in context:
        if graph.place(name) in moved:
            raise ValueError(
                f"the context of a counterfactual effect must not contain {graph.protected!r} or a "
                f"variable that {graph.protected!r} causes, because the effect is then not "
                f"identifiable, got {name!r}"
            )


def path_specific_effect(joint: Floats, graph: CausalDag, paths: Sequence[Path]) -> float:
    """The change of P(label = 1) if S changes from 0 to 1 only along `paths`.

    Raises:
        ValueError: the paths have a recanting witness.
    """
    require_identifiable(graph, paths)
    model, p = estimate(joint, graph), len(graph.names)
    return model.outcome(edges_of(paths, p)) - model.outcome(edges_of((), p))
