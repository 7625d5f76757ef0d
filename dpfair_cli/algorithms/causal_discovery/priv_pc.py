"""PrivPC: the PC algorithm with the exponential mechanism choosing which edges to remove.

Source: xu2021, Algorithms 3 and 4, Equations 4.1 to 4.4.
Differs: The distance of a test is the number of records that must change until the test decides
    otherwise. Equation 4.1 gives dependent pairs a positive distance, and the text removes the
    pairs with the highest distance, which are the most dependent pairs. Here the distance of
    independent pairs is positive, and epsilon = infinity gives the skeleton of PC. `score`
    "published" is the printed distance with the printed sensitivity 1, for the conditioning set
    with the largest p-value. The dissertation does not say how the distance is found; here it is
    found by a greedy search, whose steps move a sixteenth of the records that were moved before.
    The guarantee of this variant is refuted for three reasons: the distance jumps by 2 where the
    decision of the test changes, one record can change which set has the largest p-value, and the
    result of our greedy search has no bounded sensitivity. `score` "certified", the default, is a
    lower bound of the distance with sensitivity 1, maximised over all conditioning sets
    (mechanisms/sensitivity/verdict_distance.py). `score` "exact" is the distance itself where
    tables are small. The number of rounds depends on the data, and the dissertation does not bound
    this number. Here a round, which is about one of the p nodes and one size of conditioning sets
    (order), costs epsilon / (`orders` p): one half for the number of edges to remove, the other
    half for the choice of these edges. The second half is not spent if no edge is removed. The
    algorithm stops when less than the cost of a round is left. The default pays for two orders at
    every node. `adjacency` "updated" is Algorithm 3, which removes neighbours after every node.
    With epsilon = infinity the result of "updated" can differ from PC, although the text says that
    both are equal. "frozen" removes neighbours at the end of an order. The dissertation says that
    orienting edges needs no data, but the orientation rule needs the separators of the removed
    edges. `separators` "released" chooses an edge together with a separator, which is as private as
    choosing the edge alone. "none" is Algorithm 4, which orients no edge. "read" reads the best
    separator from the data without noise, and its guarantee is refuted. G^2 has the printed degrees
    of freedom, because the other conventions depend on the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb, inf, isinf
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, Fraction, NotNegative, PositiveFinite, checked
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.exponential import exponential
from dpfair_cli.mechanisms.sensitivity.verdict_distance import EDGE_NUMBER, SIGNED_DISTANCE
from dpfair_cli.models.causal_discovery import edge_scores as scoring
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.models.causal_discovery.orientation import orient

Adjacency = Literal["frozen", "updated"]
Separating = Literal["none", "released", "read"]
Candidates = dict[int, tuple[Ints, Floats]]
"""Neighbour -> conditioning sets (m, order) and their scores (m,)."""


@checked
def fit(
    observations: Observations,
    *,
    epsilon: Epsilon = 1.0,
    significance: Fraction = 0.01,
    orders: PositiveFinite = 2.0,
    score: scoring.Score = "certified",
    adjacency: Adjacency = "frozen",
    separators: Separating = "released",
    records_per_freedom: NotNegative = 0.0,
    rng: np.random.Generator,
) -> CausalGraph:
    """The causal graph that PrivPC finds for categorical observations.

    Args:
        significance: The significance level of the independence tests.
        orders: The number of sizes of conditioning sets that the budget pays for at every node; of
            a fraction the budget ends at one of the nodes.
        score: The distance that the exponential mechanism uses; "published" is not private.
        adjacency: When neighbours are removed: at the end of an order ("frozen"), or after every
            node.
        separators: How separators are found: not at all, privately ("released"), or from the data
            ("read").
        records_per_freedom: The records for each degree of freedom below which a test says
            independent.

    Raises:
        ValueError: the variables are numbers.
    """
    if not observations.categorical:
        raise ValueError(
            "priv_pc must be fitted to categorical variables, got numerical ones: use priv_pc_star"
        )
    scores = scoring.edge_scores(observations, significance, score, records_per_freedom)
    p = len(observations.names)
    graph, given, tests = ~np.eye(p, dtype=bool), {}, 0
    epsilon_round, left = epsilon / (orders * p), inf if isinf(epsilon) else orders * p
    for i, order, around in _rounds(graph, adjacency):
        if left < 1:
            break
        # query
        candidates = {
            j: _scored(scores, i, j, around, order) for j in np.flatnonzero(graph[i]).tolist()
        }
        # release
        found = _independent(candidates, epsilon_round, score, separators, rng)
        # post-process
        for j, separator in found.items():
            graph[i, j] = graph[j, i] = False
            given[min(i, j), max(i, j)] = frozenset(separator)
        left -= 1.0 if found else 0.5
        tests += sum(len(sets) for sets, _ in candidates.values())
    if separators == "none":
        return CausalGraph(observations.names, graph, tests, tests * len(observations))
    return orient(graph, given, observations.names, tests=tests, reads=tests * len(observations))


def _rounds(graph: Mask, adjacency: Adjacency) -> Iterator[tuple[int, int, list[int]]]:
    """Yields one triple for each round of PrivPC: (node, order, variables to condition on).

    `order` is the number of variables in a conditioning set. `graph` is the current graph (p, p),
    from which the caller removes edges between the rounds.
    """
    order = 0
    while graph.sum(axis=1).max(initial=0) > order:
        frozen = graph.copy()
        for i in range(len(graph)):
            around = np.flatnonzero(frozen[i] if adjacency == "frozen" else graph[i]).tolist()
            if len(around) > order and graph[i].any():
                yield i, order, around
        order += 1


def _scored(
    scores: scoring.EdgeScores, i: int, j: int, around: list[int], order: int
) -> tuple[Ints, Floats]:
    pool = [k for k in around if k != j]
    sets = np.array(list(combinations(pool, order)), dtype=np.int64).reshape(
        comb(len(pool), order), order
    )
    return sets, scores.score_sets(i, j, sets)


def _independent(
    candidates: Candidates,
    epsilon: float,
    score: scoring.Score,
    separators: Separating,
    rng: np.random.Generator,
) -> dict[int, list[int]]:
    """The neighbours that PrivPC removes from a node, each with the set that separates the two.

    `candidates` has, for each neighbour, the tested conditioning sets and their scores. The
    selection is Algorithm 4 of xu2021.
    """
    epsilon_number, epsilon_select = 0.5 * epsilon, 0.5 * epsilon
    best = np.array([values.max() for _, values in candidates.values()])
    number = exponential(
        scoring.number_scores(best), sensitivity=EDGE_NUMBER, epsilon=epsilon_number, rng=rng
    )
    options = [
        (j, given, value)
        for j in candidates
        for given, value in _options(candidates[j], separators)
    ]
    found: dict[int, list[int]] = {}
    for _ in range(number):
        values = np.array([value for _, _, value in options])
        values = scoring.with_jump(values) if score == "published" else values
        chosen = exponential(
            values, sensitivity=SIGNED_DISTANCE, epsilon=epsilon_select / number, rng=rng
        )
        j, given, _ = options[chosen]
        found[j] = given
        options = [option for option in options if option[0] != j]
    return found


def _options(scored: tuple[Ints, Floats], separators: Separating) -> list[tuple[list[int], float]]:
    """The (separating set, score) pairs among which a neighbour is removed.

    With `separators` "released" these are all tested sets of `scored` that have a score, otherwise
    only the set with the best score.
    """
    sets, values = scored
    kept = (
        values > -np.inf
        if separators == "released"
        else np.arange(len(values)) == np.argmax(values)
    )
    return list(zip(sets[kept].tolist(), values[kept].tolist(), strict=True))


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Algorithms 3 and 4, Equations 4.1 to 4.4",
    guarantee=Guarantee(
        released="the graph",
        neighbours=Neighbours.REPLACE_ONE,
        public="the number of records and the levels of the variables",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/verdict_distance.py",
        variants={("score", "published"): Status.REFUTED, ("separators", "read"): Status.REFUTED},
    ),
)
