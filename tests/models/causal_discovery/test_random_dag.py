"""Random graphs and linear Gaussian numbers against what pcalg's randomDAG and rmvDAG document."""

from __future__ import annotations

from math import comb, sqrt

import numpy as np
import pytest

from dpfair_cli.models.causal_discovery.random_dag import (
    bernoulli_dag,
    exact_dag,
    gaussian_values,
    topological_order,
)
from tests.oracles.causal import acyclic, every_dag


def arcs(dag):
    return frozenset((i, j) for i, j in np.argwhere(dag).tolist())


@pytest.mark.parametrize("draw", [bernoulli_dag, exact_dag])
@pytest.mark.parametrize(
    ("p", "sparseness"), [(1, 0.5), (2, 0.5), (10, 0.0), (10, 0.2), (10, 1.0), (40, 0.1)]
)
def test_random_graphs_are_acyclic_in_a_random_order(draw, p, sparseness):
    for seed in range(10):
        dag = draw(p, sparseness, rng=np.random.default_rng(seed))
        assert dag.shape == (p, p)
        assert dag.dtype == bool
        assert acyclic(arcs(dag), p)
        order = topological_order(dag)
        assert sorted(order) == list(range(p))
        assert all(order.index(i) < order.index(j) for i, j in arcs(dag))


def test_the_sparseness_of_pcalg_is_the_probability_of_each_edge():
    counts = np.array(
        [bernoulli_dag(10, 0.4, rng=np.random.default_rng(seed)).sum() for seed in range(2000)]
    )
    pairs = comb(10, 2)
    assert abs(counts.mean() - 0.4 * pairs) < 5 * sqrt(0.24 * pairs / 2000)
    assert counts.var() == pytest.approx(0.24 * pairs, rel=0.2)  # binomial, not fixed


@pytest.mark.parametrize(
    ("p", "sparseness", "edges"),
    [(10, 0.2, 9), (5, 0.2, 2), (15, 0.2, 21), (10, 0.6, 27), (4, 1, 6)],
)
def test_an_exact_graph_has_the_share_of_edges_that_section_4_6_defines(p, sparseness, edges):
    for seed in range(20):
        assert exact_dag(p, sparseness, rng=np.random.default_rng(seed)).sum() == edges


@pytest.mark.parametrize("draw", [bernoulli_dag, exact_dag])
def test_every_pair_is_an_edge_equally_often_and_in_both_directions(draw):
    total = sum(draw(5, 0.5, rng=np.random.default_rng(seed)).astype(int) for seed in range(4000))
    shares = total[~np.eye(5, dtype=bool)] / 4000
    assert np.abs(shares - 0.25).max() < 5 * sqrt(0.25 * 0.75 / 4000)


def test_all_dags_on_three_nodes_occur():
    seen = {arcs(bernoulli_dag(3, 0.5, rng=np.random.default_rng(seed))) for seed in range(2000)}
    assert seen == set(every_dag(3))


def test_topological_order_refuses_a_cycle():
    with pytest.raises(ValueError, match="cycle"):
        topological_order(np.array([[0, 1], [1, 0]], dtype=bool))
    with pytest.raises(ValueError, match="cycle"):
        topological_order(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool))
    with pytest.raises(ValueError, match="cycle"):
        topological_order(np.eye(2, dtype=bool))


def test_values_regress_on_parents_with_weights_in_range_and_unit_errors():
    dag = np.zeros((4, 4), dtype=bool)
    for i, j in [(3, 1), (3, 0), (1, 0), (0, 2)]:  # against the order of the columns
        dag[i, j] = True
    for seed in range(5):
        X, n = gaussian_values(dag, 50_000, rng=np.random.default_rng(seed)), 50_000
        for child in range(4):
            parents = np.flatnonzero(dag[:, child])
            design = np.column_stack([np.ones(n), X[:, parents]])
            weights, *_ = np.linalg.lstsq(design, X[:, child], rcond=None)
            rest = X[:, child] - design @ weights
            assert abs(weights[0]) < 0.03  # no intercept
            assert ((weights[1:] > 0.08) & (weights[1:] < 1.02)).all()  # uniform in (0.1, 1)
            assert rest.var() == pytest.approx(1, abs=0.04)


def test_weights_are_uniform_over_edges_and_not_rescaled():
    dag = np.zeros((2, 2), dtype=bool)
    dag[0, 1] = True
    slopes = []
    for seed in range(400):
        x, y = gaussian_values(dag, 4000, rng=np.random.default_rng(seed)).T
        slopes.append((x @ y) / (x @ x))
    assert abs(np.mean(slopes) - 0.55) < 5 * 0.9 / sqrt(12 * 400)
    assert np.std(slopes) == pytest.approx(0.9 / sqrt(12), rel=0.1)


def test_a_graph_without_edges_gives_independent_standard_normal_numbers():
    X = gaussian_values(np.zeros((5, 5), dtype=bool), 20_000, rng=np.random.default_rng(0))
    np.testing.assert_allclose(np.cov(X, rowvar=False), np.eye(5), atol=0.05)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_gaussian_values_have_the_covariance_of_the_model() -> None:
    dag = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    first_draws = rng(5).uniform(0.1, 1.0, size=(3, 3))
    weights = np.where(dag, first_draws, 0.0)
    a, b = weights[0, 1], weights[1, 2]
    found = np.cov(gaussian_values(dag, 400_000, rng=rng(5)), rowvar=False)
    expected = [
        [1, a, a * b],
        [a, 1 + a**2, b * (1 + a**2)],
        [a * b, b * (1 + a**2), 1 + b**2 * (1 + a**2)],
    ]
    np.testing.assert_allclose(found, expected, atol=0.02)
