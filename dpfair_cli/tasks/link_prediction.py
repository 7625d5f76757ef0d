"""Link prediction: whether an edge joins two nodes, from the product of their vectors.

Source: xu2021, Section 5.5.2. The pairs are edges and as many pairs of nodes without an edge. The
features of a pair are the products of the entries of the two vectors. Logistic regression learns
from the training pairs. The dissertation does not say whether the embedded graph contains the test
edges. With `held_out` "removed" the test edges are removed before the embedding. With "kept" they
stay, and the embedding depends on the edges that are predicted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.contracts.declarations import Study, Sweep
from dpfair_cli.contracts.parameters import Fraction, Share, checked
from dpfair_cli.contracts.results import fitted_once
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding.node_vectors import Embedding

SCORES = ("accuracy", "auc", "majority_accuracy")
MOST_STEPS = 1000  # of the solver
TOLERANCE = 1e-9  # of the solver, which with a larger tolerance stops at once for short vectors
Features = Literal["standardised", "raw"]


@dataclass(frozen=True, eq=False)
class PairSplit:
    """The graph that is embedded, and the pairs of nodes that train and test a classifier."""

    train: Graph  # the graph that is embedded
    train_pairs: Ints  # the two nodes of each pair that trains the classifier, (m, 2)
    train_joined: Mask  # whether an edge joins each training pair, (m,)
    test_pairs: Ints  # the two nodes of each pair that is predicted, (m, 2)
    test_joined: Mask  # whether an edge joins each test pair, (m,)
    features: Features  # whether the features of pairs are standardised


@checked
def split(
    graph: Graph,
    *,
    train_fraction: Fraction = 0.1,
    pairs: Share = 1.0,
    held_out: Literal["removed", "kept"] = "removed",
    features: Features = "standardised",
    rng: np.random.Generator,
) -> PairSplit:
    """A random split of edges and of as many pairs without an edge.

    Args:
        graph: the whole graph.
        train_fraction: the share of the pairs that train the classifier.
        pairs: the share of the edges of the graph that are used as training and test pairs.
        held_out: whether the test edges are "removed" from the embedded graph or "kept".
        features: "standardised" over the training pairs, or "raw".
        rng: the source of randomness.

    Raises:
        ValueError: there are too few edges, or too few pairs of nodes without an edge.
    """
    count = round(pairs * len(graph))
    first = round(train_fraction * count)
    if not 0 < first < count:
        raise ValueError(
            "link prediction needs at least one edge to train on and one to test on, but "
            f"`train_fraction` {train_fraction:g} takes {first} of {count} edges for training: use "
            "another `train_fraction`, or a larger `pairs` (the share of the edges that are used)"
        )
    order = rng.permutation(len(graph))
    # pairs without an edge in the whole graph, test edges included
    gaps = _pairs_without_edge(graph, count, rng)
    tested = order[first:count]
    seen = graph if held_out == "kept" else graph.take(np.setdiff1d(np.arange(len(graph)), tested))
    train_pairs, train_joined = _labelled(graph.edges[order[:first]], gaps[:first])
    test_pairs, test_joined = _labelled(graph.edges[tested], gaps[first:])
    # an embedding must not see the classes of nodes
    public = seen.without_labels()
    return PairSplit(public, train_pairs, train_joined, test_pairs, test_joined, features)


def _pairs_without_edge(graph: Graph, count: int, rng: np.random.Generator) -> Ints:
    """Different random pairs of nodes that no edge joins, (count, 2)."""
    room = graph.nodes * (graph.nodes - 1) // 2 - len(graph)
    if room < count:
        raise ValueError(
            f"link prediction with {count} edges needs as many pairs of nodes without an edge, but "
            f"the graph has only {room}: use a smaller `pairs` (the share of the edges that are "
            "used)"
        )
    found = {(int(i), int(j)) for i, j in graph.edges}
    gaps: list[tuple[int, int]] = []
    while len(gaps) < count:
        # drawn and refused: a list of all pairs would have n^2 / 2 entries
        i, j = sorted(map(int, rng.integers(graph.nodes, size=2)))
        if i != j and (i, j) not in found:
            found.add((i, j))
            gaps.append((i, j))
    return np.array(gaps)


def _labelled(edges: Ints, gaps: Ints) -> tuple[Ints, Mask]:
    """The pairs of nodes with and without an edge, (m, 2), and whether each is an edge, (m,)."""
    return np.vstack([edges, gaps]), np.arange(len(edges) + len(gaps)) < len(edges)


def score(model: Embedding, case: PairSplit) -> dict[str, float]:
    """The scores of a link prediction from the embedding, on the test pairs of nodes, by name."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    known, asked = _features(model.vectors, case)
    rule = LogisticRegression(max_iter=MOST_STEPS, tol=TOLERANCE).fit(known, case.train_joined)
    return {
        "accuracy": float(rule.score(asked, case.test_joined)),
        "auc": float(roc_auc_score(case.test_joined, rule.decision_function(asked))),
        "majority_accuracy": 0.5,  # as many pairs with an edge as without
    }


def _features(vectors: Floats, case: PairSplit) -> tuple[Floats, Floats]:
    """The entry-wise products of the vectors of both nodes of each pair, (m, k) for each part."""
    known = vectors[case.train_pairs[:, 0]] * vectors[case.train_pairs[:, 1]]
    asked = vectors[case.test_pairs[:, 0]] * vectors[case.test_pairs[:, 1]]
    if case.features == "raw":
        return known, asked
    # from the training pairs alone, as a classifier would know them
    centre, spread = known.mean(axis=0), known.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    return (known - centre) / scale, (asked - centre) / scale


TASK = Study(
    split=split,
    study=fitted_once(score),
    scores=SCORES,
    result=Embedding,
    sweep=Sweep(
        title="Accuracy of link prediction",
        methods=("matrix_factorisation", "dpne", "dpm", "top_m_filter"),
        values=("accuracy", "auc"),
        also=SCORES[2:],
        panels=("accuracy",),
    ),
)
