"""The disparate-impact remover: features whose values no longer tell the groups apart.

Source: Feldman et al. 2015, as ficiu2023 uses it. In each column, each group has a list of its
distinct values. The lists are cut into as many pieces as the shorter list has values. Pieces with
the same number get the same target, the smaller of their lower medians. How often a value occurs
plays no part: one record can decide which values a group has, and so the features of all others.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp


def repaired(X: dp.Floats, protected: dp.Ints, *, level: float) -> dp.Floats:
    """The features, each moved by the share `level` of the way to its target, (n, d).

    Args:
        X: The features, (n, d).
        protected: The group of each record, (n,).
        level: The share of the way, from 0 (nothing changes) to 1 (every value is its target).

    >>> X = np.array([[0.0], [0.4], [0.2], [0.6]])
    >>> repaired(X, np.array([0, 0, 1, 1]), level=1.0).ravel().tolist()
    [0.0, 0.4, 0.0, 0.4]
    """
    if level == 0 or not len(X):
        return X
    groups = [protected == group for group in np.unique(protected)]
    columns = [_repaired_column(column, groups, level) for column in X.T]
    return np.stack(columns, axis=1) if columns else X


def _repaired_column(column: dp.Floats, groups: list[dp.Floats], level: float) -> dp.Floats:
    """One column after the repair, (n,); `groups` are the masks of the groups, (n,) each."""
    values = [np.unique(column[members]) for members in groups]  # sorted, without repetitions
    # every piece of every group has at least one value
    pieces = min(len(known) for known in values)
    starts = [_starts(len(known), pieces) for known in values]
    medians = [
        known[(first + np.append(first[1:], len(known)) - 1) // 2]
        for known, first in zip(values, starts, strict=True)
    ]
    targets = np.min(medians, axis=0)  # (pieces,)
    # inputs are never changed
    moved = column.copy()
    for members, known, first in zip(groups, values, starts, strict=True):
        # exact, since each value of a group is among its known ones
        place = np.searchsorted(known, column[members])
        target = targets[np.searchsorted(first, place, side="right") - 1]
        moved[members] += level * (target - moved[members])
    return moved


def _starts(size: int, pieces: int) -> dp.Ints:
    """The index of the first of `size` values in each of `pieces` pieces, (pieces,).

    Piece q starts at q size / pieces, which is summed in floating point and rounded half to even.
    """
    offsets = np.concatenate([[0.0], np.cumsum(np.full(pieces - 1, size / pieces))])
    return np.asarray(np.rint(offsets), dtype=np.int64)
