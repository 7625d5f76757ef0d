"""The rule of the states, on made-up numbers worked by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpfair_cli.addons.referee.numbers import Number
from dpfair_cli.addons.referee.rule import Gap, Path, State, decide_claims, decide_numbers
from tests.referee.made_evidence import FAILS, HOLDS, UNDECIDED

# standard error 0.001 each; t(9) at 97.5 % is 2.2622, so that the interval of a difference of two
# has a half width of 2.1009 * sqrt(2) * 0.001 = 0.0030 with 18 degrees of freedom
STD = 0.001 * math.sqrt(10)


def number(value, std=STD):
    return Number(value, std, 10)


def gap(a, b, *means, counts=()):
    path = Path(tuple(map(number, means)), counts or (True,) * max(len(means) - 1, 0))
    return Gap(number(a), number(b), path if means else Path())


def test_a_gap_is_the_sum_of_steps_and_rests():
    found = gap(0.80, 0.77, 0.81, 0.79, 0.775)
    assert [one.value for one in found.path.steps] == pytest.approx([-0.02, -0.015])
    assert found.explained.value == pytest.approx(-0.035)
    # 0.81 - 0.80 at the first work, and 0.77 - 0.775 at the second
    assert found.rest.value == pytest.approx(0.01 - 0.005)
    assert found.whole.value == pytest.approx(found.explained.value + found.rest.value)
    assert found.share == pytest.approx(0.035 / 0.03)


def test_a_middle_mean_has_no_weight_in_the_sum():
    assert gap(0.80, 0.77, 0.81, 0.79, 0.775).path.weights == [-1, 0, 1]
    assert gap(0.80, 0.77, 0.81, 0.79, 0.775, counts=(False, True)).path.weights == [0, -1, 1]


def test_numbers_within_a_small_noise_are_no_contradiction():
    assert gap(0.800, 0.803).whole.half_width == pytest.approx(0.002971, abs=1e-5)
    assert decide_numbers(gap(0.800, 0.8029)).state is State.NO_CONTRADICTION
    assert decide_numbers(gap(0.800, 0.8031)).state is State.UNDECIDED


def test_numbers_within_a_large_noise_show_nothing():
    # standard errors 0.012: the 90 % interval of a difference has a half width of 0.0294
    wide = Gap(number(0.800, 0.012 * math.sqrt(10)), number(0.803, 0.012 * math.sqrt(10)))
    assert wide.whole.contains_zero
    ruling = decide_numbers(wide)
    assert ruling.state is State.UNDECIDED
    assert "larger than the margin" in ruling.reason


def test_more_noise_never_settles_a_gap():
    # the same means with standard errors from 0.001 to 0.03 each: settled, then in part, then less
    states = []
    for error in (0.001, 0.002, 0.004, 0.008, 0.016, 0.03):
        means = [number(value, error * math.sqrt(10)) for value in (0.80, 0.72, 0.805, 0.73)]
        ruling = decide_numbers(Gap(means[0], means[1], Path((means[2], means[3]), (True,))))
        states.append(ruling.state)
    assert states[0] is State.IN_PART  # the rest -0.005 is certainly not zero
    assert states[1] is State.SETTLED
    assert State.SETTLED not in states[3:]
    assert State.NO_CONTRADICTION not in states


def test_the_margin_decides_how_small_a_rest_must_be():
    # a rest of 0.001 with the standard error 0.002: t(36) at 95 % is 1.688, so 0.0044 in all
    found = gap(0.80, 0.77, 0.80, 0.771)
    assert abs(found.rest.value) == pytest.approx(0.001)
    assert decide_numbers(replace(found, margin=0.0050)).state is State.SETTLED
    ruling = decide_numbers(replace(found, margin=0.0040))
    assert ruling.state is State.IN_PART
    assert "too uncertain" in ruling.reason


def test_unknown_noise_is_undecided():
    one = replace(gap(0.8, 0.7, 0.8, 0.7), a=number(0.8, math.nan))
    ruling = decide_numbers(one)
    assert ruling.state is State.UNDECIDED
    assert "noise" in ruling.reason


def test_a_gap_without_runs_is_undecided():
    assert decide_numbers(gap(0.8, 0.7)).reason == "no runs of ours take the gap apart"


def test_steps_that_give_the_gap_settle_it():
    assert decide_numbers(gap(0.80, 0.77, 0.801, 0.79, 0.772)).state is State.SETTLED


def test_steps_that_give_a_part_settle_a_part():
    ruling = decide_numbers(gap(0.80, 0.76, 0.80, 0.78))
    assert ruling.state is State.IN_PART
    assert "a part" in ruling.reason


def test_steps_that_give_more_than_the_gap_settle_a_part():
    ruling = decide_numbers(gap(0.80, 0.78, 0.80, 0.76))
    assert ruling.state is State.IN_PART
    assert "more" in ruling.reason


def test_steps_of_the_other_sign_settle_nothing():
    assert decide_numbers(gap(0.80, 0.77, 0.80, 0.82)).state is State.UNDECIDED


def test_steps_within_noise_settle_nothing():
    assert decide_numbers(gap(0.80, 0.77, 0.80, 0.798)).state is State.UNDECIDED


def test_wide_noise_does_not_settle_a_gap_of_which_most_is_left():
    path = Path((number(0.80), number(0.78)), (True,))
    wide = Gap(number(0.80), number(0.70, std=0.04), path)
    noisy = Gap(number(0.80), number(0.70, std=0.12), path)
    assert noisy.rest.contains_zero
    assert decide_numbers(noisy).state is State.IN_PART
    assert decide_numbers(wide).state is State.IN_PART


def test_a_setting_that_is_not_published_explains_nothing():
    both = gap(0.80, 0.77, 0.80, 0.78, 0.77)
    assert decide_numbers(both).state is State.SETTLED
    hidden = gap(0.80, 0.77, 0.80, 0.78, 0.77, counts=(False, True))
    assert hidden.explained.value == pytest.approx(-0.01)
    assert decide_numbers(hidden).state is State.IN_PART
    none = gap(0.80, 0.77, 0.80, 0.77, counts=(False,))
    assert decide_numbers(none).state is State.UNDECIDED


def test_other_groups_come_before_every_number():
    ruling = decide_numbers(gap(0.80, 0.80), ["groups"])
    assert ruling.state is State.NOT_ONE
    assert "groups" in ruling.reason


@pytest.mark.parametrize(
    ("verdicts", "state"),
    [
        ([HOLDS, HOLDS], State.NO_CONTRADICTION),
        ([HOLDS, FAILS], State.SETTLED),
        ([FAILS, FAILS], State.SETTLED),
        ([HOLDS, UNDECIDED], State.UNDECIDED),
        ([FAILS, UNDECIDED], State.UNDECIDED),
        ([FAILS], State.SETTLED),
        ([HOLDS], State.NO_CONTRADICTION),
        ([UNDECIDED], State.UNDECIDED),
    ],
)
def test_claims_are_decided_by_their_verdicts(verdicts, state):
    assert decide_claims(verdicts).state is state


def test_claims_about_two_scores_are_not_one_quantity():
    assert decide_claims([HOLDS, FAILS], ["score"]).state is State.NOT_ONE


rates = st.floats(0, 1).map(lambda value: round(value, 4))
noises = st.floats(0.0001, 0.1)
numbers = st.builds(Number, rates, noises, st.integers(2, 50))


@given(numbers, numbers, st.lists(numbers, min_size=2, max_size=4), st.data())
def test_swapping_the_works_mirrors_the_gap(a, b, means, data):
    counts = tuple(data.draw(st.booleans()) for _ in means[1:])
    one = Gap(a, b, Path(tuple(means), counts))
    other = Gap(b, a, Path(tuple(means[::-1]), counts[::-1]))
    for name in ("whole", "explained", "rest"):
        first, second = getattr(one, name), getattr(other, name)
        assert second.value == pytest.approx(-first.value, abs=1e-12)
        assert second.half_width == pytest.approx(first.half_width)
    assert decide_numbers(one) == decide_numbers(other)
