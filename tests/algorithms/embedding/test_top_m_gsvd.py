"""Top-m GSVD: the releases of a noisy graph, and the vectors of this graph."""

from itertools import combinations

import numpy as np
import pytest

from dpfair_cli.auditing.losses import query_change
from dpfair_cli.mechanisms.ledger import replay
from tests.algorithms.embedding.fitting import fit, recorded
from tests.models.embedding.graphs import (
    blocks,
    clique,
    edge_set,
    graph,
    path,
    two_triangles,
    with_edge,
)


def cosines(vectors):
    """What does not depend on the signs of singular vectors and on equal singular values."""
    return vectors @ vectors.T


@pytest.mark.parametrize(("epsilon", "share"), [(1.0, 0.1), (4.0, 0.5)])
def test_count_and_triangle_are_released_and_share_the_budget(epsilon, share):
    found = two_triangles()
    _, (count, entries) = recorded("top_m_gsvd", found, epsilon=epsilon, count_share=share)
    triangle = [float(pair in edge_set(found)) for pair in combinations(range(6), 2)]
    assert np.ravel(count.value).tolist() == [7]
    assert np.ravel(entries.value).tolist() == triangle
    assert 1 / count.scale == pytest.approx(share * epsilon)
    assert 1 / count.scale + 1 / entries.scale == pytest.approx(epsilon)


def test_an_edge_moves_each_release_by_its_sensitivity():
    _, tape = recorded("top_m_gsvd", two_triangles())
    _, other = recorded("top_m_gsvd", with_edge(two_triangles(), 0, 5))
    assert [query_change(a, b) for a, b in zip(tape, other, strict=True)] == [1, 1]
    assert [entry.sensitivity for entry in tape] == [1, 1]


@pytest.mark.parametrize("epsilon", [0.5, 8.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_vectors_are_those_of_the_graph_of_the_largest_entries(epsilon, seed):
    found = blocks(nodes=16)
    vectors, tape = recorded("top_m_gsvd", found, epsilon=epsilon, seed=seed, dimension=16)
    count, entries = (np.ravel(entry.output) for entry in tape)
    pairs = list(combinations(range(16), 2))
    kept = int(np.clip(np.round(count[0]), 0, len(pairs)))
    noisy = graph([pairs[k] for k in np.argsort(-entries)[:kept]], 16)
    expected = fit("gsvd", noisy, dimension=16)
    np.testing.assert_allclose(cosines(vectors), cosines(expected), atol=1e-9)


@pytest.mark.parametrize("found", [two_triangles(), blocks(), path(9)], ids=str)
def test_at_infinite_epsilon_it_is_gsvd(found):
    np.testing.assert_array_equal(fit("top_m_gsvd", found, epsilon=np.inf), fit("gsvd", found))


def test_given_its_releases_the_embedding_does_not_depend_on_the_graph():
    vectors, tape = recorded("top_m_gsvd", two_triangles())
    for other in (path(6), clique(6), graph([], 6)):
        with replay(tape):
            np.testing.assert_array_equal(fit("top_m_gsvd", other), vectors)
