"""Distances of made from real tables in the units of the data."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp

from dpfair_cli.models.synthesis.value_distances import value_distances

REAL = pd.DataFrame({"pay": [0, 10, 20, 30], "sex": ["f", "f", "m", "m"]})


def test_distances_means_and_shares_by_hand():
    made = pd.DataFrame({"pay": [0, 10, 20, 70], "sex": ["f", "m", "m", "x"]})
    found = value_distances(made, REAL)
    assert found["largest_column_distance"] == pytest.approx(0.25)
    assert found["made pay"] == "distance 0.2500, mean 25 for 15"
    assert found["made sex"] == "distance 0.2500, f 25.0% for 50.0%"
    # of the pairs (0, f), (10, f), (20, m), (30, m) two stay
    assert found["largest_pair_distance"] == pytest.approx(0.5)
    assert found["farthest_pair"] == "pay, sex"


def test_missing_cells_are_above_all_numbers():
    made = pd.DataFrame({"pay": pd.array([0, None, None, 30], "Int64"), "sex": list("ffmm")})
    found = value_distances(made, REAL.assign(pay=[0, 10, 20, np.nan]))
    # at most 20: one of four, and three of four
    assert found["largest_column_distance"] == pytest.approx(0.5)
    assert found["made pay"] == "distance 0.5000, mean 15 for 10, missing 50.0% for 25.0%"
    # all pairs stay but (missing, f) in place of (10, f)
    assert found["largest_pair_distance"] == pytest.approx(0.25)


def test_equal_tables_have_no_distance():
    found = value_distances(REAL, REAL)
    assert found["largest_column_distance"] == found["largest_pair_distance"] == 0


def test_the_farthest_column_of_numbers_has_the_distance_of_scipy():
    rng = np.random.default_rng(0)
    real = pd.DataFrame({"a": rng.normal(size=300), "b": rng.random(300)})
    made = pd.DataFrame({"a": rng.normal(size=200), "b": rng.random(200) ** 3})
    found = value_distances(made, real)
    assert found["farthest_column"] == "b"
    expected = ks_2samp(made["b"], real["b"]).statistic
    assert found["largest_column_distance"] == pytest.approx(expected)
