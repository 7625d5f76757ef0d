"""The sensitivity of M = (P + P^2) / 2 to one edge: all small graphs, adversarial large ones."""

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.mechanisms.sensitivity.walks import L1_WALKS, L2_PUBLISHED
from dpfair_cli.models.embedding.factorisation import walks_of
from tests.models.embedding.graphs import (
    BRIDGE,
    clique,
    edge_set,
    graph,
    path,
    random_graph,
    star,
    with_edge,
)
from tests.oracles.walks import changes_of_all_graphs, walks


def moves(found, edge):
    """(L1, Frobenius) distance of M when `edge` is added."""
    change = walks_of(with_edge(found, *edge)).dense() - walks_of(found).dense()
    return np.abs(change).sum(), np.sqrt((change**2).sum())


def joined(left, right, between, nodes):
    """Two graphs side by side, and the edge that joins them."""
    shift = left.nodes
    pairs = [*edge_set(left), *((i + shift, j + shift) for i, j in edge_set(right))]
    return graph(pairs, nodes), (between[0], between[1] + shift)


def test_the_bounds_by_hand():
    assert L1_WALKS == 2.5
    assert pytest.approx(2**0.5) == L2_PUBLISHED


@pytest.mark.parametrize("nodes", [2, 3, 4, 5])
def test_no_edge_of_a_small_graph_moves_m_by_more(nodes):
    """Every graph of up to five nodes and every edge that it lacks."""
    tried = 0
    for changes, _ in changes_of_all_graphs(nodes):
        tried += len(changes)
        assert np.abs(changes).sum(axis=(1, 2)).max() <= L1_WALKS + 1e-12
        assert np.sqrt((changes**2).sum(axis=(1, 2))).max() <= L2_PUBLISHED
    pairs = nodes * (nodes - 1) // 2
    assert tried == pairs * 2 ** (pairs - 1)


def test_the_bound_in_l1_is_reached_with_four_nodes_and_not_with_three():
    largest = [
        max(np.abs(c).sum(axis=(1, 2)).max() for c, _ in changes_of_all_graphs(nodes))
        for nodes in (2, 3, 4, 5)
    ]
    assert largest == pytest.approx([2, 2, 2.5, 2.5])


def test_the_empty_graph_is_not_the_worst_case_in_l1():
    """Lemma 1 takes the empty graph: its first edge changes M by 2, a bridge by 2.5."""
    for nodes in (4, 5):
        first = [np.abs(change[none]).sum() for change, none in changes_of_all_graphs(nodes)]
        assert first == pytest.approx([2.0] * len(first))
    assert moves(graph(BRIDGE, 4), (1, 2))[0] == pytest.approx(2.5)


def test_the_published_bound_in_l2_is_true_and_not_tight():
    """With P alone it is reached; M halves each step, and the first edge changes it by 1."""
    largest = [
        max(np.sqrt((c**2).sum(axis=(1, 2))).max() for c, _ in changes_of_all_graphs(n))
        for n in (2, 3, 4, 5)
    ]
    assert largest == pytest.approx([1.0] * 4)
    P = walks_of(path(2)).transition.toarray()
    assert np.sqrt((P**2).sum()) == pytest.approx(L2_PUBLISHED)


def test_the_bridge_between_two_edges_by_hand():
    """a - r, s - b and the edge r - s: the rows of a and r, those of b and s are alike."""
    change = 2 * (walks([*BRIDGE, (1, 2)], 4) - walks(BRIDGE, 4))
    np.testing.assert_allclose(
        change[0], [-1 / 2, 0, 1 / 2, 0]
    )  # from a: two steps lead to s in half of the walks
    np.testing.assert_allclose(change[1], [-1 / 2, -1 / 4, 1 / 2, 1 / 4])
    assert moves(graph(BRIDGE, 4), (1, 2))[0] == pytest.approx(2 * (1 + 3 / 2) / 2)


@pytest.mark.parametrize("leaves", [1, 2, 5, 40])
def test_an_edge_joined_to_the_centre_of_a_star_reaches_the_bound(leaves):
    """1/2 (4 + 2 (c + d) / ((c + 1) (d + 1))) for centres of c and d leaves: 5/2 where c = 1."""
    found, edge = joined(path(2), star(leaves + 1), (0, 0), leaves + 3)
    assert moves(found, edge)[0] == pytest.approx(L1_WALKS)


@pytest.mark.parametrize(("c", "d"), [(2, 2), (2, 9), (30, 30)])
def test_two_joined_stars_stay_below_the_bound_as_the_formula_says(c, d):
    found, edge = joined(star(c + 1), star(d + 1), (0, 0), c + d + 2)
    assert moves(found, edge)[0] == pytest.approx(2 + (c + d) / ((c + 1) * (d + 1)))
    assert moves(found, edge)[0] < L1_WALKS


def large():
    """Random and adversarial graphs of many nodes, each with an edge that it lacks."""
    yield joined(path(30), path(30), (29, 0), 60)
    yield joined(path(31), path(31), (15, 15), 62)
    yield joined(clique(12), clique(12), (0, 0), 24)
    yield joined(star(40), star(40), (0, 5), 80)
    yield joined(
        star(40), graph([], 3), (0, 1), 43
    )  # a leaf that comes; removed: a node that loses its only edge
    yield joined(clique(20), graph([], 1), (3, 0), 21)
    yield graph(sorted(edge_set(clique(25)) - {(0, 1)}), 25), (0, 1)
    yield graph(sorted(edge_set(star(50))), 50), (1, 2)
    for seed in range(30):
        found = random_graph(60, (0.005, 0.02, 0.1, 0.5)[seed % 4], seed)
        missing = next(
            (i, j)
            for i in range(60)
            for j in range(seed + i + 1, 60)
            if (i, j) not in edge_set(found)
        )
        yield found, missing


@pytest.mark.parametrize(("found", "edge"), list(large()))
def test_no_edge_of_a_large_graph_moves_m_by_more(found, edge):
    assert edge not in edge_set(found)
    first, second = moves(found, edge)
    assert 0 < first <= L1_WALKS + 1e-12
    assert 0 < second <= L2_PUBLISHED


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_laplace_noise_of_the_published_scale_is_not_private(epsilon):
    """dpM with sqrt(2) / epsilon per entry.

    Densities at M' = M(one edge) differ by exp(sqrt(2) epsilon).
    """
    without, with_one = walks([], 2), walks([(0, 1)], 2)
    law = stats.laplace(scale=L2_PUBLISHED / epsilon)
    loss = (law.logpdf(with_one - with_one) - law.logpdf(with_one - without)).sum()
    assert loss == pytest.approx(2.0 / 2**0.5 * epsilon)
    assert loss > 1.4 * epsilon


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_laplace_noise_of_the_proved_scale_loses_epsilon_at_a_bridge(epsilon):
    without, with_one = walks(BRIDGE, 4), walks([*BRIDGE, (1, 2)], 4)
    law = stats.laplace(scale=L1_WALKS / epsilon)
    loss = (law.logpdf(with_one - with_one) - law.logpdf(with_one - without)).sum()
    assert loss == pytest.approx(epsilon)
