"""Columns in which records differ from the nearest real record, counted one by one."""

import numpy as np
import pytest

from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis.likeness import marginal_differences, nearest_shares
from tests.algorithms.synthesis.made_tables import SIZES, people

REAL = people(40, seed=5)


def differing_columns(made, i, k):
    """Attributes, label and group in which row i of `made` and real row k differ, counted once."""
    start, found = 0, int(made.y[i] != REAL.y[k]) + int(made.protected[i] != REAL.protected[k])
    for size in SIZES.values():
        found += int((made.X[i, start : start + size] != REAL.X[k, start : start + size]).any())
        start += size
    return found


def test_valid_records_differ_in_the_counted_columns():
    made = people(60, seed=9)
    nearest = [
        min(differing_columns(made, i, k) for k in range(len(REAL))) for i in range(len(made))
    ]
    expected = np.bincount(np.minimum(nearest, 3), minlength=4) / len(made)
    np.testing.assert_allclose(nearest_shares(made, REAL), expected)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_record_with_all_levels_or_none_is_no_copy(value):
    X = np.full_like(REAL.X, value)
    made = Records(X, REAL.y, REAL.protected, REAL.domain)
    assert nearest_shares(made, REAL)[0] == 0


def test_a_record_with_one_more_level_differs_in_a_column():
    X = REAL.X.copy()
    X[:, : SIZES["proxy"]] = 1.0
    made = Records(X, REAL.y, REAL.protected, REAL.domain)
    assert nearest_shares(made, REAL)[0] == 0
    assert nearest_shares(made, REAL)[1] == pytest.approx(1)


def test_the_distance_of_marginals_of_valid_records_is_half_the_sum_of_gaps():
    made = people(60, seed=9)
    gaps = np.abs(made.X.mean(axis=0) - REAL.X.mean(axis=0))
    starts = np.cumsum([0, *SIZES.values()])[:-1]
    expected = np.add.reduceat(gaps, starts) / 2
    np.testing.assert_allclose(marginal_differences(made, REAL), expected)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_marginals_of_records_with_all_levels_or_none_are_as_far_away_as_possible(value):
    made = Records(np.full_like(REAL.X, value), REAL.y, REAL.protected, REAL.domain)
    np.testing.assert_allclose(marginal_differences(made, REAL), 1.0)
