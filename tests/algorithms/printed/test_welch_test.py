"""Welch's test of printed means: numbers by hand, SciPy as an oracle, and properties."""

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.algorithms.printed import welch_test
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons, PrintedSide

RNG = np.random.default_rng(0)


def side(mean, std, runs):
    runs = np.full(len(mean), runs) if np.ndim(runs) == 0 else np.array(runs)
    return PrintedSide(np.array(mean, dtype=float), np.array(std, dtype=float), runs)


def pairs(first, second):
    names = tuple(f"pair {k}" for k in range(len(first.mean)))
    return PrintedComparisons(names, names, first, second)


def random_pairs(n=40, seed=1):
    rng = np.random.default_rng(seed)
    sides = [
        side(rng.normal(0, 0.05, n), rng.uniform(0.005, 0.06, n), rng.integers(2, 9, n))
        for _ in range(2)
    ]
    return pairs(*sides)


def swapped(found):
    return PrintedComparisons(found.names, found.metrics, found.second, found.first)


def test_a_difference_of_two_with_four_runs_is_significant():
    """The error is sqrt(1/4 + 1/4) = 0.7071, t = 2.828 with 6 degrees; the quantile is 2.4469."""
    found = welch_test.fit(pairs(side([0], [1], 4), side([2], [1], 4)), rng=RNG)
    assert (found.lower[0], found.higher[0]) == (False, True)
    assert found.p[0] == pytest.approx(0.0300, abs=5e-5)
    assert found.half_width[0] == pytest.approx(2.4469 * 0.70711, abs=1e-4)


def test_holm_stops_at_the_first_p_value_above_its_level():
    """0.01 < 0.05 / 4, but 0.03 > 0.05 / 3: then 0.04 is not significant either."""
    found = welch_test._holm(np.array([0.04, 0.01, 0.5, 0.03]), 0.05)
    assert found.tolist() == [False, True, False, False]


def test_p_values_are_those_of_scipy():
    given = random_pairs()
    expected = stats.ttest_ind_from_stats(*given.first, *given.second, equal_var=False).pvalue
    np.testing.assert_allclose(welch_test.fit(given, rng=RNG).p, expected, rtol=1e-10)


def test_equivalence_is_that_of_two_one_sided_tests_of_scipy():
    given, margin = random_pairs(), 0.05
    shifted = [
        stats.ttest_ind_from_stats(
            given.second.mean + shift, *given.second[1:], *given.first, equal_var=False,
            alternative=alternative,
        ).pvalue
        for shift, alternative in ((margin, "greater"), (-margin, "less"))
    ]  # fmt: skip
    expected = np.max(shifted, axis=0) < 0.05
    assert 0 < expected.sum() < len(expected)
    np.testing.assert_array_equal(
        welch_test.fit(given, margin=margin, rng=RNG).equivalent, expected
    )


def test_swapping_the_sides_swaps_lower_and_higher():
    given = random_pairs()
    one, two = (welch_test.fit(x, rng=RNG) for x in (given, swapped(given)))
    np.testing.assert_array_equal(one.lower, two.higher)
    np.testing.assert_array_equal(one.equivalent, two.equivalent)
    assert one.lower.any()


def test_holm_decides_a_subset_of_what_single_tests_decide():
    given = random_pairs()
    single = welch_test.fit(given, rng=RNG)
    together = welch_test.fit(given, correction="holm", rng=RNG)
    assert not (together.lower & ~single.lower).any()
    assert 0 < (together.lower | together.higher).sum() < (single.lower | single.higher).sum()


def test_a_larger_margin_decides_equivalence_at_least_as_often():
    given = random_pairs()
    small, large = (welch_test.fit(given, margin=m, rng=RNG).equivalent for m in (0.05, 0.1))
    assert not (small & ~large).any()


def test_equal_runs_without_deviation_stay_undecided(monkeypatch):
    monkeypatch.setattr(welch_test, "MOST_RUNS", 100)
    found = welch_test.fit(pairs(side([0.8], [0], 5), side([0.8], [0], 5)), rng=RNG)
    assert found.undecided.tolist() == [True]
    assert np.isnan(found.runs_needed[0])


def test_a_value_without_a_printed_deviation_is_refused():
    with pytest.raises(ValueError, match="sign test"):
        welch_test.fit(pairs(side([0.8], [np.nan], 5), side([0.8], [0.1], 5)), rng=RNG)


def test_the_power_is_the_share_of_simulated_printed_means():
    """Means of 50 runs: the error is nearly known, as the formula takes it to be."""
    rng, n = np.random.default_rng(3), 4000
    draws = rng.normal(0, 0.1, (2, n, 50))
    sides = [side(one.mean(axis=1), one.std(axis=1, ddof=1), 50) for one in draws]
    found = welch_test.fit(pairs(*sides), margin=0.05, rng=RNG)
    assert found.power.mean() == pytest.approx(found.equivalent.mean(), abs=0.03)


def test_the_runs_needed_are_the_first_with_power_four_fifths():
    given = pairs(side([0], [0.05], 5), side([0], [0.05], 5))
    needed = int(welch_test.fit(given, rng=RNG).runs_needed[0])
    powers = [
        welch_test.fit(pairs(side([0], [0.05], n), side([0], [0.05], n)), rng=RNG).power[0]
        for n in (needed - 1, needed)
    ]
    assert powers[0] < 0.8 <= powers[1]
