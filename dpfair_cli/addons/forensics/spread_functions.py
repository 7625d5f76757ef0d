"""Deviations or half-widths of bands that are an exact function of epsilon."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations, product, zip_longest

import numpy as np

from dpfair_cli.addons.forensics.chances import relative_error_of_deviation, step_of_deviation
from dpfair_cli.addons.forensics.declaration import Bands
from dpfair_cli.addons.forensics.finding import CheckedNumbers, Kind
from dpfair_cli.addons.forensics.printed import PrintedCell, PrintedPaper, Rounded, groups
from dpfair_cli.contracts.arrays import Floats

FEWEST = 4  # spreads
RUNS = 30  # assumed for a band of a single run or of an unknown number
SLACK = 1e-9  # of floating-point arithmetic, as a share of a spread
FORMS: Mapping[str, Sequence[Callable[[float], float]]] = {
    "c": [lambda epsilon: 1.0],
    "c / epsilon": [lambda epsilon: 1 / epsilon],
    "c / sqrt(epsilon)": [lambda epsilon: epsilon**-0.5],
    "a + b / epsilon": [lambda epsilon: 1.0, lambda epsilon: 1 / epsilon],
}


@dataclass(frozen=True)
class _Point:
    """The spread at one epsilon."""

    cell: PrintedCell
    width: Rounded  # the spread

    @property
    def runs(self) -> int:
        """The number of runs on which the spread is taken to rest."""
        return self.cell.runs if self.cell.runs > 1 else RUNS

    @property
    def step(self) -> float | None:
        """The distance between neighbouring values of the spread; None if unknown."""
        return step_of_deviation(self.cell, self.width.value, self.runs)


def check_spreads(paper: PrintedPaper) -> Iterator[CheckedNumbers]:
    """Yields tests for each method and score: at one setting, then over all its settings."""
    sources: list[tuple[str, Callable[[PrintedCell], Rounded | None]]] = [
        ("the standard deviation", lambda cell: cell.std)
    ]
    ends = {_identity(one): one for one in paper.cells}
    for bands in paper.declaration.bands:
        for side, end in (("lower", bands.lower), ("upper", bands.upper)):
            name = f"the {side} half of the band"
            sources.append((name, partial(_half_width, bands=bands, end=end, ends=ends)))
    private = [one for one in paper.cells if one.uses_epsilon]
    for name, width in sources:
        known = [_Point(one, w) for one in private if (w := width(one))]
        for points in groups(known, lambda one: _method(one.cell)).values():
            lines = groups(points, lambda one: one.cell.setting)
            for line in lines.values():
                yield from _tests(name, line)
            if len(lines) > 1:
                yield from _tests(f"{name}, over all settings,", points)


def _identity(cell: PrintedCell) -> tuple[object, ...]:
    """What identifies a cell, so that the ends of its band can be found."""
    one = cell.published
    return one.artefact, one.dataset, one.method, one.metric, cell.setting, cell.epsilon


def _method(cell: PrintedCell) -> tuple[object, ...]:
    """What the cells of a method and score have in common over settings and epsilons."""
    one = cell.published
    return one.artefact, one.dataset, one.method, one.metric


def _half_width(
    cell: PrintedCell, bands: Bands, end: str, ends: Mapping[tuple[object, ...], PrintedCell]
) -> Rounded | None:
    """The distance of a mean from one end of its band; None if the paper prints no band.

    Args:
        cell: The cell with the mean.
        bands: The declared bands.
        end: The score whose cells have this end of the bands.
        ends: All cells by their identity.
    """
    if not bands.fits(cell.published):
        return None
    other = ends.get((*_method(cell)[:-1], end, cell.setting, cell.epsilon))
    if other is None:
        return None
    distance = abs(other.mean.value - cell.mean.value)
    return Rounded(distance, other.mean.half + cell.mean.half)


def _tests(name: str, points: Sequence[_Point]) -> Iterator[CheckedNumbers]:
    """Yields a test for each form, if enough spreads are known and not all means are the same.

    After the first form that fits, the others have the chance 1: a form may contain another.
    """
    if len({one.cell.mean.value for one in points}) == 1:
        return
    # a spread of 0, or one that changes in unknown steps, has no chance that could be bounded
    if any(one.width.low <= 0 or one.step is None for one in points):
        return
    ordered = _in_rounds(points)
    distinct = len({one.cell.epsilon for one in points})
    cells = [one.cell for one in ordered]
    is_found = False
    for form, terms in FORMS.items():
        if len(points) >= FEWEST and distinct > len(terms):
            chance = 1.0 if is_found else _chance(ordered, terms)
            what = f"{name} is {form} to the last digit in {len(points)} cells"
            yield CheckedNumbers(Kind.FUNCTION, cells, chance, what)
            is_found = is_found or chance < 1


def _in_rounds(points: Sequence[_Point]) -> list[_Point]:
    """The points in an order in which the first ones have different epsilons."""
    in_order = sorted(points, key=lambda one: one.cell.epsilon)
    by_epsilon = groups(in_order, lambda one: one.cell.epsilon)
    rounds = zip_longest(*by_epsilon.values())
    return [one for one in chain.from_iterable(rounds) if one]


def _chance(points: Sequence[_Point], terms: Sequence[Callable[[float], float]]) -> float:
    """The chance that estimated spreads are such a function; 1 if they are not.

    Each spread must fall into the interval that the spreads before it allow. The estimate from k
    runs has a density of at most 1 / (sqrt(2 pi) r s), with the relative standard error r.
    """
    epsilons = [one.cell.epsilon for one in points]
    values = np.column_stack([list(map(term, epsilons)) for term in terms])  # (epsilons, terms)
    widths = [one.width for one in points]
    chance = 1.0
    for number in range(len(terms), len(points)):
        allowed = _functions(values[:number], widths[:number]) @ values[number]
        if not len(allowed):
            return 1.0
        one = points[number]
        error = relative_error_of_deviation(one.runs) * one.width.value
        room = float(np.ptp(allowed)) + one.width.width + (one.step or 0.0)
        chance *= min(1.0, room / (math.sqrt(2 * math.pi) * error))
    return chance if len(_functions(values, widths)) else 1.0


def _functions(values: Floats, widths: Sequence[Rounded]) -> Floats:
    """The corners of the set of functions that fit all spreads, (corners, terms); empty: none fits.

    `values` has the terms at each epsilon, (epsilons, terms). A function is given by its
    coefficients. At a corner, as many spreads as there are terms are at an end of their interval.
    """
    terms = values.shape[1]
    low, high = np.array([(one.low, one.high) for one in widths]).T
    corners = []
    for chosen in combinations(range(len(values)), terms):
        rows = [*chosen]
        if abs(np.linalg.det(values[rows])) < SLACK:
            continue  # the same epsilon twice
        ends = np.array([*product(*((low[k], high[k]) for k in rows))])  # (2^terms, terms)
        corners.append(np.linalg.solve(values[rows], ends.T).T)
    found = np.concatenate(corners)
    there = found @ values.T
    slack = SLACK * high
    fits = ((low - slack <= there) & (there <= high + slack)).all(axis=1)
    return np.asarray(found[fits])
