"""The naive private PC: its releases by hand, PC at epsilon = infinity, budget, and neighbours."""

import warnings
from itertools import combinations
from math import comb, inf

import numpy as np
import pytest

from dpfair_cli.algorithms.causal_discovery import naive_pc
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.ledger import record, replay
from dpfair_cli.models.causal_discovery.contingency import counted
from dpfair_cli.models.causal_discovery.independence import TablesG2
from dpfair_cli.models.causal_discovery.skeleton import find_skeleton
from tests.algorithms.causal_discovery.samples import networked, observed

every_query = pytest.mark.parametrize("query", ["table", "distance"])


def fit(observations, seed=0, **options):
    return naive_pc.fit(observations, rng=np.random.default_rng(seed), **options)


@every_query
def test_without_noise_the_skeleton_is_that_of_pc(query):
    sizes = set()
    for seed in range(8):
        observations = networked(seed)
        test = TablesG2(counted(observations))
        expected = find_skeleton(6, test, significance=0.01).adjacent
        assert np.array_equal(fit(observations, epsilon=inf, query=query).skeleton, expected)
        sizes.add(expected.sum())
    assert len(sizes) > 1


def test_the_table_of_each_test_by_hand():
    """Three variables, one test for each pair: every table costs a third of epsilon."""
    values = [[0, 0, 0], [0, 1, 1], [1, 1, 1], [1, 1, 1]]
    with record() as tape:
        graph = fit(observed(values, (2, 2, 2)), epsilon=0.3, tests_per_pair=1)
    assert [entry.value.tolist() for entry in tape] == [
        [[[1, 1], [0, 2]]],  # variables 0 and 1
        [[[1, 1], [0, 2]]],  # variables 0 and 2
        [[[1, 0], [0, 3]]],  # variables 1 and 2
    ]
    assert [entry.scale for entry in tape] == pytest.approx([20.0] * 3)  # 2 / (0.3 / 3)
    assert (graph.tests, graph.reads) == (3, 12)


def test_the_distance_of_a_test_by_hand():
    """100 equal pairs of bits are dependent, 100 balanced pairs are not: the signs of the scores.

    The certified distance of a dependent pair is at most the number of records that must change.
    """
    equal, balanced = np.repeat([[0, 0], [1, 1]], 50, axis=0), [[0, 0], [0, 1], [1, 0], [1, 1]] * 25
    scores = []
    for values in (equal, balanced):
        with record() as tape:
            fit(observed(values, (2, 2)), epsilon=2.0, tests_per_pair=1, query="distance")
        (entry,) = tape
        assert entry.scale == 0.5  # 1 / 2
        scores.append(float(entry.value[0]))
    assert -50 <= scores[0] < -1
    assert 1 < scores[1] <= 50


@every_query
@pytest.mark.parametrize(("per_pair", "most"), [(0.1, 2), (1.0, 15), (3.0, 45)])
def test_the_budget_pays_for_no_more_tests_than_given(query, per_pair, most):
    with record() as tape:
        graph = fit(networked(0), epsilon=0.6, tests_per_pair=per_pair, query=query)
    assert len(tape) == graph.tests <= most
    assert {entry.mechanism for entry in tape} == {"laplace"}
    spent = sum(entry.sensitivity / entry.scale for entry in tape)
    assert spent <= 0.6 * (1 + 1e-12)
    assert per_pair > 1 or spent == pytest.approx(0.6)


def test_a_budget_that_ends_keeps_the_other_edges():
    independent = observed(np.random.default_rng(0).integers(2, size=(400, 4)), (2, 2, 2, 2))
    with record() as tape:
        graph = fit(independent, epsilon=1e6, tests_per_pair=0.5)
    assert len(tape) == 3
    assert len(graph.edges) == comb(4, 2) - 3


@every_query
def test_neighbours_move_a_query_by_at_most_its_sensitivity(query):
    moves = []
    for seed in range(12):
        left = networked(seed, n=40)
        values = np.array(left.values)
        values[0] = np.random.default_rng(seed).integers(0, left.levels)
        with record() as tape:
            graph = fit(left, seed, epsilon=3.0, query=query)
        with replay(tape) as again:
            other = fit(Observations(values, left.names, left.levels), epsilon=3.0, query=query)
        assert np.array_equal(graph.cpdag, other.cpdag)
        assert graph.tests == other.tests
        pairs = zip(tape, again, strict=True)
        moves += [np.abs(a.value - b.value).sum() / a.sensitivity for a, b in pairs]
    assert 0.9 < max(moves) <= 1 + 1e-9


def test_more_tests_for_each_pair_mean_more_noise():
    scales = []
    for per_pair in (1, 2, 20):
        with record() as tape:
            fit(networked(0), tests_per_pair=per_pair)
        scales.append(tape[0].scale)
    assert scales == pytest.approx([30, 60, 600])  # 2 for each of 15 pairs and each test


def test_the_printed_bound_of_tests_is_a_number_for_each_pair():
    """2 C(p, 2) sum C(p - 1, o) tests: 20 for each of the pairs of 10 variables, up to order 1."""
    p, orders = 10, range(2)
    bound = 2 * len(list(combinations(range(p), 2))) * sum(comb(p - 1, o) for o in orders)
    assert bound / comb(p, 2) == 20


@every_query
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, np.inf])
@pytest.mark.parametrize(
    "values", [[[0, 0, 0]] * 9, [[0, 0, 0], [1, 1, 1]] * 9, [[1, 0, 1]], []], ids=len
)
def test_degenerate_data_give_a_graph_without_a_warning(query, values, epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = fit(observed(values, (2, 2, 2)), epsilon=epsilon, query=query)
    assert graph.skeleton.shape == (3, 3)


def test_numbers_are_refused_in_one_line():
    with pytest.raises(ValueError, match="naive_pc must be fitted to categorical variables"):
        fit(Observations(np.zeros((5, 2)), ("a", "b")))
