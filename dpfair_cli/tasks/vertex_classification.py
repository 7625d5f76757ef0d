"""Vertex classification: the class of a node from its vector, by a linear SVM (xu2021, Section
5.5.1).

The protocol is that of TADW (Yang et al. 2015), whose data the dissertation uses: one SVM for each
class against the rest, columns of the embedding scaled to norm 1. The embedding sees all edges and
no class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.declarations import Study, Sweep
from dpfair_cli.contracts.parameters import Fraction, PositiveFinite, checked
from dpfair_cli.contracts.results import fitted_once
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding.node_vectors import Embedding

MOST_ROUNDS = 10_000  # of LIBLINEAR
SCORES = ("accuracy", "macro_f1", "majority_accuracy")


@dataclass(frozen=True, eq=False)
class NodeSplit:
    """The graph without classes, which a fit may see, the classes (n,), and the nodes to train and
    to test on.
    """

    train: Graph
    labels: Ints
    train_nodes: Ints
    test_nodes: Ints
    cost: float


@checked
def split(
    graph: Graph,
    *,
    train_fraction: Fraction = 0.1,
    cost: PositiveFinite = 5.0,
    rng: np.random.Generator,
) -> NodeSplit:
    """A random `train_fraction` of the nodes to train on; `cost` is that of an error to the SVM (C
    of LIBLINEAR).

    Raises:
        ValueError: the nodes have no classes, or there is none to train on.
    """
    if not len(graph.labels):
        raise ValueError("the nodes have no classes: give --labels FILE")
    order, count = rng.permutation(graph.nodes), round(train_fraction * graph.nodes)
    if not 0 < count < graph.nodes:
        raise ValueError(
            f"{graph.nodes} nodes leave none to train on or none to test: another train_fraction"
        )
    return NodeSplit(graph.without_labels(), graph.labels, order[:count], order[count:], cost)


def score(model: Embedding, case: NodeSplit) -> dict[str, float]:
    """Every score of SCORES, on the nodes to test."""
    from sklearn.metrics import f1_score

    found, true = predicted(model, case), case.labels[case.test_nodes]
    majority = np.bincount(case.labels[case.train_nodes]).argmax()
    return {
        "accuracy": float(np.mean(found == true)),
        "macro_f1": float(f1_score(true, found, average="macro", zero_division=0.0)),
        "majority_accuracy": float(np.mean(true == majority)),
    }


def predicted(model: Embedding, case: NodeSplit) -> Ints:
    """The classes that a linear SVM for each class against the rest gives to the nodes to test,
    (m,).

    Where the nodes to train on have one class, all others get it.
    """
    from sklearn.svm import LinearSVC

    known, features = case.labels[case.train_nodes], with_columns_of_norm_one(model.vectors)
    if len(np.unique(known)) == 1:
        return np.full(len(case.test_nodes), known[0])
    machine = LinearSVC(C=case.cost, random_state=0, max_iter=MOST_ROUNDS).fit(
        features[case.train_nodes], known
    )
    return np.asarray(machine.predict(features[case.test_nodes]))


def with_columns_of_norm_one(vectors: Floats) -> Floats:
    """The vectors (n, k) with every column divided by its norm; a column of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=0)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))


TASK = Study(
    split=split,
    study=fitted_once(score),
    scores=SCORES,
    result=Embedding,
    sweep=Sweep(
        title="Accuracy of vertex classification",
        methods=("matrix_factorisation", "dpne", "dpm", "top_m_filter"),
        values=("accuracy",),
        also=SCORES[1:],
        panels=("accuracy",),
    ),
)
