"""The equivalence rule of a cell, tested from its text against hand numbers and a precise oracle.

The oracle repeats the formulas of the text in mpmath with 25 digits and shares no code with the
implementation. A probability agrees within 1e-10 absolutely and 1e-7 relatively. A decision is
compared where the probability is farther than 1e-9 from the level, since closer ones are ties.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy import stats

from dpfair_cli.verdicts.cells.comparison import (
    LEVEL,
    MARGIN,
    MOST_SEEDS,
    RELATIVE_MARGIN,
    UNCORRECTED,
    Comparison,
    Decision,
    Levels,
    Sample,
)

mp.dps = 25
NAN = math.nan
TIE = 1e-9
"""How near to its level a probability is a tie, for which no decision is compared."""
FRACTION = 200  # most terms of a continued fraction, which give 22 digits
NO_DIGIT = mpf(10) ** -23


def close(value: object) -> object:
    """The value with the tolerance of this file."""
    return pytest.approx(float(value), rel=1e-7, abs=1e-10)  # type: ignore[arg-type]


# The oracle


class Case(NamedTuple):
    """What is compared, as plain numbers."""

    mean: float
    std: float
    runs: int
    published: float
    published_std: float
    published_runs: int
    spread: float = NAN
    relative: bool = False

    def comparison(self) -> Comparison:
        """The same as the implementation takes it."""
        return Comparison(
            Sample(self.mean, self.std, self.runs),
            Sample(self.published, self.published_std, self.published_runs),
            self.spread,
            self.relative,
        )


class Expected(NamedTuple):
    """What the text says of a case."""

    margin: mpf
    difference: mpf
    standard_error: mpf
    degrees: mpf
    equivalent: mpf
    different: mpf


def upper_tail(x: mpf, degrees: mpf) -> mpf:
    """The probability that Student's t exceeds x; infinite degrees of freedom are the normal."""
    if x < 0:
        return 1 - upper_tail(-x, degrees)
    if mp.isinf(degrees):
        return mp.erfc(x / mp.sqrt(2)) / 2
    share = degrees / (degrees + x * x)
    return beta_tail(degrees / 2, mpf(1) / 2, share, 1 - share) / 2


def beta_tail(a: mpf, b: mpf, x: mpf, rest: mpf) -> mpf:
    """The regularised incomplete beta function of x, which is 1 - rest.

    It is the continued fraction of Abramowitz and Stegun, 26.5.8, by the algorithm of Lentz, until
    a part changes no digit. The series of mpmath does not converge for large a.
    """
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_tail(b, a, rest, x)
    if not x:
        return mpf(0)
    found, above, below = mpf(1), mpf(1), mpf(0)
    for part in parts_of_fraction(a, b, x):
        above, below = 1 + part / above, 1 / (1 + part * below)
        found *= above * below
        if abs(above * below - 1) < NO_DIGIT:
            break
    logarithm = a * mp.log(x) + b * mp.log(rest) - mp.log(a) - mp.log(mp.beta(a, b))
    return mp.exp(logarithm) / found


def parts_of_fraction(a: mpf, b: mpf, x: mpf) -> Iterator[mpf]:
    """Yields the partial numerators of the continued fraction; every denominator is 1."""
    yield -(a + b) * x / (a + 1)
    for m in range(1, FRACTION):
        yield m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        yield -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))


def borrows(case: Case) -> bool:
    """Whether the spread stands for our standard deviation."""
    larger = math.isnan(case.std) or case.spread > case.std
    return case.runs < 3 and not math.isnan(case.spread) and larger


def degrees_of(case: Case, ours: mpf, published: mpf) -> mpf:
    """The degrees of freedom for these two variances of a mean."""
    if borrows(case):
        return mp.inf
    if math.isnan(case.published_std):
        return mpf(case.runs - 1)
    pairs = ((ours, case.runs), (published, case.published_runs))
    bottom = mp.fsum(v * v / (n - 1) for v, n in pairs if n > 1)
    return mp.inf if bottom == 0 else (ours + published) ** 2 / bottom


@lru_cache(maxsize=8)
def expected_of(case: Case) -> Expected:
    """The formulas of the text; a spread of our runs has to be known."""
    std = mpf(case.spread if borrows(case) else case.std)
    assert not mp.isnan(std)
    other = std if math.isnan(case.published_std) else mpf(case.published_std)
    ours, published = std**2 / case.runs, other**2 / case.published_runs
    signed = mp.nint((mpf(case.mean) - mpf(case.published)) * 10**12) / mpf(10) ** 12
    margin = abs(mpf(case.published)) / 10 if case.relative else mpf(2) / 100
    slack = margin - abs(signed)
    if abs(slack) < mpf(10) ** -13:
        slack = mpf(0)
    error, degrees = mp.sqrt(ours + published), degrees_of(case, ours, published)
    if error == 0:
        equivalent, different = (mpf(0), mpf(1)) if slack >= 0 else (mpf(1), mpf(0))
    else:
        equivalent = upper_tail(slack / error, degrees)
        different = upper_tail(-slack / error, degrees) + far_tail(case)
    if case.runs == 1:
        equivalent = mpf(1)
    return Expected(margin, signed, error, degrees, equivalent, different)


