"""Neighbours constructed from the proofs of the sensitivities, for each kind of data.

A query reaches its sensitivity only for special neighbours, which random neighbours hardly ever
are. The proofs in mechanisms/sensitivity/ name them. They are constructed here once for a kind of
data, not for a method, so that every method is tried on the worst neighbours of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
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
MORE = 1000  # the same for minimisers: the curvature of one record is small against the penalty
# numbers of ones of the new record at which objective.py reaches its sensitivities: in the L1 norm,
# in the L2 norm of the monomials, and in the L2 norm of all entries
ONES = (2, 12, 24)
# share of the features that only the new record and the other ones have, for records in the unit
# ball, and the values of the remaining features of one of them, relative to the others: the largest
# change of the products and of the covariance of groups and features in the L1 norm together
EARLY, FAINTER, FAINT = 0.47, 0.43, 0.57
# values of features for a strong, a weaker and a weak penalty (see three_blocks): those of the
# other records, and those of the two records on which the weights decide wrongly
PULLS = ((1.0, 0.6), (0.3, 0.5), (0.1, 0.35))

PLACES = (0.0, 0.5, 1.0)  # of the differing record: code may treat the first or last differently


def extreme_pairs(
    data: Data, relation: Neighbours, *, rng: np.random.Generator
) -> Iterator[tuple[Any, Any]]:
    """Yields pairs of neighbours from the proofs of sensitivities, again and again.

    Yields nothing for data and relations for which no pairs are constructed.
    """
    replaced = relation in (Neighbours.REPLACE_ONE, Neighbours.ADD_OR_REMOVE_ONE)
    if isinstance(data, Records):
        regrouped = (_regrouped(data, place, rng) for place in cycle(PLACES))
        pairs = cycle(_of_records(data)) if relation is not Neighbours.ONE_EDGE else ()
        is_of_group = relation is Neighbours.ONE_PROTECTED_ATTRIBUTE
        yield from regrouped if is_of_group else map(_moved, pairs, cycle(PLACES))
    elif isinstance(data, Graph) and relation is Neighbours.ONE_EDGE:
        while True:
            yield from _of_graphs(rng)
    elif isinstance(data, Observations) and data.categorical and replaced:
        for place in cycle(PLACES):
            yield _moved(_of_categories(data, rng), place)
            if place == PLACES[1]:
                yield _moved(_of_dependences(data, rng), place)


def _moved(pair: tuple[Any, Any], place: float) -> tuple[Any, Any]:
    """The pair with its first record moved to a place from 0, the first, to 1, the last."""
    left, right = pair
    # the same in both, which stay neighbours
    order = np.roll(np.arange(len(left)), round(place * (len(left) - 1)))
    return left.take(order), right.take(order)


def _regrouped(data: Records, place: float, rng: np.random.Generator) -> tuple[Records, Records]:
    """A sample of the data, and the sample with another group of the record at a place.

    The place is from 0, the first record, to 1, the last.
    """
    left = data.take(rng.choice(len(data), min(SIZE, len(data)), replace=False))
    groups = left.protected.copy()
    row = round(place * (len(left) - 1))  # whose group changes
    groups[row] = (groups[row] + 1) % len(data.domain.groups)
    return left, Records(left.X, left.y, groups, left.domain)


def _of_records(data: Records) -> list[tuple[Records, Records]]:
    """Pairs of records with the domain of the data, of which the first differs."""
    domain, d = data.domain, len(data.domain.columns)
    if not d:
        return []
    size, more = min(SIZE, len(data)), min(MORE, len(data))
    zeros, ones = np.zeros(d), np.ones(d)
    two, in_monomials, in_entries = ((np.arange(d) < k).astype(float) for k in ONES)
    strong, weaker, weak = (
        three_blocks(more, domain, rest=rest, wrong=wrong) for rest, wrong in PULLS
    )
    half = np.where(np.arange(d) < d / 2, 1.0, 0.0)
    early = np.where(np.arange(d) < EARLY * d, 1.0, 0.0)  # features of the other records
    late = 1 - early
    return [
        strong,
        _against(size, domain, ones, two, rest=zeros),
        _against(size, domain, ones, two, rest=ones),
        _against(size, domain, ones, in_monomials, rest=zeros),
        _against(size, domain, ones, in_entries, rest=zeros),
        _against(size, domain, late, early + FAINTER * late, rest=early),
        weaker,
        _against(size, domain, ones, ones, rest=zeros),
        _against(size, domain, ones, ones, rest=ones),
        _against(size, domain, half, half, rest=1 - half),
        weak,
        _against(size, domain, late + FAINT * early, early, rest=ones),
    ]


def _against(
    size: int, domain: Domain, x: Floats, new: Floats, *, rest: Floats
) -> tuple[Records, Records]:
    """A pair in which a record x (label 0, group 1) is replaced by `new` (label 1, group 0).

    All other records have the features `rest`, label 0 and group 0. The linear coefficients of the
    objective then change in the same direction as the covariance of groups and features.
    """
    X = np.vstack([x, np.tile(rest, (size - 1, 1))])
    zeros, last = np.zeros(size, dtype=np.int64), len(domain.groups) - 1
    left = Records(X, zeros, _first(zeros, min(1, last)), domain)
    return _replaced(left, new, y=1)


def three_blocks(
    size: int, domain: Domain, *, rest: float, wrong: float
) -> tuple[Records, Records]:
    """A pair for which the minimiser of a regularised loss moves far (sensitivity/minimiser.py).

    The features are three blocks, and standardised features are at least 0. The other records are
    `rest` in block 0 and have label 1, or are `rest` in block 1 and have label 0: the weights of
    the two blocks are pulled apart. The smaller `rest`, the larger are the weights under a weak
    penalty. The replaced and the new record are 1 in block 2 and have opposite labels, hence
    opposite gradients. They are also `wrong` in block 1 and 0, for which the weights decide wrongly
    on them: this makes their gradients long.
    """
    d = len(domain.columns)
    block = np.arange(d) * 3 // d
    centre = np.array([mean for mean, _ in domain.standard] or [0.0] * d)  # standardised to 0
    above = 1 - centre
    X = np.array([np.where(block == k % 2, centre + rest * above, centre) for k in range(size)])
    y = np.arange(1, size + 1) % 2
    X[0], new = (
        np.select([block == 2, block == side], [1.0, centre + wrong * above], centre)
        for side in (1, 0)
    )
    left = Records(X, y, np.zeros(size, dtype=np.int64), domain)
    return _replaced(left, new, y=0)


def _replaced(left: Records, new: Floats, *, y: int) -> tuple[Records, Records]:
    """The records and a neighbour whose first record has the features `new`, y and group 0."""
    X = left.X.copy()  # data sets share no array that a fit could change
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
    """A pair in which one record changes the sign of all its terms in Kendall's statistic.

    Before, all pairs of the record with others are concordant; after it is replaced, they are
    discordant for two variables of different halves. The other records are in the middle of the
    levels. One of them is higher, and makes the statistic about 0 after the replacement.
    """
    top = np.array(data.levels) - 1  # (p,)
    middle = np.where(top >= 2, 1, 0)
    size = min(SIZE, len(data))
    values = np.tile(middle, (size, 1))
    values[0] = top
    if size > 2 and (top >= 2).any():
        values[1] = np.minimum(middle + 1, top)
    new = top.copy()
    new[rng.permutation(len(top))[: len(top) // 2]] = 0
    return _with_first(data, values, new)


def _of_dependences(
    data: Observations, rng: np.random.Generator
) -> tuple[Observations, Observations]:
    """A pair in which the dependence of two variables rises by nearly 6 and that of others falls.

    Variables with at least three levels are paired at random. In the tables of a pair, level 2 is
    common, level 0 has s = sqrt(n) records, and level 1 has one record besides the replaced one.
    The replaced record moves from the cell (0, 0), which then is empty, to the cell (1, 1), which
    has the other record of level 1 (see mechanisms/sensitivity/dependence.py). In every second pair
    of variables the record moves back.
    """
    size = min(SIZE, len(data))
    some = round(np.sqrt(size))  # the number at which the dependence rises most, up to O(1 / s)
    values = np.tile(np.minimum(2, np.array(data.levels) - 1), (size, 1))
    new = values[0].copy()
    wide = rng.permutation(np.flatnonzero(np.array(data.levels) > 2))
    for number, pair in enumerate(zip(wide[::2], wide[1::2], strict=False)):
        first, second = pair
        values[2:, pair] = 2
        values[1, pair] = 1
        values[2 : 1 + some, first] = 0
        values[1 + some : 2 * some, second] = 0
        before, after = (0, 1) if number % 2 == 0 else (1, 0)
        values[0, pair], new[list(pair)] = before, after
    return _with_first(data, values, new)


def _with_first(data: Observations, values: Ints, new: Ints) -> tuple[Observations, Observations]:
    """Observations with `values` (n, p), and a neighbour whose first record is `new` (p,)."""
    left = replace(data, values=values)
    return left, replace(left, values=np.vstack([new, values[1:]]))
