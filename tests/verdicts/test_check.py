"""Check: tolerance, readings, replicas, missing cells, and the file that it writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.verdicts import check
from tests.verdicts.toy_paper import ROWS, SPEC, WHY, published, verdicts


def test_the_tolerance_is_the_one_worked_by_hand() -> None:
    # 0.02 + 2 sqrt(0.03^2 / 10 + 0.0002 / 2) = 0.02 + 2 sqrt(0.00009 + 0.0001) = 0.02 + 2 * 0.0137840 = 0.0475681
    cell = verdicts(published("PFLR*", 1, 0.79, 0.03)).cells.iloc[0]
    assert cell["allowed"] == pytest.approx(0.0475681, abs=1e-7)
    assert cell["verdict"] == "agrees"  # 0.04 away


def test_a_missing_published_deviation_counts_as_zero() -> None:
    # 0.02 + 2 sqrt(0.0001) = 0.04
    assert verdicts(published("PFLR*", 1, 0.7899)).cells["verdict"].item() == "agrees"
    assert verdicts(published("PFLR*", 1, 0.7901)).cells["verdict"].item() == "differs"


def test_counts_and_distances_may_be_ten_percent_off() -> None:
    line = {"metric": "chi2", "published_mean": 500.0, "published_std": float("nan"), "std": float("nan"), "runs": 1}
    assert check.allowed(line, published_runs=10) == pytest.approx(50)


def test_an_empty_parameter_fits_every_setting_and_a_baseline_every_epsilon() -> None:
    assert verdicts(published("LR", 0.1, 0.84), published("LR", None, 0.84)).tally == {"agrees": 2}


def test_a_published_cell_that_fits_two_settings_is_refused() -> None:
    with pytest.raises(DpfairError, match="pin its parameters"):
        verdicts(published("PFLR*", None, 0.7))


def test_each_reading_stands_beside_the_cell_and_the_nearest_is_named() -> None:
    cells = verdicts(published("PFLR", 0.1, 0.66)).cells
    assert list(cells["method"]) == ["PFLR", "PFLR, shift"]
    assert list(cells["default"]) == [True, False]
    assert list(cells["verdict"]) == ["differs", "agrees"]
    assert set(cells["nearest"]) == {"PFLR, shift"}
    assert verdicts(published("PFLR", 0.1, 0.66)).failures == ("adult, PFLR, epsilon 0.1, accuracy: differs",)


def test_a_cell_without_rows_is_missing_and_fails() -> None:
    found = verdicts(published("PFLR*", 100, 0.8), published("PFLR*", 1, 0.8, metric="fpr"))
    assert found.tally == {"missing": 2}
    assert len(found.failures) == 2


def test_a_replica_is_never_compared() -> None:
    found = verdicts(published("PFLR*", 1, 0.0), standins={"adult": "REPLICA"})
    assert found.tally == {"not compared": 1}
    assert found.cells["mean"].isna().all()
    assert not found.failures
    assert "REPLICA" in found.title


def test_a_substitute_is_compared_and_labelled() -> None:
    found = verdicts(published("PFLR*", 1, 0.75), standins={"adult": "SUBSTITUTE"})
    assert found.tally == {"agrees": 1}
    assert "SUBSTITUTE" in check.report(found)


def test_the_file_shows_cells_readings_claims_and_stale_entries(tmp_path: Path) -> None:
    claim = {
        "id": "c",
        "artefact": "table8.2",
        "claim": "all|any",
        "holds": [{"compare": ["PFLR", "<", "LR"], "metric": "accuracy"}],
    }
    entry = {"method": "PFLR*", **WHY}
    found = verdicts(
        published("PFLR", 0.1, 0.66, 0.01), published("PFLR*", 1, 0.75), claims=(claim,), deviations=(entry,)
    )
    text = check.write(found, tmp_path).read_text(encoding="utf-8")
    assert "differs: 1, agrees: 1 (of 2 published cells)." in text
    assert "| adult, PFLR, epsilon 0.1, accuracy | 0.6000 ± 0.0141 | 0.6600 ± 0.0100 | -0.0600 |" in text
    assert "| adult | PFLR | accuracy | PFLR, shift | 1 |" in text
    assert r"all\|any | holds |" in text
    assert "method PFLR*" in text.split("Stale deviations")[1]


def test_a_paper_without_files_has_nothing_to_compare(tmp_path: Path) -> None:
    found = check.check(replace(SPEC, artefact="new/table1"), ROWS, check.read(tmp_path), standins={})
    assert not len(found.cells)
    assert not found.failures
    assert "No published numbers" in check.report(found)
