"""The different texts of a column stand for its cells."""

import numpy as np
import pandas as pd
import pytest

from dpfair_cli.contracts.schemas import Categorical, Numeric
from dpfair_cli.models.tabular.outside_values import (
    DistinctTexts,
    as_categorical,
    as_number,
    as_numbers,
    distinct_texts,
    texts_outside,
)

CELLS = ["b", "a", "", "b", "1.0", "b"]
FORMS = {
    "list": CELLS,
    "texts": pd.Series(CELLS),
    "categorical": pd.Series(as_categorical(["b", "a", "", "1.0"], np.array([0, 1, 2, 0, 3, 0]))),
}


@pytest.mark.parametrize("cells", FORMS.values(), ids=FORMS)
def test_texts_and_places_give_the_cells_again(cells):
    found = distinct_texts(cells)
    assert [found.texts[place] for place in found.places] == CELLS
    assert found.texts == ["b", "a", "", "1.0"]
    assert len(found) == 6


def test_counts_leave_out_texts_that_do_not_occur():
    column = DistinctTexts(["x", "y", "z"], np.array([2, 0, 2]))
    assert column.counts() == {"x": 1, "z": 2}
    assert column.occurrences().tolist() == [1, 0, 2]


def test_texts_replaced_by_one_text_become_one_level():
    replaced = distinct_texts(CELLS).replaced(["u", "v", "v", "u"])
    assert replaced.tolist() == ["u", "v", "v", "u", "u", "u"]
    assert replaced.categories.tolist() == ["u", "v"]


def test_rows_with_a_text_are_found():
    column = distinct_texts(CELLS)
    assert column.where(["b", "?"]).tolist() == [True, False, False, True, False, True]


def test_numbers_of_texts_are_those_that_float_reads():
    texts = ["1", " 2.5 ", "1e400", "-inf", "nan", "1_000", "٣"]
    expected = [as_number(text) for text in texts]
    np.testing.assert_array_equal(as_numbers(texts), expected)
    np.testing.assert_array_equal(as_numbers([*texts, "x"]), [*expected, np.nan])


def test_outside_are_the_texts_that_the_schema_does_not_allow():
    column = distinct_texts(["1", "2", "x", "", "2", "9", "x"])
    assert texts_outside(column, Numeric(1, 3)) == {"x": 2, "": 1, "9": 1}
    assert texts_outside(column, Categorical(("2", "x"))) == {"1": 1, "": 1, "9": 1}


@pytest.mark.parametrize("different", [1, 127, 128, 129, 40_000])
def test_places_of_numbers_need_few_bytes(different):
    numbers = pd.Series(np.tile(np.arange(float(different)), 2))
    found = distinct_texts(numbers)
    assert found.texts[different - 1] == str(different - 1)
    assert found.places.tolist() == 2 * [*range(different)]
    assert found.places.itemsize == (1 if different < 128 else 2 if different < 2**15 else 4)
