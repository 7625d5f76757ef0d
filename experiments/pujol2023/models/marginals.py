"""Distances between the marginals of two tables, as the notebooks of pujol2023 compute them."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

import dpfair_cli.plugin as dp

from .stored_tables import LEVELS

MOST_CELLS = 10_000  # of a marginal that is compared
SIZES = tuple(LEVELS.values())


def marginal_columns(ways: int) -> list[tuple[int, ...]]:
    """The groups of `ways` columns whose marginal has at most MOST_CELLS cells."""
    groups = combinations(range(len(SIZES)), ways)
    return [group for group in groups if math.prod(SIZES[j] for j in group) <= MOST_CELLS]


def marginal(table: dp.Ints, columns: tuple[int, ...]) -> dp.Ints:
    """The number of records (n, 14) in each cell of the marginal of some columns, (cells,)."""
    sizes = [SIZES[j] for j in columns]
    cells = np.ravel_multi_index(tuple(table[:, j] for j in columns), sizes)
    return np.bincount(cells, minlength=math.prod(sizes))


def total_variation(one: dp.Floats | dp.Ints, other: dp.Floats | dp.Ints) -> float:
    """Half of the sum of the absolute differences of two vectors."""
    return float(np.abs(one - other).sum() / 2)


def marginal_distances(one: dp.Ints, other: dp.Ints, ways: int) -> dict[str, float]:
    """The distance of shares, a mean over marginals, and that of counts, a sum over marginals."""
    groups = marginal_columns(ways)
    pairs = [(marginal(one, group), marginal(other, group)) for group in groups]
    shares = [total_variation(a / a.sum(), b / b.sum()) for a, b in pairs]
    counts = [total_variation(a, b) for a, b in pairs]
    name = f"tv_distance_{ways}way"
    return {name: sum(shares) / len(groups), f"{name}_counts": float(sum(counts))}


def association(pair: dp.Ints) -> float:
    """The notebooks' function CramerV of two columns of codes, (n, 2).

    The function takes the records themselves as a table of counts with n rows and 2 columns, in
    which it replaces 0 by 1. Cramér's V is of the cross table of the two columns.
    """
    values = np.where(pair == 0, 1, pair)
    total = values.sum()
    expected = np.outer(values.sum(axis=1), values.sum(axis=0)) / total
    chi2 = ((values - expected) ** 2 / expected).sum()
    return math.sqrt(max(0.0, chi2 / total - 1 / (total - 1)) / (1 - 1 / (total - 1)))


def association_distances(one: dp.Ints, other: dp.Ints) -> dict[str, float]:
    """Half of the absolute differences of `association`: the mean over pairs, and the sum."""
    groups = [list(group) for group in marginal_columns(2)]
    found = sum(
        abs(association(one[:, group]) - association(other[:, group])) / 2 for group in groups
    )
    return {"cramers_v_distance": found / len(groups), "cramers_v_distance_counts": found}
