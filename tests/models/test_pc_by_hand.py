"""The PC algorithm against all small DAGs: with a test that cannot err it must find the CPDAG of the class."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from causal_oracles import (
    acyclic,
    as_matrix,
    cpdag,
    cpdag_of_class,
    d_separated,
    equivalence_classes,
    every_dag,
    skeleton,
    v_structures,
)

from dpfair_cli.models.causal_discovery.orientation import orient
from dpfair_cli.models.causal_discovery.skeleton import find_skeleton


class Oracle:
    """A conditional independence test that reads the true graph: p-value 1 if d-separated, 0 if not."""

    def __init__(self, arcs):
        self.arcs = arcs
        self.asked = []

    def p_value(self, i, j, given):
        self.asked.append((i, j, tuple(given)))
        return float(d_separated(self.arcs, i, j, given))

    def p_values(self, questions):
        return np.array([self.p_value(i, j, given) for i, j, *given in np.asarray(questions).tolist()])


def names(p):
    return tuple(f"v{j}" for j in range(p))


def found(arcs, p):
    estimate = find_skeleton(p, Oracle(arcs), significance=0.01)
    return orient(estimate.adjacent, estimate.separators, names(p)).cpdag


def some_dags(p, count, seed=0):
    """Random DAGs of p nodes, sparse and dense."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        order, density = rng.permutation(p), (0.2, 0.4, 0.6, 0.9)[k % 4]
        yield frozenset((int(i), int(j)) for i, j in combinations(order, 2) if rng.random() < density)


@pytest.mark.parametrize("p", [2, 3, 4])
def test_with_an_oracle_pc_finds_the_class_of_every_dag(p):
    for arcs in every_dag(p):
        np.testing.assert_array_equal(found(arcs, p), as_matrix(cpdag(arcs, p), p), err_msg=str(sorted(arcs)))


def test_with_an_oracle_pc_finds_the_class_of_dags_on_five_nodes():
    for arcs in some_dags(5, 150):
        wanted = cpdag_of_class(other for other in same_class(arcs, 5))
        np.testing.assert_array_equal(found(arcs, 5), as_matrix(wanted, 5), err_msg=str(sorted(arcs)))


def same_class(arcs, p):
    """All DAGs with the skeleton and the v-structures of `arcs`, by trying every direction of every edge."""
    edges = [tuple(sorted(edge)) for edge in skeleton(arcs)]
    for turned in product((False, True), repeat=len(edges)):
        other = frozenset((j, i) if turn else (i, j) for (i, j), turn in zip(edges, turned, strict=True))
        if acyclic(other, p) and v_structures(other) == v_structures(arcs):
            yield other


def test_orientation_alone_turns_every_class_into_its_cpdag():
    # separators by definition: what separates i from j in the true graph
    for dags in equivalence_classes(4).values():
        arcs = dags[0]
        matrix = as_matrix(arcs, 4) | as_matrix(arcs, 4).T
        separators = {
            (i, j): next(frozenset(s) for size in range(3) for s in combinations(others(i, j), size)
                         if d_separated(arcs, i, j, s))
            for i, j in combinations(range(4), 2) if not matrix[i, j]
        }  # fmt: skip
        got = orient(matrix, separators, names(4)).cpdag
        np.testing.assert_array_equal(got, as_matrix(cpdag_of_class(dags), 4), err_msg=str(sorted(arcs)))


def others(i, j):
    return sorted({0, 1, 2, 3} - {i, j})


def test_the_result_does_not_depend_on_the_order_of_the_nodes():
    for arcs in some_dags(5, 8, seed=1):
        wanted = found(arcs, 5)
        for order in list(permutations(range(5)))[::17]:
            moved = frozenset((order[i], order[j]) for i, j in arcs)
            np.testing.assert_array_equal(found(moved, 5)[np.ix_(order, order)], wanted)


def test_every_gap_has_a_separator_without_its_ends():
    for arcs in some_dags(5, 40, seed=2):
        estimate = find_skeleton(5, Oracle(arcs), significance=0.01)
        gaps = {(i, j) for i, j in combinations(range(5), 2) if not estimate.adjacent[i, j]}
        assert set(estimate.separators) == gaps
        assert not estimate.adjacent.diagonal().any()
        assert (estimate.adjacent == estimate.adjacent.T).all()
        for (i, j), separator in estimate.separators.items():
            assert separator <= set(range(5)) - {i, j}


def test_conditions_are_only_drawn_from_neighbours_and_an_edge_is_asked_until_it_falls():
    chain = frozenset({(0, 1), (1, 2), (2, 3)})
    oracle = Oracle(chain)
    estimate = find_skeleton(4, oracle, significance=0.01)
    assert estimate.separators == {(0, 2): {1}, (1, 3): {2}, (0, 3): {1, 2}}  # both of order one separate 0 from 3
    assert all(i not in given and j not in given and len(set(given)) == len(given) for i, j, given in oracle.asked)
    orders = [len(given) for _, _, given in oracle.asked]
    assert orders == sorted(orders)
    assert max(orders) == 1  # after order 1 nobody has three neighbours


def test_a_limit_on_the_order_leaves_what_needs_more():
    arcs = frozenset({(0, 1), (0, 2), (1, 3), (2, 3)})  # 0 and 3 need both 1 and 2
    for limit, edges in [(0, 6), (1, 5), (2, 4)]:
        adjacent = find_skeleton(4, Oracle(arcs), significance=0.01, max_order=limit).adjacent
        assert adjacent.sum() == 2 * edges, limit


