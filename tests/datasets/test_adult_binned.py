"""Adult as chapter 6 of xu2021 has it: 57 columns of levels and bins."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from dpfair_cli import catalog, data_access
from dpfair_cli.datasets import adult

COLUMNS = {
    "age": 5,
    "workclass": 7,
    "education-num": 5,
    "marital-status": 7,
    "occupation": 14,
    "relationship": 6,
    "race": 5,
    "capital-gain": 2,
    "capital-loss": 2,
    "hours-per-week": 2,
    "native-country": 2,
}
NUMBERS = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")
OPTIONS = {"encoding": "binned"}


@pytest.fixture(scope="module")
def records(real_data):
    return data_access.load(
        data_access.locate(catalog.data_set("adult", OPTIONS), data_dir=real_data)
    )


def sizes(domain):
    return {name: len(places) for name, places in domain.attributes.items()}


def test_the_57_columns_of_the_dissertation_are_one_group_per_attribute(records):
    assert sum(COLUMNS.values()) == 57
    assert records.X.shape == (45_222, 57)
    assert sizes(records.domain) == COLUMNS
    assert sorted(sum(records.domain.attributes.values(), ())) == list(range(57))


def test_everybody_has_one_level_and_one_bin_of_each_attribute(records):
    assert set(np.unique(records.X)) == {0.0, 1.0}
    for name, places in records.domain.attributes.items():
        assert (records.X[:, places].sum(axis=1) == 1).all(), name


def test_every_level_and_every_bin_has_somebody(records):
    """A bin in which nobody is would be a column that says nothing."""
    empty = [
        name
        for name, people in zip(records.columns, records.X.sum(axis=0), strict=True)
        if people == 0
    ]
    assert empty == []


def test_the_risk_difference_is_that_of_table_6_1(records):
    women, men = (records.y[records.protected == group] for group in (0, 1))
    assert records.domain.groups == ("Female", "Male")
    assert round(men.mean() - women.mean(), 4) == 0.1989


def test_the_columns_of_levels_are_those_of_pandas(records, real_data):
    frame = adult.read(real_data)
    for name in ("workclass", "race", "native-country"):
        levels = records.domain.values[name]
        expected = pd.get_dummies(pd.Categorical(frame[name], levels)).to_numpy(dtype=float)
        np.testing.assert_array_equal(records.X[:, records.domain.attributes[name]], expected)


def test_bins_cover_the_public_range_without_gaps(records):
    for name in NUMBERS:
        pairs, kind = records.domain.values[name], adult.DOMAIN.attributes[name]
        assert len(pairs) == COLUMNS[name]
        assert pairs[0][0] == kind.low, name
        # the few largest gains and losses count to a last bin that ends where most of them do
        assert (
            pairs[-1][1]
            == (kind.high if name not in ("capital-gain", "capital-loss") else pairs[-1][1])
            <= kind.high
        )
        for (first, last), (next_first, _) in pairwise(pairs):
            assert first <= last, name
            assert next_first == last + 1, name


def test_people_in_a_bin_are_counted_by_their_numbers(records, real_data):
    frame = adult.read(real_data)
    for name in NUMBERS:
        places = records.domain.attributes[name]
        for place, (first, last) in zip(places, records.domain.values[name], strict=True):
            assert records.columns[place] == f"{name}={first}..{last}"
            end = (
                last if place != places[-1] else frame[name].max()
            )  # numbers beyond the last bin count to it
            assert records.X[:, place].sum() == frame[name].between(first, end).sum(), (
                records.columns[place]
            )


def test_labels_and_groups_are_those_of_the_other_encodings(records, real_data):
    plain = data_access.load(data_access.locate(catalog.data_set("adult"), data_dir=real_data))
    np.testing.assert_array_equal(records.y, plain.y)
    np.testing.assert_array_equal(records.protected, plain.protected)
    assert plain.X.shape[1] == 40


def test_the_replica_has_the_same_columns(tmp_path):
    dataset = catalog.data_set("adult", OPTIONS)
    located = data_access.locate(dataset, data_dir=tmp_path, replica_ok=True)
    found = data_access.load(located)
    assert located.replica
    assert sizes(found.domain) == COLUMNS
    assert (found.X.sum(axis=1) == len(COLUMNS)).all()


TWELVE = {**COLUMNS, "age": 3, "education-num": 3, "education": 4}
OTHERS = {
    "binned_large_sums": COLUMNS,
    "binned_twelve": TWELVE,
    "binned_twelve_large_sums": TWELVE,
}
others = pytest.mark.parametrize("encoding", OTHERS)


def with_other_bins(encoding, data_dir, **options):
    dataset = catalog.data_set("adult", {"encoding": encoding})
    return data_access.load(data_access.locate(dataset, data_dir=data_dir, **options))


@others
def test_other_bins_have_57_columns_with_one_level_of_each_attribute(encoding, real_data):
    found = with_other_bins(encoding, real_data)
    assert found.X.shape == (45_222, 57)
    assert sizes(found.domain) == OTHERS[encoding]
    for name, places in found.domain.attributes.items():
        assert (found.X[:, places].sum(axis=1) == 1).all(), name


@others
def test_the_cuts_of_gains_and_losses_are_those_of_the_name(encoding, real_data):
    found, frame = with_other_bins(encoding, real_data), adult.read(real_data)
    large = encoding.endswith("large_sums")
    for name, cut in (("capital-gain", 5_000), ("capital-loss", 1_700)):
        above = found.X[:, found.domain.attributes[name][1]].sum()
        assert above == (frame[name] >= (cut if large else 1)).sum(), name


def test_education_and_years_of_school_are_two_of_twelve_attributes(real_data):
    found, frame = with_other_bins("binned_twelve", real_data), adult.read_raw(real_data).dropna()
    assert len(found.domain.attributes) == 12
    degrees = frame["education"].isin(["Bachelors", "Masters", "Prof-school", "Doctorate"])
    assert found.X[:, found.domain.attributes["education"][3]].sum() == degrees.sum()
    assert found.X[:, found.domain.attributes["education-num"][2]].sum() == degrees.sum()
    graduates = frame["education"] == "HS-grad"
    assert found.X[:, found.domain.attributes["education"][1]].sum() == graduates.sum()


@others
def test_the_replica_has_other_bins_too(encoding, tmp_path):
    found = with_other_bins(encoding, tmp_path, replica_ok=True)
    assert sizes(found.domain) == OTHERS[encoding]
