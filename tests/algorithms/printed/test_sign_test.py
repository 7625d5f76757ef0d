"""The sign test: tail sums of the binomial law by hand."""

from math import comb

import numpy as np
import pytest

from dpfair_cli.algorithms.printed import sign_test
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons, PrintedSide


def fit(differences, **options):
    n = len(differences)
    missing, runs = np.full(n, np.nan), np.ones(n, dtype=np.int64)
    first = PrintedSide(np.zeros(n), missing, runs)
    second = PrintedSide(np.array(differences, dtype=float), missing.copy(), runs.copy())
    names = tuple(map(str, range(n)))
    given = PrintedComparisons(names, names, first, second)
    return sign_test.fit(given, **options, rng=np.random.default_rng(0))


def test_five_losses_of_five_have_the_one_sided_p_value_of_one_in_32():
    assert fit([-1, -2, -3, -4, -5], alternative="less").p[0] == pytest.approx(1 / 32)


def test_sixteen_of_twenty_have_the_sum_of_both_tails():
    expected = 2 * sum(comb(20, k) for k in range(5)) / 2**20
    assert fit([-1] * 16 + [1] * 4).p[0] == pytest.approx(expected)


def test_equal_values_do_not_count_in_the_test():
    found = fit([0, 0, 1, 1], alternative="greater")
    assert found.equivalent.tolist() == [True, True, False, False]
    assert found.p[0] == pytest.approx(1 / 4)


def test_values_that_are_all_equal_have_the_p_value_one():
    assert fit([0, 0]).p.tolist() == [1.0, 1.0]
