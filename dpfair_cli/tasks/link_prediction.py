"""Link prediction: whether an edge joins two nodes, from the product of their vectors.

Source: xu2021, Section 5.5.2. There are as many pairs without an edge as edges. The features of a
pair are the entries of one vector times those of the other, and logistic regression learns from the
training pairs. The dissertation does not say whether the test edges are in the graph when it is
embedded: `held_out` "removed" removes them; "kept" keeps them, so that the embedding has seen the
answers.
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
TOLERANCE = 1e-9  # products of short vectors are small: a looser fit stops at its start
Features = Literal["standardised", "raw"]


@dataclass(frozen=True, eq=False)
class PairSplit:
    """The graph that a fit sees, and pairs of nodes to train and to test a classifier on."""

    train: Graph
    """The graph that is embedded."""
    train_pairs: Ints
    """The training pairs, (m, 2)."""
    train_joined: Mask
    """Whether an edge joins each of them, (m,)."""
    test_pairs: Ints
    """The test pairs, (m, 2)."""
    test_joined: Mask
    """Whether an edge joins each of them, (m,)."""
    features: Features
    """Whether the features of pairs are standardised."""


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
        pairs: the share of the edges that take part.
        held_out: whether the test edges are removed from the graph that is embedded.
        features: "standardised" over the training pairs, or "raw".
        rng: for the pairs and their order.

    Raises:
        ValueError: there are too few edges, or too few pairs without one.
    """
    count = round(pairs * len(graph))
    first = round(train_fraction * count)
    if not 0 < first < count:
        raise ValueError(
            f"the split must leave edges to train on and to test on, got {count} edges: use "
            "a larger share of edges or another fraction"
        )
    order = rng.permutation(len(graph))
    gaps = _pairs_without_edge(graph, count, rng)
    tested = order[first:count]
    seen = graph if held_out == "kept" else graph.take(np.setdiff1d(np.arange(len(graph)), tested))
    train_pairs, train_joined = _labelled(graph.edges[order[:first]], gaps[:first])
    test_pairs, test_joined = _labelled(graph.edges[tested], gaps[first:])
    public = seen.without_labels()
    return PairSplit(public, train_pairs, train_joined, test_pairs, test_joined, features)


def _pairs_without_edge(graph: Graph, count: int, rng: np.random.Generator) -> Ints:
    """`count` different pairs of nodes that no edge joins, in random order, (count, 2)."""
    room = graph.nodes * (graph.nodes - 1) // 2 - len(graph)
    if room < count:
        raise ValueError(
            f"the test needs {count} pairs of nodes without an edge, but the graph has "
            f"{room}: use a smaller share of pairs"
        )
    found = {(int(i), int(j)) for i, j in graph.edges}
    gaps: list[tuple[int, int]] = []
    while len(gaps) < count:
        i, j = sorted(map(int, rng.integers(graph.nodes, size=2)))
        if i != j and (i, j) not in found:
            found.add((i, j))
            gaps.append((i, j))
    return np.array(gaps)


def _labelled(edges: Ints, gaps: Ints) -> tuple[Ints, Mask]:
    """The pairs of nodes, (m, 2), and whether each of them is an edge, (m,)."""
    return np.vstack([edges, gaps]), np.arange(len(edges) + len(gaps)) < len(edges)


def score(model: Embedding, case: PairSplit) -> dict[str, float]:
    """The scores in SCORES on the test pairs."""
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
    """The products of the two vectors of each training and each test pair, (m, k) each."""
    known = vectors[case.train_pairs[:, 0]] * vectors[case.train_pairs[:, 1]]
    asked = vectors[case.test_pairs[:, 0]] * vectors[case.test_pairs[:, 1]]
    if case.features == "raw":
        return known, asked
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