def far_tail(case: Case) -> mpf:
    """The probability of a difference that exceeds the margin on the other side."""
    std = mpf(case.spread if borrows(case) else case.std)
    other = std if math.isnan(case.published_std) else mpf(case.published_std)
    ours, published = std**2 / case.runs, other**2 / case.published_runs
    if not ours + published:
        return mpf(0)
    margin = abs(mpf(case.published)) / 10 if case.relative else mpf(2) / 100
    farther = abs(mpf(case.mean) - mpf(case.published)) + margin
    return upper_tail(farther / mp.sqrt(ours + published), degrees_of(case, ours, published))


def expected_verdict(case: Case, rivals: Sequence[float] = (), levels: Levels = UNCORRECTED) -> str:
    """The verdict that the text gives."""
    expected = expected_of(case)
    if expected.equivalent <= levels.equivalent:
        gaps = [abs(mpf(rival) - mpf(case.published)) for rival in rivals]
        near = all(abs(expected.difference) < gap / 2 for gap in gaps)
        return "reproduced" if near else "consistent"
    return "differs" if expected.different <= levels.different else "undecided"


def is_exact_margin(case: Case) -> bool:
    """Whether the case lies at the margin without any noise, which has tests of its own."""
    expected = expected_of(case)
    slack = abs(expected.margin - abs(expected.difference))
    return bool(expected.standard_error == 0 and slack < mpf(10) ** -12)


def is_tied(case: Case, levels: Levels = UNCORRECTED) -> bool:
    """Whether a probability of the case is within the tolerance of its level."""
    expected = expected_of(case)
    pairs = ((expected.equivalent, levels.equivalent), (expected.different, levels.different))
    return expected.standard_error > 0 and any(abs(p - level) < TIE for p, level in pairs)


# Hypothesis: decimals as tables print them


def decimals(low: int, high: int, digits: int) -> st.SearchStrategy[float]:
    """Decimals between two whole numbers of units of the last digit."""
    return st.integers(low, high).map(lambda whole: whole / 10**digits)


@st.composite
def cases(draw: st.DrawFn, least_runs: int = 1) -> Case:
    """Cases in which our spread is known, near enough to the margin to give every verdict."""
    runs = draw(st.integers(least_runs, 12))
    published = draw(decimals(-1000, 1000, 3))
    mean = round(published + draw(decimals(-600, 600, 4)), 4)
    stds = decimals(0, 400, 4)
    return Case(
        mean,
        NAN if runs == 1 else draw(stds),
        runs,
        published,
        draw(st.one_of(st.just(NAN), stds)),
        draw(st.integers(1, 20)),
        draw(stds) if runs == 1 else draw(st.one_of(st.just(NAN), stds)),
        draw(st.booleans()),
    )


# The oracle itself


@pytest.mark.parametrize(
    ("x", "degrees", "tail"),
    [
        (1.0, 1, 0.25),  # 1/2 - atan(1)/pi
        (10.0, 1, 0.5 - math.atan(10) / math.pi),
        (2.0, 2, 0.5 - 2 / (2 * math.sqrt(6))),  # 1/2 - t/(2 sqrt(2 + t^2))
        (2.0150483733, 5, 0.05),  # of the printed table
        (1.6448536270, math.inf, 0.05),
    ],
)
def test_oracle_gives_known_tails(x: float, degrees: float, tail: float) -> None:
    assert float(upper_tail(mpf(x), mpf(degrees))) == pytest.approx(tail, abs=1e-10)
    assert float(upper_tail(mpf(-x), mpf(degrees))) == pytest.approx(1 - tail, abs=1e-10)


@pytest.mark.parametrize("degrees", [1.3, 4, 17.5, 400])
@pytest.mark.parametrize("x", [0.01, 0.8, 2.5, 9])
def test_oracle_agrees_with_scipy(x: float, degrees: float) -> None:
    tail = stats.t.sf(x, degrees)
    assert float(upper_tail(mpf(x), mpf(degrees))) == pytest.approx(tail, rel=1e-9)


# The margin and the difference


def test_constants_are_those_of_the_text() -> None:
    assert (MARGIN, RELATIVE_MARGIN, LEVEL) == (0.02, 0.1, 0.05)
    assert (UNCORRECTED.equivalent, UNCORRECTED.different) == (0.05, 0.05)


@pytest.mark.parametrize("published", [0.0, 0.8, -3.0])
def test_margin_of_a_rate_is_two_points(published: float) -> None:
    assert Case(0.8, 0.01, 5, published, NAN, 5).comparison().margin == 0.02


@pytest.mark.parametrize(("published", "margin"), [(3.0, 0.3), (-3.0, 0.3), (0.0, 0.0)])
def test_relative_margin_is_a_tenth_of_the_published(published: float, margin: float) -> None:
    comparison = Case(1.0, 0.01, 5, published, NAN, 5, relative=True).comparison()
    assert comparison.margin == close(margin)


