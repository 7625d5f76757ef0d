"""The rule of a paper: levels by Benjamini and Hochberg, and variants that other tables choose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import ChosenByCells, Spec
from dpfair_cli.verdicts.cells.comparison import Levels
from dpfair_cli.verdicts.cells.judging import JudgedCell, at_levels, judge_cells
from dpfair_cli.verdicts.claims.verdict import controlled_level
from dpfair_cli.verdicts.paper_rule import (
    PaperRule,
    read_rule,
    rule_of,
    write_rule,
)
from dpfair_cli.verdicts.verdicts import Verdicts
from tests.toy_specs import data_set
from tests.verdicts.toy_paper import EPSILONS, ROWS, SPEC, published, published_cell, runs

# Benjamini and Hochberg


def exact_ranks(p_values: Sequence[float], rate: str = "0.05") -> int:
    """The largest k with p_(k) <= rate k / m in exact fractions; 0 if there is none."""
    ordered = sorted(Fraction(str(p)) for p in p_values)
    limits = [Fraction(rate) * k / len(ordered) for k in range(1, len(ordered) + 1)]
    return max((k for k, (p, limit) in enumerate(zip(ordered, limits, strict=True), 1)
                if p <= limit), default=0)  # fmt: skip


@pytest.mark.parametrize(
    ("p_values", "level"),
    [
        ([], 0.05),
        ([0.05], 0.05),
        ([0.051], 0.05),
        ([0.04, 0.9], 0.025),  # the limits are 0.025 and 0.05
        ([0.05, 0.05], 0.05),
        ([0.04, 0.045], 0.05),  # the larger passes and takes the smaller along
        ([0.9, 0.001, 0.02, 0.8], 0.025),  # 0.0125, 0.025, 0.0375, 0.05
        ([0.9, 0.001, 0.03, 0.037], 0.0375),  # the third passes over the failing second
        ([0.0, 1.0, 1.0, 1.0], 0.0125),
        ([1.0] * 5, 0.01),
    ],
)
def test_a_controlled_level_is_the_one_worked_by_hand(p_values: list[float], level: float) -> None:
    assert controlled_level(p_values) == pytest.approx(level, abs=1e-15)


def test_a_controlled_level_takes_another_rate_and_an_iterator() -> None:
    assert controlled_level(iter([0.15, 0.08, 0.9]), rate=0.3) == pytest.approx(0.2)
    assert controlled_level(iter([0.15, 0.08, 0.9]), 0.2) == pytest.approx(0.2 / 3)


thousandths = st.integers(0, 1000).map(lambda whole: whole / 1000)
probabilities = st.lists(
    st.one_of(st.integers(0, 600).map(lambda whole: whole / 10_000), thousandths),
    min_size=1,
    max_size=40,
)


@given(probabilities)
def test_a_controlled_level_rejects_as_brute_force_does(p_values: list[float]) -> None:
    ordered = sorted(Fraction(str(p)) for p in p_values)
    assume(all(20 * p * len(ordered) != k for k, p in enumerate(ordered, 1)))  # no ties
    level = controlled_level(p_values)
    assert sum(p <= level for p in p_values) == exact_ranks(p_values)


@given(probabilities)
def test_a_controlled_level_rejects_as_scipy_does(p_values: list[float]) -> None:
    adjusted = stats.false_discovery_control(p_values)
    assume(np.all(np.abs(adjusted - 0.05) > 1e-9))
    level = controlled_level(p_values)
    assert [p <= level for p in p_values] == list(adjusted <= 0.05)


@given(probabilities, st.randoms())
def test_a_controlled_level_ignores_the_order(p_values: list[float], random: Random) -> None:
    shuffled = list(p_values)
    random.shuffle(shuffled)
    assert controlled_level(shuffled) == controlled_level(p_values)


# The levels of a paper


def table(
    name: str, *cells: dict[str, Any], rows: pd.DataFrame = ROWS, spec: Spec = SPEC
) -> Verdicts:
    """A table of the paper, with cells that are judged at the level of single tests."""
    own = replace(spec, artefact=f"xu2021/{name}")
    found = [published_cell({**cell, "artefact": own.name}) for cell in cells]
    return Verdicts(own, tuple(judge_cells(rows, own, found, standins={})))


def verdicts_at(levels: Levels, judged: Sequence[Verdicts]) -> list[str]:
    return [str(at_levels(cell, levels).verdict) for one in judged for cell in one.cells]


def defaults(judged: Sequence[Verdicts]) -> list[JudgedCell]:
    return [cell for one in judged for cell in one.cells]


# PFLR* has 0.75 at epsilon 1: 0.003 / (0.001 sqrt(13 / 30)) = 4.557 = t below the margin, and with
# two degrees of freedom 1/2 - t / (2 sqrt(2 + t^2)) = 0.0225
NEAR_MARGIN = published("PFLR*", 1, 0.767)
UNDECIDED = published("PFLR*", 10, 0.79, 0.09)


def test_a_p_value_is_the_one_worked_by_hand() -> None:
    t = 0.003 / (0.001 * math.sqrt(13 / 30))
    (cell,) = defaults([table("table8.2", NEAR_MARGIN)])
    assert cell.default
    found = cell.default.comparison.p_equivalent
    assert found == pytest.approx(0.5 - t / (2 * math.sqrt(2 + t * t)), abs=1e-9)
    assert found == pytest.approx(0.0225, abs=5e-5)


@pytest.mark.parametrize(
    ("undecided", "verdict"), [(0, "reproduced"), (1, "reproduced"), (2, "undecided")]
)
def test_a_cell_among_many_needs_a_smaller_p_value(undecided: int, verdict: str) -> None:
    # 0.0225 of 0.05, of 0.05 / 2 and of 0.05 / 3
    others = [published("PFLR*", 10, 0.79 + 0.001 * k, 0.09) for k in range(undecided)]
    judged = [table("table8.2", NEAR_MARGIN, *others)]
    rule = rule_of(judged)
    assert rule.levels.equivalent == pytest.approx(0.05 / (1 + undecided))
    assert verdicts_at(rule.levels, judged)[0] == verdict


def test_the_levels_count_a_repeated_number_once_in_a_chapter() -> None:
    first, again = table("table8.2", NEAR_MARGIN, UNDECIDED), table("table8.3", UNDECIDED)
    assert rule_of([first, again]).levels == rule_of([first]).levels
    elsewhere = table("table9.1", UNDECIDED)
    assert rule_of([first, elsewhere]).levels.equivalent == pytest.approx(0.05 / 3)


def test_cells_that_are_not_compared_do_not_count_for_the_levels() -> None:
    missing, records = published("PFLR*", 100, 0.8), published("PFLR*", 1, 7, metric="sample_size")
    judged = [table("table8.2", NEAR_MARGIN, missing, records, rows=ROWS.assign(sample_size=9))]
    assert rule_of(judged).levels.equivalent == pytest.approx(0.05)


def test_verdicts_at_the_levels_are_those_of_scipy() -> None:
    means = (0.75, 0.76, 0.766, 0.767, 0.768, 0.769, 0.771, 0.772, 0.7725, 0.773, 0.78, 0.9)
    judged = [
        table(f"table8.{k}", *(published("PFLR*", 1, mean) for mean in part))
        for k, part in enumerate((means[:7], means[7:]))
    ]
    single = [cell.default.comparison for cell in defaults(judged) if cell.default]
    near = stats.false_discovery_control([one.p_equivalent for one in single]) <= 0.05
    far = stats.false_discovery_control([one.p_different for one in single]) <= 0.05
    expected = np.where(far, "differs", np.where(near, "reproduced", "undecided"))
    found = verdicts_at(rule_of(judged).levels, judged)
    assert found == list(expected)
    uncorrected = [cell.verdict for cell in defaults(judged)]
    assert found != uncorrected
    assert {*found} == {"reproduced", "undecided", "differs"}


def test_other_levels_leave_cells_that_are_not_compared() -> None:
    rows = ROWS.assign(sample_size=9)
    cells = (published("PFLR*", 100, 0.8), published("PFLR*", 1, 7, metric="sample_size"))
    assert verdicts_at(Levels(0, 0), [table("table8.2", *cells, rows=rows)]) == [
        "missing",
        "record count",
    ]


def test_other_levels_hold_for_every_variant() -> None:
    (cell,) = defaults([table("table8.2", published("PFLR", 0.1, 0.66))])
    assert [one.verdict for one in cell.variants] == ["differs", "reproduced"]
    strict = at_levels(cell, Levels(0, 0))
    assert [one.verdict for one in strict.variants] == ["undecided", "undecided"]


# Chosen variants: PFLR has 0.60, 0.70, 0.80, and 0.66 under shift

OWN = published("PFLR", 0.1, 0.66)
LIKE_SHIFT = published("PFLR", 1, 0.66)
LIKE_DEFAULT = published("PFLR", 1, 0.70)


def chosen(artefact: str, *judged: Verdicts) -> dict[str, list[str]]:
    found = rule_of(judged).variants_of(artefact)
    return {method: list(variants) for method, variants in found.items()}


def test_a_variant_is_chosen_by_the_other_tables_of_a_chapter() -> None:
    own, other = table("table8.2", OWN), table("table8.3", LIKE_SHIFT)
    assert chosen("table8.2", own, other) == {"PFLR": ["shift"]}
    assert chosen("table8.3", own, other) == {"PFLR": ["shift"]}


def test_a_table_alone_does_not_choose_its_own_variant() -> None:
    assert chosen("table8.2", table("table8.2", OWN, LIKE_SHIFT)) == {}


def test_the_variant_that_a_table_itself_prefers_does_not_count() -> None:
    own, other = table("table8.2", OWN), table("table8.3", LIKE_DEFAULT)
    assert chosen("table8.2", own, other) == {}
    assert chosen("table8.3", own, other) == {"PFLR": ["shift"]}


def test_a_number_that_the_table_prints_itself_does_not_choose() -> None:
    again = table("table8.3", OWN)
    assert chosen("table8.2", table("table8.2", OWN), again) == {}
    assert chosen("table8.2", table("table8.2", LIKE_SHIFT), again) == {"PFLR": ["shift"]}


def test_a_number_of_two_other_tables_counts_once() -> None:
    # shift brings out one cell, which is printed twice, and loses another
    own = table("table8.2", published("PFLR", 10, 0.66))
    others = (table("table8.3", OWN), table("table8.4", OWN), table("table8.5", LIKE_DEFAULT))
    assert chosen("table8.2", own, *others) == {}
    assert chosen("table8.2", own, *others[:2]) == {"PFLR": ["shift"]}


def test_another_chapter_does_not_choose() -> None:
    assert chosen("table8.2", table("table8.2", OWN), table("table9.1", LIKE_SHIFT)) == {}


def test_a_method_that_is_not_in_the_table_has_no_chosen_variant() -> None:
    own = table("table8.2", published("PFLR*", 1, 0.75))
    assert chosen("table8.2", own, table("table8.3", LIKE_SHIFT)) == {}


def test_of_two_variants_the_one_that_brings_out_most_is_chosen() -> None:
    drift = [run | {"method": "PFLR, drift"} for e in EPSILONS for run in runs("PFLR", e, 0.9)]
    parts = [
        replace(part, label="PFLR, drift") for part in SPEC.methods if part.label == "PFLR, shift"
    ]
    spec = replace(SPEC, methods=(*SPEC.methods, *parts))
    rows = pd.concat([ROWS, pd.DataFrame(drift)])
    like_drift = [published("PFLR", epsilon, 0.9) for epsilon in (0.1, 1)]
    own = table("table8.2", published("PFLR", 10, 0.9), rows=rows, spec=spec)
    other = table("table8.3", LIKE_SHIFT, *like_drift, rows=rows, spec=spec)
    even = table("table8.3", LIKE_SHIFT, like_drift[0], rows=rows, spec=spec)
    assert chosen("table8.2", own, other) == {"PFLR": ["drift"]}
    assert chosen("table8.2", own, even) == {"PFLR": ["drift", "shift"]}


COARSE = replace(SPEC, datasets=(data_set("adult"), data_set("adult", variant="coarse")))
COARSE_ROWS = pd.concat(
    [
        ROWS,
        pd.DataFrame(runs("PFLR*", 1, 0.9)).assign(method="PFLR*, coarse"),
        pd.DataFrame(runs("LR", 0, 0.6)).assign(method="LR, coarse"),
    ]
)


def coarse(name: str, *cells: dict[str, Any]) -> Verdicts:
    return table(name, *cells, rows=COARSE_ROWS, spec=COARSE)


def test_a_variant_of_the_data_is_chosen_by_the_cells_of_all_methods() -> None:
    own, other = coarse("table8.2", published("PFLR*", 1, 0.9)), coarse(
        "table8.3", published("LR", None, 0.6)
    )  # fmt: skip
    assert chosen("table8.2", own, other) == {"PFLR*": ["coarse"]}
    # one method gains a cell, and another loses one
    mixed = coarse("table8.3", published("LR", None, 0.6), published("PFLR*", 1, 0.75))
    assert chosen("table8.2", own, mixed) == {}


# The file


def test_the_rule_of_a_paper_is_the_same_after_reading(tmp_path: Path) -> None:
    rule = rule_of([table("table8.2", OWN, NEAR_MARGIN), table("table8.3", LIKE_SHIFT)])
    write_rule(rule, tmp_path / "rule.json")
    assert read_rule(tmp_path / "rule.json") == rule
    assert rule.variants_of("table8.2")


def test_a_paper_without_a_file_has_the_rule_of_single_tests(tmp_path: Path) -> None:
    assert read_rule(tmp_path / "rule.json") == PaperRule(Levels(0.05, 0.05))


SHIFT = next(one for one in SPEC.methods if one.label == "PFLR, shift")
DRIFT = replace(SHIFT, label="PFLR, drift", params={"epsilon": 1.0})
WITH_DRIFT = replace(SPEC, methods=(*SPEC.methods, DRIFT))


def test_variants_are_compared_over_the_cells_that_both_were_run_for() -> None:
    """Drift was run at epsilon 1 only, where it is better; shift has more cells elsewhere."""
    drift = [run | {"method": "PFLR, drift"} for run in runs("PFLR", 1, 0.9)]
    spec, rows = WITH_DRIFT, pd.concat([ROWS, pd.DataFrame(drift)])
    own = table("table8.2", published("PFLR", 1, 0.5), rows=rows, spec=spec)
    apart = [published("PFLR", epsilon, 0.66) for epsilon in (0.1, 10)]
    other = table("table8.3", published("PFLR", 1, 0.9), *apart, rows=rows, spec=spec)
    assert chosen("table8.2", own, other) == {"PFLR": ["drift"]}


def test_of_variants_that_are_equal_where_both_ran_the_one_with_more_cells_counts() -> None:
    drift = [run | {"method": "PFLR, drift"} for run in runs("PFLR", 1, 0.66)]
    spec, rows = WITH_DRIFT, pd.concat([ROWS, pd.DataFrame(drift)])
    own = table("table8.2", published("PFLR", 1, 0.5), rows=rows, spec=spec)
    other = table("table8.3", LIKE_SHIFT, OWN, rows=rows, spec=spec)
    assert chosen("table8.2", own, other) == {"PFLR": ["shift"]}
    alone = table("table8.3", LIKE_SHIFT, rows=rows, spec=spec)
    assert chosen("table8.2", own, alone) == {"PFLR": ["drift", "shift"]}


def test_a_variant_that_was_chosen_by_published_cells_is_left_out() -> None:
    fitted = replace(SPEC, chosen_by_cells=(ChosenByCells("PFLR", "shift", ("adult",)),))
    own, other = table("table8.2", OWN), table("table8.3", LIKE_SHIFT, spec=fitted)
    assert chosen("table8.2", own, other) == {}
    default = replace(SPEC, chosen_by_cells=(ChosenByCells("PFLR", "", ("adult",)),))
    judged = table("table8.3", LIKE_SHIFT, spec=default)
    assert chosen("table8.2", own, judged) == {"PFLR": ["shift"]}


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"levels": {"x": 1}}', "\xff"])
def test_a_damaged_rule_is_refused_with_what_to_do(tmp_path, content):
    file = tmp_path / "rule.json"
    file.write_text(content, encoding="latin-1")
    with pytest.raises(DpfairError, match=r"rule\.json is damaged.*: delete the file"):
        read_rule(file)
