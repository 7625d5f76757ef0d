"""Variants: the published cells at each level under every one of them, counted by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from dpfair_cli.verdicts.scoreboard import VariantCount, count_variants
from tests.verdicts.toy_paper import EPSILONS, ROWS, SPEC, published, runs, verdicts

LEVELS = ("reproduced", "consistent", "undecided", "differs")
CHOSEN = replace(
    SPEC,
    methods=tuple(replace(part, chosen_by=f"{part.label}: text") for part in SPEC.methods),
)


def counted(*cells: dict[str, Any], **more: Any) -> dict[tuple[str, str], VariantCount]:
    """{(published method, variant): its counts}."""
    found = count_variants(verdicts(*cells, spec=CHOSEN, **more).cells, CHOSEN)
    assert len({(one.method, one.variant) for one in found}) == len(found)
    return {(one.method, one.variant): one for one in found}


def levels(count: VariantCount) -> tuple[int, ...]:
    return (*(count.verdicts[level] for level in LEVELS), count.nearest, count.cells)  # type: ignore[index]


def test_each_variant_counts_its_cells_by_verdict_and_as_nearest() -> None:
    # PFLR has 0.60, 0.70, 0.80 and its other variant 0.66 throughout
    cells = [
        published("PFLR", epsilon, 0.66) for epsilon in EPSILONS
    ]  # differs three times; reproduced three times
    cells += [published("PFLR", 1, 0.695)]  # reproduced, at 0.005; differs, at 0.035
    cells += [published("PFLR", 1, 0.65)]  # differs; consistent, at 0.01 of half of 0.02
    cells += [published("PFLR", 10, 0.80, 0.09)]  # undecided of 0.0285; differs by 0.14
    cells += [published("PFLR", 1, 0.70)]  # reproduced; differs by 0.04
    cells += [published("PFLR*", 1, 0.67)]  # the other method in the place of some of them
    found = counted(*cells)
    assert {key: levels(line) for key, line in found.items()} == {
        ("PFLR", ""): (2, 0, 1, 4, 3, 7),
        ("PFLR", "shift"): (3, 1, 0, 3, 4, 7),
    }


def test_a_method_without_another_variant_is_not_listed() -> None:
    assert counted(published("PFLR*", 1, 0.75), published("LR", 1, 0.84)) == {}


def test_the_default_variant_says_what_it_was_chosen_by() -> None:
    found = counted(published("PFLR", 1, 0.66))
    assert {variant: line.chosen_by for (_, variant), line in found.items()} == {
        "": "PFLR: text",
        "shift": "",
    }


def test_a_variant_that_was_not_run_for_a_cell_does_not_count_it() -> None:
    rows = ROWS[(ROWS["method"] != "PFLR, shift") | (ROWS["epsilon"] == 1.0)]
    found = counted(published("PFLR", 1, 0.66), published("PFLR", 10, 0.80), rows=rows)
    assert (found["PFLR", ""].cells, found["PFLR", "shift"].cells) == (1, 1)


def test_record_counts_replicas_and_missing_cells_count_for_no_variant() -> None:
    cell = published("PFLR", 1, 1000, metric="sample_size")
    assert counted(cell, published("PFLR", 100, 0.5), rows=ROWS.assign(sample_size=1000)) == {}
    assert counted(published("PFLR", 1, 0.7), standins={"adult": "REPLICA"}) == {}


def test_two_variants_that_are_as_near_count_one_of_them_as_nearest() -> None:
    rows = pd.DataFrame(runs("PFLR", 1, 0.70) + runs("PFLR, shift", 1, 0.70))
    found = counted(published("PFLR", 1, 0.70), rows=rows)
    assert found["PFLR", ""].nearest + found["PFLR", "shift"].nearest == 1
