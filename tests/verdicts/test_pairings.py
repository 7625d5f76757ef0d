"""Wrong pairings: ours beside the published values of other methods, each pair worked by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from dpfair_cli.verdicts.trust import Pairing, share, variant_pairings, wrong_pairings
from tests.toy_specs import with_study
from tests.verdicts.toy_paper import ROWS, SPEC, published, runs, verdicts


def pairings(*cells: dict[str, Any], **more: Any) -> dict[tuple[str, str], tuple[bool, bool]]:
    """{(method of ours, method of the published value): (far, matches)}."""
    found = verdicts(*cells, **more).wrong_pairings
    pairs = [(one.cell.split(", ")[1], one.method) for one in found]
    assert len(set(pairs)) == len(pairs)
    return {pair: (one.is_far, one.matches) for pair, one in zip(pairs, found, strict=True)}


def test_every_pair_of_methods_in_one_place_is_the_one_worked_by_hand() -> None:
    # ours 0.70, 0.75, 0.84; published 0.72, 0.76, 0.83
    cells = (published("PFLR", 1, 0.72), published("PFLR*", 1, 0.76), published("LR", 1, 0.83))
    near, far = (False, False), (True, False)
    assert pairings(*cells) == {
        ("PFLR", "PFLR*"): near,
        ("PFLR", "LR"): far,
        ("PFLR*", "PFLR"): near,
        ("PFLR*", "LR"): far,
        ("LR", "PFLR"): far,
        ("LR", "PFLR*"): far,
    }


def test_published_values_that_are_five_hundredths_apart_are_not_far() -> None:
    """Not more than 0.05, although 0.76 - 0.71 is 0.05000000000000004 in floating point."""
    cells = (published("PFLR", 1, 0.71), published("PFLR*", 1, 0.76))
    assert [far for far, _ in pairings(*cells).values()] == [False, False]


def test_a_pairing_passes_if_the_wrong_value_would_be_reproduced() -> None:
    # 0.75 beside 0.755 is 0.005 of half of 0.015 away; 0.70 beside 0.77 differs
    cells = (published("PFLR", 1, 0.755), published("PFLR*", 1, 0.77))
    assert pairings(*cells) == {("PFLR*", "PFLR"): (False, True), ("PFLR", "PFLR*"): (False, False)}
    # with 0.06 of published deviation it is undecided
    unclear = (published("PFLR", 1, 0.755, 0.06), published("PFLR*", 1, 0.77))
    assert not any(matches for _, matches in pairings(*unclear).values())


def test_a_pairing_that_would_be_consistent_does_not_pass() -> None:
    # 0.75 beside 0.755 is equivalent, and 0.76 is only 0.005 from there
    cells = (published("PFLR", 1, 0.755), published("PFLR*", 1, 0.76))
    assert pairings(*cells)["PFLR*", "PFLR"] == (False, False)


def test_the_deviation_is_that_of_the_published_value_it_is_paired_with() -> None:
    # 0.75 beside 0.755 is reproduced, and undecided with the 0.06 of the other method
    own = (published("PFLR", 1, 0.755), published("PFLR*", 1, 0.77, 0.06))
    other = (published("PFLR", 1, 0.755, 0.06), published("PFLR*", 1, 0.77))
    assert pairings(*own)["PFLR*", "PFLR"] == (False, True)
    assert pairings(*other)["PFLR*", "PFLR"] == (False, False)


def test_a_far_pair_may_pass_where_ours_differs_from_its_own_value() -> None:
    # ours 0.75; its own published value 0.60, that of PFLR 0.75: 0.15 apart
    assert pairings(published("PFLR*", 1, 0.60), published("PFLR", 1, 0.75))["PFLR*", "PFLR"] == (
        True,
        True,
    )


@pytest.mark.parametrize(
    "other",
    [
        published("PFLR", 10, 0.75),
        published("PFLR", 1, 0.75, metric="fpr"),
        {**published("PFLR", 1, 0.75), "dataset": "dutch"},
        published("PFLR*", 10, 0.75),
    ],
    ids=["another epsilon", "another score", "another data set", "the same method elsewhere"],
)
def test_only_other_methods_in_the_same_place_are_paired(other: dict[str, Any]) -> None:
    rows = pd.concat([ROWS.assign(fpr=ROWS["accuracy"]), ROWS.assign(dataset="dutch")])
    assert pairings(published("PFLR*", 1, 0.75), other, rows=rows) == {}


def test_a_published_value_counts_also_where_its_own_method_was_not_run() -> None:
    """It can be mistaken for that of another method all the same; what was not run has no mean to
    be set against it.
    """
    rows = ROWS[ROWS["method"] == "PFLR*"]
    assert pairings(published("PFLR*", 1, 0.75), published("PFLR", 1, 0.90), rows=rows) == {
        ("PFLR*", "PFLR"): (True, False)
    }


def test_only_the_default_variant_is_paired() -> None:
    # PFLR, shift has 0.66, which is PFLR*'s here, and PFLR 0.60
    assert pairings(published("PFLR", 0.1, 0.60), published("PFLR*", 0.1, 0.66)) == {
        ("PFLR", "PFLR*"): (True, False),
        ("PFLR*", "PFLR"): (True, False),
    }


def test_numbers_of_records_times_and_replicas_are_paired_with_nothing() -> None:
    rows = ROWS.assign(sample_size=1000, seconds=1.0)
    for metric in ("sample_size", "seconds"):
        cells = (
            published("PFLR", 1, 1000, metric=metric),
            published("PFLR*", 1, 1000, metric=metric),
        )
        assert pairings(*cells, rows=rows) == {}
    cells = (published("PFLR", 1, 0.7), published("PFLR*", 1, 0.7))
    assert pairings(*cells, standins={"adult": "REPLICA"}) == {}


def test_norms_are_far_apart_by_more_than_a_quarter() -> None:
    rows = pd.DataFrame(runs("PFLR", 1, 0.7) + runs("PFLR*", 1, 0.75)).assign(
        edges=[108.0] * 3 + [300.0] * 3
    )
    unbounded = with_study(SPEC, unbounded=("edges",))
    near = (published("PFLR", 1, 90, metric="edges"), published("PFLR*", 1, 110, metric="edges"))
    apart = (published("PFLR", 1, 100, metric="edges"), published("PFLR*", 1, 300, metric="edges"))
    assert pairings(*near, rows=rows, spec=unbounded) == {
        ("PFLR", "PFLR*"): (False, True),  # 2 of 11; and 20 apart, of a quarter of 90
        ("PFLR*", "PFLR"): (False, False),
    }
    assert {far for far, _ in pairings(*apart, rows=rows, spec=unbounded).values()} == {True}


def test_a_share_is_that_of_the_pairings_that_match() -> None:
    matches = (True, False, True, False, True, False)
    found = share(Pairing("cell", "method", (None, None), matches=one) for one in matches)
    assert (found.matched, found.pairings, found.percent) == (3, 6, "50")
    assert (found.agreeing, found.per_agreeing_cell) == (0, "")


def test_false_matches_are_also_divided_by_the_cells_that_agree() -> None:
    # PFLR agrees with 0.70 and has two rivals; PFLR* 0.75 and LR 0.84 agree with no value
    cells = (published("PFLR", 1, 0.70), published("PFLR*", 1, 0.60), published("LR", 1, 0.75))
    found = share(verdicts(*cells).wrong_pairings)
    assert (found.matched, found.pairings, found.agreeing) == (1, 6, 1)  # PFLR* with that of LR
    assert found.per_agreeing_cell == "1.00"


def test_no_pairing_is_no_share() -> None:
    nothing = share(wrong_pairings(verdicts().cells))
    assert (nothing.matched, nothing.pairings, nothing.percent) == (0, 0, "")


def shares_of_variants(*cells: dict[str, Any]) -> tuple[tuple[int, int], tuple[int, int]]:
    """(passed, pairings) of the variants of cells that differ: beside their own values, and beside
    the others.
    """
    found = variant_pairings(verdicts(*cells).cells)
    own, wrong = (share(one for one in found if one.is_own is own) for own in (True, False))
    return (own.matched, own.pairings), (wrong.matched, wrong.pairings)


@pytest.mark.parametrize(
    ("beside", "passed"), [(0.67, 1), (0.75, 0)], ids=["near the variant", "far from it"]
)
def test_a_variant_is_paired_with_its_own_and_with_other_published_values(
    beside: float, passed: int
) -> None:
    # PFLR has 0.60 and, with the shift, 0.66; PFLR* has no other variant
    cells = (published("PFLR", 0.1, 0.66), published("PFLR*", 0.1, beside))
    assert shares_of_variants(*cells) == ((1, 1), (passed, 1))


def test_a_variant_that_fails_its_cell_may_pass_with_another_method() -> None:
    cells = (published("PFLR", 0.1, 0.80), published("PFLR*", 0.1, 0.66))
    assert shares_of_variants(*cells) == ((0, 1), (1, 1))


def test_a_variant_no_better_than_the_default_explains_nothing() -> None:
    # of PFLR's 0.60, 0.70 and 0.80 shift, 0.66, brings out the first; by default the second comes
    # out
    others = (published("PFLR*", 0.1, 0.9), published("PFLR*", 1, 0.9))
    assert shares_of_variants(published("PFLR", 0.1, 0.66), published("PFLR", 1, 0.9), *others)[
        0
    ] == (1, 2)
    assert shares_of_variants(published("PFLR", 0.1, 0.66), published("PFLR", 1, 0.70), *others)[
        0
    ] == (0, 1)


def test_one_variant_counts_for_all_cells_of_a_method() -> None:
    # shift brings out the first cell, drift the second; the best of the two explains one of them
    rows = pd.DataFrame(
        [run for e, mean in ((0.1, 0.60), (1, 0.70)) for run in runs("PFLR", e, mean)]
        + [run for e, mean in ((0.1, 0.66), (1, 0.66)) for run in runs("PFLR, shift", e, mean)]
        + [
            run | {"method": "PFLR, drift"}
            for e in (0.1, 1)
            for run in runs("PFLR, shift", e, 0.76)
        ]
    )
    drift = [
        replace(part, label="PFLR, drift") for part in SPEC.methods if part.label == "PFLR, shift"
    ]
    spec = replace(SPEC, methods=(*SPEC.methods, *drift))
    cells = (published("PFLR", 0.1, 0.66), published("PFLR", 1, 0.76))
    others = (published("PFLR*", 0.1, 0.9), published("PFLR*", 1, 0.9))
    found = variant_pairings(verdicts(*cells, *others, rows=rows, spec=spec).cells)
    assert share(one for one in found if one.is_own)[:2] == (1, 2)


@pytest.mark.parametrize(
    "cells",
    [
        [published("PFLR", 0.1, 0.66)],
        [published("PFLR", 0.1, 0.60), published("PFLR*", 0.1, 0.61)],
        [published("PFLR*", 0.1, 0.60), published("LR", None, 0.80)],
    ],
    ids=["alone in its place", "comes out by default beside both", "no other variant"],
)
def test_what_no_variant_need_explain_is_not_counted(cells: list[dict[str, Any]]) -> None:
    assert shares_of_variants(*cells) == ((0, 0), (0, 0))
