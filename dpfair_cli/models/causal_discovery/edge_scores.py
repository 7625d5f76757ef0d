"""The distance scores of an edge: how many records must change to reverse each independence test.

Source: xu2021, Equations 4.1 to 4.4, which do not say how this number is found. The certified lower
bound is ours. The proof, which defines O, R, Q, Z, g, D, L_u and s, is in
mechanisms/sensitivity/verdict_distance.py.

The neighbours of a table are all tables with one record moved to another cell, and a distance is a
number of such moves. The exact search stops at a radius that depends only on the number of cells,
so that stopping reveals nothing about the records. The greedy distance does not have sensitivity 1:
the table 4, 0, 17, 1 has the greedy distance 9, and the neighbour 3, 1, 17, 1 has the distance 1.

The score of a conditioning set is the distance of the G^2 test with this set. "certified" and
"exact" score every conditioning set, and the maximum of scores of sensitivity 1 has sensitivity 1.
"published" scores only the set with the largest p-value, as Algorithm 4 does. One record can change
which set has the largest p-value, and the distance of another set can be any number. Therefore the
sensitivity of the score "published" is not bounded.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import comb, prod, sqrt
from typing import Literal

import numpy as np
from scipy.special import chdtri, xlogy

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.contingency import Tables, counted
from dpfair_cli.models.causal_discovery.independence import TablesG2, g_squared

FIRST_STEPS = (
    16  # terms of the sum of L_u that are computed first; doubled until the gap is reached
)
EVERY_SPLIT = 6  # up to 6 levels all splits in two are tried, beyond only one level against others
SEARCHED = 10_000  # largest number of tables at one distance; bounds the time, our choice
STRIDE = 16  # a greedy step moves 1/16 of the records that have been moved so far, at least 1


def signed(distance: float, statistic: float, critical: float) -> float:
    """The score of a G^2 test, positive if the test accepts independence.

    The score is distance - 1/2 if the test accepts and 1/2 - distance otherwise, where `distance`
    is the number of records that must change until the test decides otherwise. The test accepts if
    `statistic` is below the `critical` value.
    """
    return distance - 0.5 if statistic < critical else 0.5 - distance


def certified(table: Floats, critical: float) -> float:
    """A lower bound of the number of records that must change until the G^2 test decides otherwise.

    The bound lies between 1 and the number of records. If no change of records reverses the
    decision, the bound is at most the number of records all the same.

    Args:
        table: counts, (strata, rows, columns).
        critical: the critical value of G^2.
    """
    statistic = float(g_squared(table))
    near = float(_crossing(table, abs(critical - statistic)))
    if statistic < critical:
        return near
    return max(near, (_dependence(table) - sqrt(critical * table.sum())) / 2)


def collapsed(table: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The counts O, R, Q, Z to which a table (strata, rows, columns) collapses around each cell.

    O is the count of the cell; R, Q and Z are the counts of the rest of its row, of its column and
    of its stratum.
    """
    row, column = table.sum(axis=-1, keepdims=True), table.sum(axis=-2, keepdims=True)
    total = row.sum(axis=-2, keepdims=True)
    return table, row - table, column - table, total - row - column + table


def gain(o: Floats, r: Floats, q: Floats, z: Floats) -> Floats:
    """The gain g of each cell, half of the increase of G^2 if the cell gets one more record."""
    whole = _difference(o + r + q + z)
    return np.asarray(_difference(o) - _difference(o + r) - _difference(o + q) + whole)


def _difference(x: Floats) -> Floats:
    """The function (x + 1) ln(x + 1) - x ln x."""
    return np.asarray(xlogy(x + 1, x + 1) - xlogy(x, x))


def _crossing(table: Floats, gap: float) -> int:
    """The least t with L_0 + ... + L_{t-1} >= gap, between 1 and the number of records."""
    records = max(int(table.sum()), 1)
    blocks = [block.ravel() for block in collapsed(table)]
    done, total, steps = 0, 0.0, FIRST_STEPS
    while done < records:
        u = np.arange(done, min(done + steps, records), dtype=float)
        sums = total + np.cumsum(_steepest(blocks, u))
        if sums[-1] >= gap:
            return done + 1 + int(np.searchsorted(sums, gap))
        done, total, steps = done + len(sums), float(sums[-1]), 2 * steps
    return records


