"""M = (P + P^2) / 2 against walks counted one by one, and its products without the dense matrix."""

import gc
import weakref

import numpy as np
import pytest
from scipy.sparse import issparse

from dpfair_cli.models.embedding.factorisation import walks_of
from tests.models.embedding.graphs import (
    blocks,
    clique,
    graph,
    path,
    random_graph,
    star,
    two_triangles,
)
from tests.oracles.walks import dense_walks, walks

GRAPHS = {
    "two triangles": two_triangles(),
    "path": path(7),
    "star": star(6),
    "clique": clique(5),
    "empty": graph([], 4),
    "isolated nodes": graph([(1, 4), (4, 6)], 8),
    "blocks": blocks(nodes=25),
    "sparse": random_graph(30, 0.05),
    "dense": random_graph(20, 0.7, seed=1),
}
every = pytest.mark.parametrize("found", GRAPHS.values(), ids=GRAPHS.keys())


@every
def test_m_is_what_walks_of_one_and_two_steps_add_up_to(found):
    np.testing.assert_allclose(walks_of(found).dense(), walks(found.edges, found.nodes), atol=1e-14)


def test_the_path_of_three_nodes_by_hand():
    """One step leads from an end to the middle, two steps to either end."""
    found = walks_of(path(3))
    np.testing.assert_allclose(found.transition.toarray(), [[0, 1, 0], [0.5, 0, 0.5], [0, 1, 0]])
    np.testing.assert_allclose(found.dense(), [[0.25, 0.5, 0.25]] * 3)


def test_the_star_of_three_leaves_by_hand():
    np.testing.assert_allclose(walks_of(star(4)).dense(), [[1 / 2, 1 / 6, 1 / 6, 1 / 6]] * 4)


def test_one_edge_by_hand():
    np.testing.assert_allclose(walks_of(path(2)).dense(), [[0.5, 0.5], [0.5, 0.5]])


def test_the_triangle_by_hand():
    """One step: 1/2 each; two steps: back with 1/2, on with 1/4 each."""
    expected = np.full((3, 3), 3 / 8) - np.eye(3) / 8
    np.testing.assert_allclose(walks_of(clique(3)).dense(), expected)


def test_no_walk_starts_or_ends_at_an_isolated_node():
    M = walks_of(graph([(0, 1), (1, 3)], 4)).dense()
    assert not M[2].any()
    assert not M[:, 2].any()


@every
def test_the_transitions_of_a_node_are_equal_and_add_up_to_one(found):
    P = walks_of(found).transition
    assert issparse(P)
    assert P.shape == (found.nodes, found.nodes)
    assert P.nnz == 2 * len(found)
    np.testing.assert_allclose(np.asarray(P.sum(axis=1)).ravel(), found.degrees > 0)
    rows = P.toarray()
    for row, degree in zip(rows, found.degrees, strict=True):
        np.testing.assert_allclose(row[row > 0], 1 / max(degree, 1))


@every
def test_products_are_those_with_the_dense_matrix(found):
    X = np.random.default_rng(0).normal(size=(found.nodes, 3))
    M = walks(found.edges, found.nodes)
    np.testing.assert_allclose(walks_of(found) @ X, M @ X, atol=1e-12)
    np.testing.assert_allclose(walks_of(found).T @ X, M.T @ X, atol=1e-12)


def test_a_product_with_m_is_not_one_with_its_transpose():
    X = np.arange(8.0).reshape(4, 2)
    found = walks_of(star(4))
    assert np.abs(found @ X - found.T @ X).max() > 0.1


def test_other_numbers_of_the_nodes_give_the_same_walks():
    found = blocks(nodes=15)
    order = np.random.default_rng(0).permutation(15)
    renamed = graph([(order[i], order[j]) for i, j in found.edges], 15)
    np.testing.assert_allclose(
        walks_of(renamed).dense()[np.ix_(order, order)], walks_of(found).dense(), atol=1e-14
    )


def test_the_two_oracles_agree():
    found = blocks(nodes=12)
    adjacency = np.zeros((12, 12))
    adjacency[tuple(found.edges.T)] = 1
    adjacency += adjacency.T
    np.testing.assert_allclose(dense_walks(adjacency), walks(found.edges, 12), atol=1e-14)


def test_what_is_remembered_of_a_graph_goes_with_it():
    found = blocks()
    gone = weakref.ref(found)
    assert walks_of(found) is walks_of(found)
    del found
    gc.collect()
    assert gone() is None
