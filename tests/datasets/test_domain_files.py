"""With a domain file, the record of a row depends on that row alone, for any content of a row."""

from __future__ import annotations

import csv as csv_files
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.datasets import csv, csv_causal, csv_variables
from dpfair_cli.formats import user_table
from dpfair_cli.kinds.records import Records

COLUMNS = ("age", "work", "sex", "hired", "notes")
PEOPLE = """\
age: {low: 18, high: 90, bins: [18, 50]}
work: {levels: [private, public]}
sex: {levels: [female, male]}
hired: {levels: [no, yes]}
"""
CATEGORIES = """\
work: {levels: [private, public, other]}
sex: {levels: [female, male]}
hired: {levels: [no, yes]}
"""
NUMBERS = "age: {low: 18, high: 90}\nnotes: {low: -1, high: 1e3}\n"
GRAPH = "edges: [[sex, work], [work, hired], [sex, hired], [age, hired]]\n"
NAMES = {"label": "hired", "protected": "sex"}
READERS = {
    **{
        encoding: lambda folder, encoding=encoding: csv.load(
            folder,
            file=f"{folder}/own.csv",
            domain=f"{folder}/people.yaml",
            encoding=encoding,
            **NAMES,
        )
        for encoding in ("one_hot", "ordinal", "binned")
    },
    "causal": lambda folder: csv_causal.load(
        folder,
        file=f"{folder}/own.csv",
        domain=f"{folder}/people.yaml",
        graph=f"{folder}/graph.yaml",
        through=("work",),
        observed=("age",),
        **NAMES,
    ),
    "categories": lambda folder: csv_variables.load(
        folder, file=f"{folder}/own.csv", domain=f"{folder}/categories.yaml"
    ),
    "numbers": lambda folder: csv_variables.load(
        folder, file=f"{folder}/own.csv", domain=f"{folder}/numbers.yaml"
    ),
}

USUAL = ("20", "89.5", "private", "public", "female", "male", "no", "yes", "17", "91", "-3")
UNUSUAL = (
    "",
    " ",
    "nan",
    "NA",
    "?",
    "None",
    "inf",
    "-inf",
    "1e400",
    "-1e400",
    "-0",
    "1_0",
    "yes ",
    "Yes",
    "0x10",
    "٣",
)
HARD = (
    '"',
    '""',
    ",",
    "\n",
    "\r\n",
    "a\rb",
    "\ufeff",
    "\u2028",
    "\x85",
    "\U0001f600",
    "#",
    "'",
    "\\",
    "9" * 5000,
)
CELLS = st.one_of(
    st.sampled_from((*USUAL, *UNUSUAL, *HARD, "x" * 200_000)),
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20),
    st.floats().map(str),
    st.integers().map(str),
)
ROWS = st.lists(
    CELLS, min_size=2, max_size=8
)  # five cells are wanted: fewer are filled up, more are cut


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("own")
    for name, text in (
        ("people", PEOPLE),
        ("categories", CATEGORIES),
        ("numbers", NUMBERS),
        ("graph", GRAPH),
    ):
        (place / f"{name}.yaml").write_text(text)
    return place


def write(folder, rows, columns=COLUMNS):
    with (folder / "own.csv").open("w", newline="", encoding="utf-8") as file:
        csv_files.writer(file).writerows([columns, *rows])