def _dependence(table: Floats) -> float:
    """The sum over strata of the largest distance of the stratum to independence.

    Rows and columns are merged in all ways to four counts a, b, c, d, whose distance is |a d - b c|
    / max(a, b, c, d).
    """
    rows, columns = _splits(table.shape[1]), _splits(table.shape[2])
    a = np.einsum("xi,kij,yj->kxy", rows, table, columns, optimize=True)
    row, column = table.sum(axis=2) @ rows.T, table.sum(axis=1) @ columns.T  # (strata, splits)
    b, c = row[:, :, None] - a, column[:, None, :] - a
    d = table.sum(axis=(1, 2))[:, None, None] - a - b - c
    largest = np.maximum(np.maximum(a, b), np.maximum(c, d))
    return float((np.abs(a * d - b * c) / np.maximum(largest, 1)).max(axis=(1, 2)).sum())


@cache
def _splits(levels: int) -> Floats:
    """Ways to split the levels of a variable in two parts, (splits, levels)."""
    if levels > EVERY_SPLIT:
        return np.eye(levels)
    splits = list(product((0.0, 1.0), repeat=levels))[1 : 2 ** (levels - 1)]
    return np.array(splits) if splits else np.ones((1, levels))


def _steepest(blocks: list[Floats], u: Floats) -> Floats:
    """The bounds L_u of the change of G^2 by one replacement after u others, (steps,)."""
    low = [np.maximum(block - u[:, None] - 1, 0) for block in blocks]  # (steps, cells)
    high = [block + u[:, None] for block in blocks]
    steepest = _largest_gain(low, high).max(axis=1) - _smallest_gain(low, high).min(axis=1)
    return np.asarray(2 * steepest)


def _smallest_gain(low: list[Floats], high: list[Floats]) -> Floats:
    """The least gain g of cells whose counts O, R, Q, Z are between `low` and `high`.

    g falls in R and Q, grows in Z, and first grows and then falls in O.
    """
    rest = high[1], high[2], low[3]
    return np.minimum(gain(low[0], *rest), gain(high[0], *rest))


def _largest_gain(low: list[Floats], high: list[Floats]) -> Floats:
    """The largest gain g of cells whose counts O, R, Q, Z are between `low` and `high`, or a bound.

    g at O is the mean of the slope h over [O, O + 1], and at most the maximum of h. Larger ranges
    of the counts never have a smaller bound, as the proof needs, because the place of the maximum
    falls in Z and grows in R and Q.
    """
    r, q, z = low[1], low[2], high[3]
    peak = _peak(r, q, z)
    slope = _slope(np.clip(peak, low[0], high[0] + 1), r, q, z)
    whole = _difference(high[0] + high[1] + high[2] + high[3])  # g is at most D of the stratum
    return np.where(high[0] + 1 <= peak, gain(high[0], r, q, z), np.minimum(slope, whole))


def _slope(o: Floats, r: Floats, q: Floats, z: Floats) -> Floats:
    """The slope h = ln(o (o + r + q + z) / ((o + r) (o + q))), half of the slope of G^2."""
    o = np.maximum(o, 1e-9)
    return np.asarray(np.log(o) + np.log(o + r + q + z) - np.log(o + r) - np.log(o + q))


def _peak(r: Floats, q: Floats, z: Floats) -> Floats:
    """The count o of a cell at which the slope of G^2 as a function of o is largest.

    The derivative of the slope has the sign of r q (r + q + z) + 2 r q o - z o^2, which changes
    once, from plus to minus.
    """
    root = np.sqrt(r * q * (r * q + z * (r + q + z)))
    return np.where(z > 0, (r * q + root) / np.maximum(z, 1), np.inf)


