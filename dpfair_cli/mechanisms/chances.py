"""Random events with exact probabilities, almost all decided in double precision.

An event happens if a uniform real number is below the probability of the event. The first 64 bits
of the number are drawn at once. If these bits differ from the probability in double precision by
more than any rounding error, the event is decided. Otherwise more digits of the probability are
computed, and more bits of the number are drawn, until the number and the probability differ. No
rounding error changes the probability of an event.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import partial

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

    Args:
        chances: The probabilities (n,) with an error below BAND, or NaN where only `exact` is
            known. A probability of 0 or less never happens, one of 1 or more always.
        exact: Returns the probability of event k in the current decimal context. All digits after
            the point are correct except the last LOST_DIGITS.
        source: The source of randomness.
    """
    words = source.bit_generator.random_raw(len(chances))  # (n,)
    happened, unclear = compare(chances, words)
    for k in unclear.tolist():
        happened[k] = happens(math.nan, int(words[k]), partial(exact, k), source)
    return happened


def compare(chances: Floats, words: Words) -> tuple[Mask, Ints]:
    """Which events happen (n,), and the indices (m,) of the events for which this is not certain.

    `words` (n,) are the first bits of the numbers that decide.
    """
    distance = chances - words * 2.0**-WORD
    return distance > 0, np.flatnonzero(~(np.abs(distance) > BAND))


def happens(
    chance: float, word: int, exact: Callable[[], Decimal], source: SecureGenerator
) -> bool:
    """Whether an event happens.

    Args:
        chance: The probability with an error below BAND, or NaN where only `exact` is known.
        word: The first bits of the number that decides.
        exact: Returns the probability, as for `happen`.
        source: The source of the further bits.
    """
    distance = chance - word * 2.0**-WORD
    if abs(distance) > BAND:
        return distance > 0
    bits = WORD
    while True:
        # 2^-bits has fewer than `bits` digits after the point that matter
        with localcontext(prec=LOST_DIGITS + bits):
            bound, error = exact(), Decimal(10) ** -bits
            low, high = (Decimal(end) / 2**bits for end in (word, word + 1))
            if high < bound - error:
                return True
            if low > bound + error:
                return False
        word = word << WORD | int(source.bit_generator.random_raw())
        bits += WORD
