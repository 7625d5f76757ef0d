"""Tables of values from records with numbers."""

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
