"""PC-stable's first phase: start from the complete graph and delete edges between conditionally
independent ends.

Source: xu2021, Algorithm 2, lines 1 to 15; the neighbours of an order are those at its beginning
(Colombo and Maathuis 2014), so that the skeleton does not depend on the order of the variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from math import inf

import numpy as np

from dpfair_cli.contracts.arrays import Ints, Mask
from dpfair_cli.models.causal_discovery.independence import Test

AT_ONCE = 8192  # questions that are asked together

Separators = dict[tuple[int, int], frozenset[int]]


@dataclass(frozen=True, eq=False)
class Skeleton:
    """What is adjacent (p, p), and for each pair i < j that is not, the variables that separated
    them.
    """

    adjacent: Mask
    separators: Separators


def find_skeleton(p: int, test: Test, *, significance: float, max_order: float = inf) -> Skeleton:
    """The skeleton over p variables: an edge falls when a set of neighbours of one end has a
    p-value > `significance`.

    All sets of the order at which an edge falls are tested; its separators are the union of those
    that separate, which no order of the variables changes. Sets have at most `max_order` members.
    """
    adjacent, separators, order = ~np.eye(p, dtype=bool), Separators(), 0
    while order <= max_order and adjacent.sum(axis=1).max(initial=0) > order:
        found: dict[tuple[int, int], set[int]] = {}
        for block in questions(adjacent, order):  # (m, 2 + order)
            for i, j, *given in block[test.p_values(block) > significance].tolist():
                found.setdefault((i, j), set()).update(given)
        for i, j in found:
            adjacent[i, j] = adjacent[j, i] = False
        separators |= {pair: frozenset(given) for pair, given in found.items()}
        order += 1
    return Skeleton(adjacent, separators)


def questions(adjacent: Mask, order: int) -> Iterator[Ints]:
    """Everything to ask at an order, in blocks of rows (i, j, k ...) with i < j adjacent."""
    around = [np.flatnonzero(row) for row in adjacent]
    block, asked = list[Ints](), 0
    for i, j in np.argwhere(np.triu(adjacent)).tolist():
        for sets in _conditioning_sets(
            around[i][around[i] != j], around[j][around[j] != i], adjacent[i], order
        ):
            rows = np.empty((len(sets), 2 + order), dtype=np.int64)
            rows[:, :2], rows[:, 2:] = (i, j), sets
            block.append(rows)
            asked += len(rows)
            if asked >= AT_ONCE:
                yield np.concatenate(block)
                block, asked = [], 0
    if block:
        yield np.concatenate(block)


def _conditioning_sets(first: Ints, second: Ints, in_first: Mask, order: int) -> Iterator[Ints]:
    """The sets (m, order) of `first`, then those of `second` that are not among the former."""
    yield from _chunks(first, order)
    for sets in _chunks(second, order):
        fresh = sets[~in_first[sets].all(axis=1)]
        if len(fresh):
            yield fresh


def _chunks(pool: Ints, order: int) -> Iterator[Ints]:
    """All sets of `order` members of the pool, AT_ONCE in a block."""
    every = combinations(pool.tolist(), order)
    while block := list(islice(every, AT_ONCE)):
        yield np.array(block, dtype=np.int64)
