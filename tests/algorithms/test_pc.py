"""PC equals causal-learn's, does not depend on the order of the columns, and refuses what it cannot use."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from dpfair_cli.algorithms.causal_discovery.pc import fit
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.bayesian_network import random_network
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.models.causal_discovery.orientation import equivalence_class
from dpfair_cli.models.causal_discovery.random_dag import bernoulli_dag, gaussian_values

SIZES = ((5, 400), (7, 800), (9, 1200))


def found(observations: Observations, **options) -> CausalGraph:
    return fit(observations, rng=np.random.default_rng(0), **options)


def categories(seed: int) -> Observations:
    rng, (p, n) = np.random.default_rng(seed), SIZES[seed % len(SIZES)]
    dag = bernoulli_dag(p, 0.35, rng=rng)
    return random_network(dag, most_levels=4, concentration=2.0, rng=rng).sample(n, rng=rng)


def numbers(seed: int) -> Observations:
    rng, (p, n) = np.random.default_rng(seed), SIZES[seed % len(SIZES)]
    names = tuple(f"v{j}" for j in range(p))
    return Observations(gaussian_values(bernoulli_dag(p, 0.4, rng=rng), n, rng=rng), names)


def causal_learn(observations: Observations, test: str) -> np.ndarray:
    """causal-learn's CPDAG: graph[i, j] is -1 where an edge of i and j has its tail at i."""
    search = pytest.importorskip("causallearn.search.ConstraintBased.PC")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return search.pc(np.array(observations.values), 0.01, test, show_progress=False).G.graph == -1


@pytest.mark.parametrize("seed", range(50))
def test_categories_give_causal_learns_skeleton_and_cpdag(seed: int) -> None:
    graph = found(categories(seed), freedom="adjusted")
    np.testing.assert_array_equal(graph.cpdag, causal_learn(categories(seed), "gsq"))


@pytest.mark.parametrize("seed", range(50))
def test_numbers_give_causal_learns_skeleton_and_cpdag(seed: int) -> None:
    graph = found(numbers(seed))
    np.testing.assert_array_equal(graph.cpdag, causal_learn(numbers(seed), "fisherz"))


@pytest.mark.parametrize("make", [categories, numbers])
@pytest.mark.parametrize("seed", range(10))
def test_the_skeleton_does_not_depend_on_the_order_of_the_columns(make, seed: int) -> None:
    data = make(seed)
    order = np.random.default_rng(seed).permutation(len(data.names))
    levels = tuple(data.levels[k] for k in order) if data.levels else ()
    turned = Observations(data.values[:, order], tuple(data.names[k] for k in order), levels)
    np.testing.assert_array_equal(found(turned).skeleton, found(data).skeleton[np.ix_(order, order)])


def test_many_records_of_a_faithful_law_give_its_equivalence_class() -> None:
    dag = np.zeros((5, 5), dtype=bool)
    dag[[0, 1, 2, 2], [2, 2, 3, 4]] = True  # 0 > 2 < 1, 2 > 3, 2 > 4
    values = gaussian_values(dag, 20_000, rng=np.random.default_rng(1))
    names = tuple("abcde")
    graph = found(Observations(values, names), significance=0.001)
    np.testing.assert_array_equal(graph.cpdag, equivalence_class(dag, names).cpdag)
    assert graph.edges == ["a -> c", "b -> c", "c -> d", "c -> e"]


def test_the_work_is_counted() -> None:
    data = Observations(np.random.default_rng(0).integers(2, size=(50, 3)), ("a", "b", "c"), (2, 2, 2))
    graph = found(data)
    assert graph.edges == []
    assert (graph.tests, graph.reads) == (3, 150)


def refused(values, levels: tuple[int, ...] = ()) -> str:
    values = np.asarray(values)
    names = tuple(f"v{j}" for j in range(values.shape[1]))
    with pytest.raises(ValueError, match=r".") as error:
        found(Observations(values, names, levels))
    assert "\n" not in str(error.value)
    return str(error.value)


def test_what_nothing_can_be_found_in_is_refused_in_one_line() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((50, 3))
    codes = rng.integers(3, size=(50, 3))
    assert "'v3' is the same in all 50 records" in refused(np.c_[x, np.ones(50)])
    assert "'v3' is the same in all 50 records" in refused(np.c_[codes, np.ones(50, int)], (3, 3, 3, 2))
    assert "'v0' and 'v3' are copies" in refused(np.c_[x, 2 * x[:, 0] + 1])
    assert "'v1' and 'v3' are copies" in refused(np.c_[codes, 2 - codes[:, 1]], (3, 3, 3, 3))
    assert "singular" in refused(np.c_[x, x.sum(axis=1)])
    assert "more records than variables, got 3 of 4" in refused(rng.standard_normal((3, 4)))
    assert "two variables" in refused(x[:, :1])


def test_a_level_that_never_occurs_is_no_trouble() -> None:
    data = categories(1)
    wider = Observations(data.values, data.names, tuple(count + 1 for count in data.levels))
    np.testing.assert_array_equal(found(wider, freedom="adjusted").cpdag, found(data, freedom="adjusted").cpdag)
    assert found(wider).cpdag.shape == found(data).cpdag.shape


def test_pcalgs_rule_for_small_samples_removes_edges() -> None:
    data = categories(2)
    assert found(data, records_per_freedom=10).skeleton.sum() <= found(data).skeleton.sum()
    assert found(data, records_per_freedom=len(data) + 1).skeleton.sum() == 0
