"""Published cells against ours: levels, variants, which deviation counts, replicas and missing
cells.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts.cells.comparison import Comparison, Sample
from dpfair_cli.verdicts.cells.judged import JudgedCell, JudgedVariant
from tests.toy_specs import data_set, with_study
from tests.verdicts.toy_paper import EPSILONS, ROWS, SPEC, published, runs, verdicts


def only_cell(mean: float, std: float | None = None, **more: Any) -> JudgedCell:
    """The cell of PFLR* at epsilon 1, where ours is 0.75 and our deviation 0.01 unless `rows` say
    otherwise.
    """
    (cell,) = verdicts(published("PFLR*", 1, mean, std), **more).cells
    return cell


def default(cell: JudgedCell) -> JudgedVariant:
    assert cell.default
    return cell.default


def test_a_line_has_the_numbers_worked_by_hand() -> None:
    # 2 sqrt(0.01^2 / 3 + 0.06^2 / 10) = 2 sqrt(0.000033333 + 0.00036) = 0.0396653
    cell = only_cell(0.78, 0.06)
    found = default(cell)
    assert found.ours == Sample(pytest.approx(0.75), pytest.approx(0.01), 3)
    assert (cell.published.mean, cell.published.std) == (0.78, 0.06)
    assert found.comparison.difference == pytest.approx(0.03)
    noise = pytest.approx(0.0396653, abs=1e-7)
    assert (found.comparison.noise, found.comparison.largest) == (noise, noise)
    assert cell.verdict == "within noise"
    assert (cell.kind, cell.cause, cell.remedy, cell.nearest) == ("", "", "", None)
    assert cell.description == "adult, PFLR*, epsilon 1, accuracy"


@pytest.mark.parametrize(
    ("mean", "std", "verdict"),
    [
        (0.77, 0.06, "reproduced"),  # 0.02 away
        (0.771, 0.06, "within noise"),
        (0.79, 0.06, "differs"),  # 0.04 away, noise 0.0397
        (0.7699, None, "reproduced"),
        (
            0.7701,
            None,
            "differs",
        ),  # noise 2 * 0.01 / sqrt(3) = 0.0115: an unknown deviation counts as 0
        (0.75, 0.09, "undecided"),  # 2 sqrt(0.000033333 + 0.00081) = 0.0581
        (0.80, 0.09, "undecided"),
        (0.81, 0.09, "differs"),
    ],
)
def test_a_cell_has_the_level_of_its_difference_and_noise(
    mean: float, std: float | None, verdict: str
) -> None:
    assert only_cell(mean, std).verdict == verdict


def test_what_would_decide_stands_beside_an_undecided_cell() -> None:
    assert "published" in only_cell(0.75, 0.09).remedy
    # ours 0.65, 0.75, 0.85: 2 * 0.1 / sqrt(R) is 0.05 at R = 16
    wide = pd.DataFrame(runs("PFLR*", 1, 0.75, sides=(-0.1, 0.0, 0.1)))
    assert "16 seeds" in only_cell(0.75, rows=wide).remedy


def test_the_number_of_published_runs_is_that_of_the_spec() -> None:
    # 2 sqrt(0.01^2 / 3 + 0.03^2) = 0.0611 of one published run, 0.0222 of ten
    assert only_cell(0.75, 0.03, spec=replace(SPEC, published_runs=1)).verdict == "undecided"
    assert only_cell(0.75, 0.03).verdict == "reproduced"


def test_counts_and_distances_may_be_a_tenth_off() -> None:
    rows = ROWS.assign(
        edges=[20 + run["accuracy"] for run in ROWS.to_dict("records")]
    )  # 20.75 at epsilon 1
    cell = published("PFLR*", 1, 22.8, metric="edges")  # 2.05 away of 2.28
    assert (
        verdicts(cell, rows=rows, spec=with_study(SPEC, unbounded=("edges",))).cells[0].verdict
        == "reproduced"
    )
    assert verdicts(cell, rows=rows).cells[0].verdict == "differs"


def one_seed(method: str, epsilon: float, mean: float) -> list[dict[str, Any]]:
    return runs(method, epsilon, mean, sides=(0.0,))


def test_one_seed_is_undecided_within_the_largest_known_deviation() -> None:
    alone = pd.DataFrame(one_seed("PFLR*", 1, 0.75))
    assert only_cell(0.30, rows=alone).verdict == "undecided"
    assert "one seed" in only_cell(0.30, rows=alone).remedy
    # PFLR elsewhere shows 0.03: 2 * 0.03 = 0.06; LR with its 0.01 is not the largest
    others = runs("PFLR", 10, 0.8, sides=(-0.03, 0.0, 0.03)) + runs("LR", 0, 0.84)
    known = pd.DataFrame(one_seed("PFLR*", 1, 0.75) + others)
    assert only_cell(0.75, rows=known).verdict == "undecided"
    assert only_cell(0.809, rows=known).verdict == "undecided"
    assert only_cell(0.811, rows=known).verdict == "differs"
    assert default(only_cell(0.811, rows=known)).comparison.spread == pytest.approx(0.03)


def test_of_two_seeds_the_larger_of_their_own_and_a_known_deviation_counts() -> None:
    equal = runs("PFLR*", 1, 0.75, sides=(0.0, 0.0))
    beside = runs("PFLR", 1, 0.70, sides=(-0.03, 0.0, 0.03))
    # 2 * 0.03 / sqrt(2) = 0.0424
    assert only_cell(0.79, rows=pd.DataFrame(equal + beside)).verdict == "within noise"
    assert only_cell(0.79, rows=pd.DataFrame(equal)).verdict == "differs"
    # of three seeds it is their own 0 whatever others show
    three = runs("PFLR*", 1, 0.75, sides=(0.0, 0.0, 0.0))
    assert only_cell(0.79, rows=pd.DataFrame(three + beside)).verdict == "differs"


def test_an_empty_parameter_fits_all_settings_and_a_baseline_all_epsilons() -> None:
    assert verdicts(published("LR", 0.1, 0.84), published("LR", None, 0.84)).cell_counts == {
        "reproduced": 2
    }


def test_a_published_cell_that_fits_two_settings_is_refused() -> None:
    with pytest.raises(DpfairError, match="add parameters to the cell"):
        verdicts(published("PFLR*", None, 0.7))


def test_a_cell_is_compared_with_each_variant_and_the_nearest_is_named() -> None:
    (cell,) = verdicts(published("PFLR", 0.1, 0.66)).cells
    assert [one.label for one in cell.variants] == ["PFLR", "PFLR, shift"]
    assert [one.name for one in cell.variants] == ["", "shift"]
    assert [one.verdict for one in cell.variants] == ["differs", "reproduced"]
    assert cell.default is cell.variants[0]
    assert cell.nearest is cell.variants[1]
    assert verdicts(published("PFLR", 0.1, 0.66)).failures == (
        "adult, PFLR, epsilon 0.1, accuracy: differs",
    )


def test_no_variant_is_nearest_where_there_is_but_one() -> None:
    assert only_cell(0.75).nearest is None


def test_a_variant_of_the_data_is_a_variant_of_every_method() -> None:
    """Runs on it stand behind the method's own name; the default ones are those without."""
    coarse = replace(SPEC, datasets=(data_set("adult"), data_set("adult", variant="coarse")))
    rows = pd.concat(
        [ROWS, pd.DataFrame([{**run, "method": "PFLR*, coarse"} for run in runs("PFLR*", 1, 0.9)])]
    )
    (cell,) = verdicts(published("PFLR*", 1, 0.9), rows=rows, spec=coarse).cells
    assert [(one.label, one.verdict) for one in cell.variants] == [
        ("PFLR*", "differs"),
        ("PFLR*, coarse", "reproduced"),
    ]


