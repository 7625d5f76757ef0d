"""The manifest of claims: pinned files, and numbers that stand where it says."""

from __future__ import annotations

import csv
import hashlib

import yaml

from tests.commands.invoking import works

DATE = ("--date", "2026-11-27")


def verify(folder):
    """The number of numbers of a manifest, each of which stands in exactly one row of its file."""
    manifest = yaml.safe_load((folder / "repro.yaml").read_text())
    assert manifest["schema_version"] == "repro/1"
    files = {one["id"]: folder / one["path"] for one in manifest["artifacts"]}
    for one in manifest["artifacts"]:
        digest = hashlib.sha256(files[one["id"]].read_bytes()).hexdigest()
        assert one["digest"] == {"algorithm": "sha256", "value": digest}
    ids = [claim["id"] for claim in manifest["claims"]]
    assert len(ids) == len(set(ids))
    numbers = [found for claim in manifest["claims"] for found in claim.get("evidence", ())]
    for found in numbers:
        with files[found["artifact"]].open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if found["where"].items() <= row.items()]
        assert [row[found["column"]] for row in rows] == [found["reported"]]
    return manifest, numbers


def test_each_published_number_is_next_to_ours(project):
    works("receipt", "--out", "receipt", *DATE)
    manifest, numbers = verify(project / "receipt")
    assert [(one["name"], one["reported"]) for one in numbers] == [
        ("published", "0.8"),
        ("ours", "0.8"),
        ("published", "0.6"),
        ("ours", "0.7"),
    ]
    differs = manifest["claims"][1]
    assert differs["id"] == "toy2020/table1: adult, FM, epsilon 1, accuracy"
    assert differs["text"] == "published 0.6, ours 0.7: differs"


def test_a_sentence_of_the_paper_has_its_verdict_and_place(project):
    text = works("receipt", "--format", "claims", *DATE).stdout
    (claim,) = [one for one in yaml.safe_load(text)["claims"] if "evidence" not in one]
    assert claim == {"id": "toy2020/table1: better", "text": "LR is better: holds", "where": "p. 1"}


def test_a_number_that_is_in_no_row_of_ours_is_left_out(project):
    table = project / "results" / "toy2020" / "table1" / "table.csv"
    table.write_text(table.read_text().replace("0.7,", "0.75,"))
    works("receipt", "--out", "receipt", *DATE)
    _, numbers = verify(project / "receipt")
    assert [one["name"] for one in numbers] == ["published", "ours", "published"]


def test_the_numbers_of_committed_papers_stand_where_it_says(tmp_path):
    for paper in ("xian2024", "mangold2023", "ding2020"):
        works("receipt", paper, "--out", tmp_path / paper, *DATE)
        verify(tmp_path / paper)
