"""Rates by group: the published examples of Wilson's and Newcombe's intervals, SciPy, verdicts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from dpfair_cli.metrics import classification
from dpfair_cli.metrics.group_rates import LEVEL, GroupGap, gaps, rates, wilson


def selected(*groups):
    """Counts (groups, 2, 2) of groups with so many selected of so many records, without labels."""
    counts = np.zeros((len(groups), 2, 2))
    for place, (ones, records) in enumerate(groups):
        counts[place, 0] = records - ones, ones
    return counts


@pytest.mark.parametrize(("ones", "records"), [(0, 5), (3, 40), (20, 20), (157, 400)])
def test_the_interval_of_a_rate_is_that_of_scipy(ones, records):
    low, high = wilson(np.array([float(ones)]), np.array([float(records)]), LEVEL)
    theirs = binomtest(ones, records).proportion_ci(method="wilson")
    assert (low[0], high[0]) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


# Newcombe 1998, Statistics in Medicine 17, Table II, method 10
@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), 0.0, 0.1926),  # of the signed difference, -0.0381
        ((0, 10), (0, 20), 0.0, 0.2775),  # the absolute value of -0.1611 to 0.2775
        ((10, 10), (0, 20), 0.6791, 1.0),
    ],
)
def test_the_interval_of_a_gap_is_the_published_one(first, second, low, high):
    for groups in ((first, second), (second, first)):
        gap = gaps(selected(*groups))["selection rate"]
        assert (gap.low, gap.high) == pytest.approx((low, high), abs=5e-5)


def test_the_values_are_those_of_the_scores():
    counts = np.random.default_rng(0).integers(1, 30, size=(4, 2, 2)).astype(float)
    found = {name: gap.value for name, gap in gaps(counts).items()}
    assert found == pytest.approx(
        {
            "selection rate": classification.demographic_parity_difference(counts),
            "true positive rate": classification.equal_opportunity_difference(counts),
            "false positive rate": classification.false_positive_rate_difference(counts),
            "accuracy": classification.accuracy_difference(counts),
        }
    )
    assert rates(counts)["accuracy"][2].records == counts[2].sum()


def test_the_interval_of_three_groups_allows_for_three_pairs():
    two, three = (selected((30, 100), (50, 100)), selected((30, 100), (50, 100), (40, 100)))
    narrow, wide = (gaps(counts)["selection rate"] for counts in (two, three))
    assert narrow.value == wide.value == pytest.approx(0.2)
    assert wide.low < narrow.low
    assert wide.high > narrow.high


def test_intervals_of_gaps_miss_in_at_most_one_of_twenty_cases():
    rng, missed, tries = np.random.default_rng(1), 0, 2000
    for _ in range(tries):
        ones = rng.binomial([40, 60, 80], [0.3, 0.45, 0.5])
        gap = gaps(selected(*zip(ones, (40, 60, 80), strict=True)))["selection rate"]
        missed += not gap.low <= 0.2 <= gap.high
    assert missed / tries <= LEVEL


def test_what_cannot_be_measured_is_said():
    counts = np.array([[[5.0, 5.0], [0.0, 0.0]], [[2.0, 3.0], [1.0, 4.0]]])
    found = gaps(counts)
    assert found["true positive rate"].verdict == "not measurable"
    assert math.isnan(rates(counts)["true positive rate"][0].value)
    assert found["selection rate"].verdict != "not measurable"
    assert gaps(counts[:1])["accuracy"].verdict == "not measurable"  # a single group


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.0, 0.05, "small"), (0.01, 0.04, "small"), (0.01, 0.2, "a gap"), (0, 0.0501, "undecided")],
)
def test_the_verdict_follows_from_the_interval(low, high, verdict):
    assert GroupGap(low, low, high).verdict == verdict
