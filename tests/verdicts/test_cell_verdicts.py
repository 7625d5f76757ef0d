"""Levels: the rule of a cell against an oracle in exact fractions, numbers worked by hand, and what
it lets by.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from math import ceil, nan
from statistics import fmean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpfair_cli.verdicts.cells.comparison import Comparison, Sample
from dpfair_cli.verdicts.cells.verdict import CellVerdict

UNKNOWN = -1  # thousandths that stand for an unknown deviation

always_the_same = settings(deadline=None, derandomize=True)


def thousandths(value: int) -> float:
    return nan if value == UNKNOWN else value / 1000


def comparison(
    mean: float,
    std: float,
    runs: int,
    published: float,
    published_std: float = nan,
    published_runs: int = 10,
    spread: float = nan, *, relative: bool = False,
) -> Comparison:  # fmt: skip
    return Comparison(
        Sample(mean, std, runs),
        Sample(published, published_std, published_runs),
        spread,
        relative=relative,
    )


# in thousandths: our mean, deviation and runs, theirs, the largest deviation that is known
Numbers = tuple[int, int, int, int, int, int, int]
deviations = st.just(UNKNOWN) | st.integers(0, 200)


@st.composite
def cells(draw: st.DrawFn) -> Numbers:
    """Two means, more often near each other than not, with deviations and runs."""
    published = draw(st.integers(1, 1000))
    mean = published + draw(st.integers(-20, 20) | st.integers(-60, 60) | st.integers(-1000, 1000))
    std, runs = (
        draw(st.integers(0, 30) | st.integers(0, 200)),
        draw(st.integers(2, 60) | st.just(1)),
    )
    return mean, std, runs, published, draw(deviations), draw(st.integers(1, 20)), draw(deviations)


def compared(numbers: Numbers, *, relative: bool = False) -> Comparison:
    mean, std, runs, published, published_std, published_runs, spread = numbers
    ours = nan if runs == 1 else std / 1000
    sizes = (
        ours,
        runs,
        published / 1000,
        thousandths(published_std),
        published_runs,
        thousandths(spread),
    )
    return comparison(mean / 1000, *sizes, relative=relative)


def variances(numbers: Numbers) -> tuple[Fraction, Fraction]:
    """That of one run of ours and that of the published mean, of numbers in thousandths."""
    _, std, runs, _, published_std, published_runs, spread = numbers
    largest = [std] if runs >= 3 else [std, spread] if runs == 2 else [spread]
    deviation = max(0, *largest, 0)  # an unknown one counts as 0
    return Fraction(deviation, 1000) ** 2, Fraction(
        max(published_std, 0), 1000
    ) ** 2 / published_runs


def expected(numbers: Numbers, *, relative: bool = False) -> str:
    """The level of the specification, in fractions: two standard errors d exceed x where 4 variance
    > x^2.
    """
    mean, _, runs, published, _, _, spread = numbers
    near, widest = Fraction(2, 100), Fraction(5, 100)
    if relative:
        near, widest = Fraction(published, 1000) / 10, Fraction(published, 1000) / 4
    difference = Fraction(abs(mean - published), 1000)
    ours, theirs = variances(numbers)
    noise_squared = 4 * (ours / runs + theirs)
    if runs == 1:
        beyond = spread != UNKNOWN and difference > near and difference**2 > noise_squared
        return "differs" if beyond else "undecided"
    capped = (
        difference > widest and (difference - widest) ** 2 > 4 * theirs
    )  # beyond the published noise and the cap
    if noise_squared > widest**2 and difference**2 <= noise_squared and not capped:
        return "undecided"
    if difference <= near:
        return "reproduced"
    return "within noise" if difference**2 <= noise_squared and not capped else "differs"


@always_the_same
@given(cells())
def test_a_rate_has_the_level_of_the_rule_in_exact_fractions(numbers: Numbers) -> None:
    assert compared(numbers).verdict == expected(numbers)


@always_the_same
@given(cells())
def test_limits_of_a_score_that_is_not_a_rate_are_relative(
    numbers: Numbers,
) -> None:
    assert compared(numbers, relative=True).verdict == expected(numbers, relative=True)


@always_the_same
@given(cells())
def test_what_passes_is_at_most_five_hundredths_off(numbers: Numbers) -> None:
    found = compared(numbers)
    assert found.verdict.passes == (found.verdict in ("reproduced", "within noise"))
    if found.verdict.passes:
        assert found.difference <= 0.05 + 1e-12
        assert found.difference <= found.largest + 1e-12


@always_the_same
@given(cells(), st.sampled_from([-1, 1]))
def test_a_passing_cell_never_passes_if_shifted_by_fifteen_hundredths(
    numbers: Numbers, sign: int
) -> None:
    found = compared(numbers)
    shifted = replace(
        found, published=replace(found.published, mean=found.published.mean + sign * 0.15)
    )
    assert not (found.verdict.passes and shifted.verdict.passes)


@always_the_same
@given(cells(), st.sampled_from([-1, 1]))
def test_a_reproduced_cell_is_not_if_shifted_by_five_hundredths(
    numbers: Numbers, sign: int
) -> None:
    found = compared(numbers)
    shifted = replace(
        found, published=replace(found.published, mean=found.published.mean + sign * 0.05)
    )
    assert {found.verdict, shifted.verdict} != {CellVerdict.REPRODUCED}


@always_the_same
@given(cells())
def test_one_run_never_passes_and_verdicts_are_symmetric(
    numbers: Numbers,
) -> None:
    """The rule knows no direction: mirrored at 0 it says the same."""
    found = compared(numbers)
    mirrored = replace(
        found,
        ours=replace(found.ours, mean=-found.ours.mean),
        published=replace(found.published, mean=-found.published.mean),
    )
    assert mirrored.verdict == found.verdict
    assert found.ours.runs > 1 or not found.verdict.passes


def test_difference_and_noise_are_those_worked_by_hand() -> None:
    # 2 sqrt(0.03^2 / 9 + 0.04^2 / 16) = 2 sqrt(0.0001 + 0.0001) = 0.0282843
    found = comparison(0.75, 0.03, 9, 0.78, 0.04, 16)
    assert found.difference == pytest.approx(0.03)
    assert found.noise == pytest.approx(0.0282843, abs=1e-7)
    assert found.verdict == "differs"
    assert found.remedy == ""
    # 0.0282843 is also the largest difference that passes; without any noise it is 0.02
    assert found.largest == pytest.approx(0.0282843, abs=1e-7)
    assert comparison(0.75, 0.0, 9, 0.78).largest == pytest.approx(0.02)
    assert comparison(0.75, 0.03, 9, 0.778, 0.04, 16).verdict == "within noise"


@pytest.mark.parametrize(
    ("published", "level"),
    [(0.79, "reproduced"), (0.83, "reproduced"), (0.7899, "differs"), (0.8301, "differs")],
)
def test_two_hundredths_are_near_whatever_their_rounding(published: float, level: str) -> None:
    assert comparison(0.81, 0.0, 10, published).verdict == level


@pytest.mark.parametrize(
    ("std", "published", "level"),
    [
        (
            0.075,
            0.85,
            "within noise",
        ),  # 2 * 0.075 / sqrt(9) = 0.05: not wider than that, and 0.05 off
        (0.0765, 0.80, "undecided"),  # 0.051 is wider, also where the means are equal
        (0.0765, 0.85, "undecided"),
        (0.0765, 0.851, "differs"),  # 0.051 off, beyond what a spread of ours excuses
    ],
)
def test_noise_of_more_than_five_hundredths_passes_nothing(
    std: float, published: float, level: str
) -> None:
    assert comparison(0.8, std, 9, published).verdict == level


def test_a_spread_of_our_own_excuses_at_most_five_hundredths() -> None:
    """One accuracy of 7.5 among ten of 0.8 is a mean of 1.47 with two standard errors of 1.34: it
    differs.
    """
    runs = [0.8] * 9 + [7.5]
    std = stdev(runs)
    assert comparison(fmean(runs), std, 10, 0.8).noise == pytest.approx(1.34)
    assert comparison(fmean(runs), std, 10, 0.8).verdict == "differs"
    assert (
        comparison(0.7, 0.9, 10, 0.8).verdict == "differs"
    )  # also where every score is one that a run can have
    # what the published deviation explains it explains all the same: 2 * 0.3 / sqrt(9) = 0.2, and
    # 0.05
    assert comparison(0.55, 0.9, 10, 0.8, 0.3, 9).verdict == "undecided"
    assert comparison(0.549, 0.9, 10, 0.8, 0.3, 9).verdict == "differs"


def test_an_unknown_published_deviation_counts_as_zero() -> None:
    unknown, none = (comparison(0.8, 0.03, 9, 0.81, deviation) for deviation in (nan, 0.0))
    assert unknown.noise == none.noise == pytest.approx(0.02)
    assert Sample(0.8, nan, 10).variance == 0
    assert Sample(0.8, 0.03, 9).variance == pytest.approx(0.0001)


@pytest.mark.parametrize(
    ("mean", "level"),
    [(110, "reproduced"), (90, "reproduced"), (111, "differs"), (75, "differs"), (4.2, "differs")],
)
def test_a_norm_may_be_a_tenth_off(mean: float, level: str) -> None:
    assert comparison(mean, 0.0, 3, 100.0, relative=True).verdict == level


def test_of_a_norm_noise_up_to_a_quarter_of_the_published_value_is_noise() -> None:
    # 2 * 30 / sqrt(9) = 20 of 100; 2 * 39 / sqrt(9) = 26
    assert comparison(120.0, 30.0, 9, 100.0, relative=True).verdict == "within noise"
    assert comparison(121.0, 30.0, 9, 100.0, relative=True).verdict == "differs"
    assert comparison(101.0, 39.0, 9, 100.0, relative=True).verdict == "undecided"
    assert comparison(100.04, 39.0, 9, 100.0).verdict == "undecided"  # as a rate all the more
    assert comparison(101.0, 39.0, 9, 100.0).verdict == "differs"


@pytest.mark.parametrize(
    ("published", "spread", "level"),
    [
        (0.80, nan, "undecided"),
        (0.30, nan, "undecided"),  # nothing is known of how far seeds lie apart
        (0.80, 0.01, "undecided"),  # one seed reproduces nothing
        (0.82, 0.005, "undecided"),  # 2 * 0.005 = 0.01 is less than 0.02
        (0.825, 0.005, "differs"),
        (0.84, 0.02, "undecided"),  # 2 * 0.02 = 0.04
        (0.845, 0.02, "differs"),
        (0.95, 0.1, "undecided"),
        (0.99, 0.09, "differs"),  # 0.19 of 0.18
    ],
)
def test_one_seed_decides_only_differences_beyond_the_known_spread(
    published: float, spread: float, level: str
) -> None:
    found = comparison(0.8, nan, 1, published, spread=spread)
    assert found.verdict == level
    assert ("one seed" in found.remedy) == (level == "undecided")


def test_two_seeds_use_the_larger_deviation_and_three_their_own() -> None:
    # two standard errors of two runs: 2 s / sqrt(2)
    for own, spread, counts in ((0.01, 0.03, 0.03), (0.03, 0.01, 0.03), (0.02, nan, 0.02)):
        assert comparison(0.8, own, 2, 0.8, spread=spread).noise == pytest.approx(
            2 * counts / 2**0.5
        )
    assert comparison(0.8, 0.01, 3, 0.8, spread=0.5).noise == pytest.approx(0.02 / 3**0.5)


@always_the_same
@given(cells())
def test_an_undecided_cell_says_how_many_seeds_would_decide(numbers: Numbers) -> None:
    """The smallest R with 4 (s^2 / R + v) <= 0.05^2: R >= s^2 / (0.05^2 / 4 - v), if v leaves room.

    Three have a spread of their own, so that nobody who borrows one is asked for more.
    """
    found, (ours, theirs) = compared(numbers), variances(numbers)
    room = Fraction(5, 100) ** 2 / 4 - theirs
    said = re.search(r"(\d[\d,]*) seeds", found.remedy)
    if found.verdict is not CellVerdict.UNDECIDED:
        assert found.remedy == ""
    elif room <= 0:
        assert "published" in found.remedy
        assert not said
    elif numbers[2] == 1:
        assert "one seed" in found.remedy
    else:
        assert said, found.remedy
        borrows = "own" in found.remedy
        assert not borrows or numbers[2] == 2
        assert int(said[1].replace(",", "")) == (3 if borrows else ceil(ours / room))


def test_two_seeds_of_a_stable_method_need_a_third_and_not_thousands() -> None:
    # 16 seeds with a deviation of 0.1; 2 with one of 0.03: 2 * 0.03 / sqrt(2) = 0.042
    assert (
        comparison(0.8, 0.001, 2, 0.8, spread=0.1).remedy
        == "3 seeds would have a spread of their own"
    )
    assert comparison(0.8, 0.1, 2, 0.8, spread=0.001).remedy == "16 seeds would decide"
    assert (
        comparison(0.8, nan, 1, 0.8, spread=0.1).remedy
        == "one seed; 3 seeds would have a spread of their own"
    )
    assert comparison(0.8, nan, 1, 0.8, spread=0.03).remedy == "one seed; 2 seeds would decide"


def test_sixteen_seeds_decide_where_one_has_a_tenth_of_deviation() -> None:
    # 2 * 0.1 / sqrt(16) = 0.05
    found = comparison(0.75, 0.1, 3, 0.75)
    assert found.verdict == "undecided"
    assert "16 seeds" in found.remedy


def test_the_number_of_seeds_that_just_suffices_is_not_lost_to_rounding() -> None:
    # 4 (0.05^2 / 20 + 0.05^2 / 5) = 4 (0.000125 + 0.0005) = 0.0025 = 0.05^2
    assert comparison(0.75, 0.05, 20, 0.75, 0.05, 5).verdict == "reproduced"
    assert "20 seeds" in comparison(0.75, 0.05, 3, 0.75, 0.05, 5).remedy


def test_no_number_of_seeds_makes_up_for_what_the_paper_left_open() -> None:
    # 2 * 0.09 / sqrt(10) = 0.0569 alone
    found = comparison(0.75, 0.001, 1000, 0.75, 0.09, 10)
    assert found.verdict == "undecided"
    assert "published" in found.remedy


def test_a_norm_is_decided_by_the_seeds_that_bring_its_noise_to_a_quarter() -> None:
    # 2 * 50 / sqrt(R) <= 25 from R = 16 on
    assert "16 seeds" in comparison(100.0, 50.0, 4, 100.0, relative=True).remedy
