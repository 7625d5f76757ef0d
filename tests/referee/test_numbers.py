"""Numbers with noise: confidence intervals of sums, worked by hand and against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.addons.referee.numbers import Interval, Number, weighted_sum


def test_the_interval_of_one_mean_is_that_of_student():
    # std 0.02 over 4 runs: standard error 0.01, t(3) at 97.5 % is 3.1824
    found = weighted_sum([(1, Number(0.8, 0.02, 4))])
    assert found.value == 0.8
    assert found.half_width == pytest.approx(0.031824, abs=1e-6)


def test_the_interval_of_a_difference_is_that_of_welch():
    rng = np.random.default_rng(0)
    one, other = rng.normal(0.8, 0.02, 7), rng.normal(0.75, 0.05, 12)
    numbers = [Number(x.mean(), x.std(ddof=1), len(x)) for x in (one, other)]
    found = weighted_sum([(1, numbers[0]), (-1, numbers[1])])
    theirs = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
    assert found.value == pytest.approx((theirs.low + theirs.high) / 2)
    assert found.half_width == pytest.approx((theirs.high - theirs.low) / 2)


def test_rounding_of_both_numbers_is_added():
    exact = [Number(0.81, 0.0, 1, rounding=0.005), Number(0.8, 0.0, 1, rounding=0.0005)]
    found = weighted_sum([(1, exact[0]), (-1, exact[1])])
    assert found.half_width == pytest.approx(0.0055)
    assert found.rounding == pytest.approx(0.0055)
    assert not found.has_chance


def test_an_unknown_deviation_makes_the_interval_unknown():
    found = weighted_sum([(1, Number(0.8, math.nan, 10)), (-1, Number(0.7, 0.01, 10))])
    assert not found.is_known
    assert not found.contains_zero


def test_an_unknown_number_of_runs_makes_the_interval_unknown():
    assert not weighted_sum([(1, Number(0.8, 0.01, 0))]).is_known


def test_a_deviation_of_other_runs_has_their_degrees_of_freedom():
    # std 0.02 over 4 runs, measured in 21 runs: t(20) at 97.5 % is 2.0860
    found = weighted_sum([(1, Number(0.8, 0.02, 4, std_runs=21))])
    assert found.half_width == pytest.approx(0.020860, abs=1e-6)


def test_a_number_with_weight_zero_does_not_count():
    assert weighted_sum([(0, Number(0.5, math.nan, 1)), (1, Number(0.5, 0.0, 1))]) == Interval(
        0.5, 0.0
    )


def test_an_interval_contains_zero_up_to_its_end():
    assert Interval(0.02, 0.0, rounding=0.02).contains_zero
    assert not Interval(-0.03, 0.0, rounding=0.02).contains_zero


def test_equivalence_to_zero_is_that_of_two_one_sided_tests():
    rng = np.random.default_rng(1)
    one, other = rng.normal(0.8, 0.01, 9), rng.normal(0.805, 0.02, 15)
    numbers = [Number(x.mean(), x.std(ddof=1), len(x)) for x in (one, other)]
    found = weighted_sum([(1, numbers[0]), (-1, numbers[1])])
    for margin in (0.005, 0.01, 0.015, 0.02, 0.03):
        low = stats.ttest_ind(one + margin, other, equal_var=False, alternative="greater").pvalue
        high = stats.ttest_ind(one - margin, other, equal_var=False, alternative="less").pvalue
        assert found.is_equivalent_to_zero(margin) == (max(low, high) < 0.05), margin


def test_an_unknown_noise_is_equivalent_to_nothing():
    assert not Interval(0.0, math.nan).is_equivalent_to_zero(1.0)


def test_the_deviation_of_a_single_run_counts_as_known():
    # the normal quantile, 1.9600, because the deviation was not estimated from this run
    found = weighted_sum([(1, Number(0.8, 0.01, 1))])
    assert found.half_width == pytest.approx(0.019600, abs=1e-6)
