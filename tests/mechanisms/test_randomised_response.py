"""Generalised randomised response against its formulas (tests/oracles/randomised_response.py)."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.mechanisms.randomised_response import randomised_response
from dpfair_cli.mechanisms.secure import SecureGenerator
from tests.oracles import randomised_response as oracle

GENERATORS = {
    "ordinary": lambda: np.random.default_rng(0),
    "secure": lambda: SecureGenerator._with_key(0),
}
each_generator = pytest.mark.parametrize("made", GENERATORS.values(), ids=GENERATORS)
RARE = 1e-4


def reports(levels, k, epsilon, rng, hamming_sensitivity=1.0):
    rows = np.eye(k)[np.asarray(levels)]
    return randomised_response(
        rows, hamming_sensitivity=hamming_sensitivity, epsilon=epsilon, rng=rng
    )


@pytest.mark.parametrize("epsilon", [0, -1, np.nan])
def test_an_epsilon_that_is_not_positive_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon must be positive, got"):
        reports([0, 1], 2, epsilon, np.random.default_rng(0))


@each_generator
@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, inf), (0, 1)])
def test_infinite_epsilon_and_zero_sensitivity_change_nothing(made, sensitivity, epsilon):
    levels = np.arange(60) % 5
    found = reports(levels, 5, epsilon, made(), hamming_sensitivity=sensitivity)
    np.testing.assert_array_equal(found, levels)


@each_generator
def test_three_levels_at_odds_of_two_worked_by_hand(made):
    """p = 2 / (2 + 2) = 1/2, and a quarter for each of the two other levels."""
    counts = np.bincount(reports([1] * 40_000, 3, log(2), made()), minlength=3)
    assert stats.chisquare(counts, np.array([0.25, 0.5, 0.25]) * 40_000).pvalue > RARE


@each_generator
@pytest.mark.parametrize(("k", "epsilon"), [(2, 0.3), (2, 3.0), (5, 1.0), (40, 0.25), (74, 6.0)])
def test_every_report_of_every_level_has_its_probability(made, k, epsilon):
    n, rng = 20_000, made()
    table = oracle.law(Fraction(exp(epsilon)), k)
    for level in {0, 1, k - 1}:
        counts = np.bincount(reports([level] * n, k, epsilon, rng), minlength=k)
        expected = np.array([float(chance) for chance in table[level]])
        assert stats.chisquare(counts, expected / expected.sum() * n).pvalue > RARE / 10


@pytest.mark.parametrize("k", [2, 3, 17])
@pytest.mark.parametrize("odds", [Fraction(11, 10), Fraction(3), Fraction(1000)])
def test_the_worst_ratio_of_two_levels_is_exactly_exp_epsilon(k, odds):
    table = oracle.law(odds, k)
    assert oracle.worst_ratio(table) == odds
    assert all(sum(row) == 1 for row in table)


@each_generator
def test_the_estimate_of_a_share_has_the_variance_of_the_formula(made):
    k, epsilon, n, share, times = 5, 1.0, 400, 0.3, 1500
    levels = np.where(np.arange(n) < share * n, 2, np.arange(n) % 2)
    rng = made()
    found = [
        oracle.estimated_share(reports(levels, k, epsilon, rng), 2, exp(epsilon), k)
        for _ in range(times)
    ]
    variance = oracle.variance_of_share(share, n, exp(epsilon), k)
    assert abs(np.mean(found) - share) < 5 * (variance / times) ** 0.5
    # the relative deviation of a sample variance is (2 / times)^(1/2), 0.037
    assert np.var(found) == pytest.approx(variance, rel=5 * (2 / times) ** 0.5)


@each_generator
def test_two_changed_rows_have_half_the_budget_each(made):
    n = 40_000
    found = reports([0] * n, 2, 2.0, made(), hamming_sensitivity=2)
    kept = int((found == 0).sum())
    assert stats.binomtest(kept, n, exp(1) / (exp(1) + 1)).pvalue > RARE


@each_generator
def test_records_are_randomised_independently(made):
    """Of two records of one call, and of two calls: four equally likely pairs at epsilon 0."""
    rng = made()
    for first, second in [
        np.split(reports([0] * 20_000, 2, 1e-9, rng), 2),
        [reports([0] * 10_000, 2, 1e-9, rng) for _ in range(2)],
    ]:
        counts = np.bincount(2 * first + second, minlength=4)
        assert stats.chisquare(counts).pvalue > RARE


@each_generator
@pytest.mark.parametrize("place", [0, 1, -1])
def test_every_record_of_a_report_is_randomised(made, place):
    """The first, the second and the last of five; each keeps its level three times out of four."""
    rng = made()
    kept = sum(int(reports([0] * 5, 2, log(3), rng)[place] == 0) for _ in range(2000))
    assert stats.binomtest(kept, 2000, 0.75).pvalue > RARE


def test_a_row_has_one_level_whatever_it_holds():
    rng = np.random.default_rng(0)
    rows = [[5.0, 7.0, 6.0], [-1.0, -2.0, -3.0], [0.0, 0.0, 0.0]]
    with record() as tape:
        found = randomised_response(rows, hamming_sensitivity=1, epsilon=inf, rng=rng)
    assert found.tolist() == [1, 0, 0]
    np.testing.assert_array_equal(tape[0].value, np.eye(3)[[1, 0, 0]])


def test_a_single_level_is_always_reported():
    assert reports([0] * 9, 1, 0.01, np.random.default_rng(0)).tolist() == [0] * 9
