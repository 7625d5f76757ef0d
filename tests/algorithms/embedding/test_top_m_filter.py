"""Top-m filter: two Laplace releases, the largest entries, and their embedding."""

from itertools import combinations

import numpy as np
import pytest

from dpfair_cli.auditing.losses import query_change
from dpfair_cli.mechanisms.ledger import record, replay
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


def triangle(found):
    """The adjacency above the diagonal, row by row, as zeros and ones."""
    return [float(pair in edge_set(found)) for pair in combinations(range(found.nodes), 2)]


@pytest.mark.parametrize(("epsilon", "share"), [(1.0, 0.1), (4.0, 0.5), (0.2, 0.25)])
def test_count_and_triangle_are_released_and_share_the_budget(epsilon, share):
    _, tape = recorded("top_m_filter", two_triangles(), epsilon=epsilon, count_share=share)
    count, entries = tape
    assert {count.mechanism, entries.mechanism} == {"laplace"}
    assert np.ravel(count.value).tolist() == [7]
    assert np.ravel(entries.value).tolist() == triangle(two_triangles())
    assert (count.sensitivity, entries.sensitivity) == (1, 1)
    assert count.scale == pytest.approx(1 / (share * epsilon))
    assert entries.scale == pytest.approx(1 / ((1 - share) * epsilon))
    assert 1 / count.scale + 1 / entries.scale == pytest.approx(epsilon)


def test_an_edge_moves_the_count_by_one_and_the_triangle_by_one():
    _, tape = recorded("top_m_filter", two_triangles())
    with record() as other:
        fit("top_m_filter", with_edge(two_triangles(), 0, 5))
    assert [query_change(before, after) for before, after in zip(tape, other, strict=True)] == [
        1,
        1,
    ]


def noisy_graph(tape, nodes):
    """The largest entries of the released triangle, as many as the released count says."""
    count, entries = (np.ravel(entry.output) for entry in tape)
    pairs = list(combinations(range(nodes), 2))
    kept = int(np.clip(np.round(count[0]), 0, len(pairs)))
    return graph([pairs[k] for k in np.argsort(-entries)[:kept]], nodes)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_vectors_are_those_of_the_graph_of_the_largest_entries(epsilon, seed):
    found = blocks(nodes=16)
    vectors, tape = recorded("top_m_filter", found, epsilon=epsilon, seed=seed)
    expected = fit("matrix_factorisation", noisy_graph(tape, 16), seed=seed)
    np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_the_noisy_graph_of_a_small_budget_is_another_one():
    found = blocks(nodes=16)
    _, tape = recorded("top_m_filter", found, epsilon=0.5)
    assert edge_set(noisy_graph(tape, 16)) != edge_set(found)
    _, tape = recorded("top_m_filter", found, epsilon=1e4)
    assert edge_set(noisy_graph(tape, 16)) == edge_set(found)


@pytest.mark.parametrize(
    "found", [two_triangles(), blocks(), path(9)], ids=["two triangles", "blocks", "path"]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_at_infinite_epsilon_it_is_the_matrix_factorisation(found, seed):
    vectors = fit("top_m_filter", found, epsilon=np.inf, seed=seed)
    np.testing.assert_allclose(vectors, fit("matrix_factorisation", found, seed=seed), atol=1e-8)


def test_given_its_releases_the_embedding_does_not_depend_on_the_graph():
    vectors, tape = recorded("top_m_filter", two_triangles())
    for other in (path(6), clique(6), graph([], 6)):
        with replay(tape):
            np.testing.assert_array_equal(fit("top_m_filter", other), vectors)


def released(count, nodes=6):
    """The vectors when the count comes out as `count`, and the entries as they are."""
    _, tape = recorded("top_m_filter", two_triangles(), epsilon=100.0)
    tape = [
        type(tape[0])("laplace", tape[0].value, np.full_like(tape[0].output, count), 1.0, 1.0),
        tape[1],
    ]
    with replay(tape):
        return fit("top_m_filter", two_triangles(), epsilon=100.0)


def test_a_count_that_is_negative_gives_the_empty_graph():
    assert not released(-3.0).any()


def test_a_count_beyond_all_pairs_gives_the_clique():
    expected = fit("matrix_factorisation", clique(6))
    np.testing.assert_allclose(np.abs(released(1e6)), np.abs(expected), atol=0.05)


def test_a_larger_budget_keeps_more_of_the_edges():
    found = blocks(nodes=30)
    kept = []
    for epsilon in (0.5, 4.0, 16.0):
        graphs = [
            noisy_graph(recorded("top_m_filter", found, epsilon=epsilon, seed=seed)[1], 30)
            for seed in range(5)
        ]
        kept.append(
            np.mean([len(edge_set(noisy) & edge_set(found)) / len(found) for noisy in graphs])
        )
    assert kept[0] < kept[1] < kept[2]
    assert kept[2] > 0.9


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 1.5])
def test_a_share_that_leaves_no_budget_for_one_release_is_refused(share):
    with pytest.raises(ValueError, match="count_share must"):
        fit("top_m_filter", path(3), count_share=share)
