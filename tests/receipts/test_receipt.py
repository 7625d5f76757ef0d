"""The command receipt: what it writes and prints, and the badge."""

from __future__ import annotations

import json

import yaml

from dpfair_cli.addons.receipts.command import FORMATS
from dpfair_cli.addons.receipts.documents import DOCUMENTS
from tests.commands.invoking import mistake, snapshot, works
from tests.diff.toy_project import commit, git

DATE = ("--date", "2026-11-27")


def test_the_command_offers_every_format():
    assert list(DOCUMENTS) == list(FORMATS)
    files = [one.file for one in DOCUMENTS.values()]
    assert files == ["ro-crate-metadata.json", "check.sarif", "badge.json"]


def test_a_folder_has_the_documents_and_the_files(project):
    result = works("receipt", "toy2020", *DATE)
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        *(f"receipt-toy2020/{one.file}" for one in DOCUMENTS.values()),
        "receipt-toy2020/SHA256SUMS",
    ]
    for path in ("experiments/toy2020/published.csv", "results/toy2020/table1/runs.jsonl"):
        assert (project / "receipt-toy2020" / path).read_bytes() == (project / path).read_bytes()


def test_the_same_results_give_the_same_bytes(project):
    works("receipt", "--out", "one", *DATE)
    works("receipt", "--out", "two", *DATE)
    one, two = snapshot(project / "one"), snapshot(project / "two")
    assert {file.relative_to(project / "one"): text for file, text in one.items()} == {
        file.relative_to(project / "two"): text for file, text in two.items()
    }


def test_the_date_is_that_of_the_commit(project):
    git(project, "init", "-q")
    commit(project, "one")
    root = json.loads(works("receipt", "--format", "ro-crate").stdout)["@graph"][0]
    assert root["datePublished"] == git(project, "log", "-1", "--format=%cs")


def test_a_folder_with_files_is_not_written_into(project):
    works("receipt", "--out", "one", *DATE)
    (project / "one" / "notes.txt").write_text("mine")
    assert mistake("receipt", "--out", "one", *DATE).startswith("one has files")
    assert (project / "one" / "notes.txt").read_text() == "mine"


def test_a_document_on_stdout_takes_no_folder(project):
    assert "give no --out" in mistake("receipt", "--format", "badge", "--out", "one")


def test_missing_runs_are_refused(project):
    journal = project / "results" / "toy2020" / "table1" / "runs.jsonl"
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:-1]))
    assert "toy2020/table1 is not complete" in mistake("receipt", *DATE)


def test_the_badge_counts_the_numbers_and_is_red_if_the_check_fails(project):
    badge = json.loads(works("receipt", "--format", "badge", *DATE).stdout)
    assert badge["schemaVersion"] == 1
    assert badge["message"] == "0 agree, 1 differ, 1 undecided"
    assert badge["color"] == "red"
    entry = [{"artefact": "table1", "method": "FM", "kind": "open", "cause": "Not known."}]
    file = project / "experiments" / "toy2020" / "deviations.yaml"
    file.write_text(yaml.safe_dump(entry))
    assert json.loads(works("receipt", "--format", "badge", *DATE).stdout)["color"] == "blue"
