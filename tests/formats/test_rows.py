"""The number of rows of a table depends on its lines and quotes, and on no content of a cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpfair_cli.formats.user_table import TableForm, read_columns, read_heading

HEADING = ["age", "sex"]


def read(folder: Path, content: str, form: TableForm | None = None) -> list[list[str]]:
    """The cells of a file with this content."""
    (folder / "own.csv").write_text(content, encoding="utf-8", newline="")
    cells = read_columns(str(folder / "own.csv"), dict.fromkeys(HEADING), form or TableForm())
    return cells.to_numpy().tolist()


def test_a_carriage_return_inside_a_cell_ends_no_row(tmp_path: Path) -> None:
    assert read(tmp_path, "age,sex\n1,f\r2\n3,m\n") == [["1", "f 2"], ["3", "m"]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_end_as_the_heading_ends(tmp_path: Path, end: str) -> None:
    lines = ["age,sex", "1,f", "3,m"]
    assert read(tmp_path, end.join(lines) + end) == [["1", "f"], ["3", "m"]]


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_blank_line_is_a_row_of_empty_cells(tmp_path: Path, place: int) -> None:
    lines = ["age,sex", "1,f", "3,m"]
    lines.insert(place, "")
    found = read(tmp_path, "\n".join(lines) + "\n")
    assert len(found) == 3
    assert found[place - 1] == ["", ""]


def test_blank_lines_above_the_heading_are_no_rows(tmp_path: Path) -> None:
    assert read(tmp_path, "\n\nage,sex\n1,f\n") == [["1", "f"]]


def test_a_blank_line_is_a_row_without_a_heading_too(tmp_path: Path) -> None:
    form = TableForm(header=("age", "sex"))
    assert read(tmp_path, "1,f\n\n3,m\n", form) == [["1", "f"], ["", ""], ["3", "m"]]


def test_blanks_between_cells_and_a_blank_line(tmp_path: Path) -> None:
    form = TableForm(separator=" ")
    assert read(tmp_path, "age sex\n1  f\n\n3 m\n", form) == [["1", "f"], ["", ""], ["3", "m"]]


@pytest.mark.parametrize("sign", ["\x1b", "\x07", "\x7f", "\x9b"])
def test_a_control_character_is_visible_in_headings_and_cells(tmp_path: Path, sign: str) -> None:
    code = f"\\x{ord(sign):02x}"
    assert read(tmp_path, f"age,sex\n1,{sign}[31mf\n") == [["1", f"{code}[31mf"]]
    (tmp_path / "own.csv").write_text(f"a{sign}c,sex\n1,f\n", encoding="utf-8")
    heading = read_heading(str(tmp_path / "own.csv"), TableForm())
    assert heading == [f"a{code}c", "sex"]
