"""--positive '>15' makes two labels of a column of numbers, in every command that has a label."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.invoking import mistake, preview_of, works
from tests.commands.material import people, write

COLUMNS = ("--label", "points", "--protected", "sex", "--positive", ">15")
HEADING = ("age", "work", "sex", "points")
TRAIN = ("--method", "functional_mechanism", "--eps", "1", "--seed", "1")


def rows(empty=()):
    """People of whom the older have more points."""
    return [
        [*row[:3], "" if k in empty else str(int(row[0]) // 3 - 1)]
        for k, row in enumerate(people(120))
    ]


@pytest.fixture(autouse=True)
def _own(place):
    write("own.csv", rows(), HEADING)


def favourable():
    return sum(float(row[3]) > 15 for row in rows())


def test_a_draft_states_the_two_values_and_a_fit_needs_no_more():
    said = works("domain", "own.csv", *COLUMNS[:4]).stdout
    assert "count as 0; for numbers, give a comparison, such as --positive '>15'" in said
    said = works("domain", "own.csv", *COLUMNS, "--force").stdout
    assert "label: >15 is favourable, <=15 not" in said
    assert "points:" not in said.partition("questions to answer")[2]
    assert "points: {levels: [<=15, '>15']}" in Path("own.yaml").read_text()
    works("domain", "--confirm", "own.yaml")
    domain = ("--label", "points", "--protected", "sex", "--domain", "own.yaml")
    done = works("train", "own.csv", *domain, *TRAIN, "--save", "one.json")
    works("train", "own.csv", *domain, "--positive", ">15", *TRAIN, "--save", "two.json")
    assert any(f"'>15' is favourable, {favourable()} rows" in x for x in preview_of(done.stderr))
    assert "outside" not in done.stderr or "0 of" in done.stderr
    one, two = (json.loads(Path(file).read_text()) for file in ("one.json", "two.json"))
    assert one["table"] == two["table"]
    assert one["table"]["label"] == {"name": "points", "levels": ["<=15", ">15"]}
    assert one["guarantee"]["status"].startswith("void: known seed")


def test_predictions_are_named_and_compared_with_numbers():
    works("domain", "own.csv", *COLUMNS)
    given = (*COLUMNS, "--domain", "own.yaml")
    works("train", "own.csv", *given, *TRAIN, "--save", "model.json")
    decided = works("predict", "model.json", "own.csv").stdout.splitlines()[1:]
    assert {line.split(",")[0].strip('"') for line in decided} <= {"<=15", ">15"}
    found = json.loads(works("predict", "model.json", "own.csv", "--truth", "--json").stdout)
    positives = found["rates"]["true positive rate"]["groups"]
    assert sum(group["records"] for group in positives) == favourable()
    write("own.csv", rows(empty=[3]), HEADING)
    said = mistake("predict", "model.json", "own.csv", "--truth")
    assert said.startswith("1 of 120 rows of own.csv have no points that the model knows")


def test_a_sweep_and_gaps_know_comparisons():
    options = ("--eps", "1", "--runs", "1", "--jobs", "1", "--out", "out", "--method", "pflr")
    done = works("sweep", "own.csv", *COLUMNS, *options)
    assert any(f"'>15' is favourable, {favourable()} rows" in x for x in preview_of(done.stderr))
    gaps = works("gaps", "own.csv", *COLUMNS, "--decision", "points", "--json")
    rates = json.loads(gaps.stdout)["rates"]
    assert {group["value"] for group in rates["accuracy"]["groups"]} == {1.0}
    records = [group["records"] for group in rates["true positive rate"]["groups"]]
    assert sum(records) == favourable()


def test_a_dirty_column_of_numbers_is_asked_about_and_texts_are_refused():
    write("own.csv", [*rows(empty=[5]), ["20", "a", "f", "many"]], HEADING)
    said = works("domain", "own.csv", *COLUMNS).stdout
    assert "? 1 cells of points are no numbers, such as 'many', and count as 0" in said
    assert "? points is empty in 1 rows, which count as 0: delete these rows?" in said
    of_texts = ("--label", "work", "--protected", "sex", "--positive", ">1", "--force")
    said = mistake("domain", "own.csv", *of_texts)
    assert said.startswith("every label 'work' must be a number for the comparison >1, got '")
    high = ("--label", "points", "--protected", "sex", "--positive", ">99", "--force")
    assert "so that none is >99" in mistake("domain", "own.csv", *high)


def test_a_cluster_names_the_same_labels():
    pytest.importorskip("distributed")
    from dpfair_cli.formats.table_parts import RecordsReader, counts_of, cut, part_reader
    from dpfair_cli.formats.user_records import read_user_records

    works("domain", "own.csv", *COLUMNS)
    known = read_user_records("own.csv", "points", "sex", "", "own.yaml").known
    names = (*known.column_types, "points")
    table, first = part_reader("own.csv", known.form, names)
    reader = RecordsReader(table, known, "one_hot", names)
    found = [counts_of(reader, known.compared_types, part) for part in cut(table, first, size=500)]
    assert len(found) > 1
    assert sum(int(part.records[:, 1].sum()) for part in found) == favourable()
    assert sum(cells.count for part in found for cells in part.outside.values()) == 0
