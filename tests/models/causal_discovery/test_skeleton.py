"""PC-stable's skeleton with tests whose answers are given, and the questions that it asks."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest

from dpfair_cli.models.causal_discovery import skeleton
from dpfair_cli.models.causal_discovery.orientation import orient
from dpfair_cli.models.causal_discovery.skeleton import find_skeleton, questions


class Oracle:
    """Says independent for the questions in a set of (i, j, frozenset(given)), i < j."""

    effort = 1

    def __init__(self, independent) -> None:
        self.independent, self.asked = set(independent), []

    def p_values(self, asked):
        rows = [(min(i, j), max(i, j), frozenset(given)) for i, j, *given in asked.tolist()]
        self.asked += rows
        return np.array([float(row in self.independent) for row in rows])


def edges(adjacent):
    return {(i, j) for i, j in np.argwhere(np.triu(adjacent)).tolist()}


def test_a_chain_loses_the_edge_between_its_ends() -> None:
    found = find_skeleton(3, Oracle([(0, 2, frozenset({1}))]), significance=0.01)
    assert edges(found.adjacent) == {(0, 1), (1, 2)}
    assert found.separators == {(0, 2): frozenset({1})}


def test_separators_are_all_sets_of_the_order_that_separate() -> None:
    every = [(0, 3, frozenset({1})), (0, 3, frozenset({2})), (0, 3, frozenset({1, 2}))]
    found = find_skeleton(4, Oracle(every), significance=0.01)
    assert found.separators == {(0, 3): frozenset({1, 2})}


def test_a_later_order_is_not_asked_about_an_edge_that_fell() -> None:
    test = Oracle([(0, 1, frozenset())])
    find_skeleton(3, test, significance=0.01)
    assert [asked for asked in test.asked if asked[:2] == (0, 1)] == [(0, 1, frozenset())]


def test_no_question_is_asked_twice_and_every_one_once() -> None:
    test = Oracle([])
    find_skeleton(5, test, significance=0.01)
    assert len(test.asked) == len(set(test.asked)) == 10 * 2**3


def test_both_ends_give_their_neighbours() -> None:
    adjacent = np.zeros((4, 4), dtype=bool)
    for i, j in [(0, 1), (0, 2), (1, 3)]:
        adjacent[i, j] = adjacent[j, i] = True
    asked = np.concatenate(list(questions(adjacent, 1))).tolist()
    assert [row for row in asked if row[:2] == [0, 1]] == [[0, 1, 2], [0, 1, 3]]


def test_the_largest_order_may_be_limited() -> None:
    test = Oracle([])
    find_skeleton(5, test, significance=0.01, max_order=1)
    assert max(len(given) for *_, given in test.asked) == 1


class Given:
    """A test with p-values from a dictionary (i, j, given) -> p; 0 elsewhere."""

    def __init__(self, values):
        self.values = {
            (frozenset((i, j)), frozenset(given)): p for (i, j, given), p in values.items()
        }

    def p_value(self, i, j, given):
        return self.values.get((frozenset((i, j)), frozenset(given)), 0.0)

    def p_values(self, questions):
        return np.array(
            [self.p_value(i, j, given) for i, j, *given in np.asarray(questions).tolist()]
        )


def test_adjacencies_are_frozen_within_an_order():
    """Colombo and Maathuis: 0-1 is deleted given 2 and 0-2 given 1; each needs the other."""
    test = Given({(0, 1, (2,)): 0.5, (0, 2, (1,)): 0.5})
    for order in permutations(range(3)):
        turned = Given(
            {(order[0], order[1], (order[2],)): 0.5, (order[0], order[2], (order[1],)): 0.5}
        )
        adjacent = find_skeleton(3, turned, significance=0.01).adjacent
        assert adjacent.sum() == 2
        assert adjacent[order[1], order[2]]
    everything = find_skeleton(3, test, significance=0.6).adjacent
    np.testing.assert_array_equal(everything, ~np.eye(3, dtype=bool))


def test_significance_is_the_largest_p_value_of_a_dependence():
    adjacent = find_skeleton(2, Given({(0, 1, ()): 0.02}), significance=0.01).adjacent
    assert not adjacent.any()
    assert find_skeleton(2, Given({(0, 1, ()): 0.02}), significance=0.05).adjacent[0, 1]


def asked_one_by_one(adjacent, order):
    """The questions of an order: given neighbours of i, then the other sets of those of j."""
    rows = []
    for i, j in combinations(range(len(adjacent)), 2):
        if adjacent[i, j]:
            first = [k for k in adjacent[i].nonzero()[0].tolist() if k != j]
            second = [k for k in adjacent[j].nonzero()[0].tolist() if k != i]
            rows += [[i, j, *given] for given in combinations(first, order)]
            others = [given for given in combinations(second, order) if not set(given) <= {*first}]
            rows += [[i, j, *given] for given in others]
    return rows


@pytest.mark.parametrize(("density", "order"), [*product([0.2, 0.6, 1.0], range(5))])
@pytest.mark.parametrize("at_once", [8192, 11])
def test_questions_are_those_asked_one_by_one(density, order, at_once, monkeypatch):
    monkeypatch.setattr(skeleton, "AT_ONCE", at_once)
    monkeypatch.setattr(skeleton, "MASKS_AT_ONCE", at_once)
    above = np.triu(np.random.default_rng(order).random((9, 9)) < density, 1)
    blocks = list(questions(above | above.T, order))
    assert all(block.shape[1] == order + 2 for block in blocks)
    found = [row for block in blocks for row in block.tolist()]
    assert found == asked_one_by_one(above | above.T, order)
    assert all(len(block) >= at_once for block in blocks[:-1])


@pytest.mark.parametrize("at_once", [8192, 3])
def test_a_separator_is_the_union_over_all_blocks(at_once, monkeypatch):
    monkeypatch.setattr(skeleton, "AT_ONCE", at_once)
    separating = [(0, 5, frozenset({k})) for k in range(1, 5)] + [(1, 2, frozenset({4}))]
    found = find_skeleton(6, Oracle(separating), significance=0.01)
    assert found.separators == {(0, 5): frozenset({1, 2, 3, 4}), (1, 2): frozenset({4})}


@pytest.mark.parametrize("p", [0, 1])
def test_graphs_without_a_pair_have_no_edge(p):
    estimate = find_skeleton(p, Given({}), significance=0.01)
    assert estimate.adjacent.shape == (p, p)
    assert not estimate.adjacent.any()
    assert orient(estimate.adjacent, estimate.separators, tuple("ab"[:p])).cpdag.shape == (p, p)
