"""Metrics of graphs by hand: pcalg's rates, the published columns, Hamming distance and arrows."""

from __future__ import annotations

import numpy as np
import pytest

from dpfair_cli.metrics.graphs import compare_graphs, edges, orientation_f1, structural_hamming_distance


def skeleton(p: int, *pairs: tuple[int, int]) -> np.ndarray:
    found = np.zeros((p, p), dtype=bool)
    for i, j in pairs:
        found[i, j] = found[j, i] = True
    return found


def arrows(p: int, *pairs: tuple[int, int]) -> np.ndarray:
    found = np.zeros((p, p), dtype=bool)
    for i, j in pairs:
        found[i, j] = True
    return found


def test_the_rates_of_pcalg_by_hand() -> None:
    truth = skeleton(4, (0, 1), (1, 2), (2, 3))
    estimate = skeleton(4, (0, 1), (0, 2))
    assert compare_graphs(estimate, truth) == pytest.approx((1 / 3, 1 / 3, 1 / 2))  # 1 hit of 3, 1 of 3 gaps, 1 of 2


def test_figure_four_one_shows_that_the_roles_were_swapped() -> None:
    """31 true and 28 found edges of 14 variables with 22 in common: 78.6 %, 14.3 % and 71.0 % are printed."""
    pairs = [(i, j) for i in range(14) for j in range(i)]
    truth, estimate = skeleton(14, *pairs[:31]), skeleton(14, *pairs[9:37])
    assert (edges(truth), edges(estimate), edges(truth & estimate)) == (31, 28, 22)
    assert compare_graphs(truth, estimate) == pytest.approx((0.786, 0.143, 0.710), abs=5e-4)
    assert compare_graphs(estimate, truth) == pytest.approx((22 / 31, 6 / 60, 22 / 28))


def test_rates_of_nothing_are_those_of_pcalg() -> None:
    none, some, every = skeleton(3), skeleton(3, (0, 1)), skeleton(3, (0, 1), (0, 2), (1, 2))
    assert compare_graphs(some, none) == (0, 1 / 3, 0)  # no true edge: tpr 0
    assert compare_graphs(some, every) == (1 / 3, 1, 1)  # no true gap: fpr 1
    assert compare_graphs(none, some) == (0, 0, 1)  # no found edge: tdr 1
    assert compare_graphs(none, none) == (0, 0, 1)


def test_the_hamming_distance_counts_pairs_once() -> None:
    truth = arrows(4, (0, 1), (1, 2), (2, 3), (3, 2))
    assert structural_hamming_distance(truth, truth) == 0
    assert structural_hamming_distance(arrows(4, (1, 0), (1, 2), (2, 3), (3, 2)), truth) == 1  # turned
    assert structural_hamming_distance(arrows(4, (0, 1), (1, 2), (2, 3)), truth) == 1  # a line became an arrow
    assert structural_hamming_distance(arrows(4), truth) == 3
    assert structural_hamming_distance(arrows(4, (0, 1), (1, 2), (2, 3), (3, 2), (0, 3)), truth) == 1


def test_the_f1_of_arrows_leaves_lines_out() -> None:
    truth = arrows(4, (0, 1), (1, 2), (2, 3), (3, 2))
    assert orientation_f1(truth, truth) == 1
    assert orientation_f1(arrows(4, (0, 1), (2, 1)), truth) == pytest.approx(0.5)
    assert orientation_f1(arrows(4), truth) == 0
    assert orientation_f1(arrows(4, (2, 3), (3, 2)), arrows(4)) == 1
