"""The first phase of PC-stable: edges of the complete graph are deleted by independence tests.

Source: xu2021, Algorithm 2, lines 1 to 15. The order of a test is the number of its conditioning
variables. All tests of one order use the neighbours from before these tests (Colombo and Maathuis
2014), so that the skeleton does not depend on the order of the variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice, pairwise
from math import comb, inf

import numpy as np

from dpfair_cli.contracts.arrays import Ints, Mask
from dpfair_cli.models.causal_discovery.independence import Test

AT_ONCE = 8192  # questions that are tested together; bounds the memory
MASKS_AT_ONCE = 2**20  # entries of the masks of neighbours of many pairs: 1 MB

Separators = dict[tuple[int, int], frozenset[int]]
"""For each pair i < j that is not adjacent, the variables that separate it."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """An undirected graph with the sets that separate its non-adjacent variables."""

    adjacent: Mask  # the adjacent pairs, (p, p)
    # for each pair i < j that is not adjacent, the variables that separate it
    separators: Separators


def find_skeleton(p: int, test: Test, *, significance: float, max_order: float = inf) -> Skeleton:
    """The skeleton of p variables.

    An edge is deleted if the p-value of the test given some set of neighbours of one of its ends is
    larger than `significance`. All sets of the same size are tested. The separator of the edge is
    the union of all sets with such a p-value, and does not depend on the order of the variables.

    Args:
        p: the number of variables.
        test: the independence test.
        significance: the level of the test.
        max_order: the largest number of conditioning variables.
    """
    adjacent, separators, order = ~np.eye(p, dtype=bool), Separators(), 0
    while order <= max_order and adjacent.sum(axis=1).max(initial=0) > order:
        independent = [
            block[test.p_values(block) > significance] for block in questions(adjacent, order)
        ]
        found = np.concatenate(independent)  # (m, 2 + order)
        adjacent[found[:, 0], found[:, 1]] = adjacent[found[:, 1], found[:, 0]] = False
        separators |= _unions(found)
        order += 1
    return Skeleton(adjacent, separators)


def _unions(found: Ints) -> Separators:
    """The union of the sets k ... of each pair, from rows (i, j, k ...) in the order of pairs."""
    pairs, given, order = found[:, :2], found[:, 2:].ravel().tolist(), found.shape[1] - 2
    if not order:  # most pairs are separated by the empty set
        return dict.fromkeys(map(tuple, pairs.tolist()), frozenset())
    new = np.diff(pairs, axis=0, prepend=-1).any(axis=1)  # the row is the first of its pair
    firsts = np.flatnonzero(new).tolist()
    return {
        (i, j): frozenset(given[order * first : order * end])
        for (i, j), (first, end) in zip(
            pairs[new].tolist(), pairwise([*firsts, len(pairs)]), strict=True
        )
    }


def questions(adjacent: Mask, order: int) -> Iterator[Ints]:
    """Yields all independence tests with `order` conditioning variables, in blocks of rows.

    A row (i, j, k ...) stands for the test whether i and j are independent given k .... The
    variables i < j are adjacent, and k ... are `order` neighbours of i, or `order` neighbours of j.
    """
    pairs = np.argwhere(np.triu(adjacent))  # (edges, 2)
    if order == 0:
        yield from (pairs[start : start + AT_ONCE] for start in range(0, len(pairs), AT_ONCE))
        return
    block, asked = list[Ints](), 0
    for rows in _of_each_end(adjacent, pairs, order):
        block.append(rows)
        asked += len(rows)
        if asked >= AT_ONCE:
            yield np.concatenate(block)
            block, asked = [], 0
    if asked:
        yield np.concatenate(block)


def _of_each_end(adjacent: Mask, pairs: Ints, order: int) -> Iterator[Ints]:
    """Yields the questions about each pair (i, j): given neighbours of i, then of j.

    Sets of neighbours of both are given once. A block of questions has at most AT_ONCE rows.
    """
    if order == 1:
        yield from _with_one_variable(adjacent, pairs)
        return
    around = [row.nonzero()[0] for row in adjacent]
    for i, j in pairs.tolist():
        first, second = around[i], around[j]
        if len(first) > order:  # of which one is j
            for sets in _sets(first[first != j], order):
                yield _rows(i, j, sets)
        if len(second) > order:
            for sets in _sets(second[second != i], order):
                yield _rows(i, j, sets[~adjacent[i][sets].all(axis=1)])


def _with_one_variable(adjacent: Mask, pairs: Ints) -> Iterator[Ints]:
    """Yields the questions of order 1 about each pair: many pairs at once, since they are short."""
    step = max(1, MASKS_AT_ONCE // len(adjacent))
    for start in range(0, len(pairs), step):
        i, j = pairs[start : start + step].T
        given = np.stack([adjacent[i], adjacent[j] & ~adjacent[i]], axis=1)  # (edges, 2, p)
        edges = np.arange(len(i))
        given[edges, 0, j] = given[edges, 1, i] = False
        edge, _, k = given.nonzero()
        rows = np.column_stack([i[edge], j[edge], k])
        ends = given.sum(axis=2).ravel().cumsum().tolist()
        yield from (rows[first:last] for first, last in pairwise([0, *ends]))


def _rows(i: int, j: int, sets: Ints) -> Ints:
    """The questions about i and j given each of the sets (m, order), (m, 2 + order)."""
    rows = np.empty((len(sets), 2 + sets.shape[1]), dtype=np.int64)
    rows[:, 0], rows[:, 1], rows[:, 2:] = i, j, sets
    return rows


def _sets(pool: Ints, order: int) -> Iterator[Ints]:
    """Yields all sets of `order` members of `pool`, in blocks (m, order) with m <= AT_ONCE."""
    if comb(len(pool), order) <= AT_ONCE:
        yield pool[_places(len(pool), order)]
        return
    every = combinations(pool.tolist(), order)
    while block := list(islice(every, AT_ONCE)):
        yield np.array(block, dtype=np.int64)


@lru_cache
def _places(size: int, order: int) -> Ints:
    """All sets of `order` of the first `size` whole numbers, (m, order)."""
    return np.array([*combinations(range(size), order)], dtype=np.int64).reshape(-1, order)
