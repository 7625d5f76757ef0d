"""Cells outside the public schema, by hand: end or middle of the range, or last listed level."""

import numpy as np
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


def test_numbers_inside_the_range_are_not_copied():
    numbers = np.array([0.0, 2.5, 10.0])
    frame = pd.DataFrame({"age": numbers}, copy=False)
    inside = moved_inside(frame, {"age": Numeric(0, 10)})
    assert np.shares_memory(inside["age"].to_numpy(), frame["age"].to_numpy())


@pytest.mark.parametrize("others", [[], [-3.0], [12.0], [-3.0, 12.0]])
def test_numbers_are_clipped_and_minus_zero_becomes_zero(others):
    numbers = np.array([-0.0, 5.0, *others])
    given = numbers.copy()
    inside = moved_inside(pd.DataFrame({"age": numbers}, copy=False), {"age": Numeric(0, 10)})
    found = inside["age"].to_numpy()
    assert found.tolist() == [0.0, 5.0, *np.clip(others, 0, 10)]
    assert not np.signbit(found).any()
    assert given.tobytes() == numbers.tobytes()  # the given numbers do not change
