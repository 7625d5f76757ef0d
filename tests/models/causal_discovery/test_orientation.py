"""Orientation: each rule by hand, equivalence classes, conflicts and cycles."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dpfair_cli.models.causal_discovery.orientation import equivalence_class, orient
from dpfair_cli.models.causal_discovery.random_dag import bernoulli_dag
from tests.oracles.causal import (
    acyclic,
    as_matrix,
    cpdag_of_class,
    d_separated,
    equivalence_classes,
)


def mask(p: int, *arrows: str) -> np.ndarray:
    """The (p, p) mask of arrows such as "0>1" and lines such as "0-1"."""
    found = np.zeros((p, p), dtype=bool)
    for arrow in arrows:
        i, j = int(arrow[0]), int(arrow[2])
        found[i, j] = True
        found[j, i] |= arrow[1] == "-"
    return found


def names(p: int) -> tuple[str, ...]:
    return tuple(f"v{j}" for j in range(p))


def oriented(p: int, lines: list[str], separators: dict) -> np.ndarray:
    return orient(
        mask(p, *lines), {pair: frozenset(s) for pair, s in separators.items()}, names(p)
    ).cpdag


def test_a_collider_is_where_the_middle_does_not_separate() -> None:
    lines = ["0-1", "1-2"]
    assert (oriented(3, lines, {(0, 2): []}) == mask(3, "0>1", "2>1")).all()
    assert (oriented(3, lines, {(0, 2): [1]}) == mask(3, *lines)).all()


def test_rule_one_points_away_from_an_arrow() -> None:
    found = oriented(4, ["0-1", "2-1", "1-3"], {(0, 2): [], (0, 3): [1], (2, 3): [1]})
    assert (found == mask(4, "0>1", "2>1", "1>3")).all()


def test_rule_two_avoids_a_cycle() -> None:
    # 0 > 1 < 4 and 0, 4 not adjacent; 1 > 2 by rule one; 0 - 2 then by rule two
    lines = ["0-1", "4-1", "1-2", "0-2"]
    found = oriented(
        5, lines, {(0, 4): [], (2, 4): [1], (0, 3): [], (1, 3): [], (2, 3): [], (3, 4): []}
    )
    assert (found == mask(5, "0>1", "4>1", "1>2", "0>2")).all()


def test_rule_three_avoids_a_new_collider() -> None:
    # 1 > 3 < 2; 0 is a neighbour of all three; 1 and 2 are not adjacent and 0 separates them
    found = oriented(4, ["0-1", "0-2", "0-3", "1-3", "2-3"], {(1, 2): [0]})
    assert (found == mask(4, "0-1", "0-2", "0>3", "1>3", "2>3")).all()


def test_of_two_colliders_that_want_an_edge_the_first_has_it() -> None:
    # 0 - 1 - 2 - 3: both middles are colliders; 1 comes first and keeps 2 > 1
    found = oriented(4, ["0-1", "1-2", "2-3"], {(0, 2): [], (1, 3): [], (0, 3): []})
    assert (found == mask(4, "0>1", "2>1", "2-3")).all()


def test_a_chain_and_a_fork_are_one_class_and_a_collider_another() -> None:
    chain, fork = (
        equivalence_class(mask(3, *arrows), names(3)) for arrows in (("0>1", "1>2"), ("1>0", "1>2"))
    )
    assert (chain.cpdag == fork.cpdag).all()
    assert chain.edges == ["v0 - v1", "v1 - v2"]
    assert equivalence_class(mask(3, "0>1", "2>1"), names(3)).edges == ["v0 -> v1", "v2 -> v1"]


def test_the_class_of_a_complete_graph_has_no_arrow() -> None:
    assert (
        equivalence_class(mask(3, "0>1", "0>2", "1>2"), names(3)).cpdag == ~np.eye(3, dtype=bool)
    ).all()


@pytest.mark.parametrize("seed", range(20))
def test_the_arrows_of_a_class_are_arrows_of_the_graph_and_close_no_cycle(seed: int) -> None:
    dag = bernoulli_dag(8, 0.4, rng=np.random.default_rng(seed))
    cpdag = equivalence_class(dag, names(8)).cpdag
    arrows = cpdag & ~cpdag.T
    assert not (arrows & ~dag).any()
    assert ((cpdag | cpdag.T) == (dag | dag.T)).all()


@pytest.mark.parametrize("seed", range(20))
def test_the_class_does_not_depend_on_the_order_of_the_variables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dag, order = bernoulli_dag(8, 0.4, rng=rng), rng.permutation(8)
    turned = equivalence_class(dag[np.ix_(order, order)], names(8)).cpdag
    assert (turned == equivalence_class(dag, names(8)).cpdag[np.ix_(order, order)]).all()


@pytest.mark.parametrize("seed", range(10))
def test_perfect_separators_give_the_class_of_the_graph(seed: int) -> None:
    """The parents of the later of two variables separate them; every pair has such a set."""
    dag = np.triu(np.random.default_rng(seed).random((7, 7)) < 0.4, 1)  # in topological order
    skeleton = dag | dag.T
    pairs = [(i, j) for i, j in np.argwhere(~skeleton).tolist() if i < j]
    separators = {(i, j): frozenset(np.flatnonzero(dag[:, j]).tolist()) for i, j in pairs}
    assert (
        orient(skeleton, separators, names(7)).cpdag == equivalence_class(dag, names(7)).cpdag
    ).all()


def test_a_cyclic_truth_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        equivalence_class(mask(3, "0>1", "1>2", "2>0"), names(3))


def test_orientation_alone_turns_every_class_into_its_cpdag():
    # separators by definition: what separates i from j in the true graph
    for dags in equivalence_classes(4).values():
        arcs = dags[0]
        matrix = as_matrix(arcs, 4) | as_matrix(arcs, 4).T
        separators = {}
        for i, j in combinations(range(4), 2):
            if not matrix[i, j]:
                separators[i, j] = separator(arcs, i, j)
        got = orient(matrix, separators, names(4)).cpdag
        np.testing.assert_array_equal(
            got, as_matrix(cpdag_of_class(dags), 4), err_msg=str(sorted(arcs))
        )


def separator(arcs, i, j):
    """The first of the smallest sets that separate i from j, of four variables."""
    others = sorted({0, 1, 2, 3} - {i, j})
    for size in range(3):
        for chosen in combinations(others, size):
            if d_separated(arcs, i, j, chosen):
                return frozenset(chosen)
    raise AssertionError("every pair that is not adjacent has a separating set")


def test_contradicting_colliders_lose_no_edge_and_draw_no_cycle():
    # noisy separators: any answer about directions, but the skeleton is the skeleton
    rng = np.random.default_rng(0)
    for _ in range(300):
        p = int(rng.integers(3, 7))
        matrix = np.triu(rng.random((p, p)) < 0.5, 1)
        matrix |= matrix.T
        separators = {}
        for i, j in combinations(range(p), 2):
            if not matrix[i, j]:
                chosen = np.flatnonzero(rng.random(p) < 0.3).tolist()
                separators[i, j] = frozenset(chosen) - {i, j}
        graph = orient(matrix, separators, names(p))
        np.testing.assert_array_equal(graph.cpdag | graph.cpdag.T, matrix)
        np.testing.assert_array_equal(graph.skeleton, matrix)
        assert len(graph.edges) == matrix.sum() // 2
        arrows = graph.cpdag & ~graph.cpdag.T
        assert acyclic({(i, j) for i, j in np.argwhere(arrows).tolist()}, p)


def test_a_collider_that_would_close_a_cycle_is_not_drawn():
    matrix = np.zeros((6, 6), dtype=bool)
    for i, j in [(0, 1), (1, 2), (1, 5), (2, 3), (2, 5), (4, 5)]:
        matrix[i, j] = matrix[j, i] = True
    given = {(0, 2): (), (0, 3): (2,), (0, 4): (), (0, 5): (1, 3), (1, 3): (), (1, 4): ()}
    given |= {(2, 4): (0, 1, 3), (3, 4): (), (3, 5): (1,)}
    separators = {pair: frozenset(separator) for pair, separator in given.items()}
    # 0 -> 1 <- 2 and 3 -> 2 <- 5 are drawn; 1 -> 5 <- 4 would close 1 -> 5 -> 2 -> 1; rule 2 gives
    # 5 -> 1
    edges = orient(matrix, separators, tuple("012345")).edges
    assert edges == ["0 -> 1", "2 -> 1", "5 -> 1", "3 -> 2", "5 -> 2", "4 - 5"]


def test_edges_are_words_with_an_arrow_or_a_line():
    separators = {(0, 1): frozenset(), (0, 3): frozenset({2}), (1, 3): frozenset({2})}
    graph = orient(mask(4, "0-2", "1-2", "2-3"), separators, ("a", "b", "c", "d"))
    assert sorted(graph.edges) == ["a -> c", "b -> c", "c -> d"]
    chain = orient(np.array([[0, 1], [1, 0]], dtype=bool), {}, ("x", "y"))
    assert chain.edges == ["x - y"]
