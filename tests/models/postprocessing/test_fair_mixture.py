"""Theorem 4.6's optimum against a linear program, and its sensitivity against enumeration."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from dpfair_cli.models.postprocessing.fair_mixture import (
    errors_and_gaps,
    hypotheses,
    optimal_mixtures,
)
from dpfair_cli.tasks.fair_error_sensitivity import family, sensitivity


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("gap", [0.02, 0.2])
def test_the_optimum_is_that_of_the_linear_program(count, gap):
    tables = np.random.default_rng(count).integers(1, 30, (60, 2, 2, 2)).astype(float)
    best, shares = optimal_mixtures(tables, gap, hypotheses(count))
    error, difference = errors_and_gaps(tables, hypotheses(count))
    for k in range(60):
        answer = linprog(
            error[k],
            [difference[k], -difference[k]],
            [gap, gap],
            [np.ones(count)],
            [1.0],
            bounds=(0, 1),
        )
        assert best[k] == pytest.approx(answer.fun, abs=1e-9)
        assert shares[k] @ error[k] == pytest.approx(best[k])
        assert shares[k].sum() == pytest.approx(1)


def all_tables(m, least):
    """Every table of m records with at least `least` negatives in each group."""
    for cells in product(range(m + 1), repeat=7):
        if sum(cells) <= m:
            table = np.array([*cells, m - sum(cells)], dtype=float).reshape(2, 2, 2)
            if table[:, :, 0].sum(axis=0).min() >= least:
                yield table


def test_the_aware_class_of_eight_records_changes_by_a_constant_over_m():
    tables = np.stack(list(all_tables(8, 3)))
    assert sensitivity(tables, 0.13, hypotheses(4)) * 8 < 4  # the constant of the larger family


def test_the_family_keeps_the_counts_of_each_group_and_label():
    table = np.zeros((2, 2, 2))
    table[1, :, 1], table[0, :, 0] = 5, 5
    tables = family(table)
    assert len(tables) == 36
    assert (tables.sum(axis=1) == table.sum(axis=0)).all()
