"""A user's table."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from dpfair_cli.contracts.errors import DpfairError, PrivacyLeakWarning
from dpfair_cli.datasets import csv
from dpfair_cli.formats.domain_file import read_domain

TABLE = """\
age,work,sex,income
20,private,male,no
30,public,female,yes
40,private,female,no
60,public,male,yes
"""
PUBLIC = """\
age: {low: 0, high: 100}
work: {levels: [public, private, none]}
sex: {levels: [male, female]}
income: {levels: [no, yes]}
"""


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "table.csv") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def load(file, **options):
    return csv.load(Path(), file=file, **{"label": "income", "protected": "sex"} | options)


def quietly(file, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        return load(file, **options)


def test_without_a_domain_bounds_are_from_the_data_with_a_warning(write):
    with pytest.warns(PrivacyLeakWarning, match="read from the data"):
        records = load(write(TABLE))
    assert records.domain.bounds == "data"
    assert records.domain.columns == ("age", "work=public")
    assert records.domain.groups == ("female", "male")
    assert records.X.tolist() == [[0, 0], [0.25, 1], [0.5, 0], [1, 1]]


def test_with_a_domain_bounds_are_public_and_nothing_is_warned(write):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        records = load(write(TABLE), domain=write(PUBLIC, "domain.yaml"))
    assert records.domain.bounds == "public"
    assert records.domain.columns == ("age", "work=private", "work=none")
    assert records.domain.groups == ("male", "female")
    assert records.X.tolist() == [[0.2, 1, 0], [0.3, 0, 0], [0.4, 1, 0], [0.6, 0, 0]]


@pytest.mark.parametrize(
    ("values", "positive"),
    [
        (("0", "1"), "1"),
        (("9", "10"), "10"),
        (("no", "yes"), "yes"),
        ((">50K", "<=50K"), ">50K"),
        (("-1", "1"), "1"),
    ],
)
def test_label_one_is_the_larger_value_unless_said_otherwise(write, values, positive):
    file = write("age,sex,income\n1,a,{0}\n2,b,{1}\n3,a,{1}\n".format(*values))
    ones = [int(value == positive) for value in (values[0], values[1], values[1])]
    assert quietly(file).y.tolist() == ones
    other = values[0] if positive == values[1] else values[1]
    assert quietly(file, positive=other).y.tolist() == [1 - y for y in ones]


BAD_TABLES = {
    "'age' has an empty cell in 1 of 2 rows": "age,sex,income\n?,a,0\n2,b,1\n",
    "label 'income' has the same value": "age,sex,income\n1,a,1\n2,b,1\n",
    "protected column 'sex' has the same value": "age,sex,income\n1,a,0\n2,a,1\n",
    "column 'age' has the same value": "age,sex,income\n1,a,0\n1,b,1\n",
    "label 'income' must have two values, got 3": "age,sex,income\n1,a,0\n2,b,1\n3,b,2\n",
    "unknown label 'income' in the table: did you mean 'incom'": "age,sex,incom\n1,a,0\n2,b,1\n",
    "unknown protected column 'sex' in the table": "age,race,income\n1,a,0\n2,b,1\n",
    "must be a csv table": "",
}


@pytest.mark.parametrize("message", BAD_TABLES)
def test_a_bad_table_is_refused_in_one_line(write, message):
    with pytest.raises(DpfairError, match=message) as error:
        quietly(write(BAD_TABLES[message]))
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(DpfairError, match=r"nowhere\.csv does not exist"):
        load("nowhere.csv")


def test_the_label_cannot_be_the_protected_column(write):
    with pytest.raises(DpfairError, match="must be two different columns"):
        quietly(write(TABLE), label="sex")


def test_a_wrong_positive_value_proposes_the_nearest(write):
    with pytest.raises(DpfairError, match="is 'yess': did you mean 'yes'"):
        quietly(write(TABLE), positive="yess")


@pytest.mark.parametrize(
    "text",
    [
        "age: {low: a, high: b}",
        "age: [1, 2]",
        "work: {levels: [one]}",
        "a: {levels: [b, b]}",
    ],
)
def test_a_bad_domain_entry_is_refused_with_its_form(write, text):
    with pytest.raises(DpfairError, match="low < high"):
        read_domain(write(text, "domain.yaml"))


@pytest.mark.parametrize("high", ["5", "4.5"])
def test_a_range_whose_ends_are_exchanged_or_equal_is_refused(write, high):
    with pytest.raises(DpfairError, match=f"column 'age' has low 5, not below high {high}"):
        read_domain(write(f"age: {{low: 5, high: {high}}}", "domain.yaml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "confirmd: no\n---\na: {low: 0, high: 1}",
            "unknown key 'confirmd' above the line `---`: did you mean",
        ),
        ("confirmed: perhaps\n---\na: {low: 0, high: 1}", "`confirmed` must be yes or no"),
        ("separator: '#'\n---\na: {low: 0, high: 1}", "`separator` must be one of"),
        ("header: [a, a]\n---\na: {low: 0, high: 1}", "`header` must be a list of different names"),
        ("encoding: nonsense\n---\na: {low: 0, high: 1}", "unknown encoding 'nonsense'"),
    ],
)
def test_a_bad_first_part_is_refused_with_its_form(write, text, message):
    with pytest.raises(DpfairError, match=message):
        read_domain(write(text, "domain.yaml"))


@pytest.mark.parametrize("text", ["", "- age", "age: {", "just text"])
def test_a_bad_domain_file_is_refused_in_one_line(write, text):
    with pytest.raises(DpfairError) as error:
        read_domain(write(text, "domain.yaml"))
    assert "\n" not in str(error.value)


def test_a_domain_without_groups_is_refused(write):
    with pytest.raises(DpfairError, match=r"sex: \{levels"):
        load(write(TABLE), domain=write("age: {low: 0, high: 100}", "domain.yaml"), positive="yes")


def test_yes_and_no_stay_words_in_a_domain_file(write):
    assert read_domain(write("a: {levels: [no, yes]}", "domain.yaml")).columns["a"].levels == (
        "no",
        "yes",
    )
