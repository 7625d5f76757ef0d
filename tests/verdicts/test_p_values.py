"""Decisions on claims against oracles: scipy's tests, enumeration and simulation.

Specification: one-sided tests with Student's t. A statement that all of k inequalities hold is an
intersection-union test, and fails if one inequality is violated at the level divided by k. The
false discovery rate over the claims of a paper is 0.05 (Benjamini and Hochberg).
"""

from __future__ import annotations

from itertools import combinations
from math import inf, isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpfair_cli.verdicts.claims.point_results import (
    StandardError,
    error_of_difference,
    largest_deviation,
    standard_error,
    student_test,
)
from dpfair_cli.verdicts.claims.verdict import (
    ClaimLevels,
    PValues,
    at_least,
    controlled_level,
    every,
    levels_of,
)

p_values = st.floats(0, 1, allow_subnormal=False)
samples = st.lists(st.integers(-50, 50), min_size=3, max_size=8).map(
    lambda values: np.array(values, dtype=float) + 0.5 * np.arange(len(values))
)


@given(samples)
def test_one_sample_agrees_with_the_t_test_of_scipy(values):
    if values.std() == 0:
        return
    found = student_test(values.mean(), standard_error(values))
    above = stats.ttest_1samp(values, 0, alternative="greater").pvalue
    assert isclose(found.holds, above, rel_tol=1e-9, abs_tol=1e-12)
    assert isclose(found.fails, 1 - above, rel_tol=1e-9, abs_tol=1e-12)


@given(samples, samples)
def test_two_samples_agree_with_the_test_of_welch(one, other):
    if one.std() == 0 or other.std() == 0:
        return
    error = error_of_difference(standard_error(one), standard_error(other))
    found = student_test(one.mean() - other.mean(), error)
    welch = stats.ttest_ind(one, other, equal_var=False, alternative="greater")
    assert error.freedom == pytest.approx(welch.df)
    assert found.holds == pytest.approx(welch.pvalue, abs=1e-12)


def test_a_range_is_left_on_either_side():
    """|mean| <= 0 fails with the p-value of the two-sided test."""
    values = np.array([0.1, 0.3, 0.2, 0.4])
    distance = abs(values.mean())
    found = student_test(0 - distance, standard_error(values), opposite=0 + distance)
    assert found.fails == pytest.approx(stats.ttest_1samp(values, 0).pvalue)


def test_without_a_standard_error_the_estimate_is_true():
    exact = StandardError(0.0, inf)
    assert student_test(1e-9, exact) == (0.0, 1.0)
    assert student_test(0.0, exact) == (1.0, 0.0)
    assert student_test(0.1, StandardError(inf, inf)) == (1.0, 1.0)


def test_few_seeds_borrow_the_largest_deviation_with_its_freedom():
    largest = largest_deviation([np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 0.1])])
    assert largest == (pytest.approx(1.2909944), 3)
    one = standard_error(np.array([5.0]), largest)
    assert one == (pytest.approx(1.2909944), 3)
    own = standard_error(np.array([0.0, 9.0]), StandardError(1.0, 7))
    assert own == (pytest.approx(4.5), 1)
    assert standard_error(np.array([5.0])).value == inf


@given(st.lists(st.tuples(p_values, p_values), min_size=1, max_size=6), st.data())
def test_a_partial_conjunction_is_the_worst_of_all_choices_of_true_parts(pairs, data):
    """At least u of k are true unless some k - u + 1 are all false: Bonferroni over these parts.

    Source of the equality: Benjamini and Heller 2008, Section 2.
    """
    parts = [PValues(*pair) for pair in pairs]
    k = len(parts)
    u = data.draw(st.integers(1, k))
    found = at_least(u, parts)
    size = k - u + 1
    global_tests = [
        min(1.0, size * min(part.holds for part in chosen)) for chosen in combinations(parts, size)
    ]
    assert found.holds == pytest.approx(max(global_tests))
    opposite = [min(1.0, u * min(one.fails for one in chosen)) for chosen in combinations(parts, u)]
    assert found.fails == pytest.approx(max(opposite))


def test_all_of_two_hold_at_the_larger_and_fail_at_twice_the_smaller():
    assert every([PValues(0.01, 0.99), PValues(0.04, 0.96)]) == (0.04, 1.0)
    assert every([PValues(0.99, 0.01), PValues(0.04, 0.96)]) == (0.99, 0.02)


def test_at_the_edge_a_wrong_verdict_is_as_rare_as_stated():
    """Ten inequalities at their limits, three seeds each: both verdicts in at most 5 % of 20000.

    Of inequalities that are all at their limits, "fails" is a wrong verdict; "holds" would be wrong
    if one of them were below its limit.
    """
    rng = np.random.default_rng(0)
    t = rng.standard_t(df=2, size=(20_000, 10))
    below, above = stats.t.cdf(t, 2), stats.t.sf(t, 2)
    fails = np.minimum(1, 10 * below.min(axis=1))
    some = np.array(
        [every(list(map(PValues, a, b))) for a, b in zip(above[:200], below[:200], strict=True)]
    )
    assert some[:, 1] == pytest.approx(fails[:200])
    assert some[:, 0] == pytest.approx(above[:200].max(axis=1))
    assert (fails <= 0.05).mean() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 20_000)
    one_false = np.maximum(above[:, 0], stats.t.sf(t[:, 1:] + 50, 2).max(axis=1))
    assert (one_false <= 0.05).mean() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 20_000)


@given(st.lists(p_values, min_size=1, max_size=30))
def test_the_level_rejects_what_scipy_rejects(found):
    level = controlled_level(found)
    adjusted = stats.false_discovery_control(found)
    clear = np.abs(adjusted - 0.05) > 1e-9
    rejected = np.array(found) <= level
    # scipy's adjusted p-values of 0 are rejected at any level, also at the level 0
    assert (rejected[clear] == (adjusted <= 0.05)[clear]).all()


def test_a_claim_counts_once_whatever_its_parts_and_certain_claims_do_not_count():
    parts = [PValues(0.001, 1.0), PValues(0.02, 0.9)]  # holds at 0.02
    others = [[PValues(0.6, 0.4)], [PValues(0.0, 1.0)], [PValues(1.0, 0.001)]]
    # holds: 0.02, 0.6, 1 of three: 0.05 / 3 < 0.02; fails: 0.9, 0.4, 0.001 <= 0.05 / 3
    assert levels_of([parts, *others]) == ClaimLevels(
        pytest.approx(0.05 / 3), pytest.approx(0.05 / 3)
    )
    # 0.02 and 0.03 of two claims, and a certain one
    assert levels_of([parts, [PValues(0.03, 0.97)], [PValues(0.0, 1.0)]]).holds == 0.05


def test_a_verdict_needs_a_p_value_of_at_most_the_level():
    levels = ClaimLevels(holds=0.02, fails=0.01)
    assert levels.verdict(PValues(0.02, 0.98)) == "holds"
    assert levels.verdict(PValues(0.03, 0.97)) == "undecided"
    assert levels.verdict(PValues(0.99, 0.01)) == "fails"
    assert levels.verdict(PValues(0.98, 0.02)) == "undecided"
    assert ClaimLevels(0.0, 0.0).verdict(PValues(0.0, 1.0)) == "holds"
