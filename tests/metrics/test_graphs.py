"""Metrics of graphs: pcalg's rates, Figure 4.1, Hamming distance, arrows; all small graphs."""

from itertools import combinations, product

import numpy as np
import pytest

from dpfair_cli.metrics.graphs import (
    compare_graphs,
    edges,
    orientation_f1,
    structural_hamming_distance,
)
from tests.oracles.causal import as_matrix, cpdag, every_dag
from tests.oracles.causal import skeleton as edges_of


def undirected(p, pairs):
    matrix = np.zeros((p, p), dtype=bool)
    for i, j in pairs:
        matrix[i, j] = matrix[j, i] = True
    return matrix


def figure_4_1():
    """Skeletons with 31 true edges, 28 found, 22 in common, among 91 pairs of 14 variables."""
    pairs = list(combinations(range(14), 2))
    true, found = pairs[:31], pairs[9:31] + pairs[31:37]
    return undirected(14, true), undirected(14, found)


def arrows(p, *pairs):
    return as_matrix(pairs, p)


def test_the_rates_of_pcalg_by_hand() -> None:
    truth = undirected(4, [(0, 1), (1, 2), (2, 3)])
    estimate = undirected(4, [(0, 1), (0, 2)])
    assert compare_graphs(estimate, truth) == pytest.approx(
        (1 / 3, 1 / 3, 1 / 2)
    )  # 1 hit of 3, 1 of 3 gaps, 1 of 2


def test_figure_4_1_by_the_definitions_of_the_text():
    truth, found = figure_4_1()
    assert (edges(truth), edges(found), edges(truth & found)) == (31, 28, 22)
    rates = compare_graphs(found, truth)
    assert rates.tpr == pytest.approx(22 / 31)
    assert rates.tdr == pytest.approx(22 / 28)
    assert rates.fpr == pytest.approx(6 / 60)


def test_figure_4_1_as_it_was_computed_is_what_was_published():
    truth, found = figure_4_1()
    rates = compare_graphs(truth, found)  # the other way round
    assert [round(100 * rate, 1) for rate in (rates.tpr, rates.fpr, rates.tdr)] == [
        78.6,
        14.3,
        71.0,
    ]


def test_all_pairs_of_graphs_on_three_nodes_by_sets():
    pairs = list(combinations(range(3), 2))
    subsets = [
        {pair for pair, take in zip(pairs, choice, strict=True) if take}
        for choice in product((0, 1), repeat=3)
    ]
    for found, truth in product(subsets, repeat=2):
        rates = compare_graphs(undirected(3, found), undirected(3, truth))
        assert rates.tpr == pytest.approx(len(found & truth) / len(truth) if truth else 0)
        assert rates.fpr == pytest.approx(
            len(found - truth) / (3 - len(truth)) if len(truth) < 3 else 1
        )
        assert rates.tdr == pytest.approx(len(found & truth) / len(found) if found else 1)


def test_the_hamming_distance_counts_pairs_once() -> None:
    truth = arrows(4, (0, 1), (1, 2), (2, 3), (3, 2))
    assert structural_hamming_distance(truth, truth) == 0
    assert (
        structural_hamming_distance(arrows(4, (1, 0), (1, 2), (2, 3), (3, 2)), truth) == 1
    )  # turned
    assert (
        structural_hamming_distance(arrows(4, (0, 1), (1, 2), (2, 3)), truth) == 1
    )  # a line became an arrow
    assert structural_hamming_distance(arrows(4), truth) == 3
    assert (
        structural_hamming_distance(arrows(4, (0, 1), (1, 2), (2, 3), (3, 2), (0, 3)), truth) == 1
    )


def test_the_hamming_distance_counts_pairs_that_differ_in_any_way():
    arrow = as_matrix({(0, 1)}, 3)
    back = as_matrix({(1, 0)}, 3)
    line = as_matrix({(0, 1), (1, 0)}, 3)
    none = np.zeros((3, 3), dtype=bool)
    for left, right in combinations((arrow, back, line, none), 2):
        assert (
            structural_hamming_distance(left, right)
            == structural_hamming_distance(right, left)
            == 1
        )
    assert (
        structural_hamming_distance(as_matrix({(0, 1), (1, 2)}, 3), as_matrix({(1, 0), (0, 2)}, 3))
        == 3
    )
    assert structural_hamming_distance(line, line) == 0


def test_the_hamming_distance_is_a_metric_on_all_classes_of_three_nodes():
    graphs = [as_matrix(c, 3) for c in {cpdag(arcs, 3) for arcs in every_dag(3)}]
    assert len(graphs) == 11
    d = np.array([[structural_hamming_distance(a, b) for b in graphs] for a in graphs])
    assert (np.diag(d) == 0).all()
    assert (d == d.T).all()
    assert (d[~np.eye(11, dtype=bool)] > 0).all()
    assert (d[:, :, None] <= d[:, None, :] + d.T[None, :, :]).all()
    assert d.max() == 3


def test_the_f1_of_arrows_leaves_lines_out() -> None:
    truth = arrows(4, (0, 1), (1, 2), (2, 3), (3, 2))
    assert orientation_f1(truth, truth) == 1
    assert orientation_f1(arrows(4, (0, 1), (2, 1)), truth) == pytest.approx(0.5)
    assert orientation_f1(arrows(4), truth) == 0
    assert orientation_f1(arrows(4, (2, 3), (3, 2)), arrows(4)) == 1


def test_f1_of_arrows_by_hand():
    truth = as_matrix({(0, 1), (2, 1), (1, 3)}, 4)  # three arrows
    found = as_matrix({(0, 1), (1, 2), (1, 3), (3, 1)}, 4)  # two arrows, one right; and a line
    assert orientation_f1(found, truth) == pytest.approx(2 * 1 / (2 + 3))
    assert orientation_f1(truth, truth) == 1
    empty = np.zeros((4, 4), dtype=bool)
    assert orientation_f1(empty, empty) == 1
    assert orientation_f1(empty, truth) == orientation_f1(truth, empty) == 0


def test_the_skeleton_of_a_class_has_each_edge_once():
    for arcs in every_dag(3):
        matrix = as_matrix(arcs, 3)
        assert edges(matrix | matrix.T) == len(edges_of(arcs))


def test_metrics_do_not_change_graphs_or_depend_on_the_node_order():
    truth, found = figure_4_1()
    before = truth.copy(), found.copy()
    order = np.random.default_rng(0).permutation(14)
    moved = compare_graphs(found[np.ix_(order, order)], truth[np.ix_(order, order)])
    assert moved == compare_graphs(found, truth)
    np.testing.assert_array_equal(before, (truth, found))
