"""The data sets of lowy2023 and ghoukasian2024: Adult twice, and credit card clients."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pytest

from dpfair_cli import catalog, data_access
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.datasets import adult_training_twice

PUBLISHED_BLOB = "485326a3356768905aa53a101c2a772897bb1084"


def load(name, folder, **options):
    dataset = catalog.data_set(name, options)
    return data_access.load(data_access.locate(dataset, data_dir=folder, replica_ok=True))


def test_the_rows_of_adult_twice_are_those_of_the_published_file(real_data):
    frame = adult_training_twice.read(real_data)
    # in the published file income is the column `>50K` with the values Yes and No
    frame["income"] = np.where(frame["income"] == ">50K", "Yes", "No")
    named = frame.rename(columns={"income": ">50K"})
    content = named.to_csv(index=False, lineterminator="\n").encode()
    header = f"blob {len(content)}\0".encode()  # how git names a file
    assert hashlib.sha1(header + content).hexdigest() == PUBLISHED_BLOB


@pytest.mark.parametrize("real", [True, False], ids=["real", "replica"])
def test_the_second_half_of_adult_twice_is_the_first(real, real_data, tmp_path):
    twice = load("adult_training_twice", real_data if real else tmp_path)
    half = len(twice) // 2
    for values in (twice.X, twice.y, twice.protected):
        np.testing.assert_array_equal(values[:half], values[half:])


@pytest.mark.parametrize("real", [True, False], ids=["real", "replica"])
def test_one_copy_of_adult_is_half_of_two(real, real_data, tmp_path):
    folder = real_data if real else tmp_path
    once, twice = (load("adult_training_twice", folder, copies=k) for k in (1, 2))
    assert 2 * len(once) == len(twice) == 60_324
    np.testing.assert_array_equal(once.X, twice.X[: len(once)])


def test_three_copies_of_adult_are_refused(tmp_path):
    with pytest.raises(DpfairError, match=r"copies.*at most 2"):
        load("adult_training_twice", tmp_path, copies=3)


def test_sex_is_not_among_the_features(tmp_path):
    for name in ("adult_training_twice", "credit_card", "parkinsons"):
        assert "sex" not in load(name, tmp_path).domain.attributes


def test_the_levels_of_credit_card_clients_are_merged(real_data):
    raw = pd.read_csv(real_data / "credit-card/uci350-X1-X23-Y.csv")
    records = load("credit_card", real_data)
    places = records.domain.attributes
    other_school = records.X[:, places["education"][-1]]
    np.testing.assert_array_equal(other_school == 1, raw["X3"].isin([0, 4, 5, 6]))
    other_family = records.X[:, places["marriage"][-1]]
    np.testing.assert_array_equal(other_family == 1, raw["X4"].isin([0, 3]))
    np.testing.assert_array_equal(records.protected == 0, raw["X2"] == 2)