def test_a_cell_without_rows_is_missing_and_fails() -> None:
    found = verdicts(published("PFLR*", 100, 0.8), published("PFLR*", 1, 0.8, metric="fpr"))
    assert found.cell_counts == {"missing": 2}
    assert len(found.failures) == 2


def test_a_replica_is_never_compared() -> None:
    found = verdicts(published("PFLR*", 1, 0.0), standins={"adult": "REPLICA"})
    assert found.cell_counts == {"not compared": 1}
    assert [cell.variants for cell in found.cells] == [()]
    assert not found.failures


def test_a_substitute_is_compared() -> None:
    assert verdicts(published("PFLR*", 1, 0.75), standins={"adult": "SUBSTITUTE"}).cell_counts == {
        "reproduced": 1
    }


def test_times_of_another_machine_are_not_compared() -> None:
    assert verdicts(published("PFLR*", 1, 3.5, metric="seconds")).cell_counts == {"not compared": 1}


@pytest.mark.parametrize("count", [1000.0, 2.0])
def test_a_number_of_records_is_no_verdict(count: float) -> None:
    found = verdicts(
        published("PFLR*", 1, count, metric="sample_size"), rows=ROWS.assign(sample_size=1000)
    )
    assert found.cell_counts == {"record count": 1}
    assert not found.failures