def test_difference_is_rounded_and_signed_is_ours_less_published() -> None:
    below = Case(0.81, 0.01, 5, 0.83, NAN, 5).comparison()
    above = Case(0.83, 0.01, 5, 0.81, NAN, 5).comparison()
    assert (below.difference, above.difference) == (0.02, 0.02)
    assert (below.signed, above.signed) == (close(-0.02), close(0.02))


# Probabilities worked by hand


def test_two_runs_by_hand() -> None:
    # v = v' = 0.001^2/2, se = 0.001, df = 1; (0.02 - 0.01)/0.001 = 10; 1/2 - atan(10)/pi
    # different on either side: 1/2 + atan(10)/pi and, of (0.01 + 0.02)/0.001, 1/2 - atan(30)/pi
    comparison = Case(0.81, 0.001, 2, 0.80, NAN, 2).comparison()
    assert comparison.standard_error == close(0.001)
    assert comparison.degrees_of_freedom == 1
    assert comparison.p_equivalent == close(0.5 - math.atan(10) / math.pi)
    assert comparison.p_different == close(1 + (math.atan(10) - math.atan(30)) / math.pi)
    assert comparison.half_width == close(0.001 * 6.313751514675)
    assert Decision(comparison).verdict == "reproduced"


def test_three_runs_by_hand() -> None:
    # se^2 = 2 * 0.003^2/3 = 6e-6, df = 2, t^2 = 4e-4/6e-6 = 200/3; 1/2 - t/(2 sqrt(2 + t^2))
    comparison = Case(0.5, 0.003, 3, 0.5, NAN, 3).comparison()
    assert comparison.degrees_of_freedom == 2
    assert comparison.p_equivalent == close(0.5 - math.sqrt((200 / 3) / (206 / 3)) / 2)
    assert comparison.half_width == close(math.sqrt(6e-6) * 2.919985580354)


def test_five_runs_by_hand_stay_undecided() -> None:
    # se^2 = 2 * 1e-4/5 = 4e-5, df = 4, t^2 = 1e-4/4e-5 = 2.5
    # tail of t4: 1/2 - 3/8 * t/sqrt(1 + t^2/4) * (1 - t^2/(12 (1 + t^2/4)))
    comparison = Case(0.80, 0.01, 5, 0.81, NAN, 5).comparison()
    by_hand = 0.5 - 0.375 * math.sqrt(2.5 / 1.625) * (1 - 2.5 / (12 * 1.625))
    assert by_hand == pytest.approx(0.0945, abs=5e-5)
    assert comparison.p_equivalent == close(by_hand)
    assert Decision(comparison).verdict == "undecided"


def test_difference_beyond_the_margin_differs_by_hand() -> None:
    # as for two runs, but 0.03 away: (0.03 - 0.02)/0.001 = 10 and (0.03 + 0.02)/0.001 = 50
    for mean in (0.83, 0.77):
        comparison = Case(mean, 0.001, 2, 0.80, NAN, 2).comparison()
        assert comparison.p_different == close(1 - (math.atan(10) + math.atan(50)) / math.pi)
        assert comparison.p_equivalent == close(0.5 + math.atan(10) / math.pi)
        assert Decision(comparison).verdict == "differs"


def test_difference_at_the_margin_is_even_and_undecided() -> None:
    # se = 0.001 and df = 1 as for two runs; 0.04/0.001 = 40 on the other side
    comparison = Case(0.81, 0.001, 2, 0.83, NAN, 2).comparison()
    assert comparison.p_equivalent == close(0.5)
    assert comparison.p_different == close(1 - math.atan(40) / math.pi)
    assert Decision(comparison).verdict == "undecided"


# The degrees of freedom


@pytest.mark.parametrize(
    ("case", "degrees"),
    [
        # equal variances of the means and 4 runs each: (2v)^2 / (2 v^2/3) = 6
        (Case(0.5, 0.02, 4, 0.5, 0.02, 4), 6.0),
        # a published run with a known std counts as exact: (2v)^2 / (v^2/3) = 12
        (Case(0.5, 0.02, 4, 0.5, 0.01, 1), 12.0),
        # v = 4e-4/4 = 1e-4, v' = 9e-4/9 = 1e-4: (2v)^2 / (v^2/3 + v^2/8) = 4 * 24/11
        (Case(0.5, 0.02, 4, 0.5, 0.03, 9), 96 / 11),
        # v' = 3v: 16 v^2 / (v^2/2 + 9 v^2/2) = 3.2
        (Case(0.5, 0.01, 3, 0.5, 0.01 * math.sqrt(3), 3), 3.2),
        # a published std of zero leaves ours alone
        (Case(0.5, 0.02, 4, 0.5, 0.0, 9), 3.0),
        # our std of zero leaves the published alone
        (Case(0.5, 0.0, 4, 0.5, 0.02, 9), 8.0),
        # our std of zero and an exact published mean leave no estimated variance
        (Case(0.5, 0.0, 4, 0.5, 0.02, 1), math.inf),
        # our std stands for the published one
        (Case(0.5, 0.02, 4, 0.5, NAN, 9), 3.0),
        (Case(0.5, 0.02, 4, 0.5, NAN, 1), 3.0),
        # a borrowed spread is taken as known
        (Case(0.5, 0.02, 2, 0.5, NAN, 9, 0.03), math.inf),
        (Case(0.5, 0.02, 2, 0.5, 0.02, 2, 0.03), math.inf),
        (Case(0.5, NAN, 1, 0.5, 0.02, 2, 0.03), math.inf),
        # it is not borrowed if it is smaller or our runs are three
        (Case(0.5, 0.02, 2, 0.5, NAN, 9, 0.01), 1.0),
        (Case(0.5, 0.02, 2, 0.5, NAN, 9, 0.02), 1.0),
        (Case(0.5, 0.02, 3, 0.5, NAN, 9, 0.03), 2.0),
    ],
)
def test_degrees_of_freedom_by_hand(case: Case, degrees: float) -> None:
    assert float(expected_of(case).degrees) == close(degrees)
    assert case.comparison().degrees_of_freedom == close(degrees)


