"""The naive private PC: every independence test of PC is private on its own.

Source: xu2021, Section 4.4.1 (the naive method).
Differs: The dissertation names this method and prints no algorithm, constants or results. A test
    costs epsilon / (number of tests that the budget pays for), which is `tests_per_pair` for each
    pair of variables. The algorithm stops when the budget is used up, as PrivPC does, and the
    edges that are left stay. 2 sum_{o <= l} C(p - 1, o) tests for each pair are the bound that
    the dissertation prints for PC with p variables and conditioning sets of at most l variables.
    `query` says what is made private. With "table" it is the contingency table of a test, as in
    the text; the noise has scale 2 over the cost of a test, because a replaced record changes two
    counts, and negative counts become 0. With "distance" it is the decision of the test:
    the certified distance to the other decision (mechanisms/sensitivity/verdict_distance.py) gets
    noise, and its sign decides. All tests with conditioning sets of one size use the neighbours
    from before these tests, and a pair that was separated is not tested again.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, inf, isinf
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Mask
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, Fraction, PositiveFinite, checked
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.counts import L1_REPLACED
from dpfair_cli.mechanisms.sensitivity.verdict_distance import SIGNED_DISTANCE
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.models.causal_discovery.contingency import counted
from dpfair_cli.models.causal_discovery.edge_scores import edge_scores
from dpfair_cli.models.causal_discovery.independence import (
    chi_squared_tail,
    degrees_of_freedom,
    g_squared,
)
from dpfair_cli.models.causal_discovery.orientation import orient
from dpfair_cli.models.causal_discovery.skeleton import questions

Query = Literal["table", "distance"]


@checked
def fit(
    observations: Observations,
    *,
    epsilon: Epsilon = 1.0,
    significance: Fraction = 0.01,
    tests_per_pair: PositiveFinite = 3.0,
    query: Query = "table",
    rng: np.random.Generator,
) -> CausalGraph:
    """The causal graph that PC finds for categorical observations by tests that are each private.

    Args:
        significance: The significance level of the independence tests.
        tests_per_pair: The number of tests for each pair of variables that the budget pays for.
        query: What gets noise: the contingency table of each test, or the distance of the test to
            the other decision.

    Raises:
        ValueError: the variables are numbers.
    """
    if not observations.categorical:
        raise ValueError(
            "naive_pc must be fitted to categorical variables, got numerical ones: use priv_pc_star"
        )
    tables = counted(observations)
    distances = edge_scores(observations, significance, "certified", 0.0)
    p = len(observations.names)
    paid = max(ceil(tests_per_pair * p * (p - 1) / 2), 1)
    epsilon_test, most = epsilon / paid, inf if isinf(epsilon) else paid
    graph, given, tests = ~np.eye(p, dtype=bool), {}, 0
    for i, j, *separator in _questions(graph):
        if tests == most:
            break
        tests += 1
        if query == "table":
            # query: (strata, levels of i, levels of j)
            table = tables.table(i, j, tuple(separator))
            # release
            noisy = laplace(table, l1_sensitivity=L1_REPLACED, epsilon=epsilon_test, rng=rng)
            # post-process
            counts = np.maximum(noisy, 0.0)
            p_value = chi_squared_tail(g_squared(counts), degrees_of_freedom(counts))
            independent = p_value > significance
        else:
            # query: positive if the test says independent
            distance = distances.score_sets(i, j, np.array([separator], dtype=np.int64))
            # release
            noisy = laplace(distance, l1_sensitivity=SIGNED_DISTANCE, epsilon=epsilon_test, rng=rng)
            # post-process
            independent = noisy[0] > 0
        if independent:
            graph[i, j] = graph[j, i] = False
            given[i, j] = frozenset(separator)
    return orient(graph, given, observations.names, tests=tests, reads=tests * len(observations))


def _questions(graph: Mask) -> Iterator[list[int]]:
    """Yields the tests [i, j, conditioning variables ...] of PC, those of one order after another.

    `graph` is the current graph (p, p), from which the caller removes edges between the tests.
    """
    order = 0
    while graph.sum(axis=1).max(initial=0) > order:
        for block in questions(graph.copy(), order):
            yield from (row for row in block.tolist() if graph[row[0], row[1]])
        order += 1


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Section 4.4.1 (the naive method)",
    guarantee=Guarantee(
        released="the graph",
        neighbours=Neighbours.REPLACE_ONE,
        public="the number of records and the levels of the variables",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/counts.py, mechanisms/sensitivity/verdict_distance.py",
    ),
)
