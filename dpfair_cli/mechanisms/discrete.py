"""Exact and fast samples of the discrete Laplace and the discrete Gaussian distribution.

At a scale t, an integer z has a probability proportional to f(|z| / t), with f(y) = exp(-y) for the
discrete Laplace distribution and f(y) = exp(-y^2 / 2) for the discrete Gaussian distribution. The
area under f is covered with cells of equal size: the axis is cut into strips, 64 per scale, and
cells are stacked in each strip until they reach above f at the end of the strip where f is larger.
One random word of 64 bits chooses one of 2^17 cells and a position in the strip of the cell. If the
cell lies entirely under f, the position is the result. If f crosses the cell (one cell in 40), a
random height in the cell decides: the position is accepted if the height is under f, which is
computed exactly (`chances`). Accepted positions have exactly the distribution with density f. All
other steps are integer arithmetic.

Source: rejection from a histogram: Devroye 1986, Section VIII.2; unbiased positions: Lemire 2019;
the two laws and their privacy: Ghosh, Roughgarden and Sundararajan 2012; Canonne, Kamath and
Steinke 2020.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import NamedTuple

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask, Words
from dpfair_cli.mechanisms.chances import happen
from dpfair_cli.mechanisms.secure import SecureGenerator

STRIPS = 64  # strips of one scale
CELL_BITS = 17  # bits of a word that choose a cell
PLACE_BITS = 64 - CELL_BITS  # bits of a word that choose a position in the strip of the cell
FINE_BITS = 20  # log2 of the integers in a strip at scale UNIT
LEFT_BITS = PLACE_BITS - FINE_BITS  # fractional bits of a position times the units of a scale
UNIT = STRIPS << FINE_BITS  # every scale is a multiple of UNIT steps
MOST_UNITS = 2**CELL_BITS  # a position times MOST_UNITS still fits a word
# steps, 512 scales or more: the difference of two such numbers is exact as a double
FARTHEST = 2**52
CHUNK = 2**13  # words that fit the processor's cache together
ROUNDING = 1e-6  # of a cell: more than the error of a density in double precision


class Law(NamedTuple):
    """A distribution of the distance from 0, and how far from 0 the axis is cut into strips.

    The Laplace distribution is memoryless: given that a number is in a tail, its distance from the
    beginning of the tail has the same distribution. `tail_cells` cells on each side stand for the
    tail. A distribution with `tail_cells` 0 is truncated after the last strip.
    """

    density: Callable[[Floats], Floats]
    """The density at distances in scales, in double precision."""
    exact_density: Callable[[int, int], Decimal]
    """The density at a distance and a scale in steps, in the current decimal context."""
    reach: int
    """The number of strips on each side."""
    tail_cells: int
    """The number of cells of the tail on each side."""


LAPLACE = Law(
    density=lambda y: np.exp(-y),
    exact_density=lambda distance, scale: (Decimal(-distance) / scale).exp(),
    reach=14 * STRIPS,
    tail_cells=1,
)
GAUSSIAN = Law(
    density=lambda y: np.exp(-y * y / 2),
    exact_density=lambda distance, scale: (Decimal(-(distance**2)) / (2 * scale**2)).exp(),
    # 13.5 standard deviations: a normal variable is farther out with probability below 2^-135
    reach=27 * STRIPS // 2,
    tail_cells=0,
)


def discrete_laplace(count: int, units: int, source: SecureGenerator) -> Ints:
    """Independent integers (count,) with P(z) proportional to exp(-|z| / (units * UNIT)).

    Args:
        count: How many to draw.
        units: The scale in multiples of UNIT, from 1 to MOST_UNITS.
        source: The source of randomness.

    Raises:
        OverflowError: a number is FARTHEST or more away from 0; the probability is below 2^-700.

    Source: Ghosh, Roughgarden and Sundararajan 2012.

    >>> from dpfair_cli.mechanisms.secure import SecureGenerator
    >>> discrete_laplace(1000, 1, SecureGenerator()).shape
    (1000,)
    """
    return _cover(LAPLACE).draw(count, units, source)


def discrete_gaussian(count: int, units: int, source: SecureGenerator) -> Ints:
    """Independent integers (count,) with P(z) proportional to exp(-(z/(units * UNIT))^2/2).

    No integer is farther from 0 than 13.5 standard deviations.

    Args:
        count: How many to draw.
        units: The standard deviation in multiples of UNIT, from 1 to MOST_UNITS.
        source: The source of randomness.

    Source: Canonne, Kamath and Steinke 2020.

    >>> from dpfair_cli.mechanisms.secure import SecureGenerator
    >>> bool(abs(discrete_gaussian(1000, 1, SecureGenerator())).max() <= 13.5 * UNIT)
    True
    """
    return _cover(GAUSSIAN).draw(count, units, source)


@cache
def _cover(law: Law) -> _Cover:
    return _Cover(law)


class _Cover:
    """The cells that cover the density of a distribution, the same cells for every scale.

    A cell lies under the density, is crossed by the density, or is not used. With w integers per
    strip, strip s >= 0 starts at s w and strip s < 0 ends at (s + 1) w - 1. The first strip beyond
    the reach on each side stands for the tail.
    """

    def __init__(self, law: Law) -> None:
        ends = law.density(np.arange(law.reach + 1) / STRIPS)  # (reach + 1,)

        def needed(height: int) -> Ints:
            """The number of cells of the histogram in each strip on one side of 0, (reach + 1,).

            The cells of a strip reach above a density that is `height` cells high at 0. The last
            number is that of the cells for the tail.
            """
            cells = np.append(np.ceil(height * ends[:-1] + ROUNDING), law.tail_cells)
            return cells.astype(np.int64)

        per_side = 2 ** (CELL_BITS - 1)
        too_high = bisect_right(range(per_side), per_side, key=lambda height: needed(height).sum())
        self.law = law
        self.height = too_high - 1  # cells at 0
        whole = np.floor(self.height * ends[1:] - ROUNDING).clip(0)
        under = np.append(whole, 0).astype(np.int64)  # (reach + 1,)
        crossed = needed(self.height) - under
        strips = np.arange(-1 - law.reach, law.reach + 1)  # of both sides, with the tails
        away = np.where(strips < 0, -1 - strips, strips)
        self.under = int(under[away].sum())
        used = np.concatenate([np.repeat(strips, under[away]), np.repeat(strips, crossed[away])])
        levels = np.concatenate([under[k] + np.arange(crossed[k]) for k in away])
        nothing = 2**CELL_BITS - len(used)
        self.strips = np.append(used, np.zeros(nothing)).astype(np.int16)  # of each cell
        # of each cell that is not under the density
        self.levels = np.append(levels, np.full(nothing, self.height)).astype(float)
        self.tails = np.isin(self.strips[self.under :], (-1 - law.reach, law.reach))

    def draw(self, count: int, units: int, source: SecureGenerator) -> Ints:
        """The first `count` random integers that are accepted, in the order of the draws.

        `units` is the scale of the distribution.
        """
        found: list[Ints] = []
        missing = count
        while missing > 0:
            words = source.bit_generator.random_raw(min(CHUNK, missing + missing // 16 + 16))
            found.append(self._numbers(words, units, source)[:missing])
            missing -= len(found[-1])
        if len(found) == 1:
            return found[0]
        return np.concatenate([np.zeros(0, dtype=np.int64), *found])

    def _numbers(self, words: Words, units: int, source: SecureGenerator) -> Ints:
        """The accepted integers among those that the random words (n,) choose, in their order.

        `units` is the scale of the distribution.
        """
        cells = (words >> PLACE_BITS).view(np.int64)
        places = (words & (2**PLACE_BITS - 1)) * units
        z = self.strips[cells] * np.int64(units << FINE_BITS) + (places >> LEFT_BITS).view(np.int64)
        # every position of a strip is equally frequent (Lemire 2019)
        counts: Mask = (places & (2**LEFT_BITS - 1)) >= 2**LEFT_BITS % units
        (rest,) = (counts & (cells >= self.under)).nonzero()
        if len(rest):
            counts[rest], z[rest] = self._compare(z[rest], cells[rest], units, source)
        numbers: Ints = z[counts]
        return numbers

    def _compare(
        self, z: Ints, cells: Ints, units: int, source: SecureGenerator
    ) -> tuple[Mask, Ints]:
        """Which of the integers z (n,) are accepted, (n,), and the integers, (n,).

        `cells` (n,) are the cells of the histogram that chose the integers, none of which lies
        entirely under the density. Accepted integers of a tail are moved outward by a random
        distance.
        """
        scale, crossed = units * UNIT, cells - self.under
        levels, in_tail = self.levels[crossed], self.tails[crossed]
        if in_tail.any():
            beyond = self.law.reach * (units << FINE_BITS)  # the first number of the upper tail
            z = np.where(in_tail, np.where(self.strips[cells] < 0, -1 - beyond, beyond), z)

        def chance(k: int) -> Decimal:
            mass = self.law.exact_density(abs(int(z[k])), scale)
            if in_tail[k]:  # the sum of a geometric series, in units of a strip
                mass = mass / (1 - self.law.exact_density(1, scale)) * STRIPS / scale
            return self.height * mass - int(levels[k])

        rough = self.height * self.law.density(np.abs(z) / scale) - levels
        rough[in_tail] = np.nan
        counts = happen(rough, chance, source)
        for k in (counts & in_tail).nonzero()[0]:
            z[k] += np.sign(z[k]) * self._distance(units, source)
            if abs(z[k]) >= FARTHEST:
                raise OverflowError(
                    "a sample of noise exceeds 512 times the scale of the noise, which has a "
                    "probability below 2^-700: the random generator of this computer is broken"
                )
        return counts, z

    def _distance(self, units: int, source: SecureGenerator) -> int:
        """The random distance, 0 or more, of an integer in a tail from the beginning of this tail.

        The distribution is memoryless. The distance is therefore that of a positive number from 0,
        or of a negative number from -1.
        """
        while not len(found := self._numbers(source.bit_generator.random_raw(1), units, source)):
            pass
        return max(int(found[0]), -1 - int(found[0]))
