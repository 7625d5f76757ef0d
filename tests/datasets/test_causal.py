"""Data sets for causal discovery: the published networks, made data of the asked form, Adult binned, a user's own."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import ExpectedNetwork
from dpfair_cli.contracts.errors import DpfairError, PrivacyLeakWarning
from dpfair_cli.data_access import download
from dpfair_cli.datasets import adult_discretised, csv_variables, synthetic_categorical, synthetic_gaussian
from dpfair_cli.kinds.variables import Observations

CAUSAL = [name for name in catalog.names("datasets") if catalog.task_of(name) == "causal_discovery"]
NETWORKS = [n for n in CAUSAL if isinstance(getattr(catalog.find("datasets", n), "EXPECTED", None), ExpectedNetwork)]
HERE = Path()


def draw(law, seed: int = 0):
    return law.draw(np.random.default_rng(seed))


def load(name: str, folder: Path, **options):
    options = catalog.complete("datasets", name, options)
    return download.load(download.locate(name, options, data_dir=folder), options)


def test_there_are_eight_networks() -> None:
    assert NETWORKS == ["alarm", "asia", "cancer", "child", "earthquake", "insurance", "sachs", "survey"]


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_the_published_one(name: str, real_data: Path) -> None:
    law = load(name, real_data, records=50)  # checks hash, nodes, arcs and parameters
    observations, dag = draw(law)
    expected = catalog.find("datasets", name).EXPECTED
    assert observations.values.shape == (50, expected.nodes)
    assert dag.sum() == expected.arcs
    assert min(observations.levels) >= 2


def test_smoking_raises_cancer_in_records_of_asia_as_its_table_says(real_data: Path) -> None:
    observations, dag = draw(load("asia", real_data, records=100_000))
    smoke, lung = (observations.values[:, observations.names.index(name)] for name in ("smoke", "lung"))
    assert dag[observations.names.index("smoke"), observations.names.index("lung")]
    assert (lung[smoke == 0] == 0).mean() == pytest.approx(0.1, abs=0.005)  # code 0 is "yes"
    assert (lung[smoke == 1] == 0).mean() == pytest.approx(0.01, abs=0.005)


def test_synthetic_categories_have_the_asked_form() -> None:
    law = synthetic_categorical.load(HERE, nodes=12, sparseness=0.25, records=300, most_levels=4)
    observations, dag = draw(law)
    assert observations.values.shape == (300, 12)
    assert dag.sum() == round(0.25 * 66)
    assert set(observations.levels) <= {2, 3, 4}


def test_synthetic_numbers_have_the_asked_form() -> None:
    observations, dag = draw(synthetic_gaussian.load(HERE, nodes=30, sparseness=0.4, records=40))
    assert observations.values.shape == (40, 30)
    assert not observations.categorical
    assert dag.sum() == pytest.approx(0.4 * 435, abs=4 * np.sqrt(435 * 0.24))


@pytest.mark.parametrize("module", [synthetic_categorical, synthetic_gaussian])
def test_a_seed_is_a_graph(module) -> None:
    law = module.load(HERE, records=20)
    (first, dag), (again, same), (other, another) = draw(law, 1), draw(law, 1), draw(law, 2)
    assert first.values.tobytes() == again.values.tobytes()
    assert (dag == same).all()
    assert first.values.tobytes() != other.values.tobytes()
    assert (dag != another).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nodes": 1}, "nodes must be at least 2"),
        ({"records": 0}, "records at least 1"),
        ({"sparseness": 1.5}, "sparseness must lie between 0 and 1, got 1.5"),
        ({"concentration": 0.0}, "concentration"),
        ({"most_levels": 1}, "2 levels"),
    ],
)
def test_a_law_that_there_is_not_is_refused(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        synthetic_categorical.load(HERE, **options)


def test_adult_is_binned_by_its_stated_rules(real_data: Path) -> None:
    observations = load("adult_discretised", real_data)
    assert observations.values.shape == (48_842, 14)
    assert set(observations.levels) <= {2, 3, 4}
    column = {name: observations.values[:, k] for k, name in enumerate(observations.names)}
    assert (column["sex"] == 0).sum() == 16_192  # women of all 48,842
    assert (column["income"] == 0).sum() == 11_687  # more than 50,000 dollars
    assert (column["native-country"] == 0).sum() == 43_832
    assert adult_discretised.NUMBERS["age"] == (29, 44, 59)


def own(tmp_path: Path, text: str) -> str:
    file = tmp_path / "own.csv"
    file.write_text(text, encoding="utf-8")
    return str(file)


def domain(tmp_path: Path, text: str) -> str:
    file = tmp_path / "domain.yaml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_users_table_of_categories_and_its_public_levels(tmp_path: Path) -> None:
    file = own(tmp_path, "a,b,c\nx,1,u\ny,2,v\nx,1,u\n")
    levels = domain(tmp_path, "b: {levels: ['1', '2', '3']}\na: {levels: [y, x]}\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        observations = csv_variables.load(HERE, file=file, domain=levels)
    assert (observations.names, observations.levels, observations.bounds) == (("b", "a"), (3, 2), "public")
    assert observations.values.tolist() == [[0, 1], [1, 0], [0, 1]]


def test_levels_that_are_read_from_the_data_are_a_leak(tmp_path: Path) -> None:
    with pytest.warns(PrivacyLeakWarning):
        observations = csv_variables.load(HERE, file=own(tmp_path, "a,b\nx,1\ny,2\n"))
    assert (observations.levels, observations.bounds) == ((2, 2), "data")


def test_a_users_numbers_are_cut_at_their_public_range(tmp_path: Path) -> None:
    file = own(tmp_path, "a,b\n0,5\n10,7\n99,6\n")
    ranges = domain(tmp_path, "a: {low: 0, high: 20}\nb: {low: 5, high: 7}\n")
    observations = csv_variables.load(HERE, file=file, domain=ranges)
    assert observations.values.tolist() == [[-1, -1], [0, 1], [1, 0]]
    assert not observations.categorical


@pytest.mark.filterwarnings("ignore::dpfair_cli.contracts.errors.PrivacyLeakWarning")
def test_numbers_without_a_domain_are_standardised(tmp_path: Path) -> None:
    rows = "\n".join(f"{k},{k * k}" for k in range(40))
    observations = csv_variables.load(HERE, file=own(tmp_path, f"a,b\n{rows}\n"))
    np.testing.assert_allclose(observations.values.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(observations.values.std(axis=0, ddof=1), 1)


@pytest.mark.filterwarnings("ignore::dpfair_cli.contracts.errors.PrivacyLeakWarning")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\nx,1\nx,2\n", "column 'a' is the same in all 2 rows: drop the column"),
        ("a,b\nx,1\n,2\n", "column 'a' has no value in 1 of 2 rows: fill or drop them"),
        ("a,b\n" + "".join(f"t{k},{k % 2}\n" for k in range(30)), "column 'a' has 30 different values"),
        ("a,b\n" + "".join(f"{k},{k % 2}\n" for k in range(30)), "categories alone or numbers alone"),
    ],
)  # fmt: skip
def test_a_table_that_nothing_can_be_found_in_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DpfairError, match=message):
        csv_variables.load(HERE, file=own(tmp_path, text))


def test_a_level_that_the_domain_does_not_have_is_refused(tmp_path: Path) -> None:
    file, levels = own(tmp_path, "a,b\nx,1\nz,2\n"), domain(tmp_path, "a: {levels: [x, y]}\nb: {levels: ['1', '2']}\n")
    with pytest.raises(DpfairError, match="column 'a' is 'z' in 1 rows"):
        csv_variables.load(HERE, file=file, domain=levels)


@pytest.mark.parametrize(
    ("values", "levels", "message"),
    [
        (np.array([[0.0, np.nan]]), (), "fill or drop missing values"),
        (np.array([[0, 3]]), (2, 3), "'b' holds a code outside 0 .. 2"),
        (np.array([[0.5, 1.0]]), (2, 3), "whole numbers"),
        (np.array([[0, 1, 2]]), (2, 2, 2), "do not fit 2 names"),
    ],
)
def test_observations_that_do_not_fit_are_refused(values, levels, message) -> None:
    with pytest.raises(ValueError, match=message):
        Observations(values, ("a", "b"), levels)
