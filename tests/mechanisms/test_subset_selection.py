"""Subset selection against the definitions of its protocols (tests/oracles/subset_selection.py)."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, inf, log

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.mechanisms.ledger import record
from dpfair_cli.mechanisms.secure import SecureGenerator
from dpfair_cli.mechanisms.subset_selection import subset_selection, unary_sizes
from tests.oracles import subset_selection as oracle

GENERATORS = {
    "ordinary": lambda: np.random.default_rng(0),
    "secure": lambda: SecureGenerator._with_key(0),
}
each_generator = pytest.mark.parametrize("made", GENERATORS.values(), ids=GENERATORS)
RARE = 1e-4
HALVES = [0, 0.5, 0.5, 0]  # one or two of three levels


def reports(levels, chances, epsilon, rng, hamming_sensitivity=1.0):
    rows = np.eye(len(chances) - 1)[np.asarray(levels)]
    return subset_selection(
        rows,
        size_chances=chances,
        hamming_sensitivity=hamming_sensitivity,
        epsilon=epsilon,
        rng=rng,
    )


def exact(chances):
    return [Fraction(chance) for chance in chances]


def counted(found, law):
    """The counts of the sets of `law`, and their probabilities."""
    seen = [tuple(row) for row in found.astype(int).tolist()]
    assert set(seen) <= set(law)
    counts = np.array([seen.count(report) for report in law])
    return counts, np.array([float(chance) for chance in law.values()])


@pytest.mark.parametrize("epsilon", [0, -1, np.nan])
def test_an_epsilon_that_is_not_positive_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon must be positive, got"):
        reports([0, 1], HALVES, epsilon, np.random.default_rng(0))


@each_generator
@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, inf), (0, 1)])
def test_infinite_epsilon_and_zero_sensitivity_report_the_level(made, sensitivity, epsilon):
    levels = np.arange(60) % 5
    one = np.eye(6)[1]
    found = reports(levels, one, epsilon, made(), hamming_sensitivity=sensitivity)
    np.testing.assert_array_equal(found, np.eye(5)[levels])


@each_generator
def test_two_of_three_levels_at_odds_of_three_worked_by_hand(made):
    """Own level 0: {0, 1} and {0, 2} have weight 3, {1, 2} has weight 1."""
    found = reports([0] * 40_000, [0, 0, 1, 0], log(3), made())
    counts = [int((found == row).all(axis=1).sum()) for row in ([1, 1, 0], [1, 0, 1], [0, 1, 1])]
    assert stats.chisquare(counts, np.array([3, 3, 1]) / 7 * 40_000).pvalue > RARE


@each_generator
@pytest.mark.parametrize("level", [0, 1, 3])
def test_every_set_of_levels_has_its_probability(made, level):
    chances = [0.05, 0.25, 0.4, 0.2, 0.1]
    law = oracle.mixed(4, exact(chances), Fraction(exp(1.3)))
    found = reports([level] * 40_000, chances, 1.3, made())
    counts, expected = counted(found, oracle.for_level(law, level))
    assert stats.chisquare(counts, expected / expected.sum() * len(found)).pvalue > RARE / 10


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("odds", [Fraction(11, 10), Fraction(3), Fraction(1000)])
def test_the_worst_ratio_of_two_levels_is_exactly_exp_epsilon(k, odds):
    chances = [Fraction(1, k + 1)] * (k + 1)
    law = oracle.mixed(k, chances, odds)
    assert sum(law.values()) == 1
    assert oracle.worst_ratio(law) == odds


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize(
    ("own", "other"), [("1/2", "1/5"), ("3/4", "1/4"), ("99/100", "1/7"), ("2/3", "1/2")]
)
def test_bits_are_subset_selection_with_the_odds_of_their_two_rates(k, own, other):
    p, q = Fraction(own), Fraction(other)
    literal = oracle.bits(k, p, q)
    sizes = [sum(c for report, c in literal.items() if sum(report) == s) for s in range(k + 1)]
    assert oracle.mixed(k, sizes, p * (1 - q) / (q * (1 - p))) == literal
    found = unary_sizes(k, own=float(p), other=float(q))
    np.testing.assert_allclose(found, [float(size) for size in sizes], rtol=1e-12)


def test_sizes_of_bits_at_the_ends_of_their_rates():
    np.testing.assert_allclose(unary_sizes(4, own=1.0, other=0.0), [0, 1, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(unary_sizes(3, own=0.5, other=1.0), [0, 0, 0.5, 0.5], atol=1e-15)
    many = unary_sizes(74, own=0.5, other=0.3)
    assert many.sum() == pytest.approx(1, abs=1e-12)
    assert many[1] == pytest.approx(0.5 * 0.7**73 + 0.5 * 73 * 0.3 * 0.7**72)


@each_generator
def test_many_levels_are_reported_as_often_as_they_should_be(made):
    k, n, size, odds = 74, 20_000, 25, exp(0.6)
    found = reports([73] * n, np.eye(k + 1)[size], 0.6, made())
    assert (found.sum(axis=1) == size).all()
    held = size * odds / (size * odds + k - size)
    assert stats.binomtest(int(found[:, 73].sum()), n, held).pvalue > RARE
    rate = (size - held) / (k - 1)
    others = found[:, :73].sum(axis=0)
    assert np.abs(others - n * rate).max() < 5 * (n * rate * (1 - rate)) ** 0.5


@each_generator
def test_two_changed_rows_have_half_the_budget_each(made):
    n = 40_000
    found = reports([0] * n, [0, 1, 0], 2.0, made(), hamming_sensitivity=2)
    assert stats.binomtest(int(found[:, 0].sum()), n, exp(1) / (exp(1) + 1)).pvalue > RARE


@each_generator
def test_records_are_randomised_independently(made):
    """Of two records of one call, and of two calls: four equally likely pairs at epsilon 0."""
    rng = made()
    for first, second in [
        np.split(reports([0] * 20_000, [0, 1, 0], 1e-9, rng), 2),
        [reports([0] * 10_000, [0, 1, 0], 1e-9, rng) for _ in range(2)],
    ]:
        counts = np.bincount((2 * first[:, 0] + second[:, 0]).astype(int), minlength=4)
        assert stats.chisquare(counts).pvalue > RARE


@each_generator
@pytest.mark.parametrize("place", [0, 1, -1])
def test_every_record_of_a_report_is_randomised(made, place):
    rng = made()
    kept = sum(reports([0] * 5, [0, 1, 0], log(3), rng)[place, 0] == 1 for _ in range(2000))
    assert stats.binomtest(int(kept), 2000, 0.75).pvalue > RARE


def test_empty_and_full_reports_say_nothing():
    rng = np.random.default_rng(0)
    for size, row in ((0, [0, 0, 0]), (3, [1, 1, 1])):
        found = reports([0, 1, 2], np.eye(4)[size], 5.0, rng)
        np.testing.assert_array_equal(found, [row] * 3)


def test_a_row_has_one_level_whatever_it_holds():
    rng = np.random.default_rng(0)
    rows = [[5.0, 7.0, 6.0], [-1.0, -2.0, -3.0], [0.0, 0.0, 0.0]]
    with record() as tape:
        found = subset_selection(
            rows, size_chances=[0, 1, 0, 0], hamming_sensitivity=1, epsilon=inf, rng=rng
        )
    np.testing.assert_array_equal(found, np.eye(3)[[1, 0, 0]])
    np.testing.assert_array_equal(tape[0].value, np.eye(3)[[1, 0, 0]])
    one = subset_selection(
        rows[0], size_chances=[0, 1, 0, 0], hamming_sensitivity=1, epsilon=inf, rng=rng
    )
    assert one.tolist() == [0, 1, 0]


def test_the_estimate_of_a_share_has_the_variance_of_ye_and_barg():
    """A level is reported with rate p if it is the own one and q if not: (c / n - q) / (p - q)."""
    k, size, n, times, odds = 6, 2, 300, 1500, exp(1.0)
    z = size * odds + k - size
    p = size * odds / z
    q = (size * odds * (size - 1) + (k - size) * size) / ((k - 1) * z)
    rng, levels = np.random.default_rng(0), np.arange(n) % 3
    found = [
        (reports(levels, np.eye(k + 1)[size], 1.0, rng)[:, 0].mean() - q) / (p - q)
        for _ in range(times)
    ]
    variance = (p * (1 - p) / 3 + 2 * q * (1 - q) / 3) / n / (p - q) ** 2
    assert abs(np.mean(found) - 1 / 3) < 5 * (variance / times) ** 0.5
    assert np.var(found) == pytest.approx(variance, rel=5 * (2 / times) ** 0.5)
    assert comb(k, size) == len(oracle.subsets(k, size, Fraction(odds)))
