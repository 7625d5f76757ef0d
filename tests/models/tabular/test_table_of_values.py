"""Tables of values from records with numbers."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.models.tabular.decoding import table_of_features, table_of_values
from dpfair_cli.models.tabular.encoding import encode

SCHEMA = Schema(
    {
        "pay": Numeric(0, 500_000),
        "rate": Numeric(-0.5, 2.0),
        "work": Categorical(("private", "public", "missing")),
    },
    label="hired",
    positive="yes",
    protected="sex",
    groups=("f", "m"),
    labels=("no", "yes"),
)
FRAME = pd.DataFrame(
    {
        "pay": [0, 17, 500_000, 21_566],
        "rate": [-0.5, 0.1, 2.0, 1.25],
        "work": ["private", "missing", "public", "private"],
        "sex": ["f", "m", "m", "f"],
        "hired": ["no", "yes", "no", "yes"],
    }
)


def test_encoded_records_become_their_table_again():
    found = table_of_values(encode(FRAME, SCHEMA), SCHEMA)
    pd.testing.assert_frame_equal(found, FRAME, check_dtype=False)
    assert found["pay"].dtype == np.int64  # both ends of its range are whole
    assert found["rate"].dtype == float


def test_records_without_a_table_become_features():
    found = table_of_features(encode(FRAME, SCHEMA))
    assert list(found) == ["pay", "rate", "work=public", "work=missing", "protected", "label"]
    assert list(found["protected"]) == ["f", "m", "m", "f"]
    assert list(found["label"]) == [0, 1, 0, 1]


def test_a_range_with_a_decimal_point_is_one_of_fractions():
    """`{low: 0.0, high: 3.0}` of a domain file: a share of 0.33 must not become 0."""
    schema = replace(SCHEMA, attributes={**SCHEMA.attributes, "rate": Numeric(0.0, 3.0)})
    frame = FRAME.assign(rate=[0.25, 0.334, 3.0, 1.25])
    found = table_of_values(encode(frame, schema), schema)
    np.testing.assert_allclose(found["rate"], frame["rate"])
    whole = replace(SCHEMA, attributes={**SCHEMA.attributes, "rate": Numeric(0, 3)})
    assert table_of_values(encode(frame, whole), whole)["rate"].tolist() == [0, 0, 3, 1]
    kept = table_of_values(encode(frame, whole), whole, whole=False)
    np.testing.assert_allclose(kept["rate"], frame["rate"])
