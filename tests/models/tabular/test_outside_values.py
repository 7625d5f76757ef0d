"""Cells outside the public schema, by hand: the nearest end of a range, its middle, or the last
level listed.
"""

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
def test_what_is_no_number_becomes_the_middle_of_the_range_whatever_the_others_are(others):
    assert moved([*others, "", "old", "nan"], Numeric(18, 90))[2:] == [54, 54, 54]


@pytest.mark.parametrize("others", [["a", "a"], ["b", "b"], ["c", "b"]])
def test_a_level_that_is_not_listed_becomes_the_last_one_whatever_the_others_are(others):
    assert moved([*others, "", "d", "A"], Categorical(("a", "b", "c"))) == [*others, "c", "c", "c"]
