"""The data sets as published, and their replicas."""

from __future__ import annotations

import gzip
import re
from functools import lru_cache
from itertools import islice

import numpy as np
import pandas as pd
import pytest
import yaml

from dpfair_cli import catalog, data_access, papers, paths
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.schemas import Categorical
from dpfair_cli.models.regression.logistic import standardised

CLASSIFICATION = [
    name
    for name in catalog.data_sources.names
    if catalog.data_source(name).task == "classification"
]
FETCHABLE = [name for name in CLASSIFICATION if catalog.data_source(name).files]
# positive rate of group 1 minus group 0: adult and dutch as in xu2021, the others from the counts
# of their files
RISK_DIFFERENCE = {
    "acs_income": 0.1574,
    "adult": 0.1989,
    "celeba": -0.1402,
    "dutch": 0.2985,
    "us": 0.1306,
}
RISK_DIFFERENCE |= {"adult_race": -0.1361, "celeba_first": -0.1402}
# samples: that of all their people, up to three standard errors
SAMPLED = {"adult_balanced": 3 * 0.005, "dutch_unbalanced": 3 * 0.006}
RISK_DIFFERENCE |= {"adult_balanced": 0.1989, "dutch_unbalanced": 0.2985}
# communities: 0.4897 - 0.1055 by the notes of the data's mirror
RISK_DIFFERENCE |= {"communities": 0.3842, "communities_tenfold": 0.3842}
# from the counts of the files, by pandas
RISK_DIFFERENCE |= {"adult_training_twice": 0.2002, "credit_card": 0.0339}
# of the data of one paper: NAME: difference, or [difference, three standard errors]
for file in sorted(papers.FOLDER.glob("*/tests/risk_differences.yaml")):
    for added, numbers in yaml.safe_load(file.read_text(encoding="utf-8")).items():
        RISK_DIFFERENCE[added], SAMPLED[added] = [*np.atleast_1d(numbers), 1e-9][:2]


@pytest.fixture(params=FETCHABLE, scope="module")
def name(request) -> str:
    """A data set; all tests of it come one after the other."""
    return request.param


@pytest.fixture
def module(name):
    return catalog.data_sources.module(name)


@lru_cache(maxsize=2)
def load(name, folder, **options):
    """The records, read once for the tests of a data set; none of them changes any."""
    return data_access.load(data_access.locate(catalog.data_set(name, options), data_dir=folder))


def has_encoding(name) -> bool:
    """Whether a data set has a choice between codes and dummies; otherwise it has one form."""
    return "encoding" in catalog.data_source(name).parameters


def stated_difference(name) -> float:
    """The risk difference of a data set by a source that is not our code."""
    assert name in RISK_DIFFERENCE, f"add {name} to RISK_DIFFERENCE, or to a risk_differences.yaml"
    return RISK_DIFFERENCE[name]


def risk_difference(records) -> float:
    return records.y[records.protected == 1].mean() - records.y[records.protected == 0].mean()


def test_every_data_set_says_what_it_is():
    for name in catalog.data_sources.names:
        note = catalog.data_source(name).note
        assert note
        assert "\n" not in note
    encoded = [name for name in catalog.data_sources.names if has_encoding(name)]
    assert {"adult", "celeba", "dutch", "us"} <= set(encoded) <= set(CLASSIFICATION)


def test_files_have_a_hash_and_a_public_address(module):
    for file in module.DATASET.files:
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert file.urls
        assert all(url.startswith("https://") for url in file.urls)


def test_counts_are_the_published_ones(name, module, real_data):
    records, expected = load(name, real_data), module.DATASET.expected
    assert records.X.shape == (expected["rows"], expected["columns"])
    assert tuple(np.bincount(records.protected)) == expected["groups"]
    assert round(records.y.mean(), 4) == expected["base_rate"]
    assert round(risk_difference(records), 4) == pytest.approx(
        stated_difference(name), abs=SAMPLED.get(name, 1e-9)
    )


def test_features_lie_in_the_unit_box(name, real_data):
    X = load(name, real_data).X
    assert X.min() == 0
    assert X.max() == 1


def test_dummies_equal_those_of_pandas(name, module, real_data):
    if not hasattr(module, "read") or not hasattr(module, "DOMAIN"):
        pytest.skip("the rows or columns of another data set, some of them")
    frame, records = module.read(real_data), load(name, real_data)
    for attribute, kind in module.DOMAIN.attributes.items():
        if isinstance(kind, Categorical):
            column = pd.Categorical(frame[attribute].astype(str), kind.levels)
            dummies = pd.get_dummies(column, drop_first=True).to_numpy(dtype=float)
            np.testing.assert_array_equal(
                records.X[:, records.domain.attributes[attribute]], dummies
            )


def test_ordinal_has_one_column_an_attribute(name, module, real_data):
    if not has_encoding(name):
        pytest.skip("the data set has one form")
    expected = module.DATASET.counts({"encoding": "ordinal"})["columns"]
    assert load(name, real_data, encoding="ordinal").X.shape[1] == expected


def test_adult_has_thirty_thousand_five_hundred_twenty_seven_men(real_data):
    records = load("adult", real_data)
    assert records.domain.groups == ("Female", "Male")
    assert int(records.protected.sum()) == 30_527
    assert sum("=" in column for column in records.domain.columns) == 34 + 1


