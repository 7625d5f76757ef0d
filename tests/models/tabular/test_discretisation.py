"""Discretisation of a table to codes, and a table from codes."""

import numpy as np
import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.models.tabular.discretisation import (
    bins,
    discretise,
    public_values,
    values_from_codes,
)

SCHEMA = Schema(
    attributes={"age": Numeric(0, 40), "work": Categorical(("a", "b", "c"))},
    label="income",
    positive=">50K",
    protected="sex",
    groups=("f", "m"),
)
FRAME = pd.DataFrame(
    {
        "work": ["c", "a", "b"],
        "income": [">50K", "<=50K", ">50K"],
        "age": [0, 21, 40],
        "sex": ["m", "f", "m"],
    }
)


def test_bins_cover_the_public_range_without_overlap():
    found = bins(Numeric(17, 90))
    assert len(found) == 16
    assert (found[0, 0], found[-1, 1]) == (17, 90)
    np.testing.assert_array_equal(found[1:, 0], found[:-1, 1] + 1)


def test_given_bins_begin_at_the_given_numbers():
    assert bins(Numeric(0, 9), (0, 1, 5)).tolist() == [[0, 0], [1, 4], [5, 9]]


def test_codes_by_hand():
    values = public_values(FRAME, SCHEMA, {"age": (0, 20, 30)})
    found = discretise(FRAME, values)
    assert found.names == ("age", "work", "sex", "income")
    assert found.levels == (3, 3, 2, 2)
    # the positive label is the last
    assert found.values.tolist() == [[0, 2, 1, 1], [1, 0, 0, 0], [2, 1, 1, 1]]


def test_decoding_undoes_coding_up_to_the_bin():
    values = public_values(FRAME, SCHEMA, {})
    codes = discretise(FRAME, values)
    again = values_from_codes(codes, values, list(FRAME), rng=np.random.default_rng(0))
    assert list(again) == list(FRAME)
    assert (again[["work", "income", "sex"]] == FRAME[["work", "income", "sex"]]).all(axis=None)
    np.testing.assert_array_equal(discretise(again, values).values, codes.values)


def test_a_level_that_is_not_public_is_refused():
    values = public_values(FRAME, SCHEMA, {})
    with pytest.raises(DpfairError, match="column 'work' has the unknown level 'd' in 1 rows"):
        discretise(FRAME.assign(work=["d", "a", "b"]), values)