def test_half_width_of_welch_by_hand() -> None:
    # se = sqrt(2e-4), t of 6 degrees of freedom at 0.95 is 1.943180280515
    comparison = Case(0.5, 0.02, 4, 0.5, 0.02, 4).comparison()
    assert comparison.half_width == close(math.sqrt(2e-4) * 1.943180280515)


# One run and borrowed spreads


def test_one_run_with_a_spread_differs_by_hand() -> None:
    # se^2 = 2 * 0.01^2, (0.06 - 0.02)/se = sqrt(8) and (0.06 + 0.02)/se = sqrt(32),
    # normal tails: erfc(2)/2 and erfc(4)/2
    comparison = Case(0.86, NAN, 1, 0.80, NAN, 1, 0.01).comparison()
    assert comparison.p_different == close((math.erfc(2) + math.erfc(4)) / 2)
    assert comparison.p_equivalent == 1
    assert comparison.half_width == close(1.6448536269515 * math.sqrt(2e-4))
    assert Decision(comparison).verdict == "differs"


def test_one_run_without_any_spread_is_undecided() -> None:
    for mean in (0.5, 0.9):
        comparison = Case(mean, NAN, 1, 0.5, NAN, 1).comparison()
        assert (comparison.p_equivalent, comparison.p_different) == (1, 1)
        assert math.isnan(comparison.half_width)
        assert Decision(comparison).verdict == "undecided"


def test_one_run_is_never_equivalent_even_without_noise() -> None:
    comparison = Case(0.5, NAN, 1, 0.5, NAN, 1, 0.0).comparison()
    assert comparison.standard_error == 0
    assert comparison.p_equivalent == 1
    assert Decision(comparison).verdict == "undecided"


def test_one_run_without_noise_differs_beyond_the_margin() -> None:
    comparison = Case(0.53, NAN, 1, 0.5, NAN, 1, 0.0).comparison()
    assert (comparison.p_equivalent, comparison.p_different) == (1, 0)
    assert Decision(comparison).verdict == "differs"


def test_borrowed_spread_enters_both_variances() -> None:
    # 0.04^2/2 + 0.04^2/8 = 0.001
    comparison = Case(0.5, 0.01, 2, 0.5, NAN, 8, 0.04).comparison()
    assert comparison.standard_error == close(math.sqrt(0.001))


def test_borrowed_spread_leaves_a_known_published_std() -> None:
    # 0.04^2/2 + 0.02^2/4 = 0.0009
    comparison = Case(0.5, 0.01, 2, 0.5, 0.02, 4, 0.04).comparison()
    assert comparison.standard_error == close(0.03)


def test_our_std_stands_for_the_published_with_its_runs() -> None:
    # 0.03^2/3 + 0.03^2/9 = 0.0004
    assert Case(0.5, 0.03, 3, 0.5, NAN, 9).comparison().standard_error == close(0.02)


# No noise at all


@pytest.mark.parametrize(
    ("mean", "published", "verdict"),
    [
        (0.80, 0.80, "reproduced"),
        (0.82, 0.80, "reproduced"),
        (0.81, 0.83, "reproduced"),  # 0.83 - 0.81 is 0.019999999999999907 in binary
        (0.83, 0.81, "reproduced"),
        (0.29, 0.27, "reproduced"),
        (0.07, 0.05, "reproduced"),
        (0.8201, 0.80, "differs"),
        (0.7799, 0.80, "differs"),
    ],
)
def test_margin_itself_is_equivalent_without_noise(
    mean: float, published: float, verdict: str
) -> None:
    comparison = Case(mean, 0.0, 5, published, 0.0, 5).comparison()
    assert Decision(comparison).verdict == verdict
    equivalent = verdict == "reproduced"
    assert comparison.p_equivalent == (0 if equivalent else 1)
    assert comparison.p_different == (1 if equivalent else 0)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("tenths", [9, 11])
def test_relative_margin_itself_is_equivalent_without_noise(sign: int, tenths: int) -> None:
    differing = []
    for hundredths in range(1, 100):
        mean, published = sign * hundredths * tenths / 1000, sign * hundredths / 100
        case = Case(mean, 0.0, 5, published, 0.0, 5, relative=True)
        if Decision(case.comparison()).verdict != "reproduced":
            differing.append((mean, published))
    assert not differing


