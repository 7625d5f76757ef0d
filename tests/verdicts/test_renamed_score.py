"""A score that was renamed: journals and published.csv keep the former name."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpfair_cli.contracts.declarations import Score
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.layouts.table import TableLayout
from dpfair_cli.reproduction.runs import run_table
from dpfair_cli.running.journal import Journal
from dpfair_cli.running.rows import Row, SettingFields, line
from dpfair_cli.verdicts.paper import Paper
from tests.deciding import decide_artefact
from tests.toy_specs import data_set, method, task
from tests.verdicts.toy_paper import published_cell

CELL = {"artefact": "table1", "dataset": "adult", "method": "LR", "mean": 0.25, "std": 0.01}
PUBLISHED = Paper([published_cell(CELL | {"metric": "risk_difference"})])
ROWS = [
    Row(SettingFields({"dataset": "adult"}), seed, {"accuracy": 0.8, "risk_difference": score})
    for seed, score in enumerate([0.24, 0.25, 0.26])
]


def toy(score: str) -> Spec:
    """A spec whose task has this score of the toy above, perhaps under another name."""
    layout = TableLayout(("method",), (score,))
    study = task(scores=("accuracy", score))
    lr = method("lr", {}, "LR", "LR")
    return Spec("toy2020/table1", "t", "s", study, (data_set("adult"),), (lr,), 3, layout)


BEFORE, AFTER = toy("risk_difference"), toy(Score("gap", formerly=("risk_difference",)))


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A journal with the former name of the score."""
    file = tmp_path / "runs.jsonl"
    file.write_text("".join(map(line, ROWS)), encoding="utf-8")
    return Journal(file)


def test_a_row_with_a_former_name_is_read_under_the_present_one(journal: Journal) -> None:
    finished = list(zip(AFTER.runs(), journal.rows.values(), strict=True))
    table = run_table(finished, AFTER)
    assert list(table["gap"]) == [0.24, 0.25, 0.26]
    assert "risk_difference" not in table


def test_a_journal_with_a_former_name_keeps_its_bytes(journal: Journal) -> None:
    before = journal.path.read_bytes()
    journal.rewrite(reversed(journal.rows))
    assert sorted(journal.path.read_bytes().splitlines()) == sorted(before.splitlines())
    assert b'"risk_difference"' in before


def test_a_renamed_score_has_the_verdict_that_it_had(journal: Journal) -> None:
    found = []
    for spec in (BEFORE, AFTER):
        rows = run_table(list(zip(spec.runs(), journal.rows.values(), strict=True)), spec)
        (cell,) = decide_artefact(rows, spec, PUBLISHED, standins={}).cells
        found.append((cell.published.metric, cell.verdict))
    assert found == [("risk_difference", found[0][1]), ("gap", found[0][1])]


def test_curves_are_renamed_and_other_results_are_not() -> None:
    more = {"curves": {"a": [1.0], "b": [2.0]}, "outputs": {"a": 3}}
    row = Row(SettingFields({}), 0, {"a": 1.0}, more)
    found = row.under_present_names({"a": "c"})
    assert found == {**row, "scores": {"c": 1.0}, "curves": {"c": [1.0], "b": [2.0]}}
    assert row["scores"] == {"a": 1.0}  # the row itself stays as it was
