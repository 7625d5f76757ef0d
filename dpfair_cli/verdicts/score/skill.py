"""Skill of a table: how much nearer our means are than if the names of the methods were mixed up.

A table can have many cells that agree because all methods have nearly the same value. Its skill
compares our means with the published values of the right methods and with those of shuffled
methods: 1 if all our means equal the published values, 0 if they are as near as to the values of
methods drawn at random in the same place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.rivals import are_in_one_place

CAP = 10  # margins: a larger distance counts as so much, so that one cell does not decide
SHUFFLES = 10_000
SEED = 0  # of the shuffles, so that a page has the same p-value each time
SIGNIFICANT = 0.05  # the largest p-value with which a table counts as told apart
ROUNDING = 1e-9

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Place:
    """The compared cells of several methods with one data set, score and setting."""

    methods: tuple[str, ...]
    ours: Floats  # our means, (methods,)
    published: Floats  # (methods,)
    margins: Floats  # of equivalence, (methods,)

    @property
    def distances(self) -> Floats:
        """The distance of each of our means to each published one, in margins, at most CAP."""
        apart = np.abs(self.ours[:, None] - self.published[None, :])
        largest = np.full_like(apart, CAP)
        has_margin = self.margins[:, None] > 0
        scaled = np.divide(apart, self.margins[:, None], out=largest, where=has_margin)
        return np.asarray(np.minimum(scaled, CAP))


@dataclass(frozen=True)
class Skill:
    """The skill of a table, and the test whether the table tells its methods apart."""

    value: float  # 1 - A / B: A is the sum of our distances, B its mean over shuffles
    p_value: float  # share of shuffles whose sum of distances is at most ours
    cells: int  # in places with several methods
    near: int  # our means at most a margin from their published values
    near_without_runs: int  # the same if we printed the mean of the other methods' values
    exchange: str = ""  # "A and B", which exchanged are nearer; empty if none are

    @property
    def is_told_apart(self) -> bool:
        """Whether our means are nearer than by chance to the values of the right methods."""
        return self.p_value <= SIGNIFICANT


def skill(cells: Sequence[JudgedCell]) -> Skill | None:
    """The skill of the compared cells of a table; None without a place with several methods.

    The names of the methods are shuffled in each place independently; a baseline without epsilon
    takes part at each epsilon.
    """
    places = _places(cells)
    tables = [place.distances for place in places]
    if not tables:
        return None
    ours = sum(float(np.trace(table)) for table in tables)
    mixed = sum(float(table.mean(axis=1).sum()) for table in tables)
    return Skill(
        value=1 - ours / mixed if mixed else 0.0,
        p_value=_share_as_near(tables, ours),
        cells=sum(map(len, tables)),
        near=sum(int((np.diag(table) <= 1 + ROUNDING).sum()) for table in tables),
        near_without_runs=sum(map(_near_without_runs, places)),
        exchange=_best_exchange(places, ours),
    )


def _places(cells: Iterable[JudgedCell]) -> list[Place]:
    """The places of a table that have several methods.

    A setting is one that no other setting of the same data set and score refines. A method with
    several cells that fit a setting, which differ in parameters that the setting does not name, is
    left out of this place, so that each method occurs once.
    """
    groups: dict[tuple[str, str], list[JudgedCell]] = {}
    for cell in cells:
        if cell.default and cell.verdict.is_compared:
            groups.setdefault((cell.published.dataset, cell.published.metric), []).append(cell)
    places = []
    for group in groups.values():
        for setting in finest_settings(
            frozenset(cell.published.parameters.items()) for cell in group
        ):
            fits = [c for c in group if are_in_one_place(dict(setting), c.published.parameters)]
            named = Counter(cell.published.method for cell in fits)
            own = [cell for cell in fits if named[cell.published.method] == 1]
            if len(own) > 1:
                places.append(_place(own))
    return places


def finest_settings(
    settings: Iterable[frozenset[tuple[str, object]]],
) -> list[frozenset[tuple[str, object]]]:
    """The settings that no other setting refines, in an order that does not depend on hashes."""
    known = set(settings)
    return sorted(
        (one for one in known if not any(one < other for other in known)),
        key=lambda one: sorted(map(repr, one)),
    )


def _place(cells: Sequence[JudgedCell]) -> Place:
    defaults = [cell.default for cell in cells if cell.default]
    return Place(
        tuple(cell.published.method for cell in cells),
        np.array([one.ours.mean for one in defaults]),
        np.array([cell.sample.mean for cell in cells]),
        np.array([one.comparison.margin for one in defaults]),
    )


def _share_as_near(tables: Sequence[Floats], ours: float) -> float:
    """The share of SHUFFLES, and of the right order, whose distances add up to at most `ours`."""
    rng = np.random.default_rng(SEED)
    sums = np.zeros(SHUFFLES)
    for table in tables:
        order = rng.permuted(np.tile(np.arange(len(table)), (SHUFFLES, 1)), axis=1)
        sums += table[np.arange(len(table)), order].sum(axis=1)
    as_near = int(np.count_nonzero(sums <= ours + ROUNDING))
    return (as_near + 1) / (SHUFFLES + 1)


def _near_without_runs(place: Place) -> int:
    """The number of published values near the mean of the other methods' values in a place."""
    others = (place.published.sum() - place.published) / (len(place.methods) - 1)
    return int((np.abs(others - place.published) <= place.margins + ROUNDING).sum())


def _best_exchange(places: Sequence[Place], ours: float) -> str:
    """The two methods whose exchange in all places reduces the sum of distances `ours` most."""
    sums: dict[str, float] = {}
    for place in places:
        table, at = place.distances, _positions(place)
        for one, other in combinations(sorted(at), 2):
            i, j = at[one], at[other]
            gain = table[i, i] + table[j, j] - table[i, j] - table[j, i]
            name = f"{one} and {other}"
            sums[name] = sums.get(name, 0.0) + float(gain)
    best = max(sums, key=lambda name: sums[name], default="")
    return best if best and sums[best] > ROUNDING * max(ours, 1.0) else ""


def _positions(place: Place) -> Mapping[str, int]:
    """The position of each method in a place."""
    return {method: k for k, method in enumerate(place.methods)}
