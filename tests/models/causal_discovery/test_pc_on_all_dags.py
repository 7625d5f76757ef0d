"""PC against all small DAGs: with an exact independence test it must find the CPDAG."""

from itertools import combinations, permutations, product

import numpy as np
import pytest

from dpfair_cli.models.causal_discovery.orientation import orient
from dpfair_cli.models.causal_discovery.skeleton import find_skeleton
from tests.oracles.causal import (
    acyclic,
    as_matrix,
    cpdag,
    cpdag_of_class,
    d_separated,
    every_dag,
    skeleton,
    v_structures,
)


class Oracle:
    """An independence test that reads the true graph: p-value 1 if d-separated, else 0."""

    def __init__(self, arcs):
        self.arcs = arcs
        self.asked = []

    def p_value(self, i, j, given):
        self.asked.append((i, j, tuple(given)))
        return float(d_separated(self.arcs, i, j, given))

    def p_values(self, questions):
        return np.array(
            [self.p_value(i, j, given) for i, j, *given in np.asarray(questions).tolist()]
        )


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
        yield frozenset(
            (int(i), int(j)) for i, j in combinations(order, 2) if rng.random() < density
        )


@pytest.mark.parametrize("p", [2, 3, 4])
def test_with_an_oracle_pc_finds_the_class_of_every_dag(p):
    for arcs in every_dag(p):
        np.testing.assert_array_equal(
            found(arcs, p), as_matrix(cpdag(arcs, p), p), err_msg=str(sorted(arcs))
        )


def test_with_an_oracle_pc_finds_the_class_of_dags_on_five_nodes():
    for arcs in some_dags(5, 150):
        wanted = cpdag_of_class(other for other in same_class(arcs, 5))
        np.testing.assert_array_equal(
            found(arcs, 5), as_matrix(wanted, 5), err_msg=str(sorted(arcs))
        )


def same_class(arcs, p):
    """All DAGs with the skeleton and v-structures of `arcs`, by trying all directions."""
    edges = [tuple(sorted(edge)) for edge in skeleton(arcs)]
    for turned in product((False, True), repeat=len(edges)):
        other = frozenset(
            (j, i) if turn else (i, j) for (i, j), turn in zip(edges, turned, strict=True)
        )
        if acyclic(other, p) and v_structures(other) == v_structures(arcs):
            yield other


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


def test_conditioning_sets_are_neighbours_and_end_when_the_edge_is_deleted():
    chain = frozenset({(0, 1), (1, 2), (2, 3)})
    oracle = Oracle(chain)
    estimate = find_skeleton(4, oracle, significance=0.01)
    # both 1 and 2 separate 0 from 3
    assert estimate.separators == {(0, 2): {1}, (1, 3): {2}, (0, 3): {1, 2}}
    assert all(
        i not in given and j not in given and len(set(given)) == len(given)
        for i, j, given in oracle.asked
    )
    orders = [len(given) for _, _, given in oracle.asked]
    assert orders == sorted(orders)
    assert max(orders) == 1  # after order 1 no variable has three neighbours


def test_a_limit_on_the_order_leaves_what_needs_more():
    arcs = frozenset({(0, 1), (0, 2), (1, 3), (2, 3)})  # 0 and 3 need both 1 and 2
    for limit, edges in [(0, 6), (1, 5), (2, 4)]:
        adjacent = find_skeleton(4, Oracle(arcs), significance=0.01, max_order=limit).adjacent
        assert adjacent.sum() == 2 * edges, limit


def test_without_conditions_order_zero_keeps_all_that_is_dependent():
    chain = frozenset({(0, 1), (1, 2), (2, 3)})
    assert find_skeleton(4, Oracle(chain), significance=0.01, max_order=0).adjacent.sum() == 12