def read(reader, folder, rows):
    """What a reader makes of the rows; a warning is an error."""
    write(folder, rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return READERS[reader](folder)


def public(data):
    """Everything but the records."""
    if isinstance(data, Records):
        return len(data), data.domain, getattr(data, "through", ()), getattr(data, "context", ())
    return len(data), data.names, data.levels, data.bounds


def private(data):
    """A line of numbers for each record, as bytes."""
    table = (
        np.column_stack([data.X, data.y, data.protected])
        if isinstance(data, Records)
        else data.values
    )
    return [line.tobytes() for line in np.ascontiguousarray(table)]


@pytest.mark.parametrize("reader", READERS)
@given(rows=st.lists(ROWS, min_size=1, max_size=5), other=ROWS, data=st.data())
@example(
    rows=[["20", "private", "male", "yes", ""]] * 2,
    other=["20", "private", "male", "no", ""],
    data=None,
)
@example(
    rows=[["20", "private", "male", "yes", ""]],
    other=["\ufeff", '"', "\r", "\n", "1e400"],
    data=None,
)
@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_row_in_the_place_of_another_moves_that_record_alone(reader, folder, rows, other, data):
    """No error, no warning, the same domain and size, the same bytes of every other record."""
    place = data.draw(st.integers(0, len(rows) - 1)) if data else 0
    one, two = (
        read(reader, folder, rows),
        read(reader, folder, [*rows[:place], other, *rows[place + 1 :]]),
    )
    assert public(one) == public(two)
    assert len(one) == len(rows)
    assert private(one)[:place] == private(two)[:place]
    assert private(one)[place + 1 :] == private(two)[place + 1 :]


@pytest.mark.parametrize("reader", READERS)
def test_bytes_that_are_no_text_move_one_record_alone(reader, folder):
    rows = [["20", "private", "male", "yes", "0"], ["30", "public", "female", "no", "1"]]
    one = read(reader, folder, rows)
    content = (folder / "own.csv").read_bytes().replace(b"30,public", b"\xff\xfe,\x80\x81")
    (folder / "own.csv").write_bytes(content)
    two = READERS[reader](folder)
    assert public(one) == public(two)
    assert private(one)[0] == private(two)[0]


def people(folder, *rows, **options):
    write(folder, rows)
    return csv.load(
        folder,
        **{"file": f"{folder}/own.csv", "domain": f"{folder}/people.yaml", **NAMES, **options},
    )


@pytest.mark.parametrize(
    ("cell", "scaled"),
    [
        *(("18", 0.0), ("90", 1.0), ("54", 0.5), ("36", 0.25)),
        *(("17", 0.0), ("-1e400", 0.0), ("-inf", 0.0), ("-0", 0.0)),
        *(("91", 1.0), ("1e400", 1.0), ("inf", 1.0), ("9" * 5000, 1.0)),
        *(("", 0.5), ("nan", 0.5), ("?", 0.5), ("NA", 0.5), ("old", 0.5), ("20;", 0.5)),
    ],
)
def test_a_number_is_clipped_and_what_is_none_is_the_middle_of_the_range(folder, cell, scaled):
    assert people(folder, [cell, "private", "male", "yes"]).X[0, 0] == scaled


def test_minus_zero_is_zero(folder):
    (folder / "zero.yaml").write_text(PEOPLE.replace("low: 18", "low: 0"))
    records = people(folder, ["-0", "private", "male", "yes"], domain=f"{folder}/zero.yaml")
    assert not np.signbit(records.X[0, 0])


@pytest.mark.parametrize("cell", ["", "nan", "Public", "self-employed", "public sector"])
def test_a_level_and_a_group_that_are_not_listed_are_the_last_one_listed(folder, cell):
    listed = people(folder, ["20", "private", "female", "yes"], ["20", "public", "male", "yes"])
    records = people(folder, ["20", cell, "female", "yes"], ["20", "public", cell, "yes"])
    assert listed.X[:, 1].tolist() == [0, 1]
    assert records.X[:, 1].tolist() == [1, 1]
    assert records.protected.tolist() == listed.protected.tolist() == [0, 1]


@pytest.mark.parametrize("cell", ["no", "", "nan", "Yes", "perhaps", "yes!"])
def test_every_label_but_the_favourable_one_is_0(folder, cell):
    records = people(folder, ["20", "private", "male", cell], ["20", "private", "male", "yes"])
    assert records.y.tolist() == [0, 1]


def test_blanks_around_a_cell_do_not_count(folder):
    records = people(folder, [" 36 ", " public ", "female\t", " yes "])
    assert (records.X.tolist(), records.y.tolist(), records.protected.tolist()) == (
        [[0.25, 1]],
        [1],
        [0],
    )


def test_a_missing_value_marker_is_a_level_where_it_is_listed(folder):
    (folder / "signs.yaml").write_text(PEOPLE.replace("[private, public]", "[None, '?', NA]"))
    rows = [["20", sign, "male", "yes"] for sign in ("None", "?", "NA")]
    assert people(folder, *rows, domain=f"{folder}/signs.yaml").X[:, 1:].tolist() == [
        [0, 0],
        [1, 0],
        [0, 1],
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [["20", "private", "male", "no"]] * 3,
        [["20", "private", "male", "yes"]] * 3,
        [["20", "private", "female", "yes"], ["20", "public", "female", "no"]],
        [["20", "private", "male", "yes"]],
    ],
    ids=["nobody with label 1", "nobody with label 0", "an empty group", "one record"],
)
@pytest.mark.parametrize("reader", READERS)
def test_a_column_that_never_varies_refuses_nothing(reader, folder, rows):
    rows = [[*row, "0"] for row in rows]
    assert (
        public(read(reader, folder, rows))[1:]
        == public(read(reader, folder, [["", "", "", "", ""]]))[1:]
    )


