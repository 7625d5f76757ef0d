"""Vertex classification: what a fit sees, scores of known embeddings, scaling, few nodes."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from dpfair_cli.algorithms.embedding import matrix_factorisation
from dpfair_cli.contracts.declarations import Task
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding.node_vectors import Embedding
from dpfair_cli.running.plan import protocol_in_row
from dpfair_cli.tasks.vertex_classification import TASK, predicted, scaled
from tests.models.embedding.graphs import blocks, clique, edge_set, graph, path, two_cliques

SCORES = {"accuracy", "macro_f1", "majority_accuracy"}


def scores(found, vectors, seed=0, **options):
    """The scores of given vectors, (nodes, k)."""
    case = TASK.split(found, rng=np.random.default_rng(seed), **options)
    embedding = Embedding(np.asarray(vectors, dtype=float))
    return TASK.study(lambda data, rng: embedding, case, rng=np.random.default_rng(1)).scores


def one_hot(labels, classes=0):
    return np.eye(max(classes, max(labels) + 1))[labels]


def unequal(nodes=40, rare=4):
    """A path whose first `rare` nodes are of class b."""
    return graph(path(nodes).edges, nodes, labels=[1] * rare + [0] * (nodes - rare))


def test_every_score_is_there():
    assert set(scores(blocks(), np.random.default_rng(0).normal(size=(40, 3)))) == SCORES
    assert set(TASK.scores) == SCORES


def test_the_class_itself_is_a_perfect_embedding():
    found = scores(
        blocks(nodes=60, classes=3), one_hot(blocks(nodes=60, classes=3).labels), train_fraction=0.5
    )
    assert found["accuracy"] == found["macro_f1"] == 1
    assert 0 < found["majority_accuracy"] < 0.6


def test_a_class_that_no_node_has_does_not_count():
    labels = np.arange(60) % 2 * 2
    found = Graph(path(60).edges, 60, labels=labels, classes=("a", "nobody", "c"))
    assert scores(found, one_hot(labels), train_fraction=0.5)["macro_f1"] == 1


def test_without_a_signal_it_is_the_majority_class():
    """36 of 40 nodes have one class, which all vectors at the origin predict without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = scores(unequal(), np.zeros((40, 3)), train_fraction=0.5)
    assert found["accuracy"] == found["majority_accuracy"]
    assert found["majority_accuracy"] >= 16 / 20
    # f1 of the majority, 2 a / (1 + a), and 0 of the rare class where it is tested
    a = found["accuracy"]
    rare = 1 if a == 1 else 2
    assert found["macro_f1"] == pytest.approx(2 * a / (1 + a) / rare)


def test_the_majority_accuracy_does_not_depend_on_the_embedding():
    rng = np.random.default_rng(0)
    found = [scores(blocks(), rng.normal(size=(40, 3)))["majority_accuracy"] for _ in range(3)]
    assert len(set(found)) == 1


def test_noise_has_chance_accuracy_and_a_signal_in_one_column_is_found():
    found, rng = blocks(nodes=200, classes=2, within=0.05, between=0.05), np.random.default_rng(0)
    noise = rng.normal(size=(200, 2))
    assert abs(scores(found, noise, train_fraction=0.5)["accuracy"] - 0.5) < 0.2
    signal = np.column_stack([noise, 2.0 * found.labels - 1])
    assert scores(found, signal, train_fraction=0.5)["accuracy"] == 1


@pytest.mark.parametrize(("fraction", "tested"), [(0.1, 45), (0.5, 25), (0.9, 5)])
def test_the_asked_share_of_the_nodes_is_trained_on(fraction, tested):
    found, vectors = blocks(nodes=50), np.random.default_rng(0).normal(size=(50, 3))
    for seed in range(4):
        right = scores(found, vectors, seed, train_fraction=fraction)["accuracy"] * tested
        assert right == pytest.approx(round(right), abs=1e-9)


def test_the_scale_of_a_column_does_not_matter():
    """Columns are scaled to norm 1: powers of two change no bit."""
    found, vectors = blocks(), np.random.default_rng(0).normal(size=(40, 4))
    assert scores(found, vectors * [1, 2**-20, 2**10, 8]) == scores(found, vectors)


def test_a_column_of_zeros_does_not_matter():
    found, vectors = blocks(), np.random.default_rng(0).normal(size=(40, 4))
    wider = scores(found, np.column_stack([vectors, np.zeros(40)]))
    assert wider["accuracy"] == pytest.approx(scores(found, vectors)["accuracy"], abs=0.06)


def test_the_embedding_separates_two_cliques():
    case = TASK.split(two_cliques(40), train_fraction=0.2, rng=np.random.default_rng(0))

    def fit(data, rng):
        return matrix_factorisation.fit(data, dimension=2, rng=rng)

    assert TASK.study(fit, case, rng=np.random.default_rng(0)).scores["accuracy"] == 1


def test_no_label_reaches_the_fit():
    seen = []

    def spy(data, rng):
        seen.append(data)
        return Embedding(np.ones((data.nodes, 2)))

    found = blocks()
    case = TASK.split(found, rng=np.random.default_rng(0))
    TASK.study(spy, case, rng=np.random.default_rng(0))
    (data,) = seen
    assert data.labels.shape == (0,)
    assert data.classes == ()
    assert (edge_set(data), data.nodes) == (edge_set(found), found.nodes)


