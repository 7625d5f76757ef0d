"""The encoding "binned": a 0/1 column for every level and every bin; by hand and against pandas."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.kinds.records import Domain
from dpfair_cli.models.tabular.encoding import encode

BINS = ((10, 12), (13, 15), (16, 20))


def schema(bins=BINS):
    """Ages in given bins and a category; the positive label is the first in the alphabet."""
    age = Numeric(10, 20, bins=bins) if bins else Numeric(10, 20)
    work = Categorical(("private", "public", "none"))
    return Schema({"age": age, "work": work}, "income", "high", "sex", ("male", "female"))


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [10, 15, 20, 13],
            "work": ["private", "public", "none", "public"],
            "sex": ["female", "male", "male", "female"],
            "income": ["low", "high", "low", "high"],
        }
    )


def test_a_small_table_by_hand(frame):
    records = encode(frame, schema(), encoding="binned")
    assert records.columns == (
        "age=10..12",
        "age=13..15",
        "age=16..20",
        "work=private",
        "work=public",
        "work=none",
    )
    assert records.X.tolist() == [
        [1, 0, 0, 1, 0, 0],
        [0, 1, 0, 0, 1, 0],
        [0, 0, 1, 0, 0, 1],
        [0, 1, 0, 0, 1, 0],
    ]
    assert records.y.tolist() == [0, 1, 0, 1]
    assert records.protected.tolist() == [1, 0, 0, 1]


def test_the_domain_names_the_features_and_the_values_of_each_column(frame):
    domain = encode(frame, schema(), encoding="binned").domain
    assert domain.attributes == {"age": (0, 1, 2), "work": (3, 4, 5)}
    assert list(domain.values) == ["age", "work", "sex", "income"]
    assert tuple(map(tuple, domain.values["age"])) == BINS
    assert domain.values["work"] == ("private", "public", "none")
    assert domain.values["sex"] == domain.groups == ("male", "female")
    assert sorted(domain.values["income"]) == ["high", "low"]
    assert domain.bounds == "public"


def test_a_domain_has_no_values_unless_they_are_given():
    assert Domain(("x",), {"x": (0,)}, ("a", "b")).values == {}


@pytest.mark.parametrize(
    ("age", "place"),
    [(9, 0), (-1e9, 0), (10, 0), (12, 0), (13, 1), (15, 1), (16, 2), (20, 2), (21, 2), (1e9, 2)],
)
def test_a_number_is_in_the_last_bin_that_begins_below_it_or_the_nearest(frame, age, place):
    frame["age"] = [age, 10, 20, 13]
    assert encode(frame, schema(), encoding="binned").X[0, :3].tolist() == np.eye(3)[place].tolist()


def test_between_two_bins_a_number_still_belongs_to_the_one_before(frame):
    frame["age"] = [12.5, 15.99, 16.0, 12.99]
    assert encode(frame, schema(), encoding="binned").X[:, :3].argmax(axis=1).tolist() == [
        0,
        1,
        2,
        0,
    ]


def test_without_bins_of_its_own_a_number_gets_four_even_ones(frame):
    """Of 10 to 20: none is wider than 10 / 4 and an integer, and they cover both ends."""
    frame["age"] = [10, 14, 16, 20]
    records = encode(frame, schema(bins=()), encoding="binned")
    assert records.domain.attributes == {"age": (0, 1, 2, 3), "work": (4, 5, 6)}
    assert records.X[:, :4].tolist() == np.eye(4).tolist()
    pairs = records.domain.values["age"]
    assert (pairs[0][0], pairs[-1][1]) == (10, 20)
    assert all(before[1] <= after[0] for before, after in pairwise(pairs))
    assert max(last - first for first, last in pairs) <= 10 / 4 + 1


def test_every_record_has_the_level_and_bin_that_pandas_finds():
    rng = np.random.default_rng(0)
    levels = {"a": ("a0", "a1"), "b": ("b0", "b1", "b2", "b3", "b4")}
    table = pd.DataFrame(
        {name: pd.Categorical(rng.choice(values, 500), values) for name, values in levels.items()}
    )
    number = rng.integers(0, 100, 500)
    full_table = table.assign(
        n=number, sex=rng.choice(["f", "m"], 500), income=rng.choice(["0", "1"], 500)
    )
    kinds = {name: Categorical(values) for name, values in levels.items()}
    kinds["n"] = Numeric(0, 99, bins=((0, 9), (10, 49), (50, 99)))
    records = encode(full_table, Schema(kinds, "income", "1", "sex", ("f", "m")), encoding="binned")
    bins = pd.cut(number, [-1, 9, 49, 99], labels=["0..9", "10..49", "50..99"])
    expected = pd.get_dummies(table.assign(n=bins), prefix_sep="=")
    assert records.columns == tuple(expected.columns)
    np.testing.assert_array_equal(records.X, expected.to_numpy(dtype=float))


def test_bins_leave_the_other_encodings_alone(frame):
    for encoding in ("one_hot", "ordinal"):
        with_bins, without = (encode(frame, schema(bins), encoding=encoding) for bins in (BINS, ()))
        np.testing.assert_array_equal(with_bins.X, without.X)
        assert with_bins.columns == without.columns
        assert with_bins.X[:, 0].tolist() == [0, 0.5, 1, 0.3]


def test_changing_one_row_changes_no_other_row_and_not_the_table(frame):
    kept = frame.copy()
    before = encode(frame, schema(), encoding="binned").X
    pd.testing.assert_frame_equal(frame, kept)
    frame.loc[0] = [99, "none", "male", "high"]
    np.testing.assert_array_equal(before[1:], encode(frame, schema(), encoding="binned").X[1:])


BAD = {
    "an empty cell in 1 of 4 rows": {"age": [10, None, 20, 12]},
    "'work' has the unknown level 'publik' in 2 rows: did you mean 'public'": {
        "work": ["private", "publik", "none", "publik"]
    },
    "'age' must contain numbers only, but 1 rows contain text, such as 'ten'": {
        "age": ["ten", "15", "11", "12"]
    },
    "'sex' has the unknown level 'x' in 1 rows": {"sex": ["male", "x", "female", "male"]},
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_table_is_refused_as_for_every_encoding(frame, message):
    with pytest.raises(DpfairError, match=message) as error:
        encode(frame.assign(**BAD[message]), schema(), encoding="binned")
    assert "\n" not in str(error.value)


def test_an_encoding_that_is_nearly_binned_is_refused_with_the_word(frame):
    with pytest.raises(ValueError, match="did you mean 'binned'"):
        encode(frame, schema(), encoding="bined")
