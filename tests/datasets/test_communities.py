"""Communities and Crime and Adult by race, as jagielski2019 needs them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpfair_cli import catalog, data_access
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.tasks import in_sample


def load(name, folder, **options):
    return data_access.load(data_access.locate(catalog.data_set(name, options), data_dir=folder))


def test_the_features_are_those_of_gerryfair(real_data):
    """Kearns et al. 2018 dropped five columns and wrote 0 for what is missing."""
    theirs = pd.read_csv(real_data / "communities/gerryfair_communities_2018.csv").fillna(0)
    ours = load("communities", real_data)
    np.testing.assert_array_equal(ours.X, theirs[list(ours.domain.columns)])
    np.testing.assert_array_equal(
        ours.y, theirs["ViolentCrimesPerPop"] > theirs["ViolentCrimesPerPop"].quantile(0.7)
    )
    np.testing.assert_array_equal(
        ours.protected, theirs["racepctblack"] > theirs["racepctblack"].median()
    )


def test_the_other_variant_of_the_group_is_above_the_mean(real_data):
    theirs = pd.read_csv(real_data / "communities/gerryfair_communities_2018.csv")["racepctblack"]
    ours = load("communities", real_data, group_above="mean")
    np.testing.assert_array_equal(ours.protected, theirs > theirs.mean())


def test_an_unknown_threshold_is_refused_in_one_line(real_data):
    with pytest.raises(DpfairError, match="group_above 'mode': did you mean 'mean'"):
        load("communities", real_data, group_above="mode")


def test_ten_copies_are_ten_times_the_same(real_data):
    one, ten = load("communities", real_data), load("communities_tenfold", real_data)
    np.testing.assert_array_equal(ten.X.reshape(10, *one.X.shape)[7], one.X)
    np.testing.assert_array_equal(ten.protected.reshape(10, -1).sum(axis=0), 10 * one.protected)


def test_adult_by_race_has_the_rows_of_adult_and_no_feature_of_race(real_data):
    by_sex, by_race = load("adult", real_data), load("adult_race", real_data)
    np.testing.assert_array_equal(by_sex.y, by_race.y)
    assert not [name for name in by_race.domain.columns if name.startswith("race")]
    np.testing.assert_array_equal(
        by_race.X[:, by_race.domain.columns.index("sex=Male")], by_sex.protected
    )


def test_the_separation_instance_has_equal_cells():
    records = load("separation", ".", people=40)
    assert np.bincount(2 * records.protected + records.y).tolist() == [10] * 4
    np.testing.assert_array_equal(records.X[:, 0], records.y)


def test_a_separation_instance_needs_a_multiple_of_four_records():
    with pytest.raises(DpfairError, match="multiple of 4, got 42"):
        load("separation", ".", people=42)


@pytest.mark.parametrize(
    "rows", [[0, 1], [0, 2, 3]], ids=["an empty group", "a group with one label"]
)
def test_a_group_without_both_labels_is_one_clear_line(rows):
    records = load("separation", ".", people=4).take(np.array(rows))
    with pytest.raises(
        ValueError,
        match=(
            r"^every group must have records of both labels for equalized odds, but group "
            r"'[RB]' has none with label [01]$"
        ),
    ):
        in_sample.split(records, rng=np.random.default_rng(0))