@given(st.integers(0, 980), st.booleans())
def test_margin_itself_is_equivalent_for_all_thousandths(low: int, above: bool) -> None:
    ends = (low / 1000, (low + 20) / 1000)
    mean, published = ends[::-1] if above else ends
    case = Case(mean, 0.0, 3, published, NAN, 3)
    assert Decision(case.comparison()).verdict == "reproduced"


# Against the oracle


@settings(max_examples=80)
@given(cases())
@example(Case(0.5, 0.0, 2, 0.5, 0.0, 1))
@example(Case(0.52, 0.01, 4, 0.5, 0.0, 1))
def test_every_number_agrees_with_the_oracle(case: Case) -> None:
    assume(not is_exact_margin(case))
    comparison, expected = case.comparison(), expected_of(case)
    assert comparison.margin == close(expected.margin)
    assert comparison.signed == close(expected.difference)
    assert comparison.difference == close(abs(expected.difference))
    assert comparison.standard_error == close(expected.standard_error)
    assert comparison.p_equivalent == close(expected.equivalent)
    assert comparison.p_different == close(expected.different)
    if expected.standard_error > 0:
        assert comparison.degrees_of_freedom == close(expected.degrees)


@settings(max_examples=80)
@given(cases())
def test_half_width_leaves_a_tail_of_five_percent(case: Case) -> None:
    comparison, expected = case.comparison(), expected_of(case)
    if expected.standard_error == 0:
        assert comparison.half_width == 0
        return
    quantile = mpf(comparison.half_width) / expected.standard_error
    rounding = 1e-12 / float(expected.standard_error)
    tail = float(upper_tail(quantile, expected.degrees))
    assert tail == pytest.approx(0.05, abs=1e-9 + rounding)


@settings(max_examples=80)
@given(
    cases(), st.lists(decimals(-1100, 1100, 3), max_size=3), decimals(0, 400, 3),
    decimals(0, 400, 3),
)  # fmt: skip
def test_every_verdict_agrees_with_the_oracle(
    case: Case, rivals: list[float], equivalent: float, different: float
) -> None:
    levels = Levels(equivalent, different)
    assume(not is_tied(case, levels) and not is_exact_margin(case))
    half_gaps = [abs(rival - case.published) / 2 for rival in rivals]
    assume(all(abs(abs(case.mean - case.published) - half) > 1e-9 for half in half_gaps))
    decision = Decision(case.comparison(), rivals, levels)
    assert decision.verdict == expected_verdict(case, rivals, levels)


@settings(max_examples=80)
@given(cases(least_runs=2))
def test_equivalent_iff_the_interval_lies_within_the_margin(case: Case) -> None:
    assume(not is_tied(case))
    comparison = case.comparison()
    assume(comparison.standard_error > 0)
    low = comparison.signed - comparison.half_width
    high = comparison.signed + comparison.half_width
    within = -comparison.margin <= low and high <= comparison.margin
    equivalent = Decision(comparison).verdict in ("reproduced", "consistent")
    assert equivalent == within


@settings(max_examples=80)
@given(cases())
def test_differs_only_if_the_interval_lies_outside_the_margin(case: Case) -> None:
    """Outside, the other tail is at most as large as the nearer one, so that both are below 0.1."""
    assume(not is_tied(case))
    comparison = case.comparison()
    assume(comparison.standard_error > 0)
    outside = comparison.difference - comparison.half_width >= comparison.margin
    assert outside or Decision(comparison).verdict != "differs"
    assert not outside or comparison.p_different <= 2 * LEVEL + TIE


# Properties


@settings(max_examples=80)
@given(cases(least_runs=2))
def test_probabilities_add_up_to_one_and_the_far_tail(case: Case) -> None:
    assume(not is_exact_margin(case))
    comparison = case.comparison()
    assert comparison.p_equivalent + comparison.p_different == close(1 + far_tail(case))


@settings(max_examples=80)
@given(cases())
def test_verdict_is_the_same_above_and_below(case: Case) -> None:
    mirrored = case._replace(mean=-case.mean, published=-case.published)
    assert Decision(mirrored.comparison()).verdict == Decision(case.comparison()).verdict
    assert mirrored.comparison().p_different == case.comparison().p_different


@settings(max_examples=80)
@given(cases(), st.sampled_from([8.0, 64.0]))
def test_relative_probabilities_keep_under_scaling(case: Case, factor: float) -> None:
    case = case._replace(relative=True)
    scaled = case._replace(
        mean=factor * case.mean,
        std=factor * case.std,
        published=factor * case.published,
        published_std=factor * case.published_std,
        spread=factor * case.spread,
    )
    assume(case.comparison().standard_error > 0)
    here, there = case.comparison(), scaled.comparison()
    assert there.p_equivalent == pytest.approx(here.p_equivalent, rel=1e-5, abs=1e-7)
    assert there.p_different == pytest.approx(here.p_different, rel=1e-5, abs=1e-7)


@settings(max_examples=80)
@given(cases(least_runs=3), decimals(0, 900, 3))
def test_spread_does_not_matter_with_three_runs(case: Case, spread: float) -> None:
    without = case._replace(spread=NAN).comparison()
    with_it = case._replace(spread=spread).comparison()
    assert with_it.p_equivalent == without.p_equivalent
    assert with_it.p_different == without.p_different
    assert with_it.half_width == without.half_width


