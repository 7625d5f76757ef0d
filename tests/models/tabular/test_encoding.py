"""Encoding against pandas, by hand, and refusals of invalid tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.models.tabular.encoding import encode

SCHEMA = Schema(
    attributes={"age": Numeric(10, 20), "work": Categorical(("private", "public", "none"))},
    label="income",
    positive="high",
    protected="sex",
    groups=("female", "male"),
)


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [10, 15, 20, 12],
            "work": ["private", "public", "none", "public"],
            "sex": ["female", "male", "male", "female"],
            "income": ["low", "high", "low", "high"],
        }
    )


def test_one_hot_by_hand(frame):
    records = encode(frame, SCHEMA)
    assert records.domain.columns == ("age", "work=public", "work=none")
    assert records.X.tolist() == [[0, 0, 0], [0.5, 1, 0], [1, 0, 1], [0.2, 1, 0]]
    assert records.y.tolist() == [0, 1, 0, 1]
    assert records.protected.tolist() == [0, 1, 1, 0]


def test_ordinal_is_the_place_among_the_levels(frame):
    records = encode(frame, SCHEMA, encoding="ordinal")
    assert records.domain.columns == ("age", "work")
    assert records.X[:, 1].tolist() == [0, 0.5, 1, 0.5]


def test_one_hot_equals_get_dummies_on_random_tables():
    rng = np.random.default_rng(0)
    levels = {"a": ("a0", "a1"), "b": ("b0", "b1", "b2", "b3", "b4")}
    levels["c"] = tuple(f"c{k}" for k in range(9))
    table = pd.DataFrame(
        {name: pd.Categorical(rng.choice(values, 500), values) for name, values in levels.items()}
    )
    kinds = {name: Categorical(values) for name, values in levels.items()}
    full_table = table.assign(sex=rng.choice(["f", "m"], 500), income=rng.choice(["0", "1"], 500))
    records = encode(full_table, Schema(kinds, "income", "1", "sex", ("f", "m")))
    expected = pd.get_dummies(table, prefix_sep="=", drop_first=True)
    assert records.domain.columns == tuple(expected.columns)
    np.testing.assert_array_equal(records.X, expected.to_numpy(dtype=float))


def test_attributes_name_the_columns_that_encode_them(frame):
    domain = encode(frame, SCHEMA).domain
    assert domain.attributes == {"age": (0,), "work": (1, 2)}
    assert domain.bounds == "public"


def test_a_number_outside_its_public_range_is_clipped(frame):
    frame["age"] = [-5, 15, 1000, 12]
    assert encode(frame, SCHEMA).X[:, 0].tolist() == [0, 0.5, 1, 0.2]


@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("age", [99, 11], ids=["outside", "inside"])
def test_changing_one_row_leaves_the_others_alone(frame, row, age):
    before = encode(frame, SCHEMA).X
    frame.loc[row] = [age, "none", "male", "high"]
    np.testing.assert_array_equal(
        np.delete(before, row, axis=0), np.delete(encode(frame, SCHEMA).X, row, axis=0)
    )


def test_the_table_is_not_changed(frame):
    before = frame.copy()
    encode(frame, SCHEMA)
    pd.testing.assert_frame_equal(frame, before)


BAD = {
    "an empty cell in 1 of 4 rows": {"age": [10, None, 20, 12]},
    "'work' has an empty cell": {"work": ["private", "public", None, "public"]},
    "label 'income' has an empty cell": {"income": ["low", "high", None, "high"]},
    "label 'income' has the same value in all 4 rows": {"income": ["low"] * 4},
    "label 'income' must have two values, got 3": {"income": ["low", "high", "middle", "low"]},
    "is 'high': did you mean 'High'": {"income": ["low", "High", "low", "High"]},
    "protected column 'sex' has the same value in all 4 rows": {"sex": ["male"] * 4},
    "column 'age' has the same value in all 4 rows: delete": {"age": [3] * 4},
    "'work' has the unknown level 'publik' in 2 rows: did you mean 'public'": {
        "work": ["private", "publik", "none", "publik"]
    },
    "'sex' has the unknown level 'x' in 1 rows": {"sex": ["male", "x", "female", "male"]},
    "'age' must contain numbers only, but 2 rows contain text, such as 'ten'": {
        "age": ["ten", "15", "inf", "12"]
    },
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_table_is_refused_in_one_line(frame, message):
    with pytest.raises(DpfairError, match=message) as error:
        encode(frame.assign(**BAD[message]), SCHEMA)
    assert "\n" not in str(error.value)


def test_a_missing_column_proposes_the_nearest(frame):
    with pytest.raises(DpfairError, match="unknown column 'work' in the table: did you mean 'wrk'"):
        encode(frame.rename(columns={"work": "wrk"}), SCHEMA)


def test_the_label_cannot_be_the_protected_column(frame):
    schema = Schema(SCHEMA.attributes, "sex", "male", "sex", SCHEMA.groups)
    with pytest.raises(DpfairError, match="must be two different columns, got 'sex'"):
        encode(frame, schema)


def test_an_unknown_encoding_is_refused(frame):
    with pytest.raises(ValueError, match="did you mean 'one_hot'"):
        encode(frame, SCHEMA, encoding="onehot")
