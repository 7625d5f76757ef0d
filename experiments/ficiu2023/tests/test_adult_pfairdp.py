"""Adult with the features of ficiu2023: counts of the files, order of rows, and one record."""

import numpy as np
import pytest

from dpfair_cli import paths
from dpfair_cli.datasets import adult
from dpfair_cli.papers.ficiu2023.data import adult_indicators, adult_networks, adult_numeric
from dpfair_cli.papers.ficiu2023.data import adult_pfairdp as data


def gap(records):
    return records.y[records.protected == 1].mean() - records.y[records.protected == 0].mean()


@pytest.mark.parametrize(
    ("module", "shape", "rate"),
    [
        (data, (45_222, 100), 0.1989),
        (adult_numeric, (48_842, 5), 0.1945),
        (adult_networks, (48_842, 38), 0.1945),
        (adult_indicators, (45_222, 57), 0.1989),
    ],
    ids=["all", "numeric", "networks", "indicators"],
)
def test_counts_and_gap_are_those_of_the_files(module, shape, rate, real_data):
    records = module.load(real_data)
    assert records.X.shape == shape
    assert records.counts() == module.DATASET.counts({})
    assert (records.X.min(), records.X.max()) == (0, 1)
    assert gap(records) == pytest.approx(rate, abs=5e-5)


def test_the_rows_of_adult_test_come_first_with_the_gap_that_a_file_stores(real_data):
    """0.19097982982080125 is the gap of the labels that the networks' files of ficiu2023 store."""
    records = adult_networks.load(real_data)
    assert gap(records.take(np.arange(16_281))) == pytest.approx(0.19097982982080125, abs=1e-15)


@pytest.mark.parametrize("features", ["all", "network"])
def test_one_woman_is_a_husband(features, real_data):
    records = data.load(real_data, features=features)
    husbands = records.X[:, records.columns.index("relationship=Husband")] == 1
    assert (husbands & (records.protected == 0)).sum() == 1


def test_every_record_has_one_level_of_every_attribute(real_data):
    for features in ("all", "network"):
        records = data.load(real_data, features=features)
        for name, places in records.domain.attributes.items():
            if len(places) > 1:
                levels = records.X[:, places].sum(axis=1)
                missing = 0 if features == "all" or name != "workclass" else 1
                assert levels.min() == 1 - missing, name
                assert levels.max() == 1, name


def test_numbers_are_scaled_by_their_public_range(real_data):
    raw = adult.read_raw(real_data)
    X = data.load(real_data, features="numeric").X
    first = raw.iloc[32_561]  # of adult.test
    assert X[0, 0] == (int(first["age"]) - 17) / (90 - 17)
    assert X[0, 4] == (int(first["hours-per-week"]) - 1) / 98


def of_the_replica(features):
    replica = data.DATASET.replica
    return replica.load(replica.path(paths.folder("data") / "replicas"), features=features)


@pytest.mark.parametrize("features", ["all", "network"])
def test_one_woman_of_the_replica_is_a_husband_as_figure_record_asks(features):
    records = of_the_replica(features)
    husbands = records.X[:, records.columns.index("relationship=Husband")] == 1
    assert (husbands & (records.protected == 0)).any()


@pytest.mark.parametrize("features", ["all", "network", "numeric"])
def test_the_replica_has_the_columns_of_the_real_data(features):
    records = of_the_replica(features)
    assert records.X.shape[1] == data.DATASET.counts({"features": features})["columns"]
    assert abs(gap(records) - 0.1989) < 0.02
