"""Tables, columns and domains from which nothing can be learned are refused in one line, by train
and by sweep.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.commands.invoking import mistake, works
from tests.commands.material import COLUMNS, DOMAIN, PUBLIC, changed, people, write

BAD_TABLES = {
    "missing values": (changed(0, "", 10), "column 'age' has an empty cell in 6 of 60 rows"),
    "missing values as a question mark": (
        changed(1, "?", 30),
        "column 'work' has an empty cell in 2 of 60 rows",
    ),
    "missing labels": (changed(3, "", 20), "label 'rich' has an empty cell in 3 of 60 rows"),
    "missing groups": (
        changed(2, "NA", 20),
        "protected column 'sex' has an empty cell in 3 of 60 rows",
    ),
    "one class": (changed(3, "yes"), "label 'rich' has the same value in all 60 rows"),
    "one group": (changed(2, "f"), "protected column 'sex' has the same value in all 60 rows"),
    "a constant column": (
        changed(1, "a"),
        "column 'work' has the same value in all 60 rows: delete the column",
    ),
    "a label of three values": (
        changed(3, "maybe", 3),
        "label 'rich' must have two values, got 3: maybe, no, yes",
    ),
    "one line": (people()[:1], "the same value in all 1 rows"),
    "no line": ([], ""),
}


@pytest.mark.parametrize(("lines", "message"), BAD_TABLES.values(), ids=BAD_TABLES)
@pytest.mark.parametrize("command", ["train", "sweep"])
@pytest.mark.usefixtures("own")
def test_a_table_that_allows_no_learning_is_refused_with_its_column(command, lines, message):
    write("own.csv", lines)
    options = (
        ("--method", "pflr")
        if command == "train"
        else ("--eps", "1", "--out", "out", "--jobs", "1")
    )
    assert message in mistake(command, "own.csv", *COLUMNS, *options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--label", "sex", "--protected", "sex"),
            "label and protected must be two different columns, got 'sex' for both",
        ),
        (
            ("--label", "ritch", "--protected", "sex"),
            "unknown label 'ritch' in the table: did you mean 'rich'?",
        ),
        (
            ("--label", "rich", "--protected", "sx"),
            "unknown protected column 'sx' in the table: did you mean 'sex'?",
        ),
        (("--label", "age", "--protected", "sex"), "the label 'age' must have two values"),
        (
            (*COLUMNS, "--positive", "yess"),
            "no cell of the label 'rich' is 'yess': did you mean 'yes'?",
        ),
        ((*COLUMNS, "--domain", "gone.yaml"), "gone.yaml does not exist"),
        ((*COLUMNS, "--domain", "own.csv"), "own.csv must be a mapping of columns, such as"),
        (("--label", "rich"), "own.csv needs --protected: give them"),
    ],
)
@pytest.mark.usefixtures("own")
def test_a_wrong_column_is_refused_and_the_nearest_proposed(options, message):
    assert message in mistake("train", "own.csv", "--method", "pflr", *options)


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        (
            DOMAIN.replace("low: 18", "low: 95"),
            "column 'age' has low 95, not below high 90",
        ),
        (DOMAIN.replace("low: 18, high: 90", "levels: [young]"), "column 'age' must have"),
        (
            DOMAIN.replace("sex: {levels: [f, m]}", ""),
            "the domain file must define the groups: add `sex: {levels: [...]}`",
        ),
        (DOMAIN + "height: {low: 1, high: 2}\n", "lacks the column 'height'"),
        (
            DOMAIN.replace("rich: {levels: [no, yes]}", ""),
            "must name the values of the label: add `rich: {levels: [no, yes]}`",
        ),
        ("age: [", "domain.yaml cannot be read"),
    ],
)
@pytest.mark.usefixtures("own")
def test_a_domain_that_does_not_fit_the_table_is_refused(domain, message):
    Path("domain.yaml").write_text(domain)
    assert message in mistake("train", "own.csv", "--method", "pflr", *PUBLIC)


@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG\r\n\x1a\n\x00\xff", b'a,"b\n1,2'], ids=["empty", "binary", "quote"]
)
@pytest.mark.usefixtures("own")
def test_a_file_that_is_no_table_is_refused_in_one_line(content):
    Path("own.csv").write_bytes(content)
    assert mistake("train", "own.csv", "--method", "pflr", *COLUMNS)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "command", [("train", "--method", "pflr"), ("sweep", "--eps", "1", "--jobs", "1")]
)
def test_a_table_too_small_to_be_split_is_refused_in_one_line(command):
    write("own.csv", [["20", "a", "f", "no"], ["30", "b", "m", "yes"]])
    assert "2 records" in mistake(command[0], "own.csv", *PUBLIC, *command[1:])


@pytest.mark.usefixtures("own")
def test_a_method_for_two_groups_says_so_when_there_are_three():
    write("own.csv", changed(2, "x", 3))
    Path("domain.yaml").write_text(DOMAIN.replace("[f, m]", "[f, m, x]"))
    assert "must have two groups for the decision boundary covariance, got 3" in mistake(
        "train", "own.csv", "--method", "pflr", *PUBLIC
    )
    works("train", "own.csv", "--method", "functional_mechanism", *PUBLIC)


@pytest.mark.parametrize("command", ["train", "sweep"])
def test_a_flipped_byte_in_the_real_data_is_refused_with_the_file(own, real_data, command):
    folder = own / "data"
    shutil.copytree(real_data / "adult", folder / "adult")
    damaged = bytearray((folder / "adult" / "adult.test").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (folder / "adult" / "adult.test").write_bytes(damaged)
    options = (
        ("--method", "pflr")
        if command == "train"
        else ("--eps", "1", "--out", own / "out", "--jobs", "1")
    )
    message = mistake(command, "adult", *options, "--data-dir", folder)
    assert message.startswith(
        f"{folder / 'adult' / 'adult.test'} is damaged, its SHA-256 must be a2a9044b"
    )
    assert message.endswith("delete the file and fetch it again")