def test_dutch_code_two_is_female(real_data):
    raw = pd.read_csv(real_data / "dutch/dutch.csv")
    records = load("dutch", real_data)
    assert records.domain.groups == ("female", "male")
    np.testing.assert_array_equal(records.protected == 0, raw["sex"] == 2)
    np.testing.assert_array_equal(records.y == 1, raw["occupation"] == "2_1")


def test_us_says_that_it_is_a_substitute():
    assert catalog.data_source("us").note.startswith("SUBSTITUTE")


def test_us_disability_is_any_of_six(real_data):
    records = load("us", real_data)
    column = records.domain.columns.index("disability=yes")
    assert round(records.X[:, column].mean(), 4) == 0.0609


def test_a_replica_has_the_form_of_the_real_data(name, module, tmp_path):
    located = data_access.locate(catalog.data_set(name), data_dir=tmp_path, replica_ok=True)
    records = data_access.load(located)
    assert located.replica
    assert records.X.shape[1] == module.DATASET.expected["columns"]
    assert abs(records.y.mean() - module.DATASET.expected["base_rate"]) < 0.01
    assert abs(risk_difference(records) - stated_difference(name)) < 0.02


def test_a_replica_says_how_it_was_made_and_stays_small(name):
    path = catalog.data_source(name).replica.path(paths.folder("data") / "replicas")
    head = gzip.decompress(path.read_bytes())[:2000].decode()
    assert path.stat().st_size <= 1_000_000
    assert head.startswith("# SYNTHETIC")
    for word in ("how:", "epsilon: 1.0", "replace-one", "n = ", "source:", "seed:"):
        assert word in head


def test_celeba_is_standardised_to_signs_and_its_norm_is_root_38(real_data):
    records = load("celeba", real_data)
    assert set(records.domain.standard) == {(0.5, 0.5)}
    assert set(np.unique(records.X)) == {0.0, 1.0}
    assert not {"Male", "Smiling"} & set(records.domain.columns)
    Z = standardised(records.X[:1000], records.domain, clip_norm=np.inf)
    np.testing.assert_allclose(np.linalg.norm(Z, axis=1), np.sqrt(38))


def test_acs_income_is_nearly_standard_by_public_constants(real_data):
    records = load("acs_income", real_data)
    Z = standardised(records.X, records.domain, clip_norm=np.inf)
    assert np.abs(Z.mean(axis=0)).max() < 0.15
    assert np.abs(Z.std(axis=0) - 1).max() < 0.05
    cut = standardised(records.X, records.domain, clip_norm=3.0)
    assert np.linalg.norm(cut, axis=1).max() <= 3 * (1 + 1e-12)
    assert catalog.data_source("acs_income").note.startswith("SUBSTITUTE")
    assert "SEX" not in records.domain.columns


def test_the_first_attributes_of_celeba_are_its_first_columns(real_data):
    whole, narrow = load("celeba", real_data), load("celeba_first", real_data, attributes=5)
    np.testing.assert_array_equal(narrow.X, whole.X[:, :5])
    assert narrow.domain.columns == whole.domain.columns[:5]
    assert len(narrow.domain.standard) == len(narrow.domain.attributes) == 5


@pytest.fixture
def replica_of_celeba(tmp_path, monkeypatch):
    """A function that reads the first records of the replica, with so many attributes."""
    file = paths.replica_folder() / "celeba.csv.gz"
    with gzip.open(file, "rt") as whole, gzip.open(tmp_path / file.name, "wt") as short:
        short.writelines(islice(whole, 100))
    monkeypatch.setattr(paths, "replica_folder", lambda: tmp_path)

    def read(attributes):
        dataset = catalog.data_set("celeba_first", {"attributes": attributes})
        return data_access.load(data_access.locate(dataset, data_dir=tmp_path, replica_ok=True))

    return read


def test_a_replica_of_celeba_first_has_as_many_attributes_as_asked(replica_of_celeba):
    assert replica_of_celeba(7).X.shape[1] == 7


@pytest.mark.parametrize("attributes", [0, 39])
def test_a_number_of_attributes_that_celeba_does_not_have_is_refused(attributes, replica_of_celeba):
    with pytest.raises(
        (DpfairError, ValueError), match=r"at most 38, the number of attributes|at least 1"
    ):
        replica_of_celeba(attributes)


def rows_of(records):
    """The different records, as tuples of features, label and group."""
    parts = zip(records.X, records.y, records.protected, strict=True)
    return {(*x, y, group) for x, y, group in parts}


def test_the_samples_of_xu2021_have_their_sizes_and_records_of_the_whole(real_data):
    for sample, whole, sizes in (
        ({"name": "adult_balanced"}, "adult", (14_000, 14_000)),
        ({"name": "dutch_unbalanced"}, "dutch", (30_000, 10_000)),
        ({"name": "dutch_unbalanced", "majority": "male"}, "dutch", (10_000, 30_000)),
    ):
        part, every = load(sample.pop("name"), real_data, **sample), load(whole, real_data)
        assert tuple(np.bincount(part.protected)) == sizes
        assert rows_of(part) <= rows_of(every)


def test_a_majority_that_is_no_group_is_refused(tmp_path):
    located = data_access.locate(
        catalog.data_set("dutch_unbalanced"), data_dir=tmp_path, replica_ok=True
    )
    with pytest.raises(ValueError, match="majority 'men': did you mean 'male'"):
        catalog.data_source("dutch_unbalanced").load(located.folder, majority="men")
