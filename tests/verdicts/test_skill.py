"""Skill of a table, against all permutations of its methods and numbers worked by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations, product

import pytest

from dpfair_cli.verdicts.cells.comparison import CellVerdict
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.score.trust import Skill, finest_settings, skill
from tests.verdicts.judged_cells import judged_cell

MARGIN = 0.02
FARTHEST = 10  # margins


def cell(method: str, ours: float, published: float, **parameters: object) -> JudgedCell:
    scores = (ours - 0.001, ours, ours + 0.001)
    return judged_cell(method, scores, published, **parameters)  # type: ignore[arg-type]


Place = Sequence[tuple[float, float]]  # ours and published of each method


def cells(*places: Place) -> list[JudgedCell]:
    return [
        cell("ABCDE"[k], ours, published, epsilon=epsilon)
        for epsilon, place in enumerate(places)
        for k, (ours, published) in enumerate(place)
    ]


def found(given: Sequence[JudgedCell]) -> Skill:
    skilled = skill(given)
    assert skilled
    return skilled


def distance(place: Place, order: Sequence[int]) -> float:
    """The sum of the distances if method k gets the published value of method order[k]."""
    pairs = [(place[k][0], place[j][1]) for k, j in enumerate(order)]
    return math.fsum(min(abs(ours - other) / MARGIN, FARTHEST) for ours, other in pairs)


def brute_force(*places: Place) -> tuple[float, float]:
    """Skill and p-value over all permutations of each place."""
    orders = [list(permutations(range(len(place)))) for place in places]
    sums = [
        sum(distance(place, order) for place, order in zip(places, chosen, strict=True))
        for chosen in product(*orders)
    ]
    ours = sums[0]  # the first permutation of each place leaves the order
    near = sum(one <= ours + 1e-9 for one in sums)
    return 1 - ours / (sum(sums) / len(sums)), near / len(sums)


RIGHT = ((0.60, 0.61), (0.70, 0.69), (0.80, 0.82))
MIXED = ((0.61, 0.60), (0.66, 0.70), (0.69, 0.66))
PAIR = ((0.60, 0.70), (0.71, 0.69))
FAR = ((0.10, 0.12), (0.90, 0.91), (0.50, 0.80))  # with distances of more than ten margins


@pytest.mark.parametrize(
    "places",
    [(RIGHT,), (MIXED,), (FAR,), (RIGHT, MIXED), (PAIR, RIGHT, MIXED), (MIXED, FAR)],
)
def test_skill_and_p_value_are_those_of_all_permutations(places: Sequence[Place]) -> None:
    value, p_value = brute_force(*places)
    one = found(cells(*places))
    assert one.value == pytest.approx(value, abs=1e-9)
    # of 10,000 shuffles, within four standard errors and the one that is added
    error = 4 * math.sqrt(p_value * (1 - p_value) / 10_000) + 2e-4
    assert one.p_value == pytest.approx(p_value, abs=error)
    assert one.cells == sum(map(len, places))


def test_equal_means_have_skill_one_and_equal_methods_none() -> None:
    # two margins between neighbours, so that every order but the right one is farther
    equal = [(0.60, 0.60), (0.64, 0.64), (0.68, 0.68), (0.72, 0.72)]
    one = found(cells(equal, equal))
    assert one.value == pytest.approx(1)
    assert one.p_value < 0.01
    assert one.is_told_apart
    same = found(cells([(0.60, 0.70), (0.60, 0.70)]))
    assert (same.value, same.p_value, same.is_told_apart) == (0, 1, False)


def test_p_value_is_the_same_each_time() -> None:
    assert found(cells(MIXED, FAR)) == found(cells(MIXED, FAR))


def test_a_baseline_without_epsilon_takes_part_at_each_epsilon() -> None:
    private = [cell("FM", 0.60, 0.61, epsilon=0.1), cell("FM", 0.70, 0.69, epsilon=1)]
    one = found([*private, cell("LR", 0.80, 0.82)])
    value, _ = brute_force(((0.60, 0.61), (0.80, 0.82)), ((0.70, 0.69), (0.80, 0.82)))
    assert (one.cells, one.value) == (4, pytest.approx(value))


def test_a_method_that_fits_a_place_twice_is_left_out_of_it() -> None:
    # FM has two epsilons and LR a bound: FM would be in the place of the bound twice
    private = [cell("FM", 0.60, 0.61, epsilon=0.1), cell("FM", 0.70, 0.69, epsilon=1)]
    one = found([*private, cell("LR", 0.80, 0.82, clip_norm=1), cell("SVM", 0.65, 0.64)])
    bound = ((0.80, 0.82), (0.65, 0.64))
    low, high = ((0.60, 0.61), *bound), ((0.70, 0.69), *bound)
    value, _ = brute_force(bound, low, high)
    assert (one.cells, one.value) == (8, pytest.approx(value))


@pytest.mark.parametrize(
    "given",
    [
        [],
        [cell("FM", 0.6, 0.6, epsilon=0.1), cell("LR", 0.8, 0.8, epsilon=1)],
        [cell("FM", 0.6, 0.6), cell("LR", 0.8, 0.8, metric="fpr")],
        [cell("FM", 0.6, 0.6), cell("LR", 0.8, 0.8, dataset="dutch")],
        [cell("FM", 0.6, 0.6), cell("LR", 0.8, 0.8, verdict=CellVerdict.RECORD_COUNT)],
    ],
    ids=["no cells", "other epsilons", "other scores", "other data", "not compared"],
)
def test_a_table_without_two_methods_in_a_place_has_no_skill(given: list[JudgedCell]) -> None:
    assert skill(given) is None


def test_an_exchange_that_would_bring_our_means_nearer_is_found() -> None:
    # A and B have each other's published values; C is right
    exchanged = [(0.60, 0.70), (0.70, 0.60), (0.65, 0.65)]
    assert found(cells(exchanged, exchanged)).exchange == "A and B"
    assert found(cells(RIGHT)).exchange == ""


def test_an_exchange_is_that_of_all_places_together() -> None:
    # exchanged by 0.10 in one place, and right by 0.12 in the other
    wrong, right = [(0.60, 0.70), (0.70, 0.60)], [(0.60, 0.60), (0.72, 0.72)]
    assert found(cells(wrong, right)).exchange == ""
    assert found(cells(wrong, wrong, right)).exchange == "A and B"


def test_near_and_near_without_runs_are_counted_by_hand() -> None:
    # published 0.60, 0.61, 0.65: without runs, 0.63, 0.625 and 0.605 are 0.03, 0.015 and 0.045 off
    near = [(0.62, 0.60), (0.64, 0.61), (0.65, 0.65)]  # 0.02, 0.03 and 0 off
    one = found(cells(near))
    assert (one.near, one.near_without_runs) == (2, 1)


def test_the_margin_of_a_score_that_is_not_a_rate_is_a_tenth() -> None:
    # 9 off of 10, and 11 off of 10
    norms = [cell("A", 109, 100, relative=True), cell("B", 89, 100, relative=True)]
    one = found(norms)
    assert (one.near, one.near_without_runs) == (1, 2)


def test_a_published_zero_without_a_margin_counts_as_the_farthest() -> None:
    # A: ten margins from either value; B: 1 off of 1 from its own, and 11 off, which counts as ten
    zero = [cell("A", 0.0, 0.0, relative=True), cell("B", 11.0, 10.0, relative=True)]
    assert found(zero).value == pytest.approx(1 - (10 + 1) / ((10 + 1 + 10 + 10) / 2))


def test_the_order_of_places_does_not_depend_on_the_hashes_of_names() -> None:
    settings = [frozenset({("nodes", n), ("epsilon", e)}) for n in (10, 9) for e in (0.1, 1.0)]
    found = [sorted(map(repr, one)) for one in finest_settings(settings)]
    assert found == sorted(found)
    assert len(found) == 4
