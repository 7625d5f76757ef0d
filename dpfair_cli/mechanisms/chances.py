"""Events of a known chance, decided exactly: nearly always by double precision, else by longer
arithmetic.

An event happens if a uniform real number lies below its chance. The first 64 bits of the number are
drawn at once; if they and the chance in double precision are further apart than any rounding, that
decides. Otherwise the chance is computed to more digits, and the number gets more bits, until they
are apart. So an event has its chance to the last bit, however chances round.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import partial

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.mechanisms.secure import SecureGenerator

WORD = 64  # bits drawn at once
# A chance in double precision is K exp(-x) - k with K at most 2^11, in a few operations: off by
# less than 2^-40. The first 64 bits of a number, as a double, are off by less than 2^-52.
BAND = 2.0**-32
LOST_DIGITS = 20  # of those computed with, how many may be wrong


def happen(chances: Floats, exact: Callable[[int], Decimal], source: SecureGenerator) -> Mask:
    """Whether each event happens, (n,).

    `chances` (n,) are right to within BAND, or NaN where nobody computed them. `exact(k)` is the
    chance of event k in the decimal context in force, all of whose digits after the point but the
    last LOST_DIGITS are right. What has a chance of 0 or less never happens, and of 1 or more
    always.
    """
    words = source.bit_generator.random_raw(len(chances))  # (n,)
    distance = chances - words * 2.0**-WORD
    happened: Mask = distance > 0
    for k in np.flatnonzero(~(np.abs(distance) > BAND)):
        happened[k] = _happens(int(words[k]), partial(exact, int(k)), source)
    return happened


def _happens(word: int, chance: Callable[[], Decimal], source: SecureGenerator) -> bool:
    """Whether the number whose first bits are `word` lies below the chance, with as many more bits
    as that takes.
    """
    bits = WORD
    while True:
        with localcontext(
            prec=LOST_DIGITS + bits
        ):  # 2^-bits has fewer digits after the point that matter
            bound, error = chance(), Decimal(10) ** -bits
            low, high = (Decimal(end) / 2**bits for end in (word, word + 1))
            if high < bound - error:
                return True
            if low > bound + error:
                return False
        word = word << WORD | int(source.bit_generator.random_raw())
        bits += WORD