@settings(max_examples=80)
@given(cases(), decimals(0, 200, 4))
def test_nearer_mean_is_never_less_equivalent(case: Case, step: float) -> None:
    sign = 1 if case.mean >= case.published else -1
    nearer = case._replace(mean=case.mean - sign * min(step, abs(case.mean - case.published)))
    assert nearer.comparison().p_equivalent <= case.comparison().p_equivalent + 1e-10


@settings(max_examples=80)
@given(cases(least_runs=3), st.integers(1, 20))
def test_more_runs_decide_more_if_our_std_stands_for_both(case: Case, more: int) -> None:
    """A p-value above one half can rise, but is far from every level."""
    case = case._replace(published_std=NAN)
    fewer, larger = case.comparison(), case._replace(runs=case.runs + more).comparison()
    smallest = min(fewer.p_equivalent, fewer.p_different)
    assume(smallest <= 0.5)
    assert min(larger.p_equivalent, larger.p_different) <= smallest + 1e-10


# Reproduced and consistent


def precise(mean: float, published: float, rivals: Sequence[float]) -> Decision:
    """The decision on a cell that is known almost exactly."""
    return Decision(Case(mean, 1e-5, 5, published, 1e-5, 5).comparison(), rivals)


@pytest.mark.parametrize(
    ("mean", "rivals", "verdict"),
    [
        (0.805, (), "reproduced"),
        (0.805, (0.83,), "reproduced"),  # half of the gap is 0.015
        (0.805, (0.77,), "reproduced"),
        (0.816, (0.83,), "consistent"),
        (0.784, (0.83,), "consistent"),  # the side of the rival does not matter
        (0.816, (0.90, 0.83, 0.10), "consistent"),  # the nearest rival counts
        (0.816, (0.90, 0.10), "reproduced"),
        (0.80, (0.80,), "consistent"),  # nothing is nearer than a gap of zero
        (0.80, (0.801,), "reproduced"),
        (0.83, (0.83,), "differs"),
    ],
)
def test_nearest_rival_parts_reproduced_from_consistent(
    mean: float, rivals: tuple[float, ...], verdict: str
) -> None:
    assert precise(mean, 0.80, rivals).verdict == verdict


def test_gap_is_the_distance_to_the_nearest_rival() -> None:
    decision = precise(0.80, 0.80, (0.90, 0.77, 0.84))
    assert decision.gap == close(0.03)
    assert decision.nearest_rival == 0.77


@given(st.integers(20, 960), st.integers(1, 19), st.booleans(), st.booleans())
def test_half_of_the_gap_itself_is_consistent(
    published: int, difference: int, above: bool, rival_above: bool
) -> None:
    mean = published + (difference if above else -difference)
    rival = published + (2 if rival_above else -2) * difference
    decision = precise(mean / 1000, published / 1000, (rival / 1000,))
    assert decision.verdict == "consistent"


@settings(max_examples=100)
@given(cases(), st.lists(decimals(-1100, 1100, 3), min_size=1, max_size=4))
def test_order_of_rivals_does_not_matter(case: Case, rivals: list[float]) -> None:
    comparison = case.comparison()
    forward, backward = Decision(comparison, rivals), Decision(comparison, rivals[::-1])
    assert (forward.verdict, forward.gap) == (backward.verdict, backward.gap)


@settings(max_examples=100)
@given(cases(), st.lists(decimals(-1100, 1100, 3), min_size=1, max_size=4))
def test_rivals_only_turn_reproduced_into_consistent(case: Case, rivals: list[float]) -> None:
    alone = Decision(case.comparison()).verdict
    among = Decision(case.comparison(), rivals).verdict
    assert among == alone or (alone, among) == ("reproduced", "consistent")


@pytest.mark.parametrize(
    ("levels", "near", "far"),
    [  # by hand, 0.81 against 0.80 is equivalent with 0.0317, and 0.83 different with 0.0381
        (Levels(0.05, 0.05), "reproduced", "differs"),
        (Levels(0.03, 0.05), "undecided", "differs"),
        (Levels(0.05, 0.03), "reproduced", "undecided"),
        (Levels(0.0, 0.0), "undecided", "undecided"),
    ],
)
def test_each_level_rules_its_own_test(levels: Levels, near: str, far: str) -> None:
    verdicts = [
        Decision(Case(mean, 0.001, 2, 0.80, NAN, 2).comparison(), (), levels).verdict
        for mean in (0.81, 0.83)
    ]
    assert verdicts == [near, far]


# The runs that decide


def smallest_p(case: Case, runs: int) -> mpf:
    """The smaller probability of the oracle with so many runs and our std kept."""
    std = case.spread if borrows(case) else case.std
    expected = expected_of(case._replace(std=std, runs=runs, spread=NAN))
    return min(expected.equivalent, expected.different)


