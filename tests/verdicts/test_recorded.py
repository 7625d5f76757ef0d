"""covered.json: a deviation covers a cell only while our mean is the recorded one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dpfair_cli.verdicts.deviations.coverage import record
from dpfair_cli.verdicts.deviations.deviation import (
    parse_deviations,
    read_recorded,
    with_recorded,
    write_recorded,
)
from tests.toy_specs import with_study
from tests.verdicts.toy_paper import HYPOTHESIS, OPEN, ROWS, SHIFT, SPEC, published, verdicts

# PFLR* has 0.75 at epsilon 1, and the deviation of PFLR* has the id table8.2-pflr
CELL = published("PFLR*", 1, 0.9)
KEY = "table8.2: adult, PFLR*, epsilon 1, accuracy"
ENTRY = {"method": "PFLR*", **OPEN}
MOVED = (
    "adult, PFLR*, epsilon 1, accuracy: differs (our value is not the one that was recorded for "
    "the deviation table8.2-pflr: if its cause is still right, run `dpfair check PAPER --record`)"
)


@pytest.mark.parametrize("seen", [0.75, 0.731, 0.769])
def test_a_mean_that_moves_by_less_than_the_margin_is_covered(seen: float) -> None:
    found = verdicts(CELL, deviations=(ENTRY,), recorded={"table8.2-pflr": {KEY: seen}})
    assert (found.cell_counts, found.failures) == ({"differs (open)": 1}, ())
    assert not found.stale_deviations


@pytest.mark.parametrize("seen", [0.729, 0.771])
def test_a_mean_that_moves_by_more_than_the_margin_is_not_covered(seen: float) -> None:
    found = verdicts(CELL, deviations=(ENTRY,), recorded={"table8.2-pflr": {KEY: seen}})
    assert found.failures == (MOVED,)
    assert len(found.stale_deviations) == 1


@pytest.mark.parametrize(
    "recorded",
    [{}, {"table8.2-pflr": {}}, {"table8.2-pflr": {f"{KEY}2": 0.75}}, {"other": {KEY: 0.75}}],
    ids=["no deviation", "no cell", "another cell", "another deviation"],
)
def test_a_cell_without_a_recorded_mean_is_not_covered(
    recorded: dict[str, dict[str, float]],
) -> None:
    assert verdicts(CELL, deviations=(ENTRY,), recorded=recorded).failures == (MOVED,)


def test_a_paper_without_recorded_means_covers_any_mean() -> None:
    assert not verdicts(CELL, deviations=(ENTRY,), recorded=None).failures


def test_the_margin_of_a_score_that_is_not_a_rate_is_a_tenth() -> None:
    # ours is 20.75; a tenth of 30 is 3
    rows = ROWS.assign(edges=20 + ROWS["accuracy"])
    cell, spec = published("PFLR*", 1, 30, metric="edges"), with_study(SPEC, unbounded=("edges",))
    key = "table8.2: adult, PFLR*, epsilon 1, edges"
    for seen, failures in ((23.7, 0), (17.8, 0), (23.8, 1), (17.7, 1)):
        recorded = {"table8.2-pflr": {key: seen}}
        found = verdicts(cell, deviations=(ENTRY,), rows=rows, spec=spec, recorded=recorded)
        assert len(found.failures) == failures, seen


def test_another_deviation_with_the_right_mean_covers_the_cell() -> None:
    entries = (ENTRY, {"method": "PFLR*", **HYPOTHESIS})
    recorded = {"table8.2-pflr": {KEY: 0.75}, "table8.2-pflr-2": {KEY: 0.6}}
    found = verdicts(CELL, deviations=entries, recorded=recorded)
    assert found.cell_counts == {"differs (open)": 1}


def test_a_variant_that_passes_covers_only_the_recorded_mean() -> None:
    # PFLR has 0.60, and 0.66 under shift
    cell, entry = published("PFLR", 0.1, 0.66), {"method": "PFLR", **SHIFT}
    key = "table8.2: adult, PFLR, epsilon 0.1, accuracy"
    for seen, counts in ((0.60, {"differs (variant)": 1}), (0.66, {"differs": 1})):
        found = verdicts(cell, deviations=(entry,), recorded={"table8.2-pflr": {key: seen}})
        assert found.cell_counts == counts


def test_cells_that_are_not_run_need_no_recorded_mean() -> None:
    entry = {"dataset": "dutch", "not_run": "takes days", **OPEN}
    cell = {**published("PFLR", 1, 0.7), "dataset": "dutch"}
    found = verdicts(cell, deviations=(entry,), recorded={})
    assert found.cell_counts == {"not run (open)": 1}


# What is recorded


def recorded_of(*cells: dict[str, Any], entries: tuple[dict[str, Any], ...]) -> Any:
    deviations = list(parse_deviations({"artefact": "table8.2", **entry} for entry in entries))
    return record(verdicts(*cells).cells, deviations)


def test_each_deviation_records_our_means_of_its_differing_cells() -> None:
    cells = (CELL, published("PFLR*", 10, 0.79), published("PFLR*", 100, 0.9),
             published("PFLR", 0.1, 0.66), published("PFLR", 1, 0.9))  # fmt: skip
    entries = ({"id": "a", "method": "PFLR", **SHIFT}, {"id": "b", "method": "PFLR*", **OPEN},
               {"id": "c", "method": "LR", **OPEN})  # fmt: skip
    assert recorded_of(*cells, entries=entries) == {
        "a": {"table8.2: adult, PFLR, epsilon 0.1, accuracy": 0.6},
        "b": {KEY: 0.75},
    }


def test_a_cell_is_recorded_for_the_later_of_two_deviations() -> None:
    entries = ({"id": "a", **ENTRY}, {"id": "b", **ENTRY})
    assert recorded_of(CELL, entries=entries) == {"b": {KEY: 0.75}}


def test_a_mean_that_has_moved_is_recorded_anew() -> None:
    (entry,) = parse_deviations([{"artefact": "table8.2", **ENTRY}])
    seen = with_recorded([entry], {entry.id: {KEY: 0.5}})
    assert seen[0].seen == {KEY: 0.5}
    assert record(verdicts(CELL).cells, seen) == {entry.id: {KEY: 0.75}}


def test_recorded_means_are_the_same_after_reading(tmp_path: Path) -> None:
    means = recorded_of(CELL, entries=(ENTRY,))
    file = write_recorded(means, tmp_path)
    assert file == tmp_path / "covered.json"
    assert json.loads(file.read_text(encoding="utf-8")) == read_recorded(tmp_path) == means
    assert verdicts(CELL, deviations=(ENTRY,), recorded=read_recorded(tmp_path)).failures == ()


def test_a_folder_without_the_file_has_nothing_recorded(tmp_path: Path) -> None:
    assert read_recorded(tmp_path) is None
    (entry,) = with_recorded(parse_deviations([{"artefact": "table8.2", **ENTRY}]), None)
    assert entry.seen is None
