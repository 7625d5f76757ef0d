"""Scores of decisions, worked by hand on four men and two women."""

from __future__ import annotations

import numpy as np
import pytest

from dpfair_cli.papers.pujol2023.models.notebook_scores import mean_over_cells, score

SEX = np.array([1, 1, 1, 1, 0, 0])
LABEL = np.array([1, 1, 0, 0, 1, 0])
DECISION = np.array([1, 0, 0, 2, 0, 0])  # 2 is a rounded prediction
CELL = np.array([0, 1, 0, 1, 0, 0])


def found():
    return score(DECISION, LABEL, SEX, CELL)


def test_accuracy_and_its_difference_divide_by_the_own_group():
    """Right: two of four men and one of two women."""
    assert found()["accuracy"] == pytest.approx(3 / 6)
    assert found()["accuracy_difference"] == pytest.approx(2 / 4 - 1 / 2)


def test_accuracy_parity_divides_by_the_other_group():
    """One right decision about women over four men, two about men over two women."""
    assert found()["accuracy_parity"] == pytest.approx(2 / 2 - 1 / 4)


def test_rates_of_whole_groups_are_subtracted():
    assert found()["demographic_parity"] == pytest.approx((1 + 2) / 4)  # a 2 counts as 2
    assert found()["tpr_balance"] == pytest.approx(1 / 2)
    assert found()["tnr_balance"] == pytest.approx(1 - 1 / 2)


def test_conditional_rates_are_means_over_cells():
    """Decisions 1 of men: 1 of 2 in cell 0, none in cell 1. Women are in cell 0 alone."""
    assert found()["conditional_demographic_parity"] == pytest.approx(1 / 4)
    # label 1: one man in each cell, one of both selected; label 0: one man in each cell
    assert found()["conditional_tpr_balance"] == pytest.approx(1 / 2)
    assert found()["conditional_tnr_balance"] == pytest.approx(1 - 1 / 2)


def test_a_cell_without_records_of_the_base_does_not_count():
    base, hit = np.array([True, True, False]), np.array([True, False, True])
    assert mean_over_cells(hit, base, np.array([0, 0, 1])) == 0.5
