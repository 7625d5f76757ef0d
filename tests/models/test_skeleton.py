"""PC-stable's skeleton with a test that knows the truth, and with one that counts what it is asked."""

from __future__ import annotations

import numpy as np
import pytest

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


def test_neighbours_are_those_at_the_beginning_of_an_order() -> None:
    # 0-2 falls given 1 and 1-2 falls given 0, although each is the other's neighbour no more
    both = [(0, 2, frozenset({1})), (1, 2, frozenset({0}))]
    assert edges(find_skeleton(3, Oracle(both), significance=0.01).adjacent) == {(0, 1)}


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


@pytest.mark.parametrize("p", [0, 1, 2])
def test_few_variables_are_no_trouble(p: int) -> None:
    assert find_skeleton(p, Oracle([(0, 1, frozenset())]), significance=0.01).adjacent.sum() == 0
