"""How a graph that was found differs from the true one: edges of the skeleton, and directions.

`compare_graphs` is pcalg's function of that name, with its answers where a rate has no edges to be
of. xu2021 called it with the true graph in the place of the estimate (Figure 4.1 shows it: 28 edges
found, 31 true, 22 in common, and 0.786 = 22/28 is printed as the true positive rate), so that its
columns TPR, FPR and TDR are in truth the precision, the false omission rate (missed edges over the
gaps of the estimate) and the recall.
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

    Without a true edge tpr is 0, without a true gap fpr is 1, without a found edge tdr is 1.
    """
    found, true = edges(estimate), edges(truth)
    hits, gaps = edges(estimate & truth), len(truth) * (len(truth) - 1) // 2 - true
    return GraphComparison(
        tpr=hits / true if true else 0.0,
        fpr=(found - hits) / gaps if gaps else 1.0,
        tdr=hits / found if found else 1.0,
    )


def edges(skeleton: Mask) -> int:
    """How many edges a skeleton has."""
    return int(np.triu(skeleton, 1).sum())


class EdgeCounts(NamedTuple):
    """How many edges of the true skeleton an estimate has and lacks, and how many it has besides."""

    found: int
    missing: int
    extra: int


def count_edges(estimate: Mask, truth: Mask) -> EdgeCounts:
    """The edges of an estimated skeleton against a true one, (p, p), both symmetric."""
    found = edges(estimate & truth)
    return EdgeCounts(found, edges(truth) - found, edges(estimate) - found)


def structural_hamming_distance(estimate: Mask, truth: Mask) -> int:
    """Pairs of variables between which two partially directed graphs (p, p) differ: no edge, arrow,
    or line.
    """
    differs = (estimate != truth) | (estimate.T != truth.T)
    return int(np.triu(differs, 1).sum())


def orientation_f1(estimate: Mask, truth: Mask) -> float:
    """F1 of the arrows of two partially directed graphs; 1 where neither has an arrow."""
    found, true = estimate & ~estimate.T, truth & ~truth.T
    arrows = int(found.sum() + true.sum())
    return 2 * int((found & true).sum()) / arrows if arrows else 1.0
