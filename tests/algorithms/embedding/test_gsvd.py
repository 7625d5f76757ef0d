"""GSVD: the formulas on dense matrices, numbers by hand, and what does not change the vectors."""

import math

import numpy as np
import pytest

from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding import singular_vectors
from tests.algorithms.embedding.fitting import fit
from tests.models.embedding.graphs import blocks, clique, graph, path, star, two_triangles


@pytest.fixture(autouse=True)
def _precise(monkeypatch):
    """The iteration ends at the precision of the tests."""
    monkeypatch.setattr(singular_vectors, "PRECISION", 1e-13)


def plain(found, **options):
    """The vectors without regularisation."""
    return fit("gsvd", found, **{"regularisation": 0.0, **options})


def adjacency(found):
    """A (n, n), from the pairs of nodes."""
    A = np.zeros((found.nodes, found.nodes))
    for i, j in found.edges.tolist():
        A[i, j] = A[j, i] = 1.0
    return A


def similarities(found, *, dimension, regularisation=0.0, row_power=0.5, column_power=0.5):
    """The cosines of all pairs of nodes, by the formulas and NumPy's dense decomposition.

    They do not depend on the signs of singular vectors, nor on the basis of equal singular values.
    """
    A = adjacency(found) + regularisation / found.nodes
    with np.errstate(divide="ignore"):
        rows, columns = (
            np.where(A.sum(axis=1) > 0, A.sum(axis=1) ** -power, 0.0)
            for power in (row_power, column_power)
        )
    U, S, _ = np.linalg.svd(np.diag(rows) @ A @ np.diag(columns))
    vectors = np.diag(rows) @ U[:, :dimension] * S[:dimension]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.where(lengths > 1e-9, vectors / np.where(lengths > 1e-9, lengths, 1), 0)
    return vectors @ vectors.T


def large(*, nodes=300, seed=4):
    """A random graph that is too large for the dense decomposition, with isolated nodes."""
    pairs = np.random.default_rng(seed).integers(nodes - 5, size=(3 * nodes, 2))
    return Graph.from_pairs(pairs, nodes)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"regularisation": 2.0},
        {"regularisation": 1.0},
        {"row_power": 0.25},
        {"column_power": 1.0},
        {"row_power": 1.0, "column_power": 0.1, "regularisation": 0.5},
    ],
    ids=str,
)
@pytest.mark.parametrize(("found", "dimension"), [(blocks(), 3), (large(), 6)], ids=["few", "many"])
def test_the_vectors_are_those_of_the_formulas(found, dimension, options):
    vectors = plain(found, dimension=dimension, **options)
    expected = similarities(found, dimension=dimension, **options)
    np.testing.assert_allclose(vectors @ vectors.T, expected, atol=1e-7)


def test_a_path_of_two_edges_worked_by_hand():
    """D^-1/2 A D^-1/2 has the singular values 1, 1, 0 and the left vectors (1,0,1)/sqrt 2, (0,1,0).

    The two ends therefore have one vector and the middle has a vector orthogonal to it.
    """
    vectors = plain(path(3), dimension=2)
    np.testing.assert_allclose(vectors @ vectors.T, [[1, 0, 1], [0, 1, 0], [1, 0, 1]], atol=1e-12)


def test_the_first_vector_of_a_clique_is_constant():
    np.testing.assert_allclose(plain(clique(5), dimension=1), np.ones((5, 1)), atol=1e-12)


@pytest.mark.parametrize("found", [blocks(), large()], ids=["few", "many"])
def test_every_node_with_an_edge_has_length_1_and_others_0(found):
    lengths = np.linalg.norm(plain(found, dimension=found.nodes), axis=1)
    np.testing.assert_allclose(lengths, found.degrees > 0, atol=1e-9)


def test_two_triangles_without_a_bridge_are_two_directions():
    apart = graph([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)], 6)
    vectors = plain(apart, dimension=2)
    expected = np.kron(np.eye(2), np.ones((3, 3)))
    np.testing.assert_allclose(vectors @ vectors.T, expected, atol=1e-12)


def test_regularisation_joins_nodes_without_an_edge():
    alone = graph([(0, 1)], 3)
    assert not plain(alone)[2].any()
    assert np.linalg.norm(plain(alone, regularisation=0.1)[2]) == pytest.approx(1)


def test_the_numbers_of_the_nodes_do_not_matter():
    found, order = two_triangles(), np.array([3, 0, 5, 1, 4, 2])
    other = Graph.from_pairs(order[found.edges], 6)
    one, two = (plain(each, dimension=3) for each in (found, other))
    np.testing.assert_allclose(one @ one.T, (two @ two.T)[np.ix_(order, order)], atol=1e-10)


def test_the_seed_changes_the_vectors_within_the_precision_only():
    """The random graph has distinct singular values, so that the vectors are unique."""
    one, two = (plain(large(), dimension=4, seed=seed) for seed in (0, 1))
    np.testing.assert_allclose(one, two, atol=1e-8)


def test_dimensions_beyond_the_number_of_nodes_are_zero():
    few, many = plain(star(7), dimension=7), plain(star(7), dimension=9)
    np.testing.assert_allclose(many[:, :7], few, atol=1e-12)
    assert not many[:, 7:].any()


def test_the_centre_of_a_star_is_orthogonal_to_its_leaves():
    vectors = plain(star(7), dimension=2)
    assert abs(vectors[0] @ vectors[1]) <= math.ulp(1) * 10
    assert vectors[1] @ vectors[6] == pytest.approx(1)


def test_the_default_regularisation_is_one_edge():
    found = blocks()
    np.testing.assert_array_equal(
        fit("gsvd", found, dimension=3), fit("gsvd", found, dimension=3, regularisation=1.0)
    )


def test_without_regularisation_components_are_all_that_is_seen():
    """Of three pairs and a clique, three vectors tell components apart, not nodes in one."""
    pairs = [(0, 1), (2, 3), (4, 5), *((i, j) for i in range(6, 10) for j in range(i))]
    found = graph([(i, j) for i, j in pairs if i < 6 or j >= 6], 10)
    vectors = plain(found, dimension=10)
    for start, end in ((0, 2), (2, 4), (4, 6)):
        assert np.linalg.matrix_rank(vectors[start:end], tol=1e-9) <= 2
    across = vectors[:6] @ vectors[6:].T
    np.testing.assert_allclose(across, 0, atol=1e-9)
