"""PC: comparison with causal-learn, known graphs, order of columns, and refused data."""

from __future__ import annotations

import warnings
from math import comb

import numpy as np
import pytest

from dpfair_cli.algorithms.causal_discovery.pc import fit
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.bayesian_network import random_network
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.models.causal_discovery.orientation import equivalence_class
from dpfair_cli.models.causal_discovery.random_dag import bernoulli_dag, gaussian_values
from tests.oracles.causal import as_matrix, cpdag

SIZES = ((5, 400), (7, 800), (9, 1200))


def found(observations: Observations, **options) -> CausalGraph:
    return fit(observations, rng=np.random.default_rng(0), **options)


def random_categories(seed: int) -> Observations:
    rng, (p, n) = np.random.default_rng(seed), SIZES[seed % len(SIZES)]
    dag = bernoulli_dag(p, 0.35, rng=rng)
    return random_network(dag, most_levels=4, concentration=2.0, rng=rng).sample(n, rng=rng)


def random_numbers(seed: int) -> Observations:
    rng, (p, n) = np.random.default_rng(seed), SIZES[seed % len(SIZES)]
    names = tuple(f"v{j}" for j in range(p))
    return Observations(gaussian_values(bernoulli_dag(p, 0.4, rng=rng), n, rng=rng), names)


def causal_learn(observations: Observations, test: str) -> np.ndarray:
    """causal-learn's CPDAG: graph[i, j] is -1 where an edge of i and j has its tail at i."""
    search = pytest.importorskip("causallearn.search.ConstraintBased.PC")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (
            search.pc(np.array(observations.values), 0.01, test, show_progress=False).G.graph == -1
        )


@pytest.mark.parametrize("seed", range(50))
def test_categories_give_causal_learns_skeleton_and_cpdag(seed: int) -> None:
    graph = found(random_categories(seed), freedom="adjusted")
    np.testing.assert_array_equal(graph.cpdag, causal_learn(random_categories(seed), "gsq"))


@pytest.mark.parametrize("seed", range(50))
def test_numbers_give_causal_learns_skeleton_and_cpdag(seed: int) -> None:
    graph = found(random_numbers(seed))
    np.testing.assert_array_equal(graph.cpdag, causal_learn(random_numbers(seed), "fisherz"))


@pytest.mark.parametrize("make", [random_categories, random_numbers])
@pytest.mark.parametrize("seed", range(10))
def test_the_skeleton_does_not_depend_on_the_order_of_the_columns(make, seed: int) -> None:
    data = make(seed)
    order = np.random.default_rng(seed).permutation(len(data.names))
    levels = tuple(data.levels[k] for k in order) if data.levels else ()
    turned = Observations(data.values[:, order], tuple(data.names[k] for k in order), levels)
    np.testing.assert_array_equal(
        found(turned).skeleton, found(data).skeleton[np.ix_(order, order)]
    )


def test_many_records_of_a_faithful_law_give_its_equivalence_class() -> None:
    dag = np.zeros((5, 5), dtype=bool)
    dag[[0, 1, 2, 2], [2, 2, 3, 4]] = True  # 0 > 2 < 1, 2 > 3, 2 > 4
    values = gaussian_values(dag, 20_000, rng=np.random.default_rng(1))
    names = tuple("abcde")
    graph = found(Observations(values, names), significance=0.001)
    np.testing.assert_array_equal(graph.cpdag, equivalence_class(dag, names).cpdag)
    assert graph.edges == ["a -> c", "b -> c", "c -> d", "c -> e"]


def observed(values, levels=()):
    values = np.asarray(values)
    return Observations(values, tuple(f"v{j}" for j in range(values.shape[1])), tuple(levels))


def found_in(values, levels=(), **options):
    return found(observed(values, levels), **options)


ARCS = frozenset({(0, 2), (1, 2), (2, 3)})  # its class has no other member


