"""Differences of an estimated graph from the true one: edges of the skeleton, and directions.

`compare_graphs` is pcalg's function of that name, with its values where a rate has no edges to
refer to. xu2021 called it with the two graphs exchanged (Figure 4.1 shows it: 28 edges found, 31
true, 22 in common, and 0.786 = 22/28 is printed as the true positive rate), so that its columns
TPR, FPR and TDR are in truth the precision, the false omission rate (missed edges over the
non-edges of the estimate) and the recall.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpfair_cli.contracts.arrays import Mask


class GraphComparison(NamedTuple):
    """The three rates of an estimated skeleton against a true one."""

    tpr: float
    fpr: float
    tdr: float


def compare_graphs(estimate: Mask, truth: Mask) -> GraphComparison:
    """True positive, false positive and true discovery rate of skeletons (p, p), both symmetric.

    Without a true edge tpr is 0, without a true non-edge fpr is 1, without a found edge tdr is 1.
    """
    found, true = edges(estimate), edges(truth)
    hits, gaps = edges(estimate & truth), len(truth) * (len(truth) - 1) // 2 - true
    return GraphComparison(
        tpr=hits / true if true else 0.0,
        fpr=(found - hits) / gaps if gaps else 1.0,
        tdr=hits / found if found else 1.0,
    )


def edges(skeleton: Mask) -> int:
    """The number of edges of a skeleton."""
    return int(np.triu(skeleton, 1).sum())


class EdgeCounts(NamedTuple):
    """The edges of an estimated skeleton, compared with a true one."""

    found: int
    """True edges that the estimate has."""
    missing: int
    """True edges that the estimate lacks."""
    extra: int
    """Edges of the estimate that are not true."""


def count_edges(estimate: Mask, truth: Mask) -> EdgeCounts:
    """The edges of an estimated skeleton compared with a true one, (p, p), both symmetric."""
    found = edges(estimate & truth)
    return EdgeCounts(found, edges(truth) - found, edges(estimate) - found)


def structural_hamming_distance(estimate: Mask, truth: Mask) -> int:
    """The number of pairs of variables whose connection differs: none, undirected, or an arrow.

    The two partially directed graphs are masks (p, p).
    """
    differs = (estimate != truth) | (estimate.T != truth.T)
    return int(np.triu(differs, 1).sum())


def orientation_f1(estimate: Mask, truth: Mask) -> float:
    """F1 of the arrows of two partially directed graphs; 1 where neither has an arrow."""
    found, true = estimate & ~estimate.T, truth & ~truth.T
    arrows = int(found.sum() + true.sum())
    return 2 * int((found & true).sum()) / arrows if arrows else 1.0