def test_what_a_fit_sees_is_the_same_whatever_the_labels_are():
    found = blocks()
    other = graph(found.edges, found.nodes, labels=found.labels[::-1])
    prints = [
        TASK.split(data, rng=np.random.default_rng(0)).train.fingerprint()
        for data in (found, other)
    ]
    assert prints[0] == prints[1]


def test_a_seed_is_a_split():
    found, vectors = blocks(), np.random.default_rng(0).normal(size=(40, 3))
    assert scores(found, vectors, seed=3) == scores(found, vectors, seed=3)
    assert len({scores(found, vectors, seed=seed)["accuracy"] for seed in range(8)}) > 1


@pytest.mark.parametrize("seed", range(5))
def test_training_nodes_of_one_class_give_that_class(seed):
    """Two of twenty nodes are trained on, and only one node is of the other class."""
    found = scores(unequal(nodes=20, rare=1), np.random.default_rng(0).normal(size=(20, 2)), seed)
    assert 0 <= found["accuracy"] <= 1
    assert 0 <= found["macro_f1"] <= 1


def test_more_classes_than_training_nodes_are_no_mistake():
    found = graph(path(30).edges, 30, labels=np.arange(30) % 10)
    assert 0 <= scores(found, np.random.default_rng(0).normal(size=(30, 4)))["accuracy"] <= 1


def test_a_graph_without_labels_is_refused_in_one_line():
    with pytest.raises((ValueError, DpfairError), match=r"^[^\n]*label[^\n]*$"):
        TASK.split(clique(5), rng=np.random.default_rng(0))


def crammer_singer(points, labels, cost):
    """The weights (classes, k + 1) of the SVM of Crammer and Singer, by a general solver.

    The minimum of |W|^2 / 2 + cost sum_i s_i with s_i >= 0 and s_i >= 1 + (w_m - w_y) x_i for all
    classes m other than the class y of record i. The last entry of x_i is 1.
    """
    x = np.column_stack([points, np.ones(len(points))])
    count, width = labels.max() + 1, x.shape[1]

    def parts(z):
        return z[: count * width].reshape(count, width), z[count * width :]

    def loss(z):
        W, slack = parts(z)
        return (W**2).sum() / 2 + cost * slack.sum()

    def margins(z):
        W, slack = parts(z)
        gaps = x @ W.T - (x @ W.T)[np.arange(len(x)), labels][:, None] + 1  # (n, classes)
        others = np.arange(count) != labels[:, None]
        return np.concatenate([(slack[:, None] - gaps)[others], slack])

    start = np.concatenate([np.zeros(count * width), 2 * np.ones(len(x))])
    limits = {"type": "ineq", "fun": margins}
    found = minimize(loss, start, constraints=limits, method="SLSQP", options={"maxiter": 500})
    assert found.success
    return parts(found.x)[0]


def test_the_multi_class_svm_is_that_of_crammer_and_singer():
    """Three classes on a line, of which a line does not separate the middle one from the rest."""
    options = {"train_fraction": 0.25, "cost": 1.0, "scaling": "none", "classifier": "multi_class"}
    labels, others = np.arange(60) % 3, 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        vectors = rng.normal(size=(60, 2)) + np.array([[0, 0], [2, 0], [4, 0]])[labels]
        case = TASK.split(graph(path(60).edges, 60, labels=labels), rng=rng, **options)
        W = crammer_singer(vectors[case.train_nodes], labels[case.train_nodes], 1.0)
        tested = np.column_stack([vectors[case.test_nodes], np.ones(len(case.test_nodes))])
        expected = (tested @ W.T).argmax(axis=1)
        np.testing.assert_array_equal(predicted(Embedding(vectors), case), expected)
        rest = replace(case, classifier="one_against_rest")
        others += (predicted(Embedding(vectors), rest) != expected).sum()
    assert others > 10


def test_with_rows_of_norm_one_the_length_of_a_vector_does_not_matter():
    found, rng = blocks(), np.random.default_rng(0)
    vectors, lengths = rng.normal(size=(40, 4)), 2.0 ** rng.integers(-9, 9, size=(40, 1))
    plain = scores(found, vectors, scaling="rows")
    assert scores(found, vectors * lengths, scaling="rows") == plain
    assert scores(found, vectors * lengths) != scores(found, vectors)


def test_rows_of_norm_one_lie_on_the_sphere_and_a_row_of_zeros_stays():
    vectors = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]])
    np.testing.assert_allclose(scaled(vectors, "rows"), [[0.6, 0.8], [0, 0], [0, -1]])
    np.testing.assert_allclose(scaled(vectors, "columns")[:, 0], [1, 0, 0])
    assert scaled(vectors, "none") is vectors


def test_a_row_names_the_form_of_the_svm_only_if_it_is_not_the_default():
    plain, other = Task(TASK, TASK.complete({})), Task(TASK, TASK.complete({"scaling": "rows"}))
    assert protocol_in_row(plain) == {"train_fraction": 0.1, "cost": 5.0}
    assert protocol_in_row(other) == {"train_fraction": 0.1, "cost": 5.0, "scaling": "rows"}


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.5, 2.0])
def test_a_share_that_leaves_nothing_to_train_or_to_test_is_refused(fraction):
    with pytest.raises(ValueError, match="train_fraction must"):
        TASK.split(blocks(), train_fraction=fraction, rng=np.random.default_rng(0))