def categories(n, seed=0):
    """v0 -> v2 <- v1, v2 -> v3, and v4 alone."""
    rng = np.random.default_rng(seed)
    a, b, e = rng.integers(0, 2, n), rng.integers(0, 3, n), rng.integers(0, 4, n)
    c = np.where(rng.random(n) < 0.8, np.minimum(a + b, 2), rng.integers(0, 3, n))
    d = np.where(rng.random(n) < 0.8, c > 0, rng.integers(0, 2, n)).astype(int)
    return np.column_stack([a, b, c, d, e]), (2, 3, 3, 2, 4)


def numbers(n, seed=0):
    rng = np.random.default_rng(seed)
    a, b, c, d, e = rng.normal(size=(5, n))
    c += a - b
    d += 0.9 * c
    return np.column_stack([a, b, c, d, e])


@pytest.mark.parametrize("seed", range(4))
def test_the_true_graph_is_found_for_categories_and_numbers(seed):
    truth = as_matrix(cpdag(ARCS, 4), 5)
    assert (truth & ~truth.T).sum() == 3
    np.testing.assert_array_equal(found_in(*categories(6000, seed), significance=1e-6).cpdag, truth)
    np.testing.assert_array_equal(found_in(numbers(2000, seed), significance=1e-6).cpdag, truth)


def test_the_order_of_columns_does_not_change_the_skeleton():
    rng = np.random.default_rng(0)
    for seed in range(5):
        values = rng.integers(0, 2, (60, 6))
        values[:, 1:] = np.where(rng.random((60, 5)) < 0.5, values[:, :-1], values[:, 1:])
        order = rng.permutation(6)
        for data, levels in ((values, (2,) * 6), (values + rng.normal(size=(60, 6)), ())):
            moved = found_in(data[:, order], levels, significance=0.2).skeleton
            wanted = found_in(data, levels, significance=0.2).skeleton
            np.testing.assert_array_equal(moved, wanted[np.ix_(order, order)], err_msg=str(seed))


def test_the_names_of_categories_and_the_units_of_numbers_do_not_matter():
    values, levels = categories(500)
    rng = np.random.default_rng(1)
    renamed = np.column_stack(
        [rng.permutation(level)[values[:, j]] for j, level in enumerate(levels)]
    )
    np.testing.assert_array_equal(found_in(renamed, levels).cpdag, found_in(values, levels).cpdag)
    X = numbers(300)
    np.testing.assert_array_equal(
        found_in(X * [1, -3, 1e6, 1e-6, 2] + [0, 5, -7, 1e3, 0]).cpdag, found_in(X).cpdag
    )


def test_the_order_of_the_records_does_not_matter():
    values, levels = categories(500)
    shuffled = np.random.default_rng(2).permutation(values)
    np.testing.assert_array_equal(found_in(shuffled, levels).cpdag, found_in(values, levels).cpdag)


def test_independent_variables_are_tested_once_a_pair():
    X = np.random.default_rng(0).normal(size=(500, 6))
    graph = found_in(X, significance=1e-6)
    assert not graph.skeleton.any()
    assert graph.tests == comb(6, 2)


def test_three_dependent_variables_have_six_tests():
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    b = a + rng.normal(size=300)
    c = a + 2 * b + rng.normal(size=300)
    graph = found_in(np.column_stack([a, b, c]))
    assert graph.skeleton.sum() == 6
    assert graph.tests == 3 + 3


def test_the_work_is_counted() -> None:
    data = Observations(
        np.random.default_rng(0).integers(2, size=(50, 3)), ("a", "b", "c"), (2, 2, 2)
    )
    graph = found(data)
    assert graph.edges == []
    assert (graph.tests, graph.reads) == (3, 150)


def test_pcalgs_rule_for_small_samples_removes_edges() -> None:
    data = random_categories(2)
    assert found(data, records_per_freedom=10).skeleton.sum() <= found(data).skeleton.sum()
    assert found(data, records_per_freedom=len(data) + 1).skeleton.sum() == 0


