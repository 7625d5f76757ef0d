"""Published cells against ours: tolerance, readings, replicas and missing cells."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts.comparison import count_nearest_readings, tolerance
from tests.verdicts.toy_paper import EPSILONS, SPEC, published, verdicts


def test_the_tolerance_is_the_one_worked_by_hand() -> None:
    # 0.02 + 2 sqrt(0.03^2 / 10 + 0.0002 / 2) = 0.02 + 2 sqrt(0.00009 + 0.0001) = 0.02 + 2 * 0.0137840 = 0.0475681
    cell = verdicts(published("PFLR*", 1, 0.79, 0.03)).cells.iloc[0]
    assert cell["tolerance"] == pytest.approx(0.0475681, abs=1e-7)
    assert cell["verdict"] == "agrees"  # 0.04 away


def test_a_missing_published_deviation_counts_as_zero() -> None:
    # 0.02 + 2 sqrt(0.0001) = 0.04
    assert verdicts(published("PFLR*", 1, 0.7899)).cells["verdict"].item() == "agrees"
    assert verdicts(published("PFLR*", 1, 0.7901)).cells["verdict"].item() == "differs"


def test_counts_and_distances_may_be_ten_percent_off() -> None:
    line = {"metric": "edges", "published_mean": 500.0, "published_std": float("nan"), "std": float("nan"), "runs": 1}
    assert tolerance(line, replace(SPEC, unbounded=("edges",))) == pytest.approx(50)
    assert tolerance(line, SPEC) == pytest.approx(0.02)


def test_an_empty_parameter_fits_every_setting_and_a_baseline_every_epsilon() -> None:
    assert verdicts(published("LR", 0.1, 0.84), published("LR", None, 0.84)).cell_counts == {"agrees": 2}


def test_a_published_cell_that_fits_two_settings_is_refused() -> None:
    with pytest.raises(DpfairError, match="pin its parameters"):
        verdicts(published("PFLR*", None, 0.7))


def test_a_cell_is_compared_with_each_reading_and_the_nearest_is_named() -> None:
    cells = verdicts(published("PFLR", 0.1, 0.66)).cells
    assert list(cells["method"]) == ["PFLR", "PFLR, shift"]
    assert list(cells["is_default"]) == [True, False]
    assert list(cells["verdict"]) == ["differs", "agrees"]
    assert set(cells["nearest_reading"]) == {"PFLR, shift"}
    assert verdicts(published("PFLR", 0.1, 0.66)).failures == ("adult, PFLR, epsilon 0.1, accuracy: differs",)


def test_a_cell_without_rows_is_missing_and_fails() -> None:
    found = verdicts(published("PFLR*", 100, 0.8), published("PFLR*", 1, 0.8, metric="fpr"))
    assert found.cell_counts == {"missing": 2}
    assert len(found.failures) == 2


def test_a_replica_is_never_compared() -> None:
    found = verdicts(published("PFLR*", 1, 0.0), standins={"adult": "REPLICA"})
    assert found.cell_counts == {"not compared": 1}
    assert found.cells["mean"].isna().all()
    assert not found.failures


def test_a_substitute_is_compared() -> None:
    assert verdicts(published("PFLR*", 1, 0.75), standins={"adult": "SUBSTITUTE"}).cell_counts == {"agrees": 1}


def test_times_of_another_machine_are_not_compared() -> None:
    assert verdicts(published("PFLR*", 1, 3.5, metric="seconds")).cell_counts == {"not compared": 1}


def test_the_nearest_reading_is_counted_for_cells_whose_method_has_several() -> None:
    # PFLR has 0.60, 0.70, 0.80 and its other reading 0.66 throughout; PFLR* has one reading
    cells = [published("PFLR", epsilon, 0.66) for epsilon in EPSILONS]
    cells += [published("PFLR", 1, 0.71), published("PFLR*", 1, 0.75)]
    counts = count_nearest_readings(verdicts(*cells).cells)
    assert dict(zip(counts["nearest_reading"], counts["cells"], strict=True)) == {"PFLR": 1, "PFLR, shift": 3}
    assert set(counts["published_method"]) == {"PFLR"}
