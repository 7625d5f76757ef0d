"""Differences of an estimated graph from the true one: edges of the skeleton, and directions.

`compare_graphs` computes what the function of this name in the R package pcalg computes, also if a
rate has the denominator 0. xu2021 called pcalg's function with the two graphs exchanged, as Figure
4.1 shows: 28 edges are found, 31 edges are true, 22 edges are both, and 0.786 = 22/28 is printed as
the true positive rate. The columns TPR, FPR and TDR of xu2021 are therefore the precision, the
false omission rate (missed edges divided by the pairs without an edge in the estimate) and the
recall.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpfair_cli.contracts.arrays import Mask


class GraphComparison(NamedTuple):
    """True positive, false positive and true discovery rate of an estimated skeleton."""

    tpr: float
    fpr: float
    tdr: float


def compare_graphs(estimate: Mask, truth: Mask) -> GraphComparison:
    """The rates of an estimated skeleton against a true skeleton, both symmetric masks (p, p).

    A skeleton is a graph without directions. If there is no true edge, the true positive rate tpr
    is 0. If every pair has a true edge, the false positive rate fpr is 1. If no edge was found, the
    true discovery rate tdr is 1.
    """
    found, true = edges(estimate), edges(truth)  # each edge once
    hits, gaps = edges(estimate & truth), len(truth) * (len(truth) - 1) // 2 - true
    return GraphComparison(
        tpr=hits / true if true else 0.0,
        fpr=(found - hits) / gaps if gaps else 1.0,
        tdr=hits / found if found else 1.0,
    )


def edges(skeleton: Mask) -> int:
    """The number of edges of an undirected graph, a symmetric mask (p, p)."""
    return int(np.triu(skeleton, 1).sum())


class EdgeCounts(NamedTuple):
    """The numbers of edges of an estimated skeleton that a true skeleton has or lacks."""

    found: int  # True edges that the estimate has
    missing: int  # True edges that the estimate lacks
    extra: int  # Edges of the estimate that are not true


def count_edges(estimate: Mask, truth: Mask) -> EdgeCounts:
    """The numbers of right, wrong and missed edges of an estimated skeleton.

    `estimate` and `truth` are symmetric masks (p, p).
    """
    found = edges(estimate & truth)
    return EdgeCounts(found, edges(truth) - found, edges(estimate) - found)


def structural_hamming_distance(estimate: Mask, truth: Mask) -> int:
    """The number of pairs of variables that two partially directed graphs connect differently.

    A pair has no edge, an undirected edge or an arrow. The graphs `estimate` and `truth` are masks
    (p, p), in which both entries of a pair are True for an undirected edge.
    """
    differs = (estimate != truth) | (estimate.T != truth.T)
    return int(np.triu(differs, 1).sum())


def orientation_f1(estimate: Mask, truth: Mask) -> float:
    """The F1 score of the arrows of a partially directed graph; 1 if neither graph has an arrow.

    `estimate` and `truth` are masks (p, p), in which both entries of a pair are True for an
    undirected edge.
    """
    found, true = estimate & ~estimate.T, truth & ~truth.T  # arrows alone, without undirected edges
    arrows = int(found.sum() + true.sum())
    return 2 * int((found & true).sum()) / arrows if arrows else 1.0
