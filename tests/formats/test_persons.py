"""With a column of persons, one row of each person is used, and it depends on that person alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.datasets import csv, csv_variables
from dpfair_cli.formats.domain_file import confirmed_text, read_domain
from dpfair_cli.formats.persons import person_of, rows_of_persons
from dpfair_cli.models.tabular.outside_values import distinct_texts

COLUMNS = """\
age: {low: 18, high: 90}
work: {levels: [private, public]}
sex: {levels: [female, male]}
hired: {levels: [no, yes]}
"""
DOMAIN = f"person: patient\n---\n{COLUMNS}"
ROLES = {"label": "hired", "protected": "sex"}
PERSONS = ("7", "b", "Ann", "", "x y", "12")
ROW = st.tuples(
    st.sampled_from(["18", "30", "90", "", "old"]),
    st.sampled_from(["private", "public", "?"]),
    st.sampled_from(["female", "male", "other"]),
    st.sampled_from(["no", "yes", ""]),
)
ROWS = st.lists(ROW, min_size=1, max_size=5)
TABLES = st.fixed_dictionaries(dict.fromkeys(PERSONS, ROWS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("persons")
    (place / "people.yaml").write_text(DOMAIN)
    return place


def mixed(table, seed):
    """The rows of a table in a random order, in which the rows of a person keep their order."""
    turns = [person for person, rows in table.items() for _ in rows]
    np.random.default_rng(seed).shuffle(turns)
    left = {person: iter(rows) for person, rows in table.items()}
    return [(person, *next(left[person])) for person in turns]


def written(folder, rows, heading="patient,age,work,sex,hired"):
    lines = [heading, *(",".join(row) for row in rows)]
    (folder / "own.csv").write_text("\n".join(lines) + "\n")


def loaded(folder, rows):
    """Features, label and group of each record, (n, columns)."""
    written(folder, rows)
    found = csv.load(folder, file=f"{folder}/own.csv", domain=f"{folder}/people.yaml", **ROLES)
    return np.column_stack([found.X, found.y, found.protected])


usual = settings(
    max_examples=25,
    deadline=None,
    phases=(Phase.generate,),  # each example reads files, so that shrinking would take minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@usual
@given(TABLES, st.sampled_from(PERSONS), ROWS, st.integers(0, 9), st.integers(0, 9))
def test_any_change_of_a_person_moves_one_record_at_most(folder, table, person, rows, one, other):
    before = loaded(folder, mixed(table, one))
    after = loaded(folder, mixed({**table, person: rows}, other))
    assert before.shape == after.shape
    assert len(before) == len(PERSONS)
    assert np.any(before != after, axis=1).sum() <= 1


@usual
@given(st.lists(st.integers(1, 6), min_size=1, max_size=8), st.integers(0, 9))
def test_each_person_has_one_row_of_their_own(counts, seed):
    cells = np.repeat([f"p{k}" for k in range(len(counts))], counts)
    np.random.default_rng(seed).shuffle(cells)
    rows = rows_of_persons(distinct_texts(cells.tolist()))
    assert sorted(cells[rows]) == sorted(f"p{k}" for k in range(len(counts)))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=6), st.integers(0, 5), st.integers(1, 20))
def test_which_row_is_used_depends_on_the_own_number_of_rows(counts, changed, count):
    def places(counts):
        cells = np.repeat(np.arange(len(counts)), counts)
        rows = rows_of_persons(distinct_texts(cells.astype(str).tolist()))
        persons, firsts = cells[rows], np.cumsum(counts) - counts
        return dict(zip(persons.tolist(), rows - firsts[persons], strict=True))

    changed %= len(counts)
    before = places(counts)
    after = places([*counts[:changed], count, *counts[changed + 1 :]])
    assert before | {changed: after[changed]} == after


def test_each_place_among_the_rows_of_a_person_is_used_equally_often():
    cells = np.repeat([f"p{k}" for k in range(3000)], 3)
    places = rows_of_persons(distinct_texts(cells.tolist())) % 3
    assert np.abs(np.bincount(places) - 1000).max() < 4 * np.sqrt(3000 * 2 / 9)  # 4 deviations


def test_the_order_of_the_records_says_nothing_of_the_order_of_the_rows():
    cells = [f"p{k}" for k in range(1000)]
    rows = rows_of_persons(distinct_texts(cells))
    assert abs(np.corrcoef(rows, np.arange(1000))[0, 1]) < 0.15  # 4.7 deviations


@pytest.mark.parametrize(
    ("cells", "persons"),
    [
        (["", "NA", "?", "a"], 2),  # without a name, all rows are those of one person
        (["7", "7.0", "007", "7.00"], 1),
        (["P7", "p7"], 1),
        (["7", "7.5", "70", "-7"], 4),
        (["1152921504606846976", "1152921504606846977"], 2),  # one double
        (["0", "00", ".0"], 2),
    ],
)
def test_cells_that_name_one_person(cells, persons):
    assert len({*map(person_of, cells)}) == persons
    assert len(rows_of_persons(distinct_texts(cells))) == persons


def test_the_column_of_persons_is_no_feature_also_with_an_entry(folder, tmp_path):
    table = {person: [("30", "private", "male", "yes")] * 2 for person in "abcd"}
    found = loaded(folder, mixed(table, 0))
    assert found.shape == (4, 4)
    text = f"person: patient\n---\n{COLUMNS}patient: {{low: 0, high: 9}}\n"
    (tmp_path / "people.yaml").write_text(text)
    assert np.array_equal(loaded(tmp_path, mixed(table, 0)), found)


def test_a_table_of_variables_has_one_row_of_each_person(tmp_path):
    (tmp_path / "people.yaml").write_text(
        "person: patient\n---\nwork: {levels: [a, b]}\nsex: {levels: [f, m]}\n"
    )
    written(tmp_path, [(p, w, "f") for p in "xyz" for w in "ab"], heading="patient,work,sex")
    found = csv_variables.load(
        tmp_path, file=f"{tmp_path}/own.csv", domain=f"{tmp_path}/people.yaml"
    )
    assert (len(found), found.names) == (3, ("work", "sex"))


def test_a_confirmed_file_keeps_its_column_of_persons(tmp_path):
    file = tmp_path / "people.yaml"
    file.write_text(f"confirmed: no\nperson: 'patient: id'\n---\n{COLUMNS}")
    file.write_text(confirmed_text(read_domain(str(file))))
    assert read_domain(str(file)).person == "patient: id"
    assert read_domain(str(file)).confirmed


@pytest.mark.parametrize("value", ["", "[a, b]", "{a: b}"])
def test_a_column_of_persons_must_be_a_name(tmp_path, value):
    (tmp_path / "people.yaml").write_text(f"person: {value}\n---\n{COLUMNS}")
    with pytest.raises(DpfairError, match="`person` must be the name of a column"):
        read_domain(str(tmp_path / "people.yaml"))


@pytest.mark.parametrize("name", ["sex", "hired"])
def test_the_persons_cannot_be_label_or_groups(folder, tmp_path, name):
    written(tmp_path, [("1", "30", "private", "male", "yes")])
    (tmp_path / "people.yaml").write_text(f"person: {name}\n---\n{COLUMNS}")
    with pytest.raises(DpfairError, match="cannot be the label or the protected column"):
        csv.load(tmp_path, file=f"{tmp_path}/own.csv", domain=f"{tmp_path}/people.yaml", **ROLES)


def test_a_column_of_persons_that_the_table_lacks_is_named(tmp_path):
    written(tmp_path, [("1", "30", "private", "male", "yes")])
    (tmp_path / "people.yaml").write_text(DOMAIN.replace("patient", "pateint"))
    with pytest.raises(DpfairError, match=r"lacks the column 'pateint'.*patient"):
        csv.load(tmp_path, file=f"{tmp_path}/own.csv", domain=f"{tmp_path}/people.yaml", **ROLES)
