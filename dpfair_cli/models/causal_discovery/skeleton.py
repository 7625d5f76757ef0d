"""The first phase of PC-stable: edges of the complete graph are deleted by independence tests.

Source: xu2021, Algorithm 2, lines 1 to 15. The order of a test is the number of its conditioning
variables. All tests of one order use the neighbours from before these tests (Colombo and Maathuis
2014), so that the skeleton does not depend on the order of the variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from math import inf

import numpy as np

from dpfair_cli.contracts.arrays import Ints, Mask
from dpfair_cli.models.causal_discovery.independence import Test

AT_ONCE = 8192  # questions that are tested together; bounds the memory

Separators = dict[tuple[int, int], frozenset[int]]
"""For each pair i < j that is not adjacent, the variables that separate it."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """An undirected graph with the sets that separate its non-adjacent variables."""

    adjacent: Mask
    """The adjacent pairs, (p, p)."""
    separators: Separators
    """For each pair i < j that is not adjacent, the variables that separate it."""


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
        for found in independent:  # (m, 2 + order)
            adjacent[found[:, 0], found[:, 1]] = adjacent[found[:, 1], found[:, 0]] = False
            for i, j, *given in found.tolist():
                earlier = separators.get((i, j))
                separators[i, j] = earlier.union(given) if earlier else frozenset(given)
        order += 1
    return Skeleton(adjacent, separators)


def questions(adjacent: Mask, order: int) -> Iterator[Ints]:
    """Yields all independence tests with `order` conditioning variables, in blocks of rows.

    A row (i, j, k ...) stands for the test whether i and j are independent given k .... The
    variables i < j are adjacent, and k ... are `order` neighbours of i, or `order` neighbours of j.
    """
    pairs = np.argwhere(np.triu(adjacent))  # (edges, 2)
    if order == 0:
        yield from (pairs[start : start + AT_ONCE] for start in range(0, len(pairs), AT_ONCE))
        return
    around = [row.nonzero()[0].tolist() for row in adjacent]
    block, asked = list[Ints](), 0
    for i, j in pairs.tolist():
        first, second = ([k for k in around[end] if k != i and k != j] for end in (i, j))
        for sets in _conditioning_sets(first, second, adjacent[i], order):
            rows = np.empty((len(sets), 2 + order), dtype=np.int64)
            rows[:, :2], rows[:, 2:] = (i, j), sets
            block.append(rows)
            asked += len(rows)
            if asked >= AT_ONCE:
                yield np.concatenate(block)
                block, asked = [], 0
    if block:
        yield np.concatenate(block)


def _conditioning_sets(
    first: list[int], second: list[int], in_first: Mask, order: int
) -> Iterator[Ints]:
    """Yields the sets of `order` variables in `first`, then the other sets in `second`.

    A block of sets has the shape (m, order). `in_first` says which variables are in `first`.
    """
    yield from _chunks(first, order)
    for sets in _chunks(second, order):
        fresh = sets[~in_first[sets].all(axis=1)]
        if len(fresh):
            yield fresh


def _chunks(pool: list[int], order: int) -> Iterator[Ints]:
    """Yields all sets of `order` members of `pool`, in blocks (m, order) with m <= AT_ONCE."""
    every = combinations(pool, order)
    while block := list(islice(every, AT_ONCE)):
        yield np.array(block, dtype=np.int64)
