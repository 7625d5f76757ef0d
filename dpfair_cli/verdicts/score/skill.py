"""Skill of a table: how much nearer our means are than if the names of the methods were mixed up.

A table can have many cells that agree because all methods have nearly the same value. Its skill
compares our means with the published values of the right methods and with those of shuffled
methods: 1 if all our means equal the published values, 0 if they are as near as to the values of
methods drawn at random in the same place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.rivals import are_in_one_place

CAP = 10  # margins: a larger distance counts as so much, so that one cell does not decide
SHUFFLES = 10_000
SEED = 0  # of the shuffles, so that a page has the same p-value each time

Distances = NDArray[np.float64]  # of one place: our mean of method i to the value of method j


@dataclass(frozen=True)
class Skill:
    """The skill of a table, and the test whether the table tells its methods apart."""

    value: float
    """1 - A / B: A is the sum of our distances, B its mean over shuffles of the methods."""

    p_value: float
    """The share of shuffles whose sum of distances is at most ours."""

    places: int
    """The number of places with several methods."""


def skill(cells: Sequence[JudgedCell]) -> Skill | None:
    """The skill of the compared cells of a table; None without a place with several methods.

    Distances are in margins, and at most CAP. The names of the methods are shuffled in each place
    independently; a baseline without epsilon takes part at each epsilon.
    """
    tables = [_distances(place) for place in _places(cells)]
    if not tables:
        return None
    ours = sum(float(np.trace(table)) for table in tables)
    mixed = sum(float(table.mean(axis=1).sum()) for table in tables)
    value = 1 - ours / mixed if mixed else 0.0
    return Skill(value, _share_as_near(tables, ours), len(tables))


def _places(cells: Iterable[JudgedCell]) -> list[list[JudgedCell]]:
    """The cells of each place that has several methods.

    A place has the parameters of a cell that no other cell of the same data set and score refines.
    """
    groups: dict[tuple[str, str], list[JudgedCell]] = {}
    for cell in cells:
        if cell.default and cell.verdict.is_compared:
            groups.setdefault((cell.published.dataset, cell.published.metric), []).append(cell)
    places = []
    for group in groups.values():
        names = {frozenset(cell.published.parameters.items()) for cell in group}
        finest = sorted(
            (one for one in names if not any(one < other for other in names)), key=sorted
        )
        for setting in finest:
            place = [
                cell for cell in group if are_in_one_place(dict(setting), cell.published.parameters)
            ]
            places += [place] if len(place) > 1 else []
    return places


def _distances(place: Sequence[JudgedCell]) -> Distances:
    """The distance of each of our means to each published value of a place, in margins."""
    ours = np.array([cell.default.ours.mean for cell in place if cell.default])
    published = np.array([cell.sample.mean for cell in place])
    margins = np.array([cell.default.comparison.margin for cell in place if cell.default])
    apart = np.abs(ours[:, None] - published[None, :])
    scaled = np.divide(
        apart, margins[:, None], out=np.full_like(apart, CAP), where=margins[:, None] > 0
    )
    return np.asarray(np.minimum(scaled, CAP))


def _share_as_near(tables: Sequence[Distances], ours: float) -> float:
    """The share of SHUFFLES, and of the right order, whose distances add up to at most `ours`."""
    rng = np.random.default_rng(SEED)
    sums = np.zeros(SHUFFLES)
    for table in tables:
        order = rng.permuted(np.tile(np.arange(len(table)), (SHUFFLES, 1)), axis=1)
        sums += table[np.arange(len(table)), order].sum(axis=1)
    as_near = int(np.count_nonzero(sums <= ours + 1e-9))
    return (as_near + 1) / (SHUFFLES + 1)
