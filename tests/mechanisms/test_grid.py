"""Rounding to a grid, against exact fractions."""

from fractions import Fraction
from math import floor, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpfair_cli.mechanisms.discrete import FARTHEST, MOST_UNITS, UNIT
from dpfair_cli.mechanisms.noise import LARGEST, SMALLEST, Grid

SCALES = [SMALLEST, 1e-200, 0.37, 1.0, 2.0, 3e9, 1e200, LARGEST]
any_size = st.builds(lambda m, e: m * 2.0**e, st.floats(-1, 1), st.integers(-80, 80))


@pytest.mark.parametrize("scale", SCALES)
def test_the_step_is_a_power_of_two_from_the_scale_alone(scale):
    grid = Grid.for_scale(scale)
    assert log2(grid.step) == floor(log2(scale)) - 41
    assert MOST_UNITS / 4 <= scale / (UNIT * grid.step) < MOST_UNITS / 2


@pytest.mark.parametrize("scale", [0.0, 1e-300, 1e300, np.inf, np.nan, -1.0])
def test_a_scale_at_which_doubles_lose_digits_is_refused_in_one_line(scale):
    with pytest.raises(
        ValueError, match=r"^the scale of secure noise must be from 1e-271 to 8e\+270, got .*$"
    ):
        Grid.for_scale(scale)


@pytest.mark.parametrize("scale", SCALES)
def test_noise_is_of_the_scale_or_of_less_than_a_unit_more(scale):
    grid = Grid.for_scale(scale)
    for asked in (scale, 1.2345 * scale):
        unit = Fraction(UNIT) * Fraction(grid.step)
        assert 0 <= grid.units(asked) * unit - Fraction(asked) < unit
        assert unit <= Fraction(scale) / 2**15


def test_a_scale_that_outgrows_its_grid_is_refused_in_one_line():
    assert Grid.for_scale(1.0).units(2.0) <= MOST_UNITS
    for scale in (4.1, np.inf, np.nan):
        with pytest.raises(
            ValueError,
            match=r"^secure noise for this release would be more than twice as large.*$",
        ):
            Grid.for_scale(1.0).units(scale)


@given(values=st.lists(any_size, min_size=1), exponent=st.integers(-40, 40))
def test_values_go_to_the_nearest_multiple_of_the_step(values, exponent):
    grid = Grid.for_scale(2.0**exponent)
    step = Fraction(grid.step)
    for value, found in zip(values, grid.nearest(np.array(values)), strict=True):
        steps = Fraction(float(found)) / step
        assert steps.denominator == 1
        assert steps == round(Fraction(value) / step)  # half-way to the even one, by both


@given(one=any_size, other=any_size, exponent=st.integers(-40, 40))
def test_rounding_moves_neighbours_apart_by_at_most_a_step(one, other, exponent):
    grid = Grid.for_scale(2.0**exponent)
    found = [Fraction(float(value)) for value in grid.nearest(np.array([one, other]))]
    assert abs(found[0] - found[1]) <= abs(Fraction(one) - Fraction(other)) + Fraction(grid.step)
    assert np.ptp(grid.nearest(np.array([one, one]))) == 0


@given(value=any_size, steps=st.integers(1 - FARTHEST, FARTHEST - 1), exponent=st.integers(-40, 40))
def test_the_sum_with_noise_is_the_double_next_to_the_exact_sum(value, steps, exponent):
    grid = Grid.for_scale(2.0**exponent)
    rounded = grid.nearest(np.array([value]))
    found = float((rounded + np.array([steps]) * grid.step)[0])
    exact = Fraction(float(rounded[0])) + steps * Fraction(grid.step)
    assert (
        found == exact.numerator / exact.denominator
    )  # of whole numbers Python divides with one rounding


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused(value):
    with pytest.raises(ValueError, match="must be finite"):
        Grid.for_scale(1.0).nearest(np.array([0.0, value]))


def test_the_largest_values_stay_as_they_are():
    values = np.array([1.7e308, -1e300, 2.0**60 + 2.0**9, 0.0, -0.0])
    np.testing.assert_array_equal(Grid.for_scale(1.0).nearest(values), values)
