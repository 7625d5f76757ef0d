"""Tests of functions of diffprivlib: a histogram protects a record that is added or removed.

If a record is replaced, two bins change, and the same noise costs twice the epsilon.
"""

import pytest
from diffprivlib import tools

from pytest_dpfair import assert_private


def mean(X, epsilon):
    return tools.mean(X, axis=0, epsilon=epsilon, bounds=(0, 1))


def histogram(X, epsilon):
    return tools.histogram(X[:, 0], epsilon=epsilon, bins=5, range=(0, 1))


def test_mean():
    assert_private(mean, epsilon=1.0)


def test_histogram():
    assert_private(histogram, epsilon=1.0, neighbours="add-or-remove-one")


def test_histogram_of_a_fixed_number_of_records():
    with pytest.raises(AssertionError, match="neighbours cost epsilon 2"):
        assert_private(histogram, epsilon=1.0)
