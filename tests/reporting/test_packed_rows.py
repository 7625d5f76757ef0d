"""Packed rows: what the script of a page unpacks is what was packed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpfair_cli.reporting.figures.pictures import HoverPoint
from dpfair_cli.reporting.html_page import Image, pack, pack_points, pack_texts

# few letters, so that cells are repeated: texts of digits, of a quotation mark, and empty ones
WORDS = st.text('a1é"', max_size=2)
CELLS = st.one_of(WORDS, st.tuples(WORDS, WORDS))
ROWS = st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[CELLS] * width), min_size=1))


def unpack(columns: list[list[Any]]) -> list[list[Any]]:
    """The rows of packed columns, by the rule of the docstring: a number is the row of the cell,
    and -k is the cell before, k more times.
    """
    full = []
    for column in columns:
        cells: list[Any] = []
        for one in column:
            repeats = isinstance(one, int) and one < 0
            found = cells[-1] if repeats else cells[one] if isinstance(one, int) else one
            cells += [found] * (-one if repeats else 1)
        full.append(cells)
    return [list(row) for row in zip(*full, strict=True)]


def test_a_repeated_cell_is_the_number_of_the_row_that_has_it_first() -> None:
    assert pack([["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]]) == [
        ["a", "b", 0, 1],
        ["x", -1, "y", -1],
    ]


def test_a_run_of_equal_cells_is_its_length_and_sign() -> None:
    assert pack([["a"], ["a"], ["a"], ["b"], ["a"], ["a"]]) == [["a", -2, "b", 0, -1]]


def test_a_number_is_packed_as_text_and_not_taken_for_a_row() -> None:
    assert pack_texts(["n"], [[0], [0], [1]]).columns == [["0", -1, "1"]]


def test_a_table_without_rows_has_no_columns() -> None:
    assert pack_texts(["a", "b"], []).data == {"columns": [], "filters": {}}


@given(ROWS)
def test_packed_rows_come_back_from_json(rows: list[tuple[Any, ...]]) -> None:
    as_json = json.loads(json.dumps(rows))
    assert unpack(json.loads(json.dumps(pack(rows)))) == as_json


@pytest.mark.parametrize("words", ["Adult, FM: ε 0.1, accuracy 0.5", "x 1, y 2"])
def test_points_have_their_places_and_words(words: str) -> None:
    points = [HoverPoint(10, 500, words), HoverPoint(20, 500, words)]
    first, second = unpack(pack_points(Image("", 1000, 400, points)))
    assert first[:2] == ["10", "200"]  # in thousandths of the width, which is 2.5 times the height
    assert first[2] + first[3] == second[2] + second[3] == words
