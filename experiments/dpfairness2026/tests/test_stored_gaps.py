"""Stored gaps: statistics by hand, sizes of groups by hand and by a search, and exact intervals."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.papers.dpfairness2026.data import dp_fairness_clean, dp_fairness_runs
from dpfair_cli.papers.dpfairness2026.formats.stored_lines import lines
from dpfair_cli.papers.dpfairness2026.methods.stored_gap import MethodGaps, fit
from dpfair_cli.papers.dpfairness2026.models.stored_gaps import METHODS, StoredGaps
from dpfair_cli.papers.dpfairness2026.tasks import gap_digits, seed_statistics

RNG = np.random.default_rng(0)


def gaps(*own, without=None, kind="equalized odds"):
    """The gaps of a method; 0.5 without an intervention; a benefit of 0.2 without privacy."""
    found = np.array(own)
    return MethodGaps(kind, found, np.full(len(own), 0.5) if without is None else without, 0.2, 0.4)


def statistics(*own):
    return seed_statistics.score(gaps(*own), None)


def printed(metric):
    return [float(line["mean"]) for line in lines() if line["metric"] == metric]


def test_the_statistics_of_three_gaps_are_those_by_hand():
    """Gaps 0.3, 0.4, 0.8: mean 0.5, deviation sqrt(0.07); t quantile of 2 degrees 4.30265."""
    found = statistics(0.3, 0.4, 0.8)
    half = 4.30265273 * math.sqrt(0.07 / 3)
    assert found["gap_mean"] == pytest.approx(0.5)
    assert found["gap_std"] == pytest.approx(math.sqrt(0.07))
    assert found["interval_low"] == pytest.approx(0.5 - half)
    assert found["interval_high"] == pytest.approx(0.5 + half)
    assert (found["backfire_rate"], found["lower_share"]) == pytest.approx((1 / 3, 2 / 3))
    assert found["median_change"] == pytest.approx(-0.1)


def test_attenuation_is_the_lost_share_of_the_benefit():
    """Benefits 0.2 and 0 of 0.2 without privacy: half of it is lost."""
    assert statistics(0.3, 0.5)["attenuation"] == pytest.approx(0.5)


def test_the_p_value_of_ten_equal_signs_is_two_in_two_to_the_ten():
    assert statistics(*np.linspace(0.1, 0.4, 10))["wilcoxon_p"] == pytest.approx(2 / 2**10)


def test_no_change_has_no_test_and_no_attenuation():
    found = statistics(0.5, 0.5)
    assert found["backfire_rate"] == found["lower_share"] == 0
    assert all(math.isnan(found[name]) for name in seed_statistics.OF_CHANGES)


def test_a_fit_reads_the_column_of_its_intervention():
    runs = StoredGaps("equalized odds", np.arange(8.0).reshape(2, 4), np.arange(4.0))
    for column, method in enumerate(METHODS):
        found = fit(runs, intervention=method, rng=RNG)
        assert found.gaps.tolist() == [column, column + 4]
        assert found.without.tolist() == [0, 4]
        assert (found.clean_gap, found.clean_without) == (column, 0)


@pytest.mark.parametrize(
    ("gap", "kind", "size"),
    [
        (1 - 7 / 20, "equalized odds", 20),
        (1 - 19 / 36, "equalized odds", 36),
        (1 - 401 / 900, "equalized odds", 900),
        (33 / 148, "equalized odds", math.nan),
        (2000 / 6577 - 1 / 5, "demographic parity", 5),
        (3000 / 6577 - 10 / 94, "demographic parity", 94),
        (3000 / 6577 - 1001 / 4596, "demographic parity", 4596),
        (0.123456789, "demographic parity", math.nan),
    ],
)
def test_a_gap_belongs_to_the_group_whose_share_it_has(gap, kind, size):
    assert gap_digits.size(gap, kind) == pytest.approx(size, nan_ok=True)


def test_one_in_seventeen_shares_of_900_fits_a_smaller_group_by_chance():
    fitting = sum(gap_digits.size(k / 900, "equalized odds") < 900 for k in range(900))
    assert fitting == 20 + 36 - 4  # the quarters fit both
    assert round(900 / fitting) == 17


def test_the_exact_interval_of_one_in_one_is_a_power():
    """The lower end p has p**1 = 0.025, and the upper one is 1."""
    assert gap_digits.exact(1, 1, 0.95) == pytest.approx((0.025, 1))


def test_the_interval_of_a_gap_is_the_sum_of_two_exact_ones():
    """No selected record of 20: the upper end of its rate is 1 - 0.0125**(1/20)."""
    low, high = gap_digits.interval(1.0, 20)
    assert low == pytest.approx(0.0125 - (1 - 0.0125 ** (1 / 20)))
    assert high == pytest.approx(1)


def test_the_scores_of_gaps_count_the_groups():
    found = gap_digits.score(gaps(0.65, 1 - 19 / 36, 499 / 900, 33 / 148), None)
    assert (found["decided_share"], found["small_group_share"]) == (0.75, 0.5)
    assert found["median_size"] == 36


def test_parity_gaps_have_no_exact_interval():
    found = gap_digits.score(gaps(2000 / 6577 - 1 / 5, kind="demographic parity"), None)
    assert found["small_group_share"] == 1
    assert math.isnan(found["exact_low"])


def test_accuracies_are_parts_of_a_fifth_of_the_records():
    assert printed("accuracy")
    for accuracy in printed("accuracy"):
        assert accuracy * 39133 == pytest.approx(round(accuracy * 39133), abs=1e-7)
    assert 5 * 39133 == 195665


def test_the_other_gaps_are_parts_of_low_incomes_less_quarters():
    """Of the gaps that fit no size, two thirds are k/n less quarters, n a number of low incomes."""
    found = printed("equalized_odds_difference")
    others = {gap for gap in found if math.isnan(gap_digits.size(gap, "equalized odds"))}
    quarters = [Fraction(k, 4) for k in range(5)]
    sizes = (94 - 20, 133 - 36, 236 - 100)
    differences = {
        float(abs(Fraction(k, n) - quarter))
        for n, quarter in product(sizes, quarters)
        for k in range(n + 1)
    }
    fitting = [gap for gap in others if min(abs(gap - one) for one in differences) < 1e-12]
    assert len(fitting) >= 2 / 3 * len(others)
    assert len(others) < 0.05 * len(found)


def test_the_data_are_the_lines_of_the_files():
    runs = dp_fairness_runs.load(Path(), learner="XGBoost", gap="demographic parity", epsilon=8.0)
    clean = dp_fairness_clean.load(Path(), learner="XGBoost", gap="demographic parity")
    assert runs.private.shape == (10, 4)
    np.testing.assert_array_equal(clean.private[0], clean.clean)
    np.testing.assert_array_equal(clean.clean, runs.clean)
    stored = printed("demographic_parity_difference")
    assert {*runs.private.ravel(), *clean.clean} <= {*stored}
    assert catalog.data_source("dp_fairness_runs").expected["rows"] == len(runs)
