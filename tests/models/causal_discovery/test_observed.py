"""Observations from which no graph can be found are refused, and others are not."""

import numpy as np
import pytest

from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery import observed
from dpfair_cli.models.causal_discovery.observed import require_distinct

NAMES = ("a", "b", "c")


def codes(*columns):
    return Observations(np.column_stack(columns), NAMES, (3, 3, 3))


def test_a_copy_with_other_codes_is_refused():
    """Codes 0 and 2 of b, without a code 1, stand for the codes 0 and 1 of a."""
    a = np.array([0, 1, 1, 0, 1, 1])
    with pytest.raises(ValueError, match="'a' and 'b' are copies"):
        require_distinct(codes(a, 2 * a, [0, 1, 2, 0, 0, 0]))


def test_variables_with_equal_frequencies_need_not_be_copies():
    require_distinct(codes([0, 1, 1, 0, 1, 1], [1, 0, 1, 0, 1, 1], [0, 1, 2, 0, 0, 0]))


def numbers(noise, seed=0):
    """Three variables; the third is the sum of the others with noise."""
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(2, 200))
    return Observations(
        np.column_stack([first, second, first + second + noise * rng.normal(size=200)]), NAMES
    )


def test_a_sum_of_other_variables_is_refused():
    with pytest.raises(ValueError, match="one variable is a linear combination"):
        require_distinct(numbers(0.0))


@pytest.mark.parametrize("noise", [1e-9, 1e-5, 1.0])
def test_a_sum_with_any_noise_is_accepted(noise):
    """At noise 1e-9 the smallest eigenvalue is within rounding error; the records then decide."""
    require_distinct(numbers(noise))


def test_the_eigenvalue_that_saves_time_is_far_above_rounding():
    assert 1e3 * 100 * np.finfo(float).eps < observed.CLEARLY_DISTINCT
    assert observed.CLEARLY_DISTINCT > observed.DEPENDENT
