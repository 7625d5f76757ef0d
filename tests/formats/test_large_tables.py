"""A table that is read in parts, or only once, has the same cells."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli.formats import domain_draft, user_table
from dpfair_cli.formats.user_table import TableForm, is_plain, read_cells, read_columns

TEXT = "age,work\n 1,a\n2, b \n\n2,a\n03\n1.0,b,x\n"
CELLS = [["1", "a"], ["2", "b"], ["", ""], ["2", "a"], ["03", ""], ["1.0", "b"]]


def write(folder: Path, text: str, encoding: str = "utf-8") -> str:
    file = folder / "own.csv"
    file.write_bytes(text.encode(encoding))
    return str(file)


@pytest.mark.parametrize("rows", [1, 2, 4, 100])
def test_a_table_in_parts_has_the_cells_of_the_whole(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(user_table, "ROWS_AT_ONCE", rows)
    user_table._text_cells.cache_clear()
    cells = read_columns(write(tmp_path, TEXT), ["age", "work"], TableForm())
    assert cells.to_numpy().tolist() == CELLS
    user_table._text_cells.cache_clear()


def test_texts_are_kept_in_order_of_appearance(tmp_path):
    cells = read_columns(write(tmp_path, TEXT), ["age"], TableForm())
    assert cells["age"].cat.categories.tolist() == ["1", "2", "", "03", "1.0"]
    assert cells["age"].cat.codes.dtype == np.int8


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-8-sig", "utf-16"])
def test_the_encoding_and_the_line_end_do_not_matter(tmp_path, end, encoding):
    file = write(tmp_path, TEXT.replace("\n", end), encoding)
    cells = read_columns(file, ["age", "work"], TableForm(encoding=encoding))
    assert cells.to_numpy().tolist() == CELLS


@pytest.mark.parametrize(
    ("content", "encoding", "plain"),
    [
        (b"a,b\n1,2\n", "utf-8", True),
        (b"a,b\n1,2\n", "latin-1", True),
        (b"a,b\n1,2\n", "utf-16", False),
        (b"\na,b\n1,2\n", "utf-8", False),
        (b"a,b\r\n1,2\n", "utf-8", False),
        (b"a,b\n1\x1b,2\n", "utf-8", False),
        ("a,ä\n1,2\n".encode(), "utf-8", False),
    ],
)
def test_plain_is_what_needs_no_change(content, encoding, plain):
    assert is_plain(content, encoding) is plain
    if plain:
        assert user_table.plain_text(content.decode(encoding)) == content.decode(encoding)


def test_a_file_that_changes_is_read_again(tmp_path):
    heading, form = ["a", "b"], TableForm()
    first = read_cells(write(tmp_path, "a,b\n1,2\n"), heading, form)
    again = read_cells(write(tmp_path, "a,b\n1,2\n"), heading, form)
    other = read_cells(write(tmp_path, "a,b\n1,3\n"), heading, form)
    assert again is first
    assert other["b"].tolist() == ["3"]


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
