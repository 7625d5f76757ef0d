"""Deviations or half-widths of bands that are an exact function of epsilon."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.forensics.chances import relative_error_of_deviation, step_of_deviation
from dpfair_cli.forensics.declaration import Bands
from dpfair_cli.forensics.finding import Kind, Test
from dpfair_cli.forensics.printed import PrintedCell, PrintedPaper, groups
from dpfair_cli.forensics.rounded import Rounded

FEWEST = 4  # epsilons
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
    """The cell."""

    width: Rounded
    """The spread."""

    @property
    def runs(self) -> int:
        """The number of runs on which the spread is taken to rest."""
        return self.cell.runs if self.cell.runs > 1 else RUNS

    @property
    def step(self) -> float | None:
        """The distance between neighbouring values of the spread; None if unknown."""
        return step_of_deviation(self.cell, self.width.value, self.runs)


def check_spreads(paper: PrintedPaper) -> Iterator[Test]:
    """Yields a test for each method, score and form of the function."""
    sources: list[tuple[str, Callable[[PrintedCell], Rounded | None]]] = [
        ("the standard deviation", lambda cell: cell.std)
    ]
    ends = {_identity(one): one for one in paper.cells}
    for bands in paper.declaration.bands:
        for side, end in (("lower", bands.lower), ("upper", bands.upper)):
            name = f"the {side} half of the band"
            sources.append((name, partial(_half_width, bands=bands, end=end, ends=ends)))
    series = groups([one for one in paper.cells if one.uses_epsilon], _line)
    for name, width in sources:
        for cells in series.values():
            yield from _tests(name, [_Point(one, w) for one in cells if (w := width(one))])


def _identity(cell: PrintedCell) -> tuple[object, ...]:
    return (*_line(cell), cell.epsilon)


def _line(cell: PrintedCell) -> tuple[object, ...]:
    one = cell.published
    return one.artefact, one.dataset, one.method, cell.setting, one.metric


def _half_width(
    cell: PrintedCell, bands: Bands, end: str, ends: Mapping[tuple[object, ...], PrintedCell]
) -> Rounded | None:
    """The distance of a mean from one end of its band; None if the paper prints no band."""
    if not bands.fits(cell.published):
        return None
    other = ends.get((*_line(cell)[:-1], end, cell.epsilon))
    if other is None:
        return None
    distance = abs(other.mean.value - cell.mean.value)
    return Rounded(distance, other.mean.half + cell.mean.half)


def _tests(name: str, points: Sequence[_Point]) -> Iterator[Test]:
    """Yields a test for each form, if the spreads of enough epsilons are known."""
    ordered = sorted(points, key=lambda one: one.cell.epsilon)
    distinct = {one.cell.epsilon for one in ordered}
    if len(distinct) < FEWEST or len(distinct) < len(ordered):
        return
    is_constant = len({one.cell.mean.value for one in ordered}) == 1
    if is_constant or not all(map(_has_chance, ordered)):
        return
    cells = [one.cell for one in ordered]
    for form, terms in FORMS.items():
        chance = _chance(ordered, terms)
        what = f"{name} is {form} to the last digit at {len(ordered)} epsilons"
        yield Test(Kind.FUNCTION, cells, chance, what)


def _has_chance(point: _Point) -> bool:
    """Whether a spread is positive, and the steps in which it can change are known."""
    return point.width.low > 0 and point.step is not None


def _chance(points: Sequence[_Point], terms: Sequence[Callable[[float], float]]) -> float:
    """The chance that estimated spreads are such a function; 1 if they are not.

    Each spread must fall into the interval that the spreads before it allow. The estimate from k
    runs has a density of at most 1 / (sqrt(2 pi) r s), with the relative standard error r.
    """
    values = np.array([[term(one.cell.epsilon) for term in terms] for one in points])
    widths = [one.width for one in points]
    chance = 1.0
    for number in range(len(terms), len(points)):
        allowed = _functions(values[:number], widths[:number]) @ values[number]
        if not len(allowed):
            return 1.0
        one = points[number]
        error = relative_error_of_deviation(one.runs) * one.width.value
        room = float(np.ptp(allowed)) + 2 * one.width.half + (one.step or 0.0)
        chance *= min(1.0, room / (math.sqrt(2 * math.pi) * error))
    return chance if len(_functions(values, widths)) else 1.0


def _functions(values: Floats, widths: Sequence[Rounded]) -> Floats:
    """The corners of the set of functions that fit all spreads, (corners, terms); empty: none fits.

    `values` has the terms at each epsilon, (epsilons, terms). A function is given by its
    coefficients. At a corner, as many spreads as there are terms are at an end of their interval.
    """
    terms = values.shape[1]
    low, high = (np.array([getattr(one, end) for one in widths]) for end in ("low", "high"))
    corners = []
    for chosen in combinations(range(len(values)), terms):
        rows = [*chosen]
        ends = np.array([*product(*((low[k], high[k]) for k in rows))])  # (2^terms, terms)
        corners.append(np.linalg.solve(values[rows], ends.T).T)
    found = np.concatenate(corners)
    there = found @ values.T
    slack = SLACK * high
    fits = ((low - slack <= there) & (there <= high + slack)).all(axis=1)
    return np.asarray(found[fits])
