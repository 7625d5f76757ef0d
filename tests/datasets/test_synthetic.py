"""Made data for causal discovery: the asked form, a graph a seed, and laws that there are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import DataSet
from dpfair_cli.datasets import synthetic_categorical, synthetic_gaussian

HERE = Path()


def draw(law, seed: int = 0):
    return law.draw(np.random.default_rng(seed))


def test_synthetic_categories_have_the_asked_form() -> None:
    law = synthetic_categorical.load(HERE, nodes=12, sparseness=0.25, records=300, most_levels=4)
    observations, dag = draw(law)
    assert observations.values.shape == (300, 12)
    assert dag.sum() == round(0.25 * 66)
    assert set(observations.levels) <= {2, 3, 4}


def test_the_number_of_edges_and_the_cells_of_the_table_can_be_asked_for() -> None:
    law = synthetic_categorical.load(HERE, nodes=10, edges=10, most_cells=20_000)
    for seed in range(20):
        observations, dag = draw(law, seed)
        assert dag.sum() == 10
        assert np.prod(observations.levels) <= 20_000


def test_a_table_with_fewer_cells_than_two_levels_each_is_refused() -> None:
    with pytest.raises(ValueError, match=r"most_cells must be at least 2\^nodes = 1024, got 1000"):
        synthetic_categorical.load(HERE, nodes=10, most_cells=1000)


def test_independent_edges_have_the_sparseness_as_their_probability() -> None:
    law = synthetic_categorical.load(
        HERE, nodes=10, sparseness=0.2, records=5, edge_law="independent"
    )
    sizes = [draw(law, seed)[1].sum() for seed in range(300)]
    assert np.mean(sizes) == pytest.approx(9, abs=5 * np.sqrt(45 * 0.16 / 300))
    assert np.var(sizes) == pytest.approx(45 * 0.16, rel=0.4)


def test_rows_name_independent_edges_and_not_the_default() -> None:
    source = catalog.data_source("synthetic_categorical")
    default = DataSet(source, source.complete({}))
    other = DataSet(source, source.complete({"edge_law": "independent"}))
    assert "edge_law" not in default.json_options
    assert other.json_options == default.json_options | {"edge_law": "independent"}


def test_synthetic_numbers_have_the_asked_form() -> None:
    observations, dag = draw(synthetic_gaussian.load(HERE, nodes=30, sparseness=0.4, records=40))
    assert observations.values.shape == (40, 30)
    assert not observations.categorical
    assert dag.sum() == pytest.approx(0.4 * 435, abs=4 * np.sqrt(435 * 0.24))


def test_random_networks_have_the_given_nodes_edges_and_levels(tmp_path):
    for seed in range(10):
        data = synthetic_categorical.load(tmp_path, nodes=10, sparseness=0.2, records=100)
        records, dag = data.draw(np.random.default_rng(seed))
        assert dag.sum() == 9
        assert records.values.shape == (100, 10)
        assert set(records.levels) <= {2, 3, 4, 5}
    gaussians = synthetic_gaussian.load(tmp_path, nodes=10, sparseness=0.4, records=5)
    sizes = [gaussians.draw(np.random.default_rng(seed))[1].sum() for seed in range(200)]
    assert abs(np.mean(sizes) - 18) < 5 * np.sqrt(45 * 0.24 / 200)
    assert np.std(sizes) > 1


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
        ({"records": 0}, "records must be at least 1, got 0"),
        ({"sparseness": 1.5}, "sparseness must be at most 1, got 1.5"),
        ({"most_levels": 1}, "most_levels must be at least 2, got 1"),
    ],
)
def test_a_law_that_there_is_not_is_refused(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        synthetic_categorical.load(HERE, **options)


OUTSIDE = [
    *({"nodes": value} for value in (0, -1)),
    *({"sparseness": value} for value in (-0.1, 1.1, float("nan"))),
    *({"records": value} for value in (0, -5)),
]


@pytest.mark.parametrize("module", [synthetic_categorical, synthetic_gaussian])
@pytest.mark.parametrize("wrong", OUTSIDE, ids=str)
def test_parameters_that_no_graph_has_are_refused(module, wrong, tmp_path):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        module.load(tmp_path, **wrong)


@pytest.mark.parametrize("concentration", [0, -1, float("nan"), float("inf")])
def test_a_concentration_that_no_law_has_is_refused(concentration, tmp_path):
    with pytest.raises(ValueError, match="concentration"):
        synthetic_categorical.load(tmp_path, concentration=concentration)