def test_too_few_records_are_independent_by_pcalgs_rule():
    values = np.repeat([[0, 0], [1, 1]], 4, axis=0)  # eight records, one degree of freedom
    assert found_in(flip(values), (2, 2)).skeleton.any()
    assert not found_in(flip(values), (2, 2), records_per_freedom=10).skeleton.any()
    more = np.concatenate([flip(values)] * 2)
    assert found_in(more, (2, 2), records_per_freedom=10).skeleton.any()


def flip(values):
    """Columns that are not equal, by one record: (4 1 / 0 4), G^2 = 6.96 above 6.63."""
    return np.concatenate([values, [[0, 1]]])


X = np.random.default_rng(0).standard_normal((50, 3))
CODES = np.random.default_rng(0).integers(3, size=(50, 3))
REFUSED = {
    "a constant number": (np.c_[X, np.ones(50)], (), "'v3' has the same value in all 50 records"),
    "a constant number of two": (
        np.column_stack([np.ones(40), np.arange(40.0)]),
        (),
        "'v0' has the same value in all 40",
    ),
    "a constant category": (
        np.c_[CODES, np.ones(50, int)],
        (3, 3, 3, 2),
        "'v3' has the same value in all 50 records",
    ),
    "a constant first category": (
        np.column_stack([np.zeros(40, int), np.arange(40) % 2]),
        (2, 2),
        "'v0' has the same value",
    ),
    "a number in other units": (np.c_[X, 2 * X[:, 0] + 1], (), "'v0' and 'v3' are copies"),
    "renamed copies": (np.c_[CODES, 2 - CODES[:, 1]], (3, 3, 3, 3), "'v1' and 'v3' are copies"),
    "copies": (
        np.repeat(np.arange(40)[:, None] % 2, 2, axis=1),
        (2, 2),
        "'v0' and 'v1' are copies",
    ),
    "opposites": (
        np.column_stack([np.arange(40) % 2, (np.arange(40) + 1) % 2]),
        (2, 2),
        "'v0' and 'v1' are copies",
    ),
    "a sum of others": (np.c_[X, X.sum(axis=1)], (), "singular"),
    "a sum of two": (
        np.random.default_rng(0).normal(size=(40, 2)) @ [[1, 0, 1], [0, 1, 1]],
        (),
        "singular",
    ),
    "fewer records than variables": (
        np.random.default_rng(0).normal(size=(3, 4)),
        (),
        "variables, got 3 records of 4",
    ),
    "four records of six numbers": (
        np.random.default_rng(0).normal(size=(4, 6)),
        (),
        "more records than variables",
    ),
    "no record": (np.empty((0, 3)), (), "."),
    "one variable": (X[:, :1], (), "two variables"),
    "numbers whose squares overflow": (
        np.random.default_rng(0).normal(size=(40, 3)) * 1e200,
        (),
        ".",
    ),
}


@pytest.mark.parametrize(("values", "levels", "message"), REFUSED.values(), ids=REFUSED)
def test_what_no_graph_can_come_from_is_refused_in_one_line(values, levels, message):
    with pytest.raises(ValueError, match=message) as error:
        found_in(values, levels)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("significance", [0, 1, 2, -1, float("nan")])
def test_a_significance_outside_zero_and_one_is_refused(significance):
    with pytest.raises(ValueError, match="significance"):
        found_in(numbers(50), significance=significance)


@pytest.mark.parametrize("rule", [-1, float("nan")])
def test_a_negative_number_of_records_per_freedom_is_refused(rule):
    with pytest.raises(ValueError, match="records_per_freedom"):
        found_in(*categories(50), records_per_freedom=rule)


def test_a_level_that_never_occurs_is_no_trouble() -> None:
    data = random_categories(1)
    wider = Observations(data.values, data.names, tuple(count + 1 for count in data.levels))
    np.testing.assert_array_equal(
        found(wider, freedom="adjusted").cpdag, found(data, freedom="adjusted").cpdag
    )
    assert found(wider).cpdag.shape == found(data).cpdag.shape