def brute_force(case: Case, level: float) -> int | None:
    """The least runs from 2 to MOST_SEEDS that decide, found by trying all of them."""
    std = case.spread if borrows(case) else case.std
    runs = np.arange(2, MOST_SEEDS + 1, dtype=float)
    expected = expected_of(case._replace(std=std, spread=NAN, runs=2))
    ours = std**2 / runs
    if math.isnan(case.published_std):
        published = std**2 / case.published_runs
        degrees = runs - 1
    else:
        published = case.published_std**2 / case.published_runs
        bottom = ours**2 / (runs - 1)
        if case.published_runs > 1:
            bottom = bottom + published**2 / (case.published_runs - 1)
        degrees = (ours + published) ** 2 / bottom
    slack = float(expected.margin - abs(expected.difference))
    error = np.sqrt(ours + published)
    tails = stats.t.sf(abs(slack) / error, degrees)
    if slack < 0:
        tails = tails + stats.t.sf(
            float(expected.margin + abs(expected.difference)) / error, degrees
        )
    decided = np.flatnonzero(tails <= level)
    return int(runs[decided[0]]) if len(decided) else None


@pytest.mark.parametrize(("level", "runs"), [(0.05, 2), (0.039, 2), (0.031, 3), (0.005, 3)])
def test_seeds_to_decide_by_hand(level: float, runs: int) -> None:
    # two runs: 0.5 - atan(10)/pi = 0.0317; three: se^2 = 5e-6/6, t^2 = 120,
    # 0.5 - sqrt(120/122)/2 = 0.0041; the other tail of different adds 0.0064 and 0.0002
    for mean in (0.81, 0.83):
        case = Case(mean, 0.001, 7, 0.80, NAN, 2)
        assert case.comparison().seeds_to_decide(level, level) == runs


def test_seeds_of_each_test_depend_on_its_own_level_only() -> None:
    # three seeds for 0.0041 and 0.0043 as above, two for 0.0317 and 0.0381
    near, far = (Case(mean, 0.001, 7, 0.80, NAN, 2).comparison() for mean in (0.81, 0.83))
    assert (near.seeds_to_decide(0.05, 0.005), near.seeds_to_decide(0.005, 0.05)) == (2, 3)
    assert (far.seeds_to_decide(0.05, 0.005), far.seeds_to_decide(0.005, 0.05)) == (3, 2)


def test_seeds_to_decide_without_noise_are_two() -> None:
    for mean in (0.80, 0.82, 0.9):
        assert Case(mean, 0.0, 5, 0.80, 0.0, 5).comparison().seeds_to_decide(0.05, 0.05) == 2


def test_no_seeds_decide_at_the_margin_itself() -> None:
    assert Case(0.83, 0.01, 5, 0.81, NAN, 5).comparison().seeds_to_decide(0.05, 0.05) is None


def test_no_seeds_decide_without_a_spread() -> None:
    assert Case(0.83, NAN, 1, 0.80, NAN, 5).comparison().seeds_to_decide(0.05, 0.05) is None


def test_no_seeds_decide_if_the_published_mean_is_too_noisy() -> None:
    # the published standard error of 0.1 stays, and the slack is 0.02
    assert Case(0.80, 0.01, 5, 0.80, 0.1, 1).comparison().seeds_to_decide(0.05, 0.05) is None


def test_one_run_needs_seeds_of_the_borrowed_spread() -> None:
    # the spread is then our own std of Student's t: two runs give 0.0317, three 0.0041
    comparison = Case(0.81, NAN, 1, 0.80, NAN, 2, 0.001).comparison()
    assert comparison.seeds_to_decide(0.05, 0.05) == 2
    assert comparison.seeds_to_decide(0.031, 0.031) == 3


def test_two_runs_need_seeds_of_the_borrowed_spread() -> None:
    comparison = Case(0.81, 0.0001, 2, 0.80, NAN, 2, 0.001).comparison()
    assert comparison.seeds_to_decide(0.031, 0.031) == 3


def check_seeds(case: Case, level: float) -> None:
    """The seeds are those of brute force, and the oracle decides there and not just before."""
    runs = case.comparison().seeds_to_decide(level, level)
    assert runs == brute_force(case, level)
    if runs is not None:
        assert smallest_p(case, runs) <= level + TIE
        assert runs == 2 or smallest_p(case, runs - 1) > level - TIE


@pytest.mark.parametrize(
    ("std", "published_std", "published_runs"),
    [
        (0.03, 0.00466, 2),  # 65 to 89 runs decide
        (0.03, 0.00468, 2),  # 73 to 77
        (0.04, 0.00466, 2),  # 110 to 161
        (0.04, 0.00468, 2),  # 119 to 147
        (0.05, 0.00468, 2),  # 180 to 234
        (0.05, 0.00300, 2),  # from 82
        (0.02, 0.00600, 3),  # 22 to 2429
    ],
)
def test_seeds_that_decide_only_in_a_window_are_found(
    std: float, published_std: float, published_runs: int
) -> None:
    # Welch's degrees of freedom fall again once the few published runs outweigh ours
    check_seeds(Case(0.81, std, 5, 0.80, published_std, published_runs), 0.05)


