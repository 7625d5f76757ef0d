"""Predicates of claims: estimates and standard errors worked by hand, and what a point says against
an oracle.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, nan, sqrt
from statistics import NormalDist, mean, stdev
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpfair_cli.verdicts.claims.claim import parse_claims
from dpfair_cli.verdicts.claims.point_results import PointResult, standard_error
from tests.verdicts.toy_paper import EPSILONS, claim, claimed

AXES = ("epsilon",)
Runs = list[dict[str, Any]]

always_the_same = settings(deadline=None, derandomize=True)


def sample(
    method: str, scores: Sequence[float], epsilon: float = 1.0, seeds: Sequence[int] = ()
) -> Runs:
    """One run for each score, with the seeds 0, 1, ... if none are given."""
    fixed = {"dataset": "adult", "method": method, "algorithm": "pflr", "epsilon": epsilon}
    return [
        fixed | {"seed": seed, "accuracy": score}
        for seed, score in zip(seeds or range(len(scores)), scores, strict=True)
    ]


def curve(method: str, *scores: Sequence[float], epsilons: Sequence[float] = EPSILONS) -> Runs:
    """The scores of each seed, at all epsilons."""
    return [
        run for epsilon, at_once in zip(epsilons, zip(*scores, strict=True), strict=True)
        for run in sample(method, at_once, epsilon)
    ]  # fmt: skip


def points(predicate: dict[str, Any], *rows: Runs) -> list[PointResult]:
    """What the predicate finds at each point."""
    (part,) = parse_claims([claim({"metric": "accuracy", **predicate})])
    runs = pd.DataFrame([run for part in rows for run in part])
    return part.holds[0].decide(runs, AXES)


def point(predicate: dict[str, Any], *rows: Runs) -> PointResult:
    (only,) = points(predicate, *rows)
    return only


def decided(predicate: dict[str, Any], *rows: Runs) -> str:
    """The verdict of a claim with this predicate alone."""
    table = pd.DataFrame([run for part in rows for run in part])
    return claimed({"metric": "accuracy", **predicate}, rows=table)[0]


def expected(slack: float, error: float, points: int) -> str:
    """The verdict of the specification, of a slack and an error that are far enough from its limits
    for rounding.
    """
    if error == inf:
        return "undecided"
    if slack > 2 * error:
        return "holds"
    z = max(2.0, NormalDist().inv_cdf(1 - 0.05 / points / 2))
    return "fails" if slack <= 0 and slack <= -z * error else "undecided"


slacks = st.integers(-400, 400).map(
    lambda k: k / 1000 + 0.00037
)  # never at a limit of an error in hundredths
errors = st.integers(0, 20).map(lambda k: k / 100) | st.just(inf)


@always_the_same
@given(slacks, errors, st.integers(1, 1000))
def test_a_point_says_what_the_rule_says(slack: float, error: float, among: int) -> None:
    assert PointResult("...", slack, error).verdict(among) == expected(slack, error, among)


def test_the_bonferroni_quantiles_are_those_of_a_table() -> None:
    # 1.96 (so that 2 counts), 2.2414, 2.3940, 2.8070 for 1, 2, 3, 10 points
    for among, z in ((1, 2.0), (2, 2.2414), (3, 2.3940), (10, 2.8070)):
        assert PointResult("...", -z - 0.001, 1.0).verdict(among) == "fails"
        assert PointResult("...", -z + 0.001, 1.0).verdict(among) == "undecided"
        assert PointResult("...", 1.999, 1.0).verdict(among) == "undecided"
        assert (
            PointResult("...", 2.001, 1.0).verdict(among) == "holds"
        )  # to hold needs no more of several


def test_what_does_not_vary_holds_or_fails() -> None:
    assert PointResult("...", 1e-9, 0.0).verdict() == "holds"
    assert PointResult("...", 0.0, 0.0).verdict() == "fails"
    assert PointResult("...", -1e-9, 0.0).verdict(1000) == "fails"
    assert PointResult("...", 0.0, 0.01).verdict() == "undecided"


def test_a_standard_error_of_few_seeds_takes_the_largest_deviation() -> None:
    assert standard_error(np.array([0.5, 0.6, 0.7])) == pytest.approx(0.1 / sqrt(3))
    assert standard_error(np.array([0.5, 0.6, 0.7]), 0.9) == pytest.approx(
        0.1 / sqrt(3)
    )  # three: their own
    assert standard_error(np.array([0.5, 0.5]), 0.1) == pytest.approx(0.1 / sqrt(2))
    assert standard_error(np.array([0.5]), 0.1) == pytest.approx(0.1)
    assert standard_error(np.array([0.5]), nan) == inf


# compare: differences -0.2, 0.0, 0.2 of each side cancel seed by seed
WIDE = (0.5, 0.7, 0.9)
ABOVE = {"compare": ["PFLR*", ">", "PFLR"]}


def test_the_same_seeds_are_compared_seed_by_seed() -> None:
    # differences 0.01, 0.02, 0.03: mean 0.02, error 0.01 / sqrt(3) = 0.00577, although each side
    # has a deviation of 0.2
    better = [score + more for score, more in zip(WIDE, (0.01, 0.02, 0.03), strict=True)]
    found = point(ABOVE, sample("PFLR*", better), sample("PFLR", WIDE))
    assert found.slack == pytest.approx(0.02)
    assert found.error == pytest.approx(0.0057735, abs=1e-7)
    assert decided(ABOVE, sample("PFLR*", better), sample("PFLR", WIDE)) == "holds"
    assert (
        decided({"compare": ["PFLR*", "<", "PFLR"]}, sample("PFLR*", better), sample("PFLR", WIDE))
        == "fails"
    )


def test_other_seeds_are_two_samples() -> None:
    # 0.01 / sqrt(3) and 0.02 / sqrt(4): sqrt(0.0001 / 3 + 0.0004 / 4) = 0.0115470
    ours = sample("PFLR*", (0.74, 0.75, 0.76))
    apart = 0.02 * sqrt(3) / 2  # 0, 0, 2 a, 2 a has the deviation a 2 / sqrt(3)
    theirs = sample(
        "PFLR", (0.7 - apart, 0.7 - apart, 0.7 + apart, 0.7 + apart), seeds=(10, 11, 12, 13)
    )
    found = point(ABOVE, ours, theirs)
    assert found.slack == pytest.approx(0.05)
    assert found.error == pytest.approx(0.0115470, abs=1e-7)


def test_seeds_of_another_order_are_the_same_seeds() -> None:
    better = [score + 0.01 for score in WIDE]
    shuffled = sample("PFLR", WIDE[::-1], seeds=(2, 1, 0))
    assert point(ABOVE, sample("PFLR*", better), shuffled).error == pytest.approx(0, abs=1e-12)


@always_the_same
@given(
    st.lists(st.integers(0, 1000), min_size=3, max_size=8),
    st.lists(st.integers(0, 1000), min_size=8, max_size=8),
)
def test_an_estimate_and_its_error_are_those_of_the_differences(
    ours: list[int], theirs: list[int]
) -> None:
    differences = [(one - other) / 1000 for one, other in zip(ours, theirs, strict=False)]
    rows = (
        sample("PFLR*", [k / 1000 for k in ours]),
        sample("PFLR", [k / 1000 for k in theirs[: len(ours)]]),
    )
    found = point(ABOVE, *rows)
    assert found.slack == pytest.approx(mean(differences), abs=1e-9)
    assert found.error == pytest.approx(stdev(differences) / sqrt(len(differences)), abs=1e-9)


@pytest.mark.parametrize(
    ("relation", "right", "slack"),
    [
        (">", 0.70, 0.05),
        ("<", 0.70, -0.05),
        (">=", 0.70, 0.05 + 0.01),
        ("<=", 0.70, -0.05 + 0.01),
        ("~", 0.70, 0.01 - 0.05),
        ("~", 0.745, 0.01 - 0.005),
        (">", 0.76, -0.01),
        ("<=", 0.76, 0.01 + 0.01),
    ],
)
def test_the_slack_is_how_far_an_estimate_lies_on_the_asked_side(
    relation: str, right: float, slack: float
) -> None:
    """A margin of 0.01 makes > and < stricter, and >=, <= and ~ weaker by that."""
    margin = 0.01 if relation in (">=", "<=", "~") else 0.0
    found = point(
        {"compare": ["PFLR*", relation, right], "margin": margin},
        sample("PFLR*", (0.74, 0.75, 0.76)),
    )
    assert found.slack == pytest.approx(slack)
    assert found.error == pytest.approx(0.01 / sqrt(3))
    stricter = point(
        {"compare": ["PFLR*", ">", 0.7], "margin": 0.02}, sample("PFLR*", (0.74, 0.75, 0.76))
    )
    assert stricter.slack == pytest.approx(0.03)


@pytest.mark.parametrize(
    ("relation", "right", "verdict"),
    [
        # 0.74, 0.75, 0.76: two standard errors are 0.01155
        (">", 0.738, "holds"),
        (">", 0.739, "undecided"),
        (">", 0.761, "undecided"),
        (">", 0.762, "fails"),
        ("<", 0.762, "holds"),
        ("<=", 0.75, "undecided"),
    ],
)
def test_a_mean_within_two_standard_errors_of_a_number_is_undecided(
    relation: str, right: float, verdict: str
) -> None:
    assert (
        decided({"compare": ["PFLR*", relation, right]}, sample("PFLR*", (0.74, 0.75, 0.76)))
        == verdict
    )


def test_near_is_certain_only_inside_of_the_margin_by_two_standard_errors() -> None:
    # |0.75 - 0.76| = 0.01 of 0.03, less 0.01155; of 0.02 it is undecided; 0.75 - 0.80 of 0.03 fails
    rows = sample("PFLR*", (0.74, 0.75, 0.76))
    verdicts = [
        decided({"compare": ["PFLR*", "~", right], "margin": margin}, rows)
        for right, margin in ((0.76, 0.03), (0.76, 0.02), (0.80, 0.03))
    ]
    assert verdicts == ["holds", "undecided", "fails"]


def test_of_several_points_one_must_fail_by_more() -> None:
    # at one point 0.014 of an error of 0.00577 fails (2.42 errors); as one of 10 it would need 2.81
    low = (0.74, 0.75, 0.76)
    asked = {"compare": ["PFLR*", ">", 0.764]}
    assert decided(asked, sample("PFLR*", low)) == "fails"
    many = [sample("PFLR*", [score + 0.2 for score in low], epsilon) for epsilon in range(2, 11)]
    assert decided(asked, sample("PFLR*", low), *many) == "undecided"
    assert (
        decided({"compare": ["PFLR*", ">", 0.767]}, sample("PFLR*", low), *many) == "fails"
    )  # 2.94 errors


def test_fewer_than_three_seeds_use_the_largest_deviation_of_any_point() -> None:
    # one seed at epsilon 1; at 10 a deviation of 0.01, at 0.1 of 0.03
    rows = (
        sample("PFLR*", (0.75,), 1),
        sample("PFLR*", (0.84, 0.85, 0.86), 10),
        sample("PFLR*", (0.82, 0.85, 0.88), 0.1),
    )
    found = points({"compare": ["PFLR*", ">", 0.7]}, *rows)
    errors = sorted(point.error for point in found)
    assert errors == pytest.approx([0.01 / sqrt(3), 0.03 / sqrt(3), 0.03])
    assert decided({"compare": ["PFLR*", ">", 0.68]}, *rows) == "holds"  # 0.07 of 0.06
    assert decided({"compare": ["PFLR*", ">", 0.70]}, *rows) == "undecided"  # 0.05


def test_two_seeds_take_the_largest_deviation_too() -> None:
    rows = (sample("PFLR*", (0.75, 0.75), 1), sample("PFLR*", (0.82, 0.85, 0.88), 10))
    found = points({"compare": ["PFLR*", ">", 0.7]}, *rows)
    assert max(point.error for point in found) == pytest.approx(0.03 / sqrt(2))


@pytest.mark.parametrize(("one", "many"), [("PFLR*", "PFLR"), ("PFLR", "PFLR*")])
def test_the_largest_deviation_may_be_that_of_either_side(one: str, many: str) -> None:
    """One seed of the one, three of the other with 0.01: sqrt(0.01^2 + 0.01^2 / 3) = 0.0115."""
    scores = {"PFLR*": 0.9, "PFLR": 0.1}
    rows = (
        sample(one, (scores[one],)),
        sample(many, [scores[many] + side for side in (-0.01, 0.0, 0.01)]),
    )
    assert point(ABOVE, *rows).error == pytest.approx(0.0115470, abs=1e-7)
    assert decided(ABOVE, *rows) == "holds"


def test_one_seed_where_no_deviation_was_seen_decides_nothing() -> None:
    assert decided({"compare": ["PFLR*", ">", 0.1]}, sample("PFLR*", (0.75,))) == "undecided"
    assert decided({"compare": ["PFLR*", ">", 0.9]}, sample("PFLR*", (0.75,))) == "undecided"
    assert decided(ABOVE, sample("PFLR*", (0.9,)), sample("PFLR", (0.1,))) == "undecided"


def test_the_right_side_is_multiplied_seed_by_seed() -> None:
    # 0.06, 0.08, 0.1 are a tenth of theirs and 0.01 more than ours, at every seed
    ours, theirs = sample("PFLR*", (0.05, 0.07, 0.09)), sample("PFLR", (0.6, 0.8, 1.0))
    found = point({"compare": ["PFLR*", "<", "PFLR"], "times": 0.1}, ours, theirs)
    assert (found.slack, found.error) == pytest.approx((0.01, 0), abs=1e-7)


# trend: the line through the scores over the places 0, 1, 2, ... of the axis
def rises(method: str = "PFLR") -> dict[str, Any]:
    return {"trend": {"of": method, "along": "epsilon", "direction": "rises"}}


def falls(method: str = "PFLR") -> dict[str, Any]:
    return {"trend": {"of": method, "along": "epsilon", "direction": "falls"}}


def test_the_rise_of_a_trend_is_that_of_the_line_over_places() -> None:
    # 0, 0.1, 0.2, 0.5: slope (-1.5 * 0 - 0.5 * 0.1 + 0.5 * 0.2 + 1.5 * 0.5) / 5 = 0.16 a place,
    # 0.48 over three
    once = (0.0, 0.1, 0.2, 0.5)
    rows = curve("PFLR", once, once, once, epsilons=(0.1, 1, 10, 100))
    assert point(rises(), rows).slack == pytest.approx(0.48)
    assert point(falls(), rows).slack == pytest.approx(-0.48)
    assert point(rises(), rows).error == pytest.approx(0, abs=1e-12)


def test_a_trend_is_over_places_and_not_over_the_values_of_the_axis() -> None:
    # 0.50, 0.90, 0.52 rises by 0.02 over three places; over 0.1, 1, 10 its line would fall
    assert decided(rises(), curve("PFLR", *[(0.50, 0.90, 0.52)] * 3)) == "holds"


def test_the_rows_need_not_be_in_order() -> None:
    rows = curve("PFLR", *[(0.1, 0.2, 0.3, 0.4)] * 3, epsilons=(0.1, 1, 10, 100))
    assert point(rises(), rows[::-1]).slack == pytest.approx(0.3)


def test_the_error_of_a_trend_is_that_of_the_rises_of_the_seeds() -> None:
    # rises 0.1, 0.2, 0.3, although the seeds are at quite different heights: 0.2 with 0.1 / sqrt(3)
    # = 0.0577
    rows = curve("PFLR", (0.0, 0.05, 0.1), (0.5, 0.6, 0.7), (0.2, 0.35, 0.5))
    found = point(rises(), rows)
    assert (found.slack, found.error) == pytest.approx((0.2, 0.0577350), abs=1e-7)
    assert decided(rises(), rows) == "holds"
    assert decided(falls(), rows) == "fails"
    # 0, 0.1, 0.2: 0.1 of 0.1155
    flat = curve("PFLR", (0.0, 0.05, 0.0), (0.5, 0.6, 0.6), (0.2, 0.35, 0.4))
    assert decided(rises(), flat) == decided(falls(), flat) == "undecided"


def test_a_trend_of_two_methods_has_a_point_for_each() -> None:
    rows = (curve("PFLR", *[(0.1, 0.2, 0.3)] * 3), curve("PFLR*", *[(0.3, 0.2, 0.1)] * 3))
    asked = {"trend": {"of": ["PFLR", "PFLR*"], "along": "epsilon", "direction": "rises"}}
    assert sorted(found.slack for found in points(asked, *rows)) == pytest.approx([-0.2, 0.2])
    assert decided(asked, *rows) == "fails"
    assert decided({**asked, "over": "some"}, *rows) == "holds"


def test_a_trend_of_two_seeds_takes_the_largest_deviation_of_any_curve() -> None:
    """Rises 0.1 and 0.1 of the one, and 0, 0.2, 0.4 of the other: 0.2 / sqrt(2) is the error of the
    first.
    """
    two = curve("PFLR", (0.0, 0.05, 0.1), (0.5, 0.55, 0.6))
    three = curve("PFLR*", (0.3, 0.3, 0.3), (0.3, 0.4, 0.5), (0.3, 0.5, 0.7))
    asked = {"trend": {"of": ["PFLR", "PFLR*"], "along": "epsilon", "direction": "rises"}}
    assert sorted(found.error for found in points(asked, two, three)) == pytest.approx(
        [0.2 / sqrt(3), 0.2 / sqrt(2)]
    )
    assert decided({**asked, "over": "some"}, two, three) == "undecided"


def test_a_trend_of_one_seed_alone_is_undecided() -> None:
    assert decided(rises(), curve("PFLR", (0.1, 0.5, 0.9))) == "undecided"


# slope: of log score against log x, for each seed
def power(*exponents: float) -> Runs:
    return curve(
        "PFLR", *[[0.1 * epsilon**exponent for epsilon in EPSILONS] for exponent in exponents]
    )


def slope(near: float, within: float) -> dict[str, Any]:
    return {"slope": {"of": "PFLR", "along": "epsilon", "near": near, "within": within}}


def test_the_slope_is_the_mean_of_those_of_the_seeds_with_their_error() -> None:
    # -0.9, -1.0, -1.1: mean -1, error 0.1 / sqrt(3) = 0.0577
    found = point(slope(-1.2, 0.25), power(-0.9, -1.0, -1.1))
    assert (found.slack, found.error) == pytest.approx((0.05, 0.0577350), abs=1e-7)


@pytest.mark.parametrize(
    ("near", "within", "verdict"),
    [
        (-1, 0.25, "holds"),
        (-1, 0.1, "undecided"),  # 0.1 of 0.1155
        (-1.2, 0.1, "undecided"),  # -0.1
        (-1.5, 0.3, "fails"),  # -0.2
        (1, 0.25, "fails"),
    ],
)
def test_a_slope_is_certain_only_by_two_standard_errors(
    near: float, within: float, verdict: str
) -> None:
    assert decided(slope(near, within), power(-0.9, -1.0, -1.1)) == verdict


def test_a_slope_is_that_of_the_least_squares_line_on_log_axes() -> None:
    # log10 x = -1, 0, 1 and log10 y = -1, -0.5, -0.4: (-0.4 + 1) / 2 = 0.3
    scores = [0.1, 10**-0.5, 10**-0.4]
    assert point(slope(0.3, 0.1), curve("PFLR", scores, scores, scores)).slack == pytest.approx(0.1)
    uneven = [(log(x), log(y)) for x, y in zip((1, 2, 10), (0.1, 0.3, 0.4), strict=True)]
    centre = mean(x for x, _ in uneven)
    steep = sum((x - centre) * y for x, y in uneven) / sum((x - centre) ** 2 for x, _ in uneven)
    rows = curve("PFLR", *[(0.1, 0.3, 0.4)] * 3, epsilons=(1, 2, 10))
    assert point(slope(steep, 0.1), rows).slack == pytest.approx(0.1)


def test_a_slope_of_one_seed_takes_the_largest_deviation_of_any_curve() -> None:
    """Slopes -0.9, -1.0, -1.1 of the other: 0.1."""
    other = [{**run, "method": "PFLR*"} for run in power(-0.9, -1.0, -1.1)]
    asked = {"slope": {"of": ["PFLR", "PFLR*"], "along": "epsilon", "near": -1, "within": 0.25}}
    assert sorted(found.error for found in points(asked, power(-1.0), other)) == pytest.approx(
        [0.1 / sqrt(3), 0.1]
    )
    assert decided(asked, power(-1.0), other) == "holds"


def test_a_slope_of_one_seed_alone_is_undecided() -> None:
    assert decided(slope(-1, 0.25), power(-1.0)) == "undecided"


# spread: the largest less the smallest mean is more than the margin
def test_a_spread_is_the_largest_less_the_smallest_mean() -> None:
    rows = [sample(method, [score + side for side in (-0.1, 0, 0.1)]) for method, score in
            (("PFLR", 0.70), ("PFLR*", 0.76), ("LR", 0.73))]  # fmt: skip
    found = point({"spread": ["PFLR", "PFLR*", "LR"], "margin": 0.02}, *rows)
    assert (found.slack, found.error) == pytest.approx((0.04, 0), abs=1e-7)


def noisy(better: float) -> list[Runs]:
    """PFLR*, better than PFLR by 0 +- 0.01732 seed by seed: error 0.01732 / sqrt(3) = 0.01; LR in
    the middle.
    """
    sides = (-0.01 * sqrt(3), 0.0, 0.01 * sqrt(3))
    ours = [0.7 + better + side for side in sides]
    return [
        sample("PFLR", (0.7,) * 3),
        sample("PFLR*", ours),
        sample("LR", [0.7 + better / 2 + side / 2 for side in sides]),
    ]


def test_the_error_of_a_spread_of_two_is_that_of_their_difference() -> None:
    low, high, _ = noisy(0.05)
    assert point({"spread": ["PFLR", "PFLR*"], "margin": 0.02}, low, high).error == pytest.approx(
        0.01
    )
    assert (
        decided({"spread": ["PFLR", "PFLR*"], "margin": 0.0285}, low, high) == "holds"
    )  # 0.0215 of 0.02
    assert decided({"spread": ["PFLR", "PFLR*"], "margin": 0.0305}, low, high) == "undecided"
    assert decided({"spread": ["PFLR", "PFLR*"], "margin": 0.0715}, low, high) == "fails"


def test_the_error_of_a_spread_is_widened_for_the_choice_of_the_extremes() -> None:
    """Bonferroni over three pairs: 2.394 errors in place of 2."""
    asked = {"spread": ["PFLR", "PFLR*", "LR"]}
    error = point({**asked, "margin": 0.02}, *noisy(0.05)).error
    # 2.394 / 2 of the error, or 2.394 / 1.96 of it
    assert 0.01 * 2.3940 / 2 - 1e-6 <= error <= 0.01 * 2.3940 / 1.95996 + 1e-6
    assert (
        decided({**asked, "margin": 0.0285}, *noisy(0.05)) == "undecided"
    )  # 0.0215: enough for two alone
    assert decided({**asked, "margin": 0.0250}, *noisy(0.05)) == "holds"
    assert decided({**asked, "margin": 0.0715}, *noisy(0.05)) == "undecided"
    assert decided({**asked, "margin": 0.0750}, *noisy(0.05)) == "fails"


def test_a_spread_of_one_seed_each_is_undecided() -> None:
    alone = [sample("PFLR", (0.7,)), sample("PFLR*", (0.75,))]
    assert decided({"spread": ["PFLR", "PFLR*"], "margin": 0.01}, *alone) == "undecided"


def test_a_spread_of_two_seeds_takes_the_largest_deviation_of_any_point() -> None:
    """At epsilon 1 two equal seeds each, at 10 a deviation of 0.03: 0.03 / sqrt(2) is no less than
    the error at 1.
    """
    here = sample("PFLR", (0.7, 0.7), 1) + sample("PFLR*", (0.75, 0.75), 1)
    there = sample("PFLR", (0.67, 0.7, 0.73), 10) + sample("PFLR*", (0.8,) * 3, 10)
    asked = {"spread": ["PFLR", "PFLR*"], "margin": 0.02}
    assert max(found.error for found in points(asked, here, there)) >= 0.03 / sqrt(2) - 1e-9
    assert (
        decided({**asked, "where": {"epsilon": 1}, "over": "every"}, here, there) == "holds"
    )  # nothing else is seen
    assert decided(asked, here, there) == "undecided"