def experiments(*cells: dict[str, Any], **more: Any) -> list[Any]:
    return [cell.experiment for cell in verdicts(*cells, **more).cells]


def test_only_cells_of_one_number_have_the_same_experiment() -> None:
    here = published("PFLR*", 1, 0.75)
    (one,) = experiments(here)
    assert one
    assert experiments(here, spec=replace(SPEC, artefact="xu2021/table8.2", title="Another")) == [
        one
    ]
    others = [
        published("PFLR*", 1, 0.76),
        published("PFLR*", 1, 0.75, 0.01),
        published("PFLR*", 10, 0.75),
    ]
    others += [published("PFLR", 1, 0.75), published("LR", 1, 0.75)]
    assert len({one, *experiments(*others)}) == 6


def test_an_experiment_is_what_was_run_and_not_what_the_table_shows() -> None:
    """Table 8.1 prints no epsilon, and has it fixed at 1; its cell is that of Table 8.2 at epsilon
    1 all the same.
    """
    fixed = replace(
        SPEC, artefact="xu2021/table8.2", layout=replace(SPEC.layout, rows=("dataset", "method"))
    )  # type: ignore[type-var]
    rows = ROWS[(ROWS["epsilon"] == 1.0) & (ROWS["method"] == "PFLR*")]
    cell = published("PFLR*", None, 0.75)
    assert experiments(cell, spec=fixed, rows=rows) == experiments(published("PFLR*", 1, 0.75))


def test_the_lines_come_in_the_order_of_the_cells() -> None:
    cells = [published("PFLR*", epsilon, 0.75) for epsilon in EPSILONS[::-1]]
    found = [cell.parameters["epsilon"] for cell in verdicts(*cells).cells]
    assert found == [10.0, 1.0, 0.1]


@pytest.mark.parametrize(
    ("mean", "std", "rule"),
    [
        (0.77, 0.06, "the means are 0.0200 apart, at most 0.0200"),
        (0.78, 0.06, "the means are 0.0300 apart, more than 0.0200 and within two standard errors "
                     "of their difference (0.0397)"),
        (0.80, 0.09, "the means are 0.0500 apart, within two standard errors of their difference "
                     "(0.0581), which are more than 0.0500: too wide to tell"),
        (0.79, 0.06, "the means are 0.0400 apart, more than 0.0200 and more than two standard "
                     "errors of their difference (0.0397)"),
    ],
)  # fmt: skip
def test_the_rule_names_the_limits_that_decide(mean: float, std: float, rule: str) -> None:
    assert default(only_cell(mean, std)).comparison.rule == rule


def test_the_rule_says_that_one_run_decides_nothing() -> None:
    one = Comparison(Sample(0.75, math.nan, 1), Sample(0.76, 0.01, 10))
    assert (
        one.rule == "the means are 0.0100 apart, and one run does not show how far runs lie apart"
    )


def test_the_rule_says_how_much_noise_is_excused() -> None:
    # ours has 2 * 0.3 / sqrt(9) = 0.2, of which 0.05 count; the published one 2 * 0.1 / sqrt(100)
    wide = Comparison(Sample(0.5, 0.3, 9), Sample(0.6, 0.1, 100))
    assert wide.verdict == "differs"
    assert wide.rule == (
        "the means are 0.1000 apart, more than 0.0200 of the published noise and 0.0500 of ours, "
        "the most that noise excuses"
    )