def test_without_conditions_order_zero_keeps_all_that_is_dependent():
    chain = frozenset({(0, 1), (1, 2), (2, 3)})
    assert find_skeleton(4, Oracle(chain), significance=0.01, max_order=0).adjacent.sum() == 12


class Fixed:
    """A test with p-values from a dictionary (i, j, given) -> p; 0 elsewhere."""

    def __init__(self, values):
        self.values = {(frozenset((i, j)), frozenset(given)): p for (i, j, given), p in values.items()}

    def p_value(self, i, j, given):
        return self.values.get((frozenset((i, j)), frozenset(given)), 0.0)

    def p_values(self, questions):
        return np.array([self.p_value(i, j, given) for i, j, *given in np.asarray(questions).tolist()])


def test_adjacencies_are_frozen_within_an_order():
    """Colombo and Maathuis: 0-1 falls given 2 and 0-2 given 1, although each needs the other's edge."""
    test = Fixed({(0, 1, (2,)): 0.5, (0, 2, (1,)): 0.5})
    for order in permutations(range(3)):
        turned = Fixed({(order[0], order[1], (order[2],)): 0.5, (order[0], order[2], (order[1],)): 0.5})
        adjacent = find_skeleton(3, turned, significance=0.01).adjacent
        assert adjacent.sum() == 2
        assert adjacent[order[1], order[2]]
    everything = find_skeleton(3, test, significance=0.6).adjacent
    np.testing.assert_array_equal(everything, ~np.eye(3, dtype=bool))


def test_significance_is_the_largest_p_value_of_a_dependence():
    adjacent = find_skeleton(2, Fixed({(0, 1, ()): 0.02}), significance=0.01).adjacent
    assert not adjacent.any()
    assert find_skeleton(2, Fixed({(0, 1, ()): 0.02}), significance=0.05).adjacent[0, 1]


@pytest.mark.parametrize("p", [0, 1])
def test_graphs_without_a_pair_have_no_edge(p):
    estimate = find_skeleton(p, Fixed({}), significance=0.01)
    assert estimate.adjacent.shape == (p, p)
    assert not estimate.adjacent.any()
    assert orient(estimate.adjacent, estimate.separators, names(p)).cpdag.shape == (p, p)


def test_contradicting_colliders_lose_no_edge_and_draw_no_cycle():
    # noisy separators: any answer about directions, but the skeleton is the skeleton
    rng = np.random.default_rng(0)
    for _ in range(300):
        p = int(rng.integers(3, 7))
        matrix = np.triu(rng.random((p, p)) < 0.5, 1)
        matrix |= matrix.T
        separators = {
            (i, j): frozenset(np.flatnonzero(rng.random(p) < 0.3).tolist()) - {i, j}
            for i, j in combinations(range(p), 2) if not matrix[i, j]
        }  # fmt: skip
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
    # 0 -> 1 <- 2 and 3 -> 2 <- 5 are drawn; 1 -> 5 <- 4 would close 1 -> 5 -> 2 -> 1; rule 2 gives 5 -> 1
    edges = orient(matrix, separators, tuple("012345")).edges
    assert edges == ["0 -> 1", "2 -> 1", "5 -> 1", "3 -> 2", "5 -> 2", "4 - 5"]


def test_edges_are_words_with_an_arrow_or_a_line():
    collider = found(frozenset({(0, 2), (1, 2), (2, 3)}), 4)
    separators = {(0, 1): frozenset(), (0, 3): frozenset({2}), (1, 3): frozenset({2})}
    graph = orient(collider | collider.T, separators, ("a", "b", "c", "d"))
    assert sorted(graph.edges) == ["a -> c", "b -> c", "c -> d"]
    chain = orient(np.array([[0, 1], [1, 0]], dtype=bool), {}, ("x", "y"))
    assert chain.edges == ["x - y"]


def test_meek_rule_1_2_3_by_hand():
    def graph(p, edges, separators):
        matrix = np.zeros((p, p), dtype=bool)
        for i, j in edges:
            matrix[i, j] = matrix[j, i] = True
        return orient(matrix, separators, names(p)).cpdag

    # rule 1: 0 -> 2 <- 1 and 2 - 3: a collider at 2 with 3 would have been seen, so 2 -> 3
    first = graph(4, [(0, 2), (1, 2), (2, 3)], {(0, 1): frozenset(), (0, 3): {2}, (1, 3): {2}})
    assert first[2, 3]
    assert not first[3, 2]
    # rule 3: 0 - 1, 0 - 2, 0 - 3, 1 -> 3 <- 2, so 0 -> 3, and 0 - 1, 0 - 2 stay open
    third = graph(4, [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)], {(1, 2): frozenset({0})})
    np.testing.assert_array_equal(third[0], [False, True, True, True])
    assert not third[3].any()
    assert third[1, 0]
    assert third[2, 0]
    # rule 2: 0 -> 1 <- 3, 0 - 2, 1 - 2, 3 not beside 0 or 2: rule 1 gives 1 -> 2, then 0 -> 1 -> 2 gives 0 -> 2
    second = graph(4, [(0, 1), (3, 1), (1, 2), (0, 2)], {(0, 3): frozenset(), (2, 3): frozenset({1})})
    assert second[0, 2]
    assert not second[2, 0]
