"""Random graphs, Bayesian networks and BIF files: frequencies against the tables, and files that are none."""

from __future__ import annotations

import numpy as np
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.models.causal_discovery.bayesian_network import BayesianNetwork, parse_bif, random_network
from dpfair_cli.models.causal_discovery.random_dag import bernoulli_dag, exact_dag, gaussian_values, topological_order

BIF = """
network unknown { }
variable rain { type discrete [ 2 ] { yes, no }; }
variable grass {
  type discrete [ 3 ] { wet, damp, dry };
}
variable hose { type discrete [ 2 ] { on, off }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( hose ) { table 0.4, 0.6; }
probability ( grass | rain, hose ) {
  (yes, on) 0.9, 0.1, 0.0;
  (no, on) 0.5, 0.3, 0.2;
  (yes, off) 0.7, 0.2, 0.1;
  (no, off) 0.0, 0.1, 0.9;
}
"""


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_bif_file_is_read_with_its_rows_in_any_order() -> None:
    network = parse_bif(BIF)
    assert (network.names, network.levels) == (("rain", "grass", "hose"), (2, 3, 2))
    assert network.parents == ((), (0, 2), ())
    # rain, hose: (yes, on), (yes, off), (no, on), (no, off)
    assert network.tables[1][:, 0].tolist() == pytest.approx([0.9, 0.7, 0.5, 0.0])
    assert network.parameters == 1 + 1 + 4 * 2
    assert np.argwhere(network.dag).tolist() == [[0, 1], [2, 1]]


def test_frequencies_of_a_sample_are_the_tables() -> None:
    values = parse_bif(BIF).sample(200_000, rng=rng()).values
    assert (values[:, 0] == 0).mean() == pytest.approx(0.2, abs=0.005)
    chosen = values[(values[:, 0] == 1) & (values[:, 2] == 0), 1]
    np.testing.assert_allclose(np.bincount(chosen, minlength=3) / len(chosen), [0.5, 0.3, 0.2], atol=0.01)
    never = values[(values[:, 0] == 1) & (values[:, 2] == 1), 1]
    assert (never != 0).all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.2, 0.8", "0.2, 0.9", "probabilities of 'rain' do not add up to 1"),
        ("  (no, off) 0.0, 0.1, 0.9;", "", "probabilities of 'grass' do not add up to 1"),
        ("rain, hose )", "rain, hoes )", "the parent 'hoes' of 'grass' is no variable"),
        ("variable", "node", "this is no BIF file"),
        ("probability ( hose )", "probability ( house )", "this is no BIF file"),
    ],
)
def test_a_file_that_is_no_network_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(DpfairError, match=message):
        parse_bif(BIF.replace(old, new))


def test_random_tables_are_laws_over_the_levels() -> None:
    network = random_network(exact_dag(9, 0.4, rng=rng()), most_levels=5, concentration=0.5, rng=rng())
    assert set(network.levels) <= {2, 3, 4, 5}
    for levels, parents, table in zip(network.levels, network.parents, network.tables, strict=True):
        assert table.shape == (np.prod([network.levels[parent] for parent in parents], dtype=int), levels)
        np.testing.assert_allclose(table.sum(axis=1), 1)


def test_an_exact_graph_has_exactly_its_edges_and_no_cycle() -> None:
    for seed in range(20):
        dag = exact_dag(10, 0.2, rng=rng(seed))
        assert dag.sum() == 9
        assert sorted(topological_order(dag)) == list(range(10))


def test_the_order_of_a_random_graph_is_not_that_of_its_variables() -> None:
    backwards = sum(np.tril(bernoulli_dag(6, 0.5, rng=rng(seed))).sum() for seed in range(40))
    every = sum(bernoulli_dag(6, 0.5, rng=rng(seed)).sum() for seed in range(40))
    assert backwards / every == pytest.approx(0.5, abs=0.1)


def test_a_variable_comes_after_its_parents() -> None:
    dag = exact_dag(12, 0.5, rng=rng(3))
    place = np.argsort(topological_order(dag))
    assert all(place[i] < place[j] for i, j in np.argwhere(dag).tolist())


def test_a_cycle_has_no_order() -> None:
    with pytest.raises(ValueError, match="cycle"):
        topological_order(np.array([[0, 1], [1, 0]], dtype=bool))


def test_gaussian_values_have_the_covariance_of_the_model() -> None:
    dag = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    weights = np.where(dag, rng(5).uniform(0.1, 1.0, size=(3, 3)), 0.0)  # the first that the generator draws
    a, b = weights[0, 1], weights[1, 2]
    found = np.cov(gaussian_values(dag, 400_000, rng=rng(5)), rowvar=False)
    expected = [[1, a, a * b], [a, 1 + a**2, b * (1 + a**2)], [a * b, b * (1 + a**2), 1 + b**2 * (1 + a**2)]]
    np.testing.assert_allclose(found, expected, atol=0.02)


def test_a_table_that_is_certain_is_followed() -> None:
    copy = BayesianNetwork(("a", "b"), (2, 2), ((), (0,)), (np.array([[0.5, 0.5]]), np.eye(2)))
    values = copy.sample(100, rng=rng()).values
    assert (values[:, 0] == values[:, 1]).all()
    assert 0 < values[:, 0].mean() < 1
