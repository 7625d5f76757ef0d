"""Adult, binned: its stated rules, and the counts of its documentation."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpfair_cli import catalog, data_access
from dpfair_cli.datasets import adult_discretised


def load(name: str, folder: Path, **options):
    return data_access.load(data_access.locate(catalog.data_set(name, options), data_dir=folder))


def test_adult_is_binned_by_its_stated_rules(real_data: Path) -> None:
    observations = load("adult_discretised", real_data)
    assert observations.values.shape == (48_842, 14)
    assert set(observations.levels) <= {2, 3, 4}
    column = {name: observations.values[:, k] for k, name in enumerate(observations.names)}
    assert (column["sex"] == 0).sum() == 16_192  # women of all 48,842
    assert (column["income"] == 0).sum() == 11_687  # more than 50,000 dollars
    assert (column["native-country"] == 0).sum() == 43_832
    assert adult_discretised.NUMBERS["age"] == (29, 44, 59)


def test_adult_has_fourteen_variables_of_two_to_four_levels_on_all_records(real_data):
    from dpfair_cli.datasets import adult_discretised

    records = adult_discretised.load(real_data)
    assert records.values.shape == (48_842, 14)
    assert set(records.levels) <= {2, 3, 4}
    assert records.bounds == "public"
    for j, name in enumerate(records.names):
        assert set(np.unique(records.values[:, j])) == set(range(records.levels[j])), name
    income = records.values[:, records.names.index("income")]
    assert sorted(np.bincount(income)) == [
        11_687,
        37_155,
    ]  # the UCI documentation: 23.93 % above 50K
    sex = records.values[:, records.names.index("sex")]
    assert sorted(np.bincount(sex)) == [16_192, 32_650]
