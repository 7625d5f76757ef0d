"""The label and the groups of the voice recordings are those of the published file."""

import numpy as np
import pandas as pd

from dpfair_cli import catalog, data_access


def test_half_of_the_recordings_have_a_score_above_the_median(real_data):
    raw = pd.read_csv(real_data / "parkinsons/parkinsons_updrs.csv")
    records = data_access.load(
        data_access.locate(catalog.data_set("parkinsons"), data_dir=real_data)
    )
    np.testing.assert_array_equal(records.y, raw["total_UPDRS"] > raw["total_UPDRS"].median())
    np.testing.assert_array_equal(records.protected == 0, raw["sex"] == 1)
    assert raw["subject#"].nunique() == 42
