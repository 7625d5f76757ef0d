"""Link prediction: whether two nodes are joined, from the product of their vectors (xu2021, Section
5.5.2).

As many pairs without an edge as edges take part; a pair's features are the entries of the one
vector times those of the other, and a logistic regression learns from the pairs to train on. The
dissertation does not say whether the edges that are tested are in the graph when it is embedded.
`held_out` "removed" takes them out of it; "kept" leaves them in, so that the embedding has seen the
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
MOST_STEPS, TOLERANCE = (
    1000,
    1e-9,
)  # products of short vectors are small: a looser fit would not leave its start
Features = Literal["standardised", "raw"]


@dataclass(frozen=True, eq=False)
class PairSplit:
    """The graph that a fit may see, and pairs of nodes (m, 2) to train and to test on, with whether
    they are edges.
    """

    train: Graph
    train_pairs: Ints
    train_joined: Mask
    test_pairs: Ints
    test_joined: Mask
    features: Features


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
    """A share `pairs` of the edges and as many pairs without an edge; a `train_fraction` of both to
    train on.

    `features` are standardised over the pairs to train on, or left as they are ("raw").

    Raises:
        ValueError: there are too few edges, or too few pairs without one.
    """
    count = round(pairs * len(graph))
    first = round(train_fraction * count)
    if not 0 < first < count:
        raise ValueError(
            f"{count} edges leave none to train on or none to test: more of them, or another fraction"
        )
    order = rng.permutation(len(graph))
    gaps = _pairs_without_edge(graph, count, rng)
    tested = order[first:count]
    seen = graph if held_out == "kept" else graph.take(np.setdiff1d(np.arange(len(graph)), tested))
    return PairSplit(
        seen.without_labels(),
        *_labelled(graph.edges[order[:first]], gaps[:first]),
        *_labelled(graph.edges[tested], gaps[first:]),
        features,
    )


def _pairs_without_edge(graph: Graph, count: int, rng: np.random.Generator) -> Ints:
    """`count` different pairs of nodes that no edge joins, in random order, (count, 2)."""
    room = graph.nodes * (graph.nodes - 1) // 2 - len(graph)
    if room < count:
        raise ValueError(
            f"only {room} pairs of nodes have no edge, and {count} are needed: take a smaller share of pairs"
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
    """Edges and pairs without one together, and which is which."""
    return np.vstack([edges, gaps]), np.arange(len(edges) + len(gaps)) < len(edges)


def score(model: Embedding, case: PairSplit) -> dict[str, float]:
    """Every score of SCORES, on the pairs to test."""
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
    """The products of the two vectors of each pair, to train and to test on, (m, k) each."""
    known, asked = (
        vectors[pairs[:, 0]] * vectors[pairs[:, 1]] for pairs in (case.train_pairs, case.test_pairs)
    )
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