@pytest.mark.parametrize(("wanted", "found"), [(2_000, 2_000), (2_001, None)])
def test_seeds_to_decide_end_at_two_thousand(wanted: int, found: int | None) -> None:
    # an exact published mean and a slack of 0.01: std t / sqrt(wanted) is just below it
    std = (1 - 1e-6) * 0.01 * math.sqrt(wanted) / float(stats.t.ppf(0.95, wanted - 1))
    case = Case(0.81, std, 5, 0.80, 0.0, 5)
    assert smallest_p(case, wanted) < 0.05 < smallest_p(case, wanted - 1)
    assert case.comparison().seeds_to_decide(0.05, 0.05) == found


@settings(max_examples=60)
@given(cases(least_runs=3), st.sampled_from([0.05, 0.01, 0.2]))
def test_seeds_to_decide_agree_with_brute_force(case: Case, level: float) -> None:
    case = case._replace(spread=NAN)
    expected = expected_of(case)
    assume(case.std > 0)
    assume(abs(expected.margin - abs(expected.difference)) > 1e-9)
    check_seeds(case, level)


@settings(max_examples=40)
@given(cases(), st.sampled_from([0.05, 0.01]))
def test_borrowed_seeds_to_decide_agree_with_brute_force(case: Case, level: float) -> None:
    case = case._replace(runs=1, std=NAN, spread=0.0123)
    expected = expected_of(case)
    assume(abs(expected.margin - abs(expected.difference)) > 1e-9)
    check_seeds(case, level)


# Simulations: at a true difference of the margin itself

DRAWS = 2000
BOUND = 0.05 + 4 * math.sqrt(0.05 * 0.95 / DRAWS)
"""5 % and four standard errors of a simulated rate: 0.0695."""


class Truth(NamedTuple):
    """How cells are drawn: our runs and theirs, and what is known of theirs."""

    runs: int
    std: float
    published_runs: int
    published_std: float
    known: str
    """estimated: their std is computed of their runs; exact: theirs is the truth; unknown; spread:
    as unknown, and the true std is a spread that can be borrowed."""


def rates_of(truth: Truth, delta: float = 0.02, seed: int = 20) -> tuple[float, float]:
    """How often the implementation says equivalent and how often it says different."""
    generator = np.random.default_rng(seed)
    counts = np.zeros(2)
    for _ in range(DRAWS):
        ours = generator.normal(0.5 + delta, truth.std, truth.runs)
        theirs = generator.normal(0.5, truth.published_std, truth.published_runs)
        published_std = {
            "estimated": float(np.std(theirs, ddof=1)) if truth.published_runs > 1 else NAN,
            "exact": truth.published_std,
        }.get(truth.known, NAN)
        comparison = Comparison(
            Sample(
                float(ours.mean()),
                float(np.std(ours, ddof=1)) if truth.runs > 1 else NAN,
                truth.runs,
            ),
            Sample(float(theirs.mean()), published_std, truth.published_runs),
            truth.std if truth.known == "spread" else NAN,
        )
        verdict = Decision(comparison).verdict
        counts += (verdict in ("reproduced", "consistent"), verdict == "differs")
    return counts[0] / DRAWS, counts[1] / DRAWS


@pytest.mark.parametrize("runs", [3, 5, 10])
@pytest.mark.parametrize("std", [0.002, 0.01])
def test_false_decisions_are_rare_if_our_std_stands_for_both(runs: int, std: float) -> None:
    equivalent, different = rates_of(Truth(runs, std, runs, std, "unknown"))
    assert equivalent <= BOUND
    assert different <= BOUND


@pytest.mark.parametrize("runs", [3, 5, 10])
@pytest.mark.parametrize("ratio", [0.5, 2.0])
def test_false_decisions_are_rare_if_both_stds_are_known(runs: int, ratio: float) -> None:
    equivalent, different = rates_of(Truth(runs, 0.004, 5, 0.004 * ratio, "estimated"))
    assert equivalent <= BOUND
    assert different <= BOUND


@pytest.mark.parametrize("runs", [3, 5, 10])
def test_false_decisions_are_rare_beside_an_exact_published_run(runs: int) -> None:
    equivalent, different = rates_of(Truth(runs, 0.004, 1, 0.004, "exact"))
    assert equivalent <= BOUND
    assert different <= BOUND


@pytest.mark.parametrize("runs", [1, 2])
def test_false_decisions_are_rare_with_the_true_spread(runs: int) -> None:
    equivalent, different = rates_of(Truth(runs, 0.004, 1, 0.004, "spread"))
    assert equivalent <= (0 if runs == 1 else BOUND)
    assert different <= BOUND


@pytest.mark.parametrize("runs", [1, 3, 5, 10])
def test_false_different_is_rare_if_noise_exceeds_the_margin(runs: int) -> None:
    # a standard error far above 0.02: |d| can exceed the margin on the other side, too
    known = "spread" if runs == 1 else "unknown"
    _, different = rates_of(Truth(runs, 0.3, runs, 0.3, known))
    assert different <= BOUND


@pytest.mark.parametrize("runs", [3, 10])
def test_true_decisions_are_common_with_little_noise(runs: int) -> None:
    assert rates_of(Truth(runs, 0.002, runs, 0.002, "unknown"), delta=0.0)[0] > 0.95
    assert rates_of(Truth(runs, 0.002, runs, 0.002, "unknown"), delta=0.04)[1] > 0.95
