"""Predicates of claims: estimates and standard errors worked by hand, and what a point says against
an oracle.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from statistics import mean, stdev
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpfair_cli.verdicts.claims.claim import parse_claims
from dpfair_cli.verdicts.claims.point_results import PointResult, ScoredRuns
from dpfair_cli.verdicts.means import runs_of
from tests.verdicts.toy_paper import EPSILONS, claim, claimed

AXES = ("epsilon",)
Runs = list[dict[str, Any]]


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
    (predicate,) = part.predicates
    scored = ScoredRuns(runs_of(runs), predicate.metric, AXES)
    return list(predicate.statement.results(scored))


def point(predicate: dict[str, Any], *rows: Runs) -> PointResult:
    (only,) = points(predicate, *rows)
    return only


def decided(predicate: dict[str, Any], *rows: Runs) -> str:
    """The verdict of a claim with this predicate alone."""
    table = pd.DataFrame([run for part in rows for run in part])
    return claimed({"metric": "accuracy", **predicate}, rows=table)[0]


# compare: differences -0.2, 0.0, 0.2 of each side cancel seed by seed
WIDE = (0.5, 0.7, 0.9)
ABOVE = {"compare": ["PFLR*", ">", "PFLR"]}


def test_the_same_seeds_are_compared_seed_by_seed() -> None:
    # differences 0.01, 0.02, 0.03: mean 0.02, error 0.01 / sqrt(3) = 0.00577, although each side
    # has a deviation of 0.2
    better = [score + more for score, more in zip(WIDE, (0.01, 0.02, 0.03), strict=True)]
    found = point(ABOVE, sample("PFLR*", better), sample("PFLR", WIDE))
    assert found.slack == pytest.approx(0.02)
    assert found.error.value == pytest.approx(0.0057735, abs=1e-7)
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
    assert found.error.value == pytest.approx(0.0115470, abs=1e-7)


def test_seeds_of_another_order_are_the_same_seeds() -> None:
    better = [score + 0.01 for score in WIDE]
    shuffled = sample("PFLR", WIDE[::-1], seeds=(2, 1, 0))
    assert point(ABOVE, sample("PFLR*", better), shuffled).error.value == pytest.approx(
        0, abs=1e-12
    )


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
    assert found.error.value == pytest.approx(stdev(differences) / sqrt(len(differences)), abs=1e-9)


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
    assert found.error.value == pytest.approx(0.01 / sqrt(3))
    stricter = point(
        {"compare": ["PFLR*", ">", 0.7], "margin": 0.02}, sample("PFLR*", (0.74, 0.75, 0.76))
    )
    assert stricter.slack == pytest.approx(0.03)


# Student's t with two degrees of freedom: 2.91999 at 0.95, 4.30265 at 0.975, 9.92484 at 0.995
@pytest.mark.parametrize(
    ("relation", "right", "verdict"),
    [
        # 0.74, 0.75, 0.76: 2.92 standard errors are 0.016858
        (">", 0.733, "holds"),
        (">", 0.734, "undecided"),
        (">", 0.766, "undecided"),
        (">", 0.767, "fails"),
        ("<", 0.767, "holds"),
        ("<=", 0.75, "undecided"),
    ],
)
def test_a_mean_near_a_number_is_undecided(relation: str, right: float, verdict: str) -> None:
    assert (
        decided({"compare": ["PFLR*", relation, right]}, sample("PFLR*", (0.74, 0.75, 0.76)))
        == verdict
    )


def test_near_holds_only_well_inside_of_the_margin() -> None:
    # |0.75 - 0.76| = 0.01 of 0.03, less 0.01686; of 0.02 it is undecided; 0.75 - 0.80 of 0.03 fails
    rows = sample("PFLR*", (0.74, 0.75, 0.76))
    verdicts = [
        decided({"compare": ["PFLR*", "~", right], "margin": margin}, rows)
        for right, margin in ((0.76, 0.03), (0.76, 0.02), (0.80, 0.03))
    ]
    assert verdicts == ["holds", "undecided", "fails"]


def test_near_without_a_margin_fails_on_either_side() -> None:
    # both sides at 0.025 each: 4.30265 standard errors are 0.024841
    rows = sample("PFLR*", (0.74, 0.75, 0.76))
    for right, verdict in ((0.726, "undecided"), (0.774, "undecided"), (0.725, "fails")):
        assert decided({"compare": ["PFLR*", "~", right]}, rows) == verdict


def test_of_several_points_one_must_fail_by_more() -> None:
    # at one point 0.017 of 2.92 errors, 0.01686, fails; one of 10 needs 9.92484 errors, 0.05730
    low = (0.74, 0.75, 0.76)
    asked = {"compare": ["PFLR*", ">", 0.767]}
    assert decided(asked, sample("PFLR*", low)) == "fails"
    many = [sample("PFLR*", [score + 0.2 for score in low], epsilon) for epsilon in range(2, 11)]
    assert decided(asked, sample("PFLR*", low), *many) == "undecided"
    assert decided({"compare": ["PFLR*", ">", 0.807]}, sample("PFLR*", low), *many) == "undecided"
    assert decided({"compare": ["PFLR*", ">", 0.808]}, sample("PFLR*", low), *many) == "fails"


def test_fewer_than_three_seeds_use_the_largest_deviation_of_any_point() -> None:
    # one seed at epsilon 1; at 10 a deviation of 0.01, at 0.1 of 0.03
    rows = (
        sample("PFLR*", (0.75,), 1),
        sample("PFLR*", (0.84, 0.85, 0.86), 10),
        sample("PFLR*", (0.82, 0.85, 0.88), 0.1),
    )
    found = points({"compare": ["PFLR*", ">", 0.7]}, *rows)
    errors = sorted(point.error.value for point in found)
    assert errors == pytest.approx([0.01 / sqrt(3), 0.03 / sqrt(3), 0.03])
    assert {point.error.freedom for point in found} == {2}
    assert decided({"compare": ["PFLR*", ">", 0.66]}, *rows) == "holds"  # 0.09 of 0.0876
    assert decided({"compare": ["PFLR*", ">", 0.67]}, *rows) == "undecided"  # 0.08


def test_two_seeds_take_the_largest_deviation_too() -> None:
    rows = (sample("PFLR*", (0.75, 0.75), 1), sample("PFLR*", (0.82, 0.85, 0.88), 10))
    found = points({"compare": ["PFLR*", ">", 0.7]}, *rows)
    assert max(point.error.value for point in found) == pytest.approx(0.03 / sqrt(2))


@pytest.mark.parametrize(("one", "many"), [("PFLR*", "PFLR"), ("PFLR", "PFLR*")])
def test_the_largest_deviation_may_be_that_of_either_side(one: str, many: str) -> None:
    """One seed of the one, three of the other with 0.01: sqrt(0.01^2 + 0.01^2 / 3) = 0.0115."""
    scores = {"PFLR*": 0.9, "PFLR": 0.1}
    rows = (
        sample(one, (scores[one],)),
        sample(many, [scores[many] + side for side in (-0.01, 0.0, 0.01)]),
    )
    assert point(ABOVE, *rows).error.value == pytest.approx(0.0115470, abs=1e-7)
    assert decided(ABOVE, *rows) == "holds"


def test_one_seed_where_no_deviation_was_seen_decides_nothing() -> None:
    assert decided({"compare": ["PFLR*", ">", 0.1]}, sample("PFLR*", (0.75,))) == "undecided"
    assert decided({"compare": ["PFLR*", ">", 0.9]}, sample("PFLR*", (0.75,))) == "undecided"
    assert decided(ABOVE, sample("PFLR*", (0.9,)), sample("PFLR", (0.1,))) == "undecided"


def test_the_right_side_is_multiplied_seed_by_seed() -> None:
    # 0.06, 0.08, 0.1 are a tenth of theirs and 0.01 more than ours, at every seed
    ours, theirs = sample("PFLR*", (0.05, 0.07, 0.09)), sample("PFLR", (0.6, 0.8, 1.0))
    found = point({"compare": ["PFLR*", "<", "PFLR"], "times": 0.1}, ours, theirs)
    assert (found.slack, found.error.value) == pytest.approx((0.01, 0), abs=1e-7)


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
    assert point(rises(), rows).error.value == pytest.approx(0, abs=1e-12)


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
    assert (found.slack, found.error.value) == pytest.approx((0.2, 0.0577350), abs=1e-7)
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
    assert sorted(found.error.value for found in points(asked, two, three)) == pytest.approx(
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
    assert (found.slack, found.error.value) == pytest.approx((0.05, 0.0577350), abs=1e-7)


@pytest.mark.parametrize(
    ("near", "within", "verdict"),
    [
        (-1, 0.25, "holds"),
        (-1, 0.1, "undecided"),  # 0.1 of 0.1686
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
    assert sorted(
        found.error.value for found in points(asked, power(-1.0), other)
    ) == pytest.approx([0.1 / sqrt(3), 0.1])
    assert decided(asked, power(-1.0), other) == "undecided"  # 0.25 of 0.292
    wider = {"slope": {**asked["slope"], "within": 0.3}}
    assert decided(wider, power(-1.0), other) == "holds"


def test_an_upper_limit_of_a_slope_allows_any_slope_below() -> None:
    rows = power(-0.9, -1.0, -1.1)
    bounded = {"slope": {**slope(0, 0.5)["slope"], "limit": "upper"}}
    assert decided(slope(0, 0.5), rows) == "fails"
    assert decided(bounded, rows) == "holds"
    assert point(bounded, rows).slack == pytest.approx(1.5)
    steep = {"slope": {**slope(-2, 0.5)["slope"], "limit": "upper"}}
    assert decided(steep, rows) == "fails"  # -1 exceeds -1.5 by 0.5


def test_a_slope_of_one_seed_alone_is_undecided() -> None:
    assert decided(slope(-1, 0.25), power(-1.0)) == "undecided"


# spread: the largest less the smallest mean is more than the margin
def test_a_spread_is_the_largest_less_the_smallest_mean() -> None:
    rows = [sample(method, [score + side for side in (-0.1, 0, 0.1)]) for method, score in
            (("PFLR", 0.70), ("PFLR*", 0.76), ("LR", 0.73))]  # fmt: skip
    found = point({"spread": ["PFLR", "PFLR*", "LR"], "margin": 0.02}, *rows)
    assert (found.slack, found.error.value) == pytest.approx((0.04, 0), abs=1e-7)


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


def test_a_spread_of_two_is_the_difference_in_either_direction() -> None:
    """It holds at 0.05 / 2 of one direction: 4.30265 errors. It fails at 0.05: 2.91999 errors."""
    low, high, _ = noisy(0.05)
    asked = {"spread": ["PFLR", "PFLR*"]}
    assert point({**asked, "margin": 0.02}, low, high).error.value == pytest.approx(0.01)
    assert decided({**asked, "margin": 0.0069}, low, high) == "holds"  # 0.0431 of 0.04303
    assert decided({**asked, "margin": 0.0071}, low, high) == "undecided"
    assert decided({**asked, "margin": 0.0791}, low, high) == "undecided"
    assert decided({**asked, "margin": 0.0793}, low, high) == "fails"


def test_a_spread_of_three_pays_for_the_choice_of_the_extremes() -> None:
    """Six directions: 0.05 / 6 needs 7.6489 errors. All must be small to fail: 2.91999 errors."""
    asked = {"spread": ["PFLR", "PFLR*", "LR"]}
    assert decided({**asked, "margin": 0.0230}, *noisy(0.1)) == "holds"  # 0.077 of 0.0765
    assert decided({**asked, "margin": 0.0240}, *noisy(0.1)) == "undecided"
    assert decided({**asked, "margin": 0.1290}, *noisy(0.1)) == "undecided"
    assert decided({**asked, "margin": 0.1294}, *noisy(0.1)) == "fails"


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
    assert max(found.error.value for found in points(asked, here, there)) >= 0.03 / sqrt(2) - 1e-9
    assert (
        decided({**asked, "where": {"epsilon": 1}, "over": "every"}, here, there) == "holds"
    )  # nothing else is seen
    assert decided(asked, here, there) == "undecided"


# extreme: one place of the axis is compared with each other place, seed by seed
def highest(at: float, which: str = "highest") -> dict[str, Any]:
    return {"extreme": {"of": "PFLR", "along": "epsilon", "at": at, "which": which}}


def test_the_highest_place_has_a_point_for_each_other_place() -> None:
    # gains over 0.1: 0.2, 0.3, 0.4; over 10: 0.05, 0.10, 0.15
    rows = curve("PFLR", (0.5, 0.7, 0.65), (0.5, 0.8, 0.7), (0.5, 0.9, 0.75))
    found = points(highest(1), rows)
    assert [one.slack for one in found] == pytest.approx([0.3, 0.1])
    assert [one.error.value for one in found] == pytest.approx([0.1 / sqrt(3), 0.05 / sqrt(3)])
    assert decided(highest(1), rows) == "holds"  # 0.1 of 0.0843
    assert decided(highest(10), rows) == "undecided"  # -0.1 of 4.30 errors, 0.1242
    assert decided(highest(0.1), rows) == "fails"  # -0.3 of 4.30 errors, 0.2484
    assert decided(highest(0.1, "lowest"), rows) == "holds"
    assert decided(highest(1, "lowest"), rows) == "fails"


def test_a_highest_place_beside_an_equal_one_is_not_the_highest() -> None:
    assert decided(highest(1), curve("PFLR", *[(0.5, 0.7, 0.7)] * 3)) == "fails"
    noise = curve("PFLR", (0.5, 0.7, 0.69), (0.5, 0.7, 0.71), (0.5, 0.7, 0.69))
    assert decided(highest(1), noise) == "undecided"


def test_a_highest_place_that_was_not_run_is_not_tested() -> None:
    assert decided(highest(5), curve("PFLR", *[(0.5, 0.7, 0.6)] * 3)) == "not tested"


# share: the exact binomial test of the successes of all runs
@given(
    st.lists(st.integers(0, 20), min_size=1, max_size=6),
    st.sampled_from([0.5, 0.9, 0.95, 0.99]),
)
def test_a_share_agrees_with_the_binomial_test_of_scipy(hits: list[int], least: float) -> None:
    asked = {"share": {"of": "PFLR", "least": least, "trials": 20}}
    found = point(asked, sample("PFLR", [hit / 20 for hit in hits])).p_values
    total = 20 * len(hits)
    above = stats.binomtest(sum(hits), total, least, alternative="greater").pvalue
    below = stats.binomtest(sum(hits), total, least, alternative="less").pvalue
    assert found.holds == pytest.approx(above, abs=1e-12)
    assert found.fails == pytest.approx(below, abs=1e-12)


def test_successes_without_a_failure_hold_only_if_there_are_enough() -> None:
    # 0.99^298 = 0.0500307, 0.99^299 = 0.0495304
    asked = {"share": {"of": "PFLR", "least": 0.99, "trials": 298}}
    assert decided(asked, sample("PFLR", [1.0])) == "undecided"
    asked["share"]["trials"] = 299
    assert decided(asked, sample("PFLR", [1.0])) == "holds"


# steeper: the difference of two rises, seed by seed
def test_a_steeper_line_is_compared_seed_by_seed() -> None:
    # rises 0.4, 0.5, 0.6 and 0.1, 0.2, 0.2: differences 0.3, 0.3, 0.4, error 0.057735 / sqrt(3)
    asked = {"steeper": {"of": "PFLR", "than": "PFLR*", "along": "epsilon", "direction": "rises"}}
    rows = (
        curve("PFLR", (0.0, 0.2, 0.4), (0.0, 0.25, 0.5), (0.0, 0.3, 0.6)),
        curve("PFLR*", (0.5, 0.55, 0.6), (0.5, 0.6, 0.7), (0.5, 0.6, 0.7)),
    )
    found = point(asked, *rows)
    assert (found.slack, found.error.value) == pytest.approx((1 / 3, 1 / 30), abs=1e-7)
    assert decided(asked, *rows) == "holds"
    other = {"steeper": {**asked["steeper"], "of": "PFLR*", "than": "PFLR"}}
    assert decided(other, *rows) == "fails"
    falling = {"steeper": {**asked["steeper"], "direction": "falls"}}
    assert decided(falling, *rows) == "fails"  # both rise, and the first one more


# nearer: distances from a reference, seed by seed
def test_the_nearer_method_may_lie_on_either_side_of_the_reference() -> None:
    # distances 0.1, 0.1, 0.1 below and 0.3, 0.2, 0.4 above: 0.2 with the error 0.1 / sqrt(3)
    asked = {"nearer": {"of": "PFLR", "to": "LR", "than": "PFLR*"}}
    rows = (
        sample("LR", (0.5, 0.6, 0.7)),
        sample("PFLR", (0.4, 0.5, 0.6)),
        sample("PFLR*", (0.8, 0.8, 1.1)),
    )
    found = point(asked, *rows)
    assert (found.slack, found.error.value) == pytest.approx((0.2, 0.0577350), abs=1e-7)
    assert decided(asked, *rows) == "holds"
    assert decided({"nearer": {"of": "PFLR*", "to": "LR", "than": "PFLR"}}, *rows) == "fails"