def test_the_names_of_the_labels_are_public(folder):
    (folder / "unlabelled.yaml").write_text(PEOPLE.replace("hired: {levels: [no, yes]}", ""))
    (folder / "several.yaml").write_text(PEOPLE.replace("[no, yes]", "[never, later, yes]"))
    row = ["20", "private", "male", "yes"]
    names = {
        (domain, positive): people(
            folder, row, domain=f"{folder}/{domain}.yaml", positive=positive, encoding="binned"
        ).domain.values["hired"]
        for domain, positive in (
            ("people", ""),
            ("people", "no"),
            ("unlabelled", "yes"),
            ("several", ""),
            ("several", "later"),
        )
    }
    assert list(names.values()) == [
        ("no", "yes"),
        ("yes", "no"),
        ("not yes", "yes"),
        ("not yes", "yes"),
        ("not later", "later"),
    ]


MISTAKES = {  # of the public files: name -> (domain, options, what the line says)
    "no values of the label": (
        "age: {low: 0, high: 1}\nsex: {levels: [f, m]}\n",
        {},
        "must name the values of the label",
    ),
    "a range of the label": (
        PEOPLE.replace("levels: [no, yes]", "low: 0, high: 1"),
        {},
        "must name the values of the",
    ),
    "another favourable label": (
        PEOPLE,
        {"positive": "yess"},
        ("has no value 'yess': did you mean 'yes'"),
    ),
    "no groups": (
        PEOPLE.replace("sex:", "race:"),
        {},
        r"must define the groups: add `sex: \{levels",
    ),
    "no attribute": (
        "sex: {levels: [f, m]}\nhired: {levels: [no, yes]}\n",
        {},
        "must name at least one column besides the label",
    ),
    "one column twice": (PEOPLE, {"label": "sex"}, "must be two different columns"),
    "an endless range": (PEOPLE.replace("low: 18", "low: -inf"), {}, "column 'age' must have"),
    "a range too wide": (
        PEOPLE.replace("low: 18, high: 90", "low: -1e308, high: 1e308"),
        {},
        "column 'age' must have",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_domain_is_refused_before_the_records_are_read(folder, name, monkeypatch):
    domain, options, message = MISTAKES[name]
    (folder / "wrong.yaml").write_text(domain)
    monkeypatch.setattr(user_table, "_parsed", None)
    with pytest.raises(DpfairError, match=message):
        people(folder, domain=f"{folder}/wrong.yaml", **options)


def test_a_domain_column_that_the_heading_lacks_is_named_for_any_rows(folder):
    for rows in ([["20", "private", "male"]], [["", "", ""]], [["\ufeff", "hired", "yes"]]):
        write(folder, rows, COLUMNS[:3])
        with pytest.raises(
            DpfairError, match=r"lacks the column 'hired': there are: age, sex, work$"
        ):
            READERS["one_hot"](folder)


@pytest.mark.parametrize("reader", READERS)
def test_a_table_without_rows_is_refused(reader, folder):
    with pytest.raises(DpfairError, match="has a heading only"):
        read(reader, folder, [])


def test_one_column_is_no_table_of_variables(folder):
    (folder / "one.yaml").write_text("sex: {levels: [female, male]}")
    with pytest.raises(DpfairError, match="must name at least two columns"):
        csv_variables.load(folder, file=f"{folder}/own.csv", domain=f"{folder}/one.yaml")
