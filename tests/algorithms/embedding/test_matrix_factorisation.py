"""The embedding without privacy: W of the factorisation, and what it shows of a graph."""

import numpy as np
import pytest

from dpfair_cli.algorithms.embedding import matrix_factorisation
from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.models.embedding.factorisation import factorise, random_rows, walks_of
from dpfair_cli.models.embedding.node_vectors import Embedding
from tests.algorithms.embedding.fitting import fit
from tests.models.embedding.graphs import blocks, graph, path, two_cliques, two_triangles


@pytest.mark.parametrize("found", [two_triangles(), blocks()], ids=["two triangles", "blocks"])
@pytest.mark.parametrize("regularisation", [0.001, 0.1])
def test_the_vectors_are_w(found, regularisation):
    vectors = fit("matrix_factorisation", found, dimension=3, regularisation=regularisation, seed=5)
    start = random_rows(found.nodes, 3, rng=np.random.default_rng(5))
    made = factorise(walks_of(found), start, regularisation=regularisation)
    np.testing.assert_allclose(vectors, made.W, atol=1e-12)


def test_it_releases_nothing_and_gives_an_embedding():
    with record() as tape:
        fitted = matrix_factorisation.fit(
            two_triangles(), dimension=2, rng=np.random.default_rng(0)
        )
    assert tape == []
    assert isinstance(fitted, Embedding)


def test_the_ends_of_a_path_of_three_and_its_middle_walk_alike():
    """All rows of M are (1/4, 1/2, 1/4)."""
    vectors = fit("matrix_factorisation", path(3), dimension=1)
    np.testing.assert_allclose(vectors, np.full((3, 1), vectors[0, 0]), rtol=1e-9)
    assert abs(vectors[0, 0]) > 0.1


def test_an_isolated_node_is_at_the_origin():
    vectors = fit("matrix_factorisation", graph([(0, 1), (1, 3), (0, 3)], 5))
    assert not vectors[[2, 4]].any()


def test_two_cliques_are_two_points_in_independent_directions():
    """No walk joins the cliques: W spans the vectors that are constant on each of them."""
    found = two_cliques(12)
    vectors = fit("matrix_factorisation", found, dimension=2)
    projection = vectors @ np.linalg.solve(vectors.T @ vectors, vectors.T)
    same = found.labels[:, None] == found.labels
    np.testing.assert_allclose(projection, same / 6, atol=1e-3)


def test_labels_do_not_reach_the_embedding():
    found = blocks(nodes=24)
    other = graph(found.edges, 24, labels=np.roll(found.labels, 5) % 3)
    vectors = fit("matrix_factorisation", found)
    np.testing.assert_array_equal(vectors, fit("matrix_factorisation", other))
    np.testing.assert_array_equal(vectors, fit("matrix_factorisation", found.without_labels()))
