"""A table in any encoding has the same cells, which are read once."""

import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli.formats import domain_draft
from dpfair_cli.formats.user_table import TableForm, columns_of, read_cells, read_columns

TEXT = "age,work\n 1,a\n2, b \n\n2,a\n03\n1.0,b,x\n"
CELLS = [["1", "a"], ["2", "b"], ["", ""], ["2", "a"], ["03", ""], ["1.0", "b"]]


def write(folder: Path, text: str, encoding: str = "utf-8") -> str:
    file = folder / "own.csv"
    file.write_bytes(text.encode(encoding))
    return str(file)


def test_texts_are_kept_in_order_of_appearance(tmp_path):
    cells = read_columns(write(tmp_path, TEXT), {"age": None}, TableForm())
    assert cells["age"].cat.categories.tolist() == ["1", "2", "", "03", "1.0"]
    assert cells["age"].cat.codes.dtype == np.int8


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-8-sig", "utf-16"])
def test_the_encoding_and_the_line_end_do_not_matter(tmp_path, end, encoding):
    file = write(tmp_path, TEXT.replace("\n", end), encoding)
    cells = read_columns(file, {"age": None, "work": None}, TableForm(encoding=encoding))
    assert cells.to_numpy().tolist() == CELLS


def test_a_file_that_changes_is_read_again(tmp_path):
    heading, form = ["a", "b"], TableForm()
    first = read_cells(write(tmp_path, "a,b\n1,2\n"), heading, form)
    again = read_cells(write(tmp_path, "a,b\n1,2\n"), heading, form)
    other = read_cells(write(tmp_path, "a,b\n1,3\n"), heading, form)
    assert again is first
    assert other["b"].tolist() == ["3"]


def seconds(columns: int) -> float:
    """The processor time of reading 200 rows of so many columns."""
    names = [f"column {k}" for k in range(columns)]
    content = "\n".join([",".join(names), *[",".join("1" * columns)] * 200]).encode()
    start = time.process_time()
    columns_of(content, "own.csv", names, names, TableForm())
    return time.process_time() - start


def test_ten_times_the_columns_take_about_ten_times_as_long():
    few = min(seconds(150) for _ in range(3))
    assert seconds(1500) < 40 * few  # with time for each pair of columns, 200 times


@pytest.mark.parametrize(
    ("text", "widths"),
    [
        ("a,b\n1,2\n\n3\n", {2: 2, 1: 1}),
        ("a,b\n1,2", {2: 2}),
        ("a,b\n1,2,\n", {2: 2}),
        ("a,b\n1,2,3\n", {2: 1, 3: 1}),
        ('a,b\n"1,2",3\n', {2: 2}),
        ("\n\n", {}),
        ("", {}),
    ],
)
def test_row_widths_worked_by_hand(text, widths):
    found = domain_draft.row_widths(text.encode(), TableForm(), 2)
    assert +found == Counter(widths)
