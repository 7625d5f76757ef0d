"""Exact and fast samples of the discrete Laplace and the discrete Gaussian distribution.

At a scale t, an integer z has a probability proportional to f(|z| / t), with f(y) = exp(-y) for the
discrete Laplace distribution and f(y) = exp(-y^2 / 2) for the discrete Gaussian distribution. The
area under f is covered with cells of equal size: the axis is cut into strips, 64 per scale, and
cells are stacked in each strip until they reach above f at the end of the strip where f is larger.
One random word of 64 bits chooses one of 2^17 cells and a position in the strip of the cell. If the
cell lies entirely under f, the position is the result. If f crosses the cell (one cell in 40), a
random height in the cell decides: the position is accepted if the height is under f, which is
computed exactly (see below). Accepted positions have exactly the distribution with density f. All
other steps are integer arithmetic.

**Random events with exact probabilities** (`happen`). An event happens if a uniform real number is
below the probability of the event. The first 64 bits of the number are drawn at once. If these bits
differ from the probability in double precision by more than any rounding error, the event is
decided. Otherwise more digits of the probability are computed, and more bits of the number are
drawn, until the number and the probability differ. No rounding error changes the probability of an
event.

Source: rejection from a histogram: Devroye 1986, Section VIII.2; unbiased positions: Lemire 2019;
the two laws and their privacy: Ghosh, Roughgarden and Sundararajan 2012; Canonne, Kamath and
Steinke 2020.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import cache, lru_cache, partial
from math import exp, nan
from typing import Any, NamedTuple

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask, Words
from dpfair_cli.mechanisms.secure import SecureGenerator

WORD = 64  # bits drawn at once
# A probability is K exp(-x) - k with K at most 2^11; in double precision its error is below 2^-40.
# The error of the first 64 bits of a number, as a double, is below 2^-52.
BAND = 2.0**-32
LOST_DIGITS = 20  # digits of the decimal context that may be wrong


def happen(chances: Floats, exact: Callable[[int], Decimal], source: SecureGenerator) -> Mask:
    """Whether each event happens, (n,).

    `chances` (n,) are the probabilities with an error below BAND, or NaN where only `exact` is
    known. A probability of 0 or less never happens, one of 1 or more always. `exact` returns the
    probability of event k in the current decimal context; all digits after the point are correct
    except the last LOST_DIGITS.
    """
    words = source.bit_generator.random_raw(len(chances))  # (n,)
    happened, unclear = compare(chances, words)
    for k in unclear.tolist():
        happened[k] = happens(nan, int(words[k]), partial(exact, k), source)
    return happened


def compare(chances: Floats, words: Words) -> tuple[Mask, Ints]:
    """Which events happen (n,), and the indices (m,) of the events for which this is not certain.

    `words` (n,) are the first bits of the numbers that decide.
    """
    distance = chances - words * 2.0**-WORD  # exact up to the error that BAND allows for
    return distance > 0, np.flatnonzero(~(np.abs(distance) > BAND))


def happens(
    chance: float, word: int, exact: Callable[[], Decimal], source: SecureGenerator
) -> bool:
    """Whether an event happens, given the first bits of the number that decides.

    `chance` and `exact` are as for `happen`.
    """
    distance = chance - word * 2.0**-WORD
    if abs(distance) > BAND:
        return distance > 0
    bits = WORD  # of the number that are known
    while True:
        # 2^-bits has fewer than `bits` digits after the point that matter
        with localcontext(prec=LOST_DIGITS + bits):
            bound, error = exact(), Decimal(10) ** -bits
            low, high = (Decimal(end) / 2**bits for end in (word, word + 1))
            if high < bound - error:
                return True
            if low > bound + error:
                return False
        # the number is the same, with more digits
        word = word << WORD | int(source.bit_generator.random_raw())
        bits += WORD


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
FEW = 4  # comparisons that are faster one by one than with NumPy
ROUNDING = 1e-6  # of a cell: more than the error of a density in double precision


class Law(NamedTuple):
    """A distribution of the distance from 0, and how far from 0 the axis is cut into strips.

    The Laplace distribution is memoryless: given that a number is in a tail, its distance from the
    beginning of the tail has the same distribution. `tail_cells` cells on each side stand for the
    tail. A distribution with `tail_cells` 0 is truncated after the last strip.
    """

    log_density: Callable[[Any], Any]
    """The logarithm of the density at distances in scales, in double precision."""
    exact_density: Callable[[int, int], Decimal]
    """The density at a distance and a scale in steps, in the current decimal context."""
    reach: int  # the number of strips on each side
    tail_cells: int  # the number of cells of the tail on each side


LAPLACE = Law(
    log_density=lambda y: -y,
    exact_density=lambda distance, scale: (Decimal(-distance) / scale).exp(),
    reach=14 * STRIPS,
    tail_cells=1,
)
GAUSSIAN = Law(
    log_density=lambda y: -y * y / 2,
    exact_density=lambda distance, scale: (Decimal(-(distance**2)) / (2 * scale**2)).exp(),
    # 13.5 standard deviations: a normal variable is farther out with probability below 2^-135
    reach=27 * STRIPS // 2,
    tail_cells=0,
)


def discrete_laplace(count: int, units: int, source: SecureGenerator) -> Ints:
    """Independent integers (count,) with P(z) proportional to exp(-|z| / (units * UNIT)).

    `units` is from 1 to MOST_UNITS.

    Raises:
        OverflowError: a number is FARTHEST or more away from 0; the probability is below 2^-700.

    >>> from dpfair_cli.mechanisms.secure import SecureGenerator
    >>> discrete_laplace(1000, 1, SecureGenerator()).shape
    (1000,)
    """
    return _cover(LAPLACE).draw(count, units, source)


def discrete_gaussian(count: int, units: int, source: SecureGenerator) -> Ints:
    """Independent integers (count,) with P(z) proportional to exp(-(z/(units * UNIT))^2/2).

    No integer is farther from 0 than 13.5 standard deviations. `units` is from 1 to MOST_UNITS.

    >>> from dpfair_cli.mechanisms.secure import SecureGenerator
    >>> bool(abs(discrete_gaussian(1000, 1, SecureGenerator())).max() <= 13.5 * UNIT)
    True
    """
    return _cover(GAUSSIAN).draw(count, units, source)


@cache
def _cover(law: Law) -> _Cover:
    return _Cover(law)


class _Split(NamedTuple):
    """What splits random words into cells and positions, as arrays without axes.

    NumPy computes with 40 words and such an array in half the time that a number of Python takes.
    """

    cell_shift: Words  # the bits of a word below those of its cell
    place_mask: Words  # the bits of a word that choose a position
    units: Words  # the scale in multiples of UNIT
    width: Words  # the integers in a strip
    place_shift: Words  # the fractional bits of a position times the scale
    left_mask: Words  # these fractional bits
    surplus: Words
    """The fractions that would make some positions more frequent than others (Lemire 2019)."""
    first_crossed: Words  # the first word whose cell is not entirely under the density


@lru_cache
def _split(units: int, under: int) -> _Split:
    """The split of words at a scale, for a histogram with `under` cells under the density."""
    numbers = (
        PLACE_BITS,
        2**PLACE_BITS - 1,
        units,
        units << FINE_BITS,
        LEFT_BITS,
        2**LEFT_BITS - 1,
        2**LEFT_BITS % units,
        under << PLACE_BITS,
    )
    return _Split(*(np.array(number, dtype=np.uint64) for number in numbers))


class _Cover:
    """The cells that cover the density of a distribution, the same cells for every scale.

    A cell lies under the density, is crossed by the density, or is not used. With w integers per
    strip, strip s >= 0 starts at s w and strip s < 0 ends at (s + 1) w - 1. The first strip beyond
    the reach on each side stands for the tail.
    """

    def __init__(self, law: Law) -> None:
        ends = np.exp(law.log_density(np.arange(law.reach + 1) / STRIPS))  # (reach + 1,)

        def needed(height: int) -> Ints:
            """The cells in each strip on one side of 0, and those for the tail, (reach + 1,).

            The cells of a strip reach above a density that is `height` cells high at 0.
            """
            cells = np.append(np.ceil(height * ends[:-1] + ROUNDING), law.tail_cells)
            return cells.astype(np.int64)

        per_side = 2 ** (CELL_BITS - 1)
        # the number of cells grows with their height
        too_high = bisect_right(range(per_side), per_side, key=lambda height: needed(height).sum())
        self.law = law
        self.height = too_high - 1  # cells at 0
        whole = np.floor(self.height * ends[1:] - ROUNDING).clip(0)
        under = np.append(whole, 0).astype(np.int64)  # (reach + 1,)
        crossed = needed(self.height) - under
        strips = np.arange(-1 - law.reach, law.reach + 1)  # of both sides, with the tails
        away = np.where(strips < 0, -1 - strips, strips)
        self.under = int(under[away].sum())
        # cells under the density come first: one comparison of a word tells them from the others
        used = np.concatenate([np.repeat(strips, under[away]), np.repeat(strips, crossed[away])])
        levels = np.concatenate([under[k] + np.arange(crossed[k]) for k in away])
        nothing = 2**CELL_BITS - len(used)  # cells that are never accepted
        self.strips = np.append(used, np.zeros(nothing)).astype(np.int16)  # of each cell
        # of each cell that is not under the density
        self.levels = np.append(levels, np.full(nothing, self.height)).astype(float)
        self.tails = np.isin(self.strips[self.under :], (-1 - law.reach, law.reach))

    def draw(self, count: int, units: int, source: SecureGenerator) -> Ints:
        """The first `count` random integers that are accepted, at the scale `units`."""
        found: list[Ints] = []
        missing = count
        while missing > 0:
            # a few more than are missing, because some words are rejected
            words = source.bit_generator.random_raw(min(CHUNK, missing + missing // 32 + 4))
            # the surplus is dropped, and not kept for later: no two draws share a word
            found.append(self._numbers(words, units, source)[:missing])
            missing -= len(found[-1])
        if len(found) == 1:
            return found[0]
        return np.concatenate([np.zeros(0, dtype=np.int64), *found])

    def _numbers(self, words: Words, units: int, source: SecureGenerator) -> Ints:
        """The accepted integers among those that the random words (n,) choose, in their order."""
        split = _split(units, self.under)
        cells = (words >> split.cell_shift).view(np.int64)
        places = (words & split.place_mask) * split.units
        starts = self.strips[cells].astype(np.uint64) * split.width  # modulo 2^64
        z = (starts + (places >> split.place_shift)).view(np.int64)
        counts: Mask = (places & split.left_mask) >= split.surplus
        (crossed,) = (counts & (words >= split.first_crossed)).nonzero()
        if not len(crossed):
            numbers: Ints = z[counts]
            return numbers
        heights = source.bit_generator.random_raw(len(crossed))
        if len(crossed) > FEW:
            accepted, unclear = compare(self._rough(z[crossed], cells[crossed], units), heights)
            counts[crossed] = accepted
            crossed, heights = crossed[unclear], heights[unclear]
        for k, height in zip(crossed.tolist(), heights.tolist(), strict=True):
            counts[k], z[k] = self._compare(z.item(k), cells.item(k), height, units, source)
        return z[counts]

    def _rough(self, z: Ints, cells: Ints, units: int) -> Floats:
        """The probability (n,) that each integer z (n,) is accepted, in double precision.

        It is NaN in a tail. `cells` (n,) are the cells of the histogram that chose the integers.
        """
        above = cells - self.under
        density = np.exp(self.law.log_density(np.abs(z) / (units * UNIT)))
        rough: Floats = self.height * density - self.levels[above]
        rough[self.tails[above]] = np.nan
        return rough

    def _compare(
        self, z: int, cell: int, height: int, units: int, source: SecureGenerator
    ) -> tuple[bool, int]:
        """Whether the integer z is accepted, and the integer.

        `cell` is the cell of the histogram that chose z, and does not lie entirely under the
        density; `height` is a random height in the cell. An accepted integer of a tail is moved
        outward by a random distance.
        """
        # numbers of Python, which have all digits
        scale, level = units * UNIT, self.levels.item(cell - self.under)
        in_tail = self.tails.item(cell - self.under)
        if in_tail:
            beyond = self.law.reach * (units << FINE_BITS)  # the first number of the upper tail
            z = -1 - beyond if self.strips[cell] < 0 else beyond

        def chance() -> Decimal:
            mass = self.law.exact_density(abs(z), scale)
            if in_tail:  # the sum of a geometric series, in units of a strip
                mass = mass / (1 - self.law.exact_density(1, scale)) * STRIPS / scale
            return self.height * mass - int(level)

        rough = nan if in_tail else self.height * exp(self.law.log_density(abs(z) / scale)) - level
        accepted = happens(rough, height, chance, source)
        if accepted and in_tail:
            return True, self._moved(z, units, source)
        return accepted, z

    def _moved(self, z: int, units: int, source: SecureGenerator) -> int:
        """The first integer z of a tail, moved outward by a random distance."""
        distance = self._distance(units, source)
        moved = z + distance if z > 0 else z - distance
        if abs(moved) >= FARTHEST:
            raise OverflowError(
                "a sample of noise exceeds 512 times the scale of the noise, which has a "
                "probability below 2^-700: the random generator of this computer is broken"
            )
        return moved

    def _distance(self, units: int, source: SecureGenerator) -> int:
        """The random distance, 0 or more, of an integer in a tail from the beginning of this tail.

        As the distribution is memoryless, it is that of a number from 0, or of a negative one from
        -1.
        """
        # until a word is accepted
        while not len(found := self._numbers(source.bit_generator.random_raw(1), units, source)):
            pass
        return max(int(found[0]), -1 - int(found[0]))
