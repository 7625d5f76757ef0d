"""Whole numbers with the law of the discrete Laplace or the discrete Gaussian distribution, exactly
and fast.

A number z has a probability in proportion to f(|z| / t) at a scale t, with f(y) = exp(-y) or
exp(-y^2 / 2). The area under f is covered with cells of one size: it is cut into strips, 64 a
scale, and each strip gets as many cells as reach over f at its higher end. One random word of 64
bits chooses one of 2^17 cells and a place in its strip. A cell that is under f as a whole gives its
place at once. In one that f crosses (one in 40) a height is drawn too, and the place counts if the
height is under f, which is decided exactly (`chances`). What counts has the law of f to the last
bit; all else is arithmetic on whole numbers.

Source: rejection from a histogram (Devroye 1986, Section VIII.2); places without bias: Lemire 2019;
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

STRIPS = 64  # of a scale
CELL_BITS = 17  # of a word choose a cell
PLACE_BITS = 64 - CELL_BITS  # and the others a place in its strip
FINE_BITS = 20
LEFT_BITS = PLACE_BITS - FINE_BITS  # of a place times the units of a scale, behind the point
UNIT = STRIPS << FINE_BITS  # a scale is a multiple of so many steps
MOST_UNITS = 2**CELL_BITS  # a place times so many is still a word
FARTHEST = (
    2**52
)  # steps, 512 scales or more: the difference of two such numbers is exact as a double
CHUNK = 2**13  # words that are in the processor's cache together
ROUNDING = 1e-6  # of a cell: more than a density in double precision is off


class Law(NamedTuple):
    """A density of the distance from 0, and how far from 0 it is cut into strips.

    What is farther out has `tail_cells` on each side, if the law is memoryless (beyond any distance
    it begins anew), or none and is cut off.
    """

    density: Callable[[Floats], Floats]  # of distances in scales
    exact_density: Callable[
        [int, int], Decimal
    ]  # of a distance and the scale in steps, in the decimal context
    reach: int  # strips on each side
    tail_cells: int


LAPLACE = Law(
    density=lambda y: np.exp(-y),
    exact_density=lambda distance, scale: (Decimal(-distance) / scale).exp(),
    reach=14 * STRIPS,
    tail_cells=1,
)
GAUSSIAN = Law(
    density=lambda y: np.exp(-y * y / 2),
    exact_density=lambda distance, scale: (Decimal(-(distance**2)) / (2 * scale**2)).exp(),
    reach=27
    * STRIPS
    // 2,  # 13.5 deviations: a normal variable is farther out with a chance below 2^-135
    tail_cells=0,
)


def discrete_laplace(count: int, units: int, source: SecureGenerator) -> Ints:
    """Independent numbers, (count,), with P(z) in proportion to exp(-|z| / (units UNIT)); 1 <=
    units <= MOST_UNITS.

    Raises:
        OverflowError: one is FARTHEST or more from 0, which has a chance below 2^-700.
    """
    return _cover(LAPLACE).draw(count, units, source)


def discrete_gaussian(count: int, units: int, source: SecureGenerator) -> Ints:
    """Independent numbers, (count,), with P(z) in proportion to exp(-(z / (units UNIT))^2 / 2),
    units as above.

    None is farther out than 13.5 deviations.
    """
    return _cover(GAUSSIAN).draw(count, units, source)


@cache
def _cover(law: Law) -> _Cover:
    return _Cover(law)


class _Cover:
    """The cells that cover a law, the same for every scale: those under it, those that it crosses,
    those of nothing.

    Of strips with w numbers each, strip s >= 0 begins at s w and strip s < 0 ends at (s + 1) w - 1;
    the first beyond the reach on each side stands for the tail.
    """

    def __init__(self, law: Law) -> None:
        ends = law.density(np.arange(law.reach + 1) / STRIPS)  # (reach + 1,)

        def needed(height: int) -> Ints:
            """How many cells reach over the law in each strip of one side, and in its tail, (reach
            + 1,).
            """
            return np.append(np.ceil(height * ends[:-1] + ROUNDING), law.tail_cells).astype(
                np.int64
            )

        per_side = 2 ** (CELL_BITS - 1)
        self.law = law
        self.height = (
            bisect_right(range(per_side), per_side, key=lambda height: needed(height).sum()) - 1
        )  # cells at 0
        under = np.append(np.floor(self.height * ends[1:] - ROUNDING).clip(0), 0).astype(
            np.int64
        )  # (reach + 1,)
        crossed = needed(self.height) - under
        strips = np.arange(-1 - law.reach, law.reach + 1)  # of both sides, with the tails
        away = np.where(strips < 0, -1 - strips, strips)
        self.under = int(under[away].sum())
        used = np.concatenate([np.repeat(strips, under[away]), np.repeat(strips, crossed[away])])
        levels = np.concatenate([under[k] + np.arange(crossed[k]) for k in away])
        nothing = 2**CELL_BITS - len(used)
        self.strips = np.append(used, np.zeros(nothing)).astype(np.int16)  # of each cell
        self.levels = np.append(
            levels, np.full(nothing, self.height)
        )  # of each cell not under the law

    def draw(self, count: int, units: int, source: SecureGenerator) -> Ints:
        found, missing = [np.zeros(0, dtype=np.int64)], count
        while missing > 0:
            words = source.bit_generator.random_raw(min(CHUNK, missing + missing // 16 + 16))
            found.append(
                self._numbers(words, units, source)[:missing]
            )  # in the order of their words
            missing -= len(found[-1])
        return np.concatenate(found)

    def _numbers(self, words: Words, units: int, source: SecureGenerator) -> Ints:
        """The numbers that count of those that the words (n,) choose, in their order."""
        cells = (words >> PLACE_BITS).view(np.int64)
        places = (words & (2**PLACE_BITS - 1)) * units
        z = self.strips[cells] * np.int64(units << FINE_BITS) + (places >> LEFT_BITS).view(np.int64)
        counts: Mask = (
            places & (2**LEFT_BITS - 1)
        ) >= 2**LEFT_BITS % units  # every place of a strip as often
        rest = np.flatnonzero(counts & (cells >= self.under))
        counts[rest], z[rest] = self._compare(z[rest], cells[rest], units, source)
        numbers: Ints = z[counts]
        return numbers

    def _compare(
        self, z: Ints, cells: Ints, units: int, source: SecureGenerator
    ) -> tuple[Mask, Ints]:
        """Which of the numbers (n,) in cells not under the law count; and the numbers, with those
        of a tail drawn.
        """
        scale, strips, levels = units * UNIT, self.strips[cells], self.levels[cells - self.under]
        in_tail = (strips >= self.law.reach) | (strips < -self.law.reach)
        beyond = self.law.reach * (units << FINE_BITS)  # the first number of the upper tail
        z = np.where(in_tail, np.where(strips < 0, -1 - beyond, beyond), z)

        def chance(k: int) -> Decimal:
            mass = self.law.exact_density(abs(int(z[k])), scale)
            if in_tail[k]:  # a geometric series, in parts of a strip
                mass = mass / (1 - self.law.exact_density(1, scale)) * STRIPS / scale
            return self.height * mass - int(levels[k])

        rough = self.height * self.law.density(np.abs(z) / scale) - levels
        counts = happen(np.where(in_tail, np.nan, rough), chance, source)
        for k in np.flatnonzero(counts & in_tail):
            z[k] += np.sign(z[k]) * self._distance(units, source)
            if abs(z[k]) >= FARTHEST:
                raise OverflowError(
                    "the noise is farther out than is ever seen: is the generator broken?"
                )
        return counts, z

    def _distance(self, units: int, source: SecureGenerator) -> int:
        """How much farther out than the first number of a tail: as far as a number of the law is
        from 0, or from -1.
        """
        while not len(found := self._numbers(source.bit_generator.random_raw(1), units, source)):
            pass
        return max(int(found[0]), -1 - int(found[0]))
