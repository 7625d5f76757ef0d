"""Link prediction: the edges that a fit sees, the test pairs, and scores of known embeddings."""

import numpy as np
import pytest
from scipy.linalg import hadamard

from dpfair_cli.algorithms.embedding import matrix_factorisation
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding.node_vectors import Embedding
from dpfair_cli.tasks.link_prediction import TASK
from tests.models.embedding.graphs import blocks, clique, edge_set, graph, matching, two_cliques

EDGES = 100  # of the matching


def split(found, seed=0, **options):
    return TASK.split(found, rng=np.random.default_rng(seed), **options)


def scores(case, embed, seed=1):
    """The scores of the vectors (nodes, k) that `embed` makes of the training graph."""
    return TASK.study(
        lambda data, rng: Embedding(embed(data)), case, rng=np.random.default_rng(seed)
    ).scores


def pairs_of(case):
    """The pairs of nodes that a case holds outside its training graph, (pairs, 2) each."""
    arrays = [value for value in vars(case).values() if isinstance(value, np.ndarray)]
    tables = [
        value
        for value in arrays
        if value.ndim == 2 and value.shape[1] == 2 and value.dtype.kind in "iu"
    ]
    assert tables, "a case holds the pairs that it scores"
    return [tuple(sorted(map(int, pair))) for pair in np.concatenate(tables)]


def both(found, case):
    """The edges and the non-edges among the pairs of a case."""
    pairs, edges = pairs_of(case), edge_set(found)
    return [pair for pair in pairs if pair in edges], [pair for pair in pairs if pair not in edges]


