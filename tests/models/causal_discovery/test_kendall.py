"""Kendall's conditional test against scipy, and its sensitivity against changes of one record."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.sensitivity.kendall_statistic import (
    kendall_sensitivity,
    p_value_sensitivity,
)
from dpfair_cli.models.causal_discovery.contingency import counted
from dpfair_cli.models.causal_discovery.independence import Kendall, rank_statistics


def z_of(x, y, strata, levels):
    values = np.column_stack([x, y, strata])
    test = Kendall(counted(Observations(values, tuple("xyz"), levels)))
    return test.statistics(np.array([[0, 1, 2]]))[0]


def test_without_ties_it_is_kendalls_tau_of_scipy_over_its_deviation():
    rng, n = np.random.default_rng(0), 40
    x, y = rng.permutation(n), rng.permutation(n)
    expected = stats.kendalltau(x, y).statistic / np.sqrt((4 * n + 10) / (9 * n * (n - 1)))
    assert z_of(x, y, np.zeros(n, int), (n, n, 1)) == pytest.approx(expected)


def test_two_strata_by_hand():
    # first: 2 records, concordant, S = 1; second: 3 records, of whose pairs two tie and one is
    # discordant, S = -1 T = 9 / 9 - 9 / 11 = 2 / 11; W = 9 * 2 / 18 + 9 * 6 / 22 = 1 + 27 / 11
    table = np.array([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 0.0]]])
    assert rank_statistics(table) == pytest.approx((2 / 11) / np.sqrt(1 + 27 / 11))


def test_strata_of_one_record_say_nothing():
    assert rank_statistics(np.eye(3).reshape(3, 3, 1)) == 0.0


def moves(n, rows, columns, strata, pairs):
    for left, right in pairs:
        yield abs(
            abs(z_of(*left.T, (rows, columns, strata)))
            - abs(z_of(*right.T, (rows, columns, strata)))
        )


@pytest.mark.parametrize(("n", "strata"), [(12, 1), (60, 1), (40, 4), (90, 6)])
def test_no_record_moves_the_statistic_further_than_its_sensitivity(n, strata):
    """Ranks without ties in one or all strata, uneven strata, and a record that changes ends."""
    rng, pairs = np.random.default_rng(n), []
    for k in range(100):
        x = rng.permutation(n) if k % 2 else np.arange(n)
        y = np.arange(n) if k % 3 else x
        z = (
            np.sort(rng.integers(0, strata, n))
            if k % 4
            else np.minimum(np.arange(n) * k % strata, strata - 1)
        )
        left = np.column_stack([x, y, z])
        right, row = left.copy(), rng.integers(n)
        right[row] = rng.choice([0, n - 1]), rng.choice([0, n - 1]), rng.integers(strata)
        pairs.append((left, right))
    largest = max(moves(n, n, n, strata, pairs))
    assert 0 < largest <= kendall_sensitivity(n, strata)


def test_six_over_root_n_is_nearly_reached_and_with_many_strata_exceeded():
    n = 400  # everything concordant; the highest becomes discordant with all
    left = np.column_stack([np.arange(n), np.arange(n), np.zeros(n, int)])
    right = left.copy()
    right[-1] = n - 1, 0, 0
    assert 0.45 * 6 < next(moves(n, n, n, 1, [(left, right)])) * np.sqrt(n) <= 6
    # every record has its own stratum
    lonely = np.column_stack([np.arange(n) % 2, np.arange(n) % 2, np.arange(n)])
    joined = lonely.copy()
    joined[1, 2] = 0  # two records in one: one concordant pair, z = 1
    assert next(moves(n, 2, 2, n, [(lonely, joined)])) == 1 > 6 / np.sqrt(n)
    assert kendall_sensitivity(n, n) == np.inf


def test_the_sensitivity_with_strata_counts_the_records_a_stratum():
    # 4 strata, 100 records: f(25) = 9 * 25 * 24 / 110; all four at least that together
    assert kendall_sensitivity(100, 4) == pytest.approx(14.625 / np.sqrt(4 * 5400 / 110))


@pytest.mark.parametrize("move", [0.01, 0.3, 2.0])
def test_a_p_value_moves_most_at_zero(move):
    z = np.linspace(0, 6, 2001)
    largest = (2 * stats.norm.sf(z) - 2 * stats.norm.sf(z + move)).max()
    assert p_value_sensitivity(move) == pytest.approx(largest)


def test_two_sided_p_values_of_questions_in_any_order():
    values = np.array(list(product(range(3), range(3), range(2))) * 3)
    test = Kendall(counted(Observations(values, tuple("abc"), (3, 3, 2))))
    questions = np.array([[0, 1, 2], [1, 0, 2]])
    assert test.p_values(questions).tolist() == [1.0, 1.0]
