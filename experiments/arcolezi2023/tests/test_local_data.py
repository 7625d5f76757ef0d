"""The tables of arcolezi2023: counts, codes, randomised attributes, and small replicas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpfair_cli import catalog, data_access, paths

# positive rate of group 1 minus group 0, from the counts of the files
RISK_DIFFERENCE = {"lsac": 0.1819, "acs_coverage_tx": 0.3710, "adult_reconstructed": 0.2815}
LATER_BYTES = 120_000
each = pytest.mark.parametrize("name", RISK_DIFFERENCE)


def risk_difference(records):
    return records.y[records.protected == 1].mean() - records.y[records.protected == 0].mean()


@each
def test_the_columns_are_the_levels_of_the_codes(name, real_data):
    module = catalog.data_sources.module(name)
    if not (real_data / module.FILES[0].path).is_file():
        pytest.skip(f"the data set {name} is not here: dpfair fetch-data {name}")
    records = data_access.load(data_access.locate(catalog.data_set(name), data_dir=real_data))
    frame = pd.read_csv(real_data / module.FILES[0].path)
    for attribute, columns in records.domain.attributes.items():
        np.testing.assert_array_equal(records.X[:, columns].argmax(axis=1), frame[attribute])
    np.testing.assert_array_equal(records.y, frame[module.DOMAIN.label])
    np.testing.assert_array_equal(records.protected, frame[module.DOMAIN.protected])
    assert risk_difference(records) == pytest.approx(RISK_DIFFERENCE[name], abs=5e-5)


@each
def test_the_replica_is_small_and_has_the_form_of_the_data(name, tmp_path):
    located = data_access.locate(catalog.data_set(name), data_dir=tmp_path, replica_ok=True)
    records = data_access.load(located)
    source = catalog.data_source(name)
    assert located.replica
    assert records.X.shape[1] == source.expected["columns"]
    assert records.y.mean() == pytest.approx(source.expected["base_rate"], abs=0.01)
    assert risk_difference(records) == pytest.approx(RISK_DIFFERENCE[name], abs=0.02)
    path = source.replica.path(paths.folder("data") / "replicas")
    assert path.stat().st_size <= LATER_BYTES


@each
def test_four_attributes_are_randomised_and_the_protected_one_is_among_them(name, tmp_path):
    located = data_access.locate(catalog.data_set(name), data_dir=tmp_path, replica_ok=True)
    records = data_access.load(located)
    assert len(records.randomised) == 4
    assert records.protected_attribute in records.randomised
    group = records.X[:, records.domain.attributes[records.protected_attribute]].argmax(axis=1)
    np.testing.assert_array_equal(group, records.protected)