Cell = tuple[np.intp, ...]


def exact(table: Floats, critical: float) -> float:
    """The number of records that must change until the G^2 test decides otherwise, up to a radius.

    `table` has counts (strata, rows, columns). If the distance is larger than `radius(cells)`, the
    result is the larger of radius + 1 and the certified bound. Since both have sensitivity 1, their
    maximum has sensitivity 1.
    """
    farthest, independent = radius(table.size), g_squared(table) < critical
    tables = table.reshape(1, -1)
    for distance in range(1, farthest + 1):
        tables = _moved(tables, table.ravel(), distance)
        if ((g_squared(tables.reshape(-1, *table.shape)) < critical) != independent).any():
            return float(distance)
    return max(farthest + 1, certified(table, critical))


def radius(cells: int) -> int:
    """The largest distance at which at most SEARCHED contingency tables lie.

    Distances are from a table with `cells` cells. There are C(cells + t - 1, t) ways to take t
    records from the cells, and as many ways to put them into cells.
    """
    t = 0
    while t < SEARCHED and comb(cells + t, t + 1) ** 2 <= SEARCHED:
        t += 1
    return t


def greedy(table: Floats, critical: float) -> float:
    """The number of records that a greedy search moves until the G^2 test decides otherwise.

    This number is an upper bound of the least number of records that must change. `table` has
    counts (strata, rows, columns). Each step takes records from the cell for which taking changes
    G^2 most, and adds them to the cell for which adding changes G^2 most. No cell both loses and
    gains records, and the search therefore ends.
    """
    counts, moved, stride = table.copy(), 0, 1
    sign = 1 if g_squared(table) < critical else -1
    while (move := _move(counts, table, sign)) is not None:
        source, target = move
        step = int(min(stride, counts[source]))
        while step > 1 and _crosses(_after(counts, source, target, step), critical, sign):
            step //= 2
        counts, moved = _after(counts, source, target, step), moved + step
        if _crosses(counts, critical, sign):
            return float(moved)
        stride = max(1, moved // STRIDE)
    return _until_constant(table) if sign < 0 else float(max(table.sum(), 1))


def _until_constant(table: Floats) -> float:
    """The number of records that a greedy search moves until G^2 is 0.

    G^2 is 0 if, in each stratum of the table (strata, rows, columns), all records are in one row or
    one column.
    """
    kept = np.maximum(table.sum(axis=2).max(axis=1), table.sum(axis=1).max(axis=1))
    return float(max(table.sum() - kept.sum(), 1))


def _crosses(counts: Floats, critical: float, sign: int) -> bool:
    """Whether G^2 has reached the critical value (sign 1) or fallen below it (sign -1)."""
    return bool(g_squared(counts) < critical) == (sign < 0)


def _move(counts: Floats, start: Floats, sign: int) -> tuple[Cell, Cell] | None:
    """The cells from and to which a record is moved to raise G^2 (sign 1) or to lower it (sign -1).

    None if no move is allowed.
    """
    o, r, q, z = collapsed(counts)
    taken = np.where((o > 0) & (o <= start), sign * gain(np.maximum(o - 1, 0), r, q, z), np.inf)
    source = np.unravel_index(np.argmin(taken), counts.shape)
    left = counts.copy()
    left[source] -= 1
    put = np.where(left >= start, sign * gain(*collapsed(left)), -np.inf)
    target = np.unravel_index(np.argmax(put), counts.shape)
    return (source, target) if np.isfinite(taken[source]) and np.isfinite(put[target]) else None


def _after(counts: Floats, source: Cell, target: Cell, step: int) -> Floats:
    """The counts after `step` records were moved from the cell `source` to the cell `target`."""
    after = counts.copy()
    after[source] -= step
    after[target] += step
    return after


def _moved(tables: Floats, start: Floats, distance: int) -> Floats:
    """All tables (m, cells) that differ from `start` in the places of `distance` records."""
    cells = len(start)
    source, target = np.nonzero(~np.eye(cells, dtype=bool))
    moves = np.eye(cells)[target] - np.eye(cells)[source]  # (cells (cells - 1), cells)
    found = (tables[:, None] + moves).reshape(-1, cells)
    kept = (found.min(axis=1) >= 0) & (np.abs(found - start).sum(axis=1) == 2 * distance)
    return np.unique(found[kept], axis=0)


Score = Literal["certified", "exact", "published"]
"""The kind of distance: a certified lower bound, exact, or the published one by greedy search."""


class EdgeScores:
    """Cached signed distances of the G^2 test, positive where the test says independent.

    Args:
        tables: the counts.
        significance: the level of the test.
        score: the name of the distance.
        records_per_freedom: the number of records for each degree of freedom below which the test
            says independent.
    """

    def __init__(
        self, tables: Tables, significance: float, score: Score, records_per_freedom: float
    ) -> None:
        self._tables, self._significance, self._score = tables, significance, score
        self._distance = {"certified": certified, "exact": exact, "published": greedy}[score]
        self._enough = records_per_freedom
        self._test = TablesG2(tables, records_per_freedom=records_per_freedom)
        self._memory: dict[tuple[int, ...], float] = {}

    def score_sets(self, i: int, j: int, sets: Ints) -> Floats:
        """The scores (m,) of separating variables i and j by each row of `sets` (m, order).

        The score is -inf where no score is defined.
        """
        # scores are symmetric: one key for both orders
        i, j = min(i, j), max(i, j)
        if self._score != "published":
            return np.array([self._remembered(i, j, given) for given in sets.tolist()])
        questions = np.concatenate([np.broadcast_to([i, j], (len(sets), 2)), sets], axis=1)
        # the paper takes the set with the largest p-value, and its distance alone
        best = int(np.argmax(self._test.p_values(questions)))
        scores = np.full(len(sets), -np.inf)
        scores[best] = self._remembered(i, j, sets[best].tolist())
        return scores

    def _remembered(self, i: int, j: int, given: list[int]) -> float:
        key = (i, j, *given)
        if key not in self._memory:
            self._memory[key] = self._computed(i, j, tuple(given))
        return self._memory[key]

    def _computed(self, i: int, j: int, given: tuple[int, ...]) -> float:
        levels = self._tables.levels
        freedom = (levels[i] - 1) * (levels[j] - 1) * prod(levels[k] for k in given)
        if freedom == 0 or self._tables.records < self._enough * freedom:
            return self._tables.records - 0.5  # no change of records makes the test reject
        table = self._tables.table(i, j, given)
        critical = float(chdtri(freedom, self._significance))
        return signed(self._distance(table, critical), float(g_squared(table)), critical)


@once_per_records
def edge_scores(
    observations: Observations, significance: float, score: Score, records_per_freedom: float
) -> EdgeScores:
    """The scores of the independence of categorical variables, computed when needed."""
    return EdgeScores(counted(observations), significance, score, records_per_freedom)


def with_jump(scores: Floats) -> Floats:
    """The scores as in Equation 4.1 of xu2021, which jump from +1 to -1 between neighbours.

    The sign is opposite to the sign in Equation 4.1: positive scores mean independence.
    """
    return scores + 0.5 * np.sign(scores)


def number_scores(scores: Floats) -> Floats:
    """The scores of removing 0, 1, ..., m edges, (m + 1,), for edges with the scores (m,).

    Equations 4.2 to 4.4 of xu2021 print these scores, called q2, as a list of cases for integer
    distances d(1) >= ... >= d(m). In every case q2 of t edges is min(s(t), -s(t + 1)) - 1/2. Here s
    = d - sign(d) / 2 are the sorted `scores`, s(0) = inf and s(m + 1) = -inf. Sorting and taking
    the minimum keep the sensitivity 1.
    """
    # with ends at infinity, removing none and removing all have a score too
    ranked = np.concatenate([[np.inf], np.sort(scores)[::-1], [-np.inf]])
    return np.asarray(np.minimum(ranked[:-1], -ranked[1:]) - 0.5)
