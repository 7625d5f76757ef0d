"""Neighbours constructed from the proofs of the sensitivities, for each kind of data.

A query reaches its sensitivity only for special neighbours, which random neighbours hardly ever
are. The proofs in mechanisms/sensitivity/ name them. They are constructed here once for a kind of
data, not for a method, so that every method is tried on the worst neighbours of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds import Data
from dpfair_cli.kinds.graphs import SAMPLED_NODES, Graph
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.kinds.variables import Observations

SIZE = 200  # records of a pair: terms of the order 1 / n are below one percent
# numbers of ones of the new record at which objective.py reaches its sensitivities: in the L1 norm,
# in the L2 norm of the monomials, and in the L2 norm of all entries
ONES = (2, 12, 24)
# shares of the features in which only one of the two records is not 0, for records in the unit
# ball, and the value of each feature in which both are not 0, relative to the others: the largest
# change of the products in the L1 norm
APART, BOTH = 0.38, 0.7
WRONG = 0.75  # the part of a record that makes the fitted rule decide wrongly on it (three_blocks)


def extreme_pairs(
    data: Data, relation: Neighbours, *, rng: np.random.Generator
) -> Iterator[tuple[Any, Any]]:
    """Yields pairs of neighbours from the proofs of sensitivities, again and again.

    Yields nothing for data and relations for which no pairs are constructed.
    """
    replaced = relation in (Neighbours.REPLACE_ONE, Neighbours.ADD_OR_REMOVE_ONE)
    if isinstance(data, Records) and replaced and data.X.shape[1]:
        size = min(SIZE, len(data))
        yield from cycle(_of_records(size, data.domain))
    elif isinstance(data, Graph) and relation is Neighbours.ONE_EDGE:
        while True:
            yield from _of_graphs(rng)
    elif isinstance(data, Observations) and data.categorical and replaced:
        while True:
            yield _of_categories(data, rng)


def _of_records(size: int, domain: Domain) -> list[tuple[Records, Records]]:
    """Pairs of `size` records, of which the first differs."""
    d = len(domain.columns)
    zeros, ones = np.zeros(d), np.ones(d)
    corners = [(np.arange(d) < k).astype(float) for k in ONES]
    one_sided, other_sided = _apart(d)
    return [
        three_blocks(size, domain),
        _against(size, domain, ones, corners[0], zeros),
        _against(size, domain, ones, corners[0], ones),
        _against(size, domain, ones, corners[1], zeros),
        _against(size, domain, ones, corners[2], zeros),
        _against(size, domain, one_sided, other_sided, zeros),
        _against(size, domain, ones, ones, zeros),
        _against(size, domain, ones, corners[1], ones),
        _against(size, domain, ones, zeros, zeros),
        _against(size, domain, ones, ones, ones),
    ]


def _against(
    size: int, domain: Domain, x: Floats, new: Floats, rest: Floats
) -> tuple[Records, Records]:
    """A pair in which a record x of label 0 and group 1 is replaced by `new` of label 1, group 0.

    All other records have the features `rest`, label 0 and group 0. The linear coefficients of the
    objective then change in the same direction as the covariance of groups and features.
    """
    X = np.vstack([x, np.tile(rest, (size - 1, 1))])
    y, protected = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    group = min(1, len(domain.groups) - 1)
    return _replaced(Records(X, y, _first(protected, group), domain), new, y=1)


def three_blocks(size: int, domain: Domain) -> tuple[Records, Records]:
    """A pair for which the minimiser of a regularised loss moves far (sensitivity/minimiser.py).

    The features are three blocks. The records with ones in block 0 have label 1, those with ones in
    block 1 label 0, which pulls the weights of the two blocks apart. The replaced and the new
    record have ones in block 2 and opposite labels, hence opposite gradients. They also have a part
    in block 1 and 0, which the weights decide wrongly: it makes their gradients long.
    """
    d = len(domain.columns)
    block = np.arange(d) * 3 // d
    centre = np.array([mean for mean, _ in domain.standard] or [0.0] * d)  # standardised to 0
    X = np.array([np.where(block == k % 2, 1.0, centre) for k in range(size)])
    y = np.arange(1, size + 1) % 2
    sides = [
        np.select([block == 2, block == side], [1.0, centre + WRONG * (1 - centre)], centre)
        for side in (1, 0)
    ]
    X[0] = sides[0]
    return _replaced(Records(X, y, np.zeros(size, dtype=np.int64), domain), sides[1], y=0)


def _apart(d: int) -> tuple[Floats, Floats]:
    """Two records that share only the last features, (d,) and (d,)."""
    position = np.arange(d)
    alone = max(1, round(APART * d))
    shared = np.where(position >= 2 * alone, BOTH, 0.0)
    first = np.where(position < alone, 1.0, shared)
    second = np.where((position >= alone) & (position < 2 * alone), 1.0, shared)
    return first, second


def _replaced(left: Records, new: Floats, *, y: int) -> tuple[Records, Records]:
    """The records and a neighbour whose first record has features `new`, label y and group 0."""
    X = left.X.copy()
    X[0] = new
    return left, Records(X, _first(left.y, y), _first(left.protected, 0), left.domain)


def _first(values: Ints, value: int) -> Ints:
    """The `values` with `value` in the first place."""
    changed = values.copy()
    changed[0] = value
    return changed


def _of_graphs(rng: np.random.Generator) -> Iterator[tuple[Graph, Graph]]:
    """Yields pairs of graphs that differ in the edge that moves walks most (sensitivity/walks.py).

    The edge joins an end of each of two edges, or is the first edge of a graph. Other nodes have no
    edges. The nodes are numbered at random.
    """
    for nodes in (4, SAMPLED_NODES):
        a, r, s, b = rng.permutation(nodes)[:4].tolist()
        before = [(a, r), (s, b)]
        yield Graph.from_pairs(before, nodes), Graph.from_pairs([*before, (r, s)], nodes)
    ends = tuple(rng.permutation(SAMPLED_NODES)[:2].tolist())
    yield Graph.from_pairs([], SAMPLED_NODES), Graph.from_pairs([ends], SAMPLED_NODES)


def _of_categories(
    data: Observations, rng: np.random.Generator
) -> tuple[Observations, Observations]:
    """A pair in which a record that agrees with all others in order is replaced by one that does not.

    The pairs of records that count in Kendall's statistic are concordant with the first record, and
    discordant with its replacement, for two variables of different halves. The other records are in
    the middle of the levels, except for one, which makes the statistic of the discordant side 0.
    """
    top = np.array(data.levels) - 1  # (p,)
    middle = np.where(top >= 2, 1, 0)
    size = min(SIZE, len(data))
    values = np.tile(middle, (size, 1))
    values[0] = top
    if size > 2 and (top >= 2).any():
        values[1] = np.minimum(middle + 1, top)
    changed = values.copy()
    changed[0, rng.permutation(len(top))[: len(top) // 2]] = 0
    return (
        Observations(values, data.names, data.levels, data.bounds),
        Observations(changed, data.names, data.levels, data.bounds),
    )
