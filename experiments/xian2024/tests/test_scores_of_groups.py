"""The data sets of xian2024: rates of crime and grades, as scores and targets."""

import numpy as np
import pandas as pd
import pytest

from dpfair_cli import catalog, data_access
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.papers.xian2024.data import law_school

NAMES = ["communities_crime", "law_school"]


def load(name, folder):
    dataset = catalog.data_set(name)
    return data_access.load(data_access.locate(dataset, data_dir=folder, replica_ok=True))


def real_or_skip(name, folder):
    try:
        return data_access.load(data_access.locate(catalog.data_set(name), data_dir=folder))
    except DpfairError:
        pytest.skip(f"the file of {name} is not in the data folder")


@pytest.mark.parametrize("name", NAMES)
def test_the_scores_are_the_targets_and_the_counts_are_those_of_xian2024(name, real_data):
    data = real_or_skip(name, real_data)
    expected = catalog.data_source(name).expected
    assert data.counts() == expected
    assert len(data) == {"communities_crime": 1_994, "law_school": 21_983}[name]
    np.testing.assert_array_equal(data.scores, data.target)


@pytest.mark.parametrize("name", NAMES)
def test_a_replica_has_the_groups_and_the_range_of_the_real_data(name, tmp_path):
    data = load(name, tmp_path)
    expected = catalog.data_source(name).expected
    assert len(data) == expected["rows"]
    assert data.low <= data.scores.min() < data.scores.max() <= data.high
    shares = np.bincount(data.protected) / len(data)
    assert shares == pytest.approx(np.array(expected["groups"]) / expected["rows"], abs=0.02)


def test_grades_of_groups_are_those_of_pandas(real_data):
    data = real_or_skip("law_school", real_data)
    frame = pd.read_csv(real_data / law_school.FILES[0].path)
    for group, name in enumerate(data.groups):
        grades = frame.loc[frame["race1"] == name, "ugpa"].dropna()
        np.testing.assert_array_equal(data.scores[data.protected == group], grades)


def test_the_replica_of_law_school_has_different_groups(tmp_path):
    data = load("law_school", tmp_path)
    means = [data.scores[data.protected == group].mean() for group in range(4)]
    assert np.argmin(means) == 1  # as in the real data
