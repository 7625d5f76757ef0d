"""Vertex classification: a linear SVM predicts the class of a node from its vector.

Source: xu2021, Section 5.5.1. The default protocol is that of TADW (Yang et al. 2015), whose data
the dissertation uses: there is one linear SVM (support vector machine) for each class against the
other classes, and the columns of the embedding are scaled to norm 1. The dissertation prints
"multi-class support vector machine" and no scaling. With `classifier` "multi_class" one SVM with a
joint objective has a weight vector for each class (Crammer and Singer 2001). The embedding uses all
edges and no class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.declarations import Study, Sweep
from dpfair_cli.contracts.parameters import Fraction, PositiveFinite, checked
from dpfair_cli.contracts.results import fitted_once
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding.node_vectors import Embedding

MOST_ROUNDS = 10_000  # iterations of LIBLINEAR
SCORES = ("accuracy", "macro_f1", "majority_accuracy")
Machine = Literal["one_against_rest", "multi_class"]
Scaling = Literal["columns", "rows", "none"]
MULTI_CLASS = {"one_against_rest": "ovr", "multi_class": "crammer_singer"}  # of scikit-learn
AXES = {"columns": 0, "rows": 1}  # along which norms are computed
LATER = ("classifier", "scaling")


@dataclass(frozen=True, eq=False)
class NodeSplit:
    """The graph that is embedded, and the nodes that train and test a classifier."""

    train: Graph  # the graph without classes, which is embedded
    labels: Ints  # the class of each node, (n,)
    train_nodes: Ints  # the indices of the nodes whose classes train the classifier
    test_nodes: Ints  # the indices of the nodes whose classes the classifier predicts
    cost: float  # the cost of an error to the SVM, C of LIBLINEAR
    classifier: Machine  # the form of the SVM for more than two classes
    scaling: Scaling  # the part of the embedding that is scaled to norm 1


@checked
def split(
    graph: Graph,
    *,
    train_fraction: Fraction = 0.1,
    cost: PositiveFinite = 5.0,
    classifier: Machine = "one_against_rest",
    scaling: Scaling = "columns",
    rng: np.random.Generator,
) -> NodeSplit:
    """A random split of the nodes into training and test nodes.

    Args:
        graph: the graph with the class of each node.
        train_fraction: the share of the nodes that train the SVM.
        cost: the cost of an error to the SVM, C of LIBLINEAR.
        classifier: an SVM for each class, or one SVM of Crammer and Singer for all classes.
        scaling: whether the columns or the rows of the embedding are scaled to norm 1.
        rng: the source of randomness.

    Raises:
        ValueError: the nodes have no classes, or the training or the test part would be empty.
    """
    if not len(graph.labels):
        raise ValueError(
            "vertex classification needs a class for each node: give a file of classes with "
            "--labels FILE"
        )
    order, count = rng.permutation(graph.nodes), round(train_fraction * graph.nodes)
    if not 0 < count < graph.nodes:
        raise ValueError(
            f"`train_fraction` {train_fraction:g} of {graph.nodes} nodes must leave nodes to train "
            "on and to test on: use another `train_fraction`"
        )
    return NodeSplit(
        graph.without_labels(),
        graph.labels,
        order[:count],
        order[count:],
        cost,
        classifier,
        scaling,
    )


def score(model: Embedding, case: NodeSplit) -> dict[str, float]:
    """The scores of a classification of the test nodes from the embedding, by name."""
    from sklearn.metrics import f1_score

    found, true = predicted(model, case), case.labels[case.test_nodes]
    # of the training nodes: the classes of the test nodes are not known to a classifier
    majority = np.bincount(case.labels[case.train_nodes]).argmax()
    return {
        "accuracy": float(np.mean(found == true)),
        "macro_f1": float(f1_score(true, found, average="macro", zero_division=0.0)),
        "majority_accuracy": float(np.mean(true == majority)),
    }


def predicted(model: Embedding, case: NodeSplit) -> Ints:
    """The predicted classes of the m test nodes, (m,), by a linear SVM."""
    from sklearn.svm import LinearSVC

    known, features = case.labels[case.train_nodes], scaled(model.vectors, case.scaling)
    # LinearSVC refuses a single class
    if len(np.unique(known)) == 1:
        return np.full(len(case.test_nodes), known[0])
    form = MULTI_CLASS[case.classifier]
    # a fixed seed: the solver shuffles the nodes, and scores must not depend on it
    machine = LinearSVC(C=case.cost, multi_class=form, random_state=0, max_iter=MOST_ROUNDS)
    machine.fit(features[case.train_nodes], known)
    return np.asarray(machine.predict(features[case.test_nodes]))


def scaled(vectors: Floats, scaling: Scaling) -> Floats:
    """The vectors (n, k) with each column or row divided by its norm, except those of zeros."""
    if scaling == "none":
        return vectors
    lengths = np.linalg.norm(vectors, axis=AXES[scaling], keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))


TASK = Study(
    split=split,
    study=fitted_once(score),
    scores=SCORES,
    result=Embedding,
    optional_in_rows=LATER,
    sweep=Sweep(
        title="Accuracy of vertex classification",
        methods=("matrix_factorisation", "dpne", "dpm", "top_m_filter"),
        values=("accuracy",),
        also=SCORES[1:],
        panels=("accuracy",),
    ),
)