def marked(data):
    """A row of a Hadamard matrix for both ends of an edge of a matching: w_i * w_j = 1 on edges."""
    signs, vectors = hadamard(128)[1:], np.zeros((data.nodes, 128))
    for i, j in data.edges:
        vectors[[i, j]] = signs[i // 2]
    return vectors


def test_every_score_is_there():
    found = scores(split(blocks()), lambda data: np.random.default_rng(0).normal(size=(40, 3)))
    assert set(found) == set(TASK.scores) == {"accuracy", "auc", "majority_accuracy"}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_held_out_edges_are_not_in_the_training_graph(seed, share):
    found = blocks(nodes=60)
    case = split(found, seed, train_fraction=0.2, pairs=share)
    left = edge_set(case.train)
    assert left < edge_set(found)
    taking_part, _ = both(found, case)
    held_out = edge_set(found) - left
    assert held_out <= set(taking_part)
    assert len(held_out) == pytest.approx(0.8 * share * len(found), rel=0.2)


def test_an_edge_that_was_held_out_looks_like_none():
    """A matching: the ends of a removed edge are isolated, those of a kept edge are not."""
    removed, kept = (split(matching(EDGES), held_out=word) for word in ("removed", "kept"))
    assert len(kept.train) == EDGES
    assert scores(kept, marked)["accuracy"] > 0.95
    assert scores(kept, marked)["auc"] > 0.95
    assert scores(removed, marked)["accuracy"] < 0.6
    assert abs(scores(removed, marked)["auc"] - 0.5) < 0.15


@pytest.mark.parametrize("seed", range(4))
def test_every_edge_that_is_tested_is_removed_and_no_other(seed):
    """One answer for all pairs is right on the test edges or the test gaps: a count of them."""
    case, tested = split(matching(EDGES), seed, train_fraction=0.1), 180
    right = round(tested * scores(case, lambda data: np.zeros((data.nodes, 2)))["accuracy"])
    assert EDGES - len(case.train) in {right, tested - right}


def test_the_edges_that_are_trained_on_stay():
    case = split(matching(EDGES), train_fraction=0.3)
    assert 15 <= len(case.train) <= 45
    assert case.train.nodes == 2 * EDGES


@pytest.mark.parametrize("share", [1.0, 0.4])
def test_edges_that_take_no_part_stay(share):
    case = split(matching(EDGES), train_fraction=0.1, pairs=share)
    assert len(case.train) == pytest.approx(EDGES - 0.9 * share * EDGES, abs=10)


@pytest.mark.parametrize("word", ["removed", "kept"])
@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_as_many_pairs_that_are_no_edges_take_part(word, share, seed):
    found = blocks(nodes=60)
    edges, gaps = both(found, split(found, seed, pairs=share, held_out=word))
    assert len(set(edges)) == len(edges) == pytest.approx(share * len(found), abs=1)
    assert len(set(gaps)) == len(gaps) == len(edges)
    assert all(0 <= i < j < 60 for i, j in gaps)  # no loop
    assert not set(gaps) & edge_set(found)


@pytest.mark.parametrize("seed", range(4))
def test_no_tested_non_edge_is_an_edge(seed):
    """Two cliques with the class as vector: only pairs within a clique are edges."""
    found = two_cliques(20)
    case = split(found, seed, train_fraction=0.5)
    assert scores(case, lambda data: 10.0 * np.eye(2)[found.labels]) == {
        "accuracy": 1,
        "auc": 1,
        "majority_accuracy": 0.5,
    }


def test_vectors_at_the_origin_are_chance():
    found = scores(split(blocks(nodes=60)), lambda data: np.zeros((60, 3)))
    assert found["auc"] == 0.5
    assert found["accuracy"] == pytest.approx(0.5, abs=0.05)


def test_the_score_is_of_products_of_columns():
    """w_i * w_j loses the sign of a whole column, not that of one node's entry."""
    found, vectors = blocks(nodes=60), np.random.default_rng(0).normal(size=(60, 4))
    case = split(found, train_fraction=0.3)
    plain = scores(case, lambda data: vectors)
    assert scores(case, lambda data: vectors * [1, -1, -1, 1]) == plain
    assert scores(case, lambda data: vectors * np.where(np.arange(60) % 2, 1, -1)[:, None]) != plain


def test_an_embedding_predicts_held_out_edges_and_kept_ones_better():
    def embed(graph):
        rng = np.random.default_rng(0)
        return matrix_factorisation.fit(graph, dimension=3, rng=rng).vectors

    found, means = blocks(nodes=60, classes=3, within=0.6, between=0.02), {}
    for word in ("removed", "kept"):
        cases = [split(found, seed, train_fraction=0.5, held_out=word) for seed in range(4)]
        means[word] = np.mean([scores(case, embed)["auc"] for case in cases])
    assert means["removed"] > 0.7
    assert means["kept"] >= means["removed"] - 0.02


def test_no_label_reaches_the_fit():
    for word in ("removed", "kept"):
        train = split(blocks(), held_out=word).train
        assert isinstance(train, Graph)
        assert train.labels.shape == (0,)
        assert train.classes == ()


def test_labels_are_not_needed():
    found = blocks(nodes=30)
    cases = [split(data) for data in (found, found.without_labels())]
    assert cases[0].train.fingerprint() == cases[1].train.fingerprint()


def test_a_seed_is_a_split():
    found = blocks()
    one, two, other = (split(found, seed) for seed in (3, 3, 4))
    assert one.train.fingerprint() == two.train.fingerprint() != other.train.fingerprint()
    assert pairs_of(one) == pairs_of(two) != pairs_of(other)


@pytest.mark.parametrize("found", [clique(8), graph([], 5)], ids=["clique", "no edge"])
def test_a_graph_that_has_not_enough_of_both_is_refused_in_one_line(found):
    with pytest.raises((ValueError, DpfairError), match=r"^[^\n]*edge[^\n]*$"):
        split(found)


@pytest.mark.parametrize(
    "options",
    [{"train_fraction": 0.0}, {"train_fraction": 1.0}, {"pairs": 0.0}, {"pairs": 1.5}],
    ids=str,
)
def test_shares_out_of_range_are_refused_by_name(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"{name} must"):
        split(blocks(), **options)


def test_a_word_that_is_no_variant_is_refused_by_name():
    with pytest.raises(ValueError, match="held_out"):
        split(blocks(), held_out="leaked")
