import itertools
import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpfair_cli.addons.forensics.impossible import has_counts, has_multiple, largest_deviation

UNIT = (0.0, 1.0)


def test_one_value_carries_a_small_mean():
    # 0.45 and nine zeros: the squared deviation is (0.45^2 - 0.45^2 / 10) / 9
    assert largest_deviation(0.045, 0.045, 10, UNIT) == pytest.approx(math.sqrt(0.18225 / 9))


def test_half_of_the_values_at_each_bound():
    assert largest_deviation(0.5, 0.5, 4, UNIT) == pytest.approx(math.sqrt(1 / 3))
    assert largest_deviation(0.0, 0.0, 4, (-1.0, 1.0)) == pytest.approx(math.sqrt(4 / 3))


def test_a_whole_sum_inside_the_interval_counts():
    # means of 0.4 to 0.6 of two values include 0 and 1, with deviation sqrt(1/2)
    assert largest_deviation(0.4, 0.6, 2, UNIT) == pytest.approx(math.sqrt(0.5))


def test_values_without_upper_bound():
    assert largest_deviation(0.0, 3.0, 9, (0.0, math.inf)) == 9.0
    assert largest_deviation(0.0, 3.0, 9, (-math.inf, math.inf)) == math.inf


@pytest.mark.parametrize("runs", [2, 3, 4])
def test_the_bound_equals_the_largest_of_all_samples(runs):
    grid = np.linspace(0, 1, 9)
    largest = {}
    for values in itertools.combinations_with_replacement(grid, runs):
        mean = round(sum(values) / runs, 9)
        largest[mean] = max(largest.get(mean, 0.0), statistics.stdev(values))
    for mean, found in largest.items():
        assert largest_deviation(mean, mean, runs, UNIT) == pytest.approx(found, abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.integers(1, 4))
def test_no_sample_exceeds_the_bound(values, digits):
    mean, half = round(statistics.fmean(values), digits), 0.5 * 10.0**-digits
    most = largest_deviation(mean - half - 1e-12, mean + half + 1e-12, len(values), UNIT)
    assert statistics.stdev(values) <= most + 1e-9


def test_multiples_of_a_third():
    assert has_multiple(0.3325, 0.3335, 3)
    assert not has_multiple(0.335, 0.345, 3)
    assert has_multiple(-0.001, 0.001, 3)


def test_two_counts_with_an_odd_sum_differ():
    # the mean 0.25 of two counts of 2 records needs the counts 0 and 1: deviation sqrt(1/8)
    deviation = math.sqrt(1 / 8)
    assert has_counts((0.25, 0.25), (deviation - 1e-9, deviation + 1e-9), 2, 2)
    assert has_counts((0.25, 0.25), (0.25 - 1e-9, 0.25 + 1e-9), 2, 2)  # divided by k
    assert not has_counts((0.25, 0.25), (0.0, 0.2), 2, 2)


def test_counts_with_an_odd_sum_have_an_odd_sum_of_squares():
    # two counts of 10 with the sum 5: 2 and 3 (squares 13), 1 and 4 (17) or 0 and 5 (25), never 14
    for squares, is_possible in ((13, True), (14, False), (17, True), (25, True)):
        std = math.sqrt((squares - 12.5) / 100)
        assert has_counts((0.25, 0.25), (std - 1e-4, std + 1e-4), 2, 10) == is_possible


def test_the_most_equal_counts_have_the_smallest_sum_of_squares():
    # ten counts of 10 with the sum 5 are at least five ones: squares 5, and never 3 > 5^2 / 10
    for squares, is_possible in ((3, False), (5, True)):
        std = math.sqrt((squares - 2.5) / 9) / 10
        assert has_counts((0.05, 0.05), (std - 1e-4, std + 1e-4), 10, 10) == is_possible


@pytest.mark.parametrize(("runs", "records"), [(2, 5), (3, 4), (4, 3)])
@pytest.mark.parametrize("digits", [2, 3])
def test_counts_agree_with_all_samples(runs, records, digits):
    """What some sample has is possible; of the rest, most is told to be impossible."""
    half = 0.5 * 10.0**-digits
    printed = set()
    for counts in itertools.combinations_with_replacement(range(records + 1), runs):
        shares = [count / records for count in counts]
        mean = round(statistics.fmean(shares), digits)
        for deviation in (statistics.stdev(shares), statistics.pstdev(shares)):
            printed.add((mean, round(deviation, digits)))
    impossible, told = 0, 0
    deviations = np.arange(0, 0.72, 10.0**-digits).round(digits)
    for mean, deviation in itertools.product({mean for mean, _ in printed}, deviations):
        edges = (deviation - half - 1e-12, deviation + half + 1e-12)
        possible = has_counts((mean - half, mean + half), edges, runs, records)
        if (mean, float(deviation)) in printed:
            assert possible
        else:
            impossible += 1
            told += not possible
    assert told / impossible > 0.9


@given(
    st.integers(1, 40).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.integers(0, n), min_size=2, max_size=6))
    ),
    st.integers(2, 5),
)
def test_counts_of_a_real_sample_are_possible(sample, digits):
    records, counts = sample
    shares = [count / records for count in counts]
    half = 0.5 * 10.0**-digits + 1e-12
    mean = round(statistics.fmean(shares), digits)
    for deviation in (statistics.stdev(shares), statistics.pstdev(shares)):
        std = round(deviation, digits)
        assert has_counts(
            (mean - half, mean + half), (std - half, std + half), len(counts), records
        )
        assert has_multiple(mean - half, mean + half, records * len(counts))
