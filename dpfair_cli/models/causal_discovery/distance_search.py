"""The distance of Equation 4.1 by search: exact for small tables, a greedy upper bound for any.

Source: xu2021, Equation 4.1, which does not say how the least number of records is found.

The neighbours of a table are all tables with one record moved to another cell, and a distance is a
number of such moves. The exact search stops at a radius that depends only on the number of cells,
so that stopping reveals nothing about the records. The greedy distance does not have sensitivity 1:
the table 4, 0, 17, 1 has the greedy distance 9, and the neighbour 3, 1, 17, 1 has the distance 1.
"""

from __future__ import annotations

from math import comb

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.models.causal_discovery.distance_score import certified, collapsed, gain
from dpfair_cli.models.causal_discovery.independence import g_squared

SEARCHED = 10_000  # largest number of tables at one distance; bounds the time, our choice
STRIDE = 16  # a greedy step moves 1/16 of the records that have been moved so far, at least 1

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
    """Whether G^2 has reached the critical value (sign 1) or fallen below it (sign -1).

    `counts` (strata, rows, columns) is the table of which G^2 is computed.
    """
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
    """All tables (m, cells) that differ from `start` in the places of `distance` records.

    The tables are computed from those at distance - 1, which are `tables`.
    """
    cells = len(start)
    source, target = np.nonzero(~np.eye(cells, dtype=bool))
    moves = np.eye(cells)[target] - np.eye(cells)[source]  # (cells (cells - 1), cells)
    found = (tables[:, None] + moves).reshape(-1, cells)
    kept = (found.min(axis=1) >= 0) & (np.abs(found - start).sum(axis=1) == 2 * distance)
    return np.unique(found[kept], axis=0)
