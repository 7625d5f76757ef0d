"""Cells outside the public schema, by hand: end or middle of the range, or last listed level."""

import pandas as pd
import pytest

from dpfair_cli.contracts.schemas import Categorical, Numeric
from dpfair_cli.models.tabular.outside_values import moved_inside


def moved(cells, kind):
    return moved_inside(pd.DataFrame({"column": cells}), {"column": kind})["column"].tolist()


def test_a_number_outside_its_range_becomes_the_nearest_end():
    assert moved(["17", "18", "30.5", "90", "91", "-inf", "1e400"], Numeric(18, 90)) == [
        18,
        18,
        30.5,
        90,
        90,
        18,
        90,
    ]


@pytest.mark.parametrize("others", [["18", "18"], ["90", "89"]])
def test_a_cell_without_a_number_becomes_the_middle_of_the_range(others):
    assert moved([*others, "", "old", "nan"], Numeric(18, 90))[2:] == [54, 54, 54]


@pytest.mark.parametrize("others", [["a", "a"], ["b", "b"], ["c", "b"]])
def test_a_level_that_is_not_listed_becomes_the_last_listed_one(others):
    assert moved([*others, "", "d", "A"], Categorical(("a", "b", "c"))) == [*others, "c", "c", "c"]
