"""Published cells against ours: verdicts, variants, which deviation counts, replicas and missing
cells.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from scipy import stats

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts.cells.comparison import Sample
from dpfair_cli.verdicts.cells.judging import JudgedCell, JudgedVariant
from tests.toy_specs import data_set, with_study
from tests.verdicts.toy_paper import EPSILONS, ROWS, SPEC, published, runs, verdicts


def only_cell(mean: float, std: float | None = None, **more: Any) -> JudgedCell:
    """The cell of PFLR* at epsilon 1, where ours is 0.75 and our deviation 0.001 unless `rows` say
    otherwise.
    """
    (cell,) = verdicts(published("PFLR*", 1, mean, std), **more).cells
    return cell


def default(cell: JudgedCell) -> JudgedVariant:
    assert cell.default
    return cell.default


def test_a_line_has_the_numbers_worked_by_hand() -> None:
    # a = 0.001^2 / 3, b = 0.006^2 / 10: sqrt(a + b) = 0.00198326, and the degrees of freedom are
    # (a + b)^2 / (a^2 / 2 + b^2 / 9) = 1.547111e-11 / 1.495556e-12 = 10.3447
    cell = only_cell(0.78, 0.006)
    found = default(cell)
    assert found.ours == Sample(pytest.approx(0.75), pytest.approx(0.001), 3)
    assert (cell.published.mean, cell.published.std) == (0.78, 0.006)
    assert found.comparison.difference == pytest.approx(0.03)
    assert found.comparison.degrees_of_freedom == pytest.approx(10.3447, abs=1e-4)
    width = stats.t.ppf(0.95, 10.3447) * 0.00198326
    assert found.comparison.half_width == pytest.approx(width, abs=1e-7)
    assert cell.verdict == "differs"
    assert (cell.kind, cell.cause, cell.remedy, cell.nearest) == ("", "", "", None)
    assert cell.description == "adult, PFLR*, epsilon 1, accuracy"
    assert found.scores == pytest.approx({0: 0.749, 1: 0.75, 2: 0.751})


@pytest.mark.parametrize(
    ("mean", "std", "verdict"),
    [  # the 90 % interval is +- 0.0036 with the deviation 0.006, and +- 0.0019 without one
        (0.75, 0.006, "reproduced"),
        (0.766, 0.006, "reproduced"),  # 0.016 away
        (0.768, 0.006, "undecided"),
        (0.772, 0.006, "undecided"),
        (0.774, 0.006, "differs"),  # 0.024 away
        (0.768, None, "reproduced"),
        (0.7685, None, "undecided"),
        (0.7715, None, "undecided"),
        (0.7725, None, "differs"),
        (0.75, 0.06, "undecided"),  # +- 0.035
        (0.80, 0.06, "undecided"),
        (0.81, 0.06, "differs"),
    ],
)
def test_a_cell_has_the_verdict_of_its_interval_and_the_margin(
    mean: float, std: float | None, verdict: str
) -> None:
    assert only_cell(mean, std).verdict == verdict


def test_an_undecided_cell_has_the_number_of_seeds_that_would_decide() -> None:
    assert only_cell(0.75, 0.06).remedy == "no number of seeds up to 2,000 would decide"
    # 0.02^2 / R + 0.02^2 / 10: 0.02 / 0.010328 = 1.936 of 2.015 at R = 6, and 2.029 of 1.943 at 7
    wide = pd.DataFrame(runs("PFLR*", 1, 0.75, sides=(-0.02, 0.0, 0.02)))
    assert only_cell(0.75, rows=wide).remedy == "7 seeds would decide"


def test_the_number_of_published_runs_is_that_of_the_spec() -> None:
    # the standard error is 0.02 of one published run, and 0.0063 of ten
    assert only_cell(0.75, 0.02, spec=replace(SPEC, published_runs=1)).verdict == "undecided"
    assert only_cell(0.75, 0.02).verdict == "reproduced"


def test_a_cell_near_a_value_of_another_method_is_consistent() -> None:
    # 0.01 away, and the baseline, which has no epsilon, is 0.015 or 0.025 from the published value
    cell = published("PFLR*", 1, 0.76)
    for baseline, verdict in ((0.745, "consistent"), (0.775, "consistent"), (0.785, "reproduced")):
        found = verdicts(cell, published("LR", None, baseline)).cells[0]
        assert (found.verdict, found.rivals) == (verdict, (baseline, 0.0))


def test_a_cell_near_zero_is_consistent() -> None:
    # ours 0.004 is 0.006 from 0.01, and more than half of the way to 0
    rows = pd.DataFrame(runs("PFLR*", 1, 0.004))
    assert only_cell(0.01, rows=rows).verdict == "consistent"
    assert only_cell(0.007, rows=rows).verdict == "reproduced"  # 0.003 of 0.0035


def test_an_accuracy_near_the_one_of_the_majority_is_consistent() -> None:
    rows = ROWS.assign(majority_accuracy=0.74, fpr=ROWS["accuracy"])
    assert only_cell(0.755, rows=rows).verdict == "reproduced"  # 0.005 of 0.0075
    assert only_cell(0.757, rows=rows).verdict == "reproduced"  # 0.007 of 0.0085
    assert only_cell(0.762, rows=rows).verdict == "consistent"  # 0.012 of 0.011
    rate = verdicts(published("PFLR*", 1, 0.762, metric="fpr"), rows=rows).cells[0]
    assert (rate.verdict, rate.rivals) == ("reproduced", (0.0,))


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
    assert only_cell(0.30, rows=alone).remedy == "one more seed would show how much runs vary"
    # PFLR elsewhere shows 0.03, and LR with its 0.001 is not the largest: the standard error is
    # 0.03 sqrt(1 + 1 / 10) = 0.0315, and 1.645 of them are 0.0518
    others = runs("PFLR", 10, 0.8, sides=(-0.03, 0.0, 0.03)) + runs("LR", 0, 0.84)
    known = pd.DataFrame(one_seed("PFLR*", 1, 0.75) + others)
    assert only_cell(0.75, rows=known).verdict == "undecided"
    assert only_cell(0.82, rows=known).verdict == "undecided"
    assert only_cell(0.825, rows=known).verdict == "differs"
    assert default(only_cell(0.825, rows=known)).comparison.spread == pytest.approx(0.03)


def test_of_two_seeds_the_larger_of_their_own_and_a_known_deviation_counts() -> None:
    equal = runs("PFLR*", 1, 0.75, sides=(0.0, 0.0))
    beside = runs("PFLR", 1, 0.70, sides=(-0.03, 0.0, 0.03))
    # 0.03 sqrt(1 / 2 + 1 / 10) = 0.0232
    assert only_cell(0.79, rows=pd.DataFrame(equal + beside)).verdict == "undecided"
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


def test_scores_are_in_the_order_of_the_seeds() -> None:
    shuffled = ROWS.sample(frac=1, random_state=1)
    found = default(only_cell(0.75, rows=shuffled)).scores
    assert list(found) == [0, 1, 2]
    assert [*found.values()] == pytest.approx((0.749, 0.75, 0.751))
