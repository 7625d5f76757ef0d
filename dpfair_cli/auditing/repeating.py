"""Two neighbours fitted as they are, again and again: whether the noise is still on what comes out.

Replaying hands the same outputs to both neighbours, and is blind to a result from which the noise
was taken out again, by a copy of the generator or a seed made from the data. So both are fitted
until no number of the result is always the same on either side and another on the other.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from math import ceil, exp, log, log1p
from typing import Any

import numpy as np

from dpfair_cli.auditing.equality import leaves
from dpfair_cli.auditing.replaying import seen
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.ledger import Release, record

RARE = 1e-6  # probability that a private answer always differs by chance
MOST = 60  # fits of each neighbour
ROUNDING = 1e-9  # of a number: noise that was taken out leaves so much
GENERATORS = (
    "numpy.random",
    "randomgen",
    "random",
)  # modules whose objects are generators, or seed them
STATES = ("bit_generator", "MT19937")  # words in the state of a generator

Look = Callable[[Sequence[Release]], Any]


def problems_of_repeated_fits(
    fit: Callable[..., Any],
    left: Any,
    right: Any,
    *,
    epsilon: float,
    rng: np.random.Generator,
    look: Look,
) -> list[str]:
    """What is wrong with fits that have generators of their own, in words; `look` is shown their
    releases.

    A yes-or-no answer that is epsilon-private tells the neighbours apart in k fits of each with
    probability (1 + exp(-epsilon))^(-2 k) at most. Where it takes too many fits to make that rare,
    two of each are looked at and nothing is said of it.
    """
    enough = ceil(log(RARE) / (-2 * log1p(exp(-epsilon)))) if epsilon < log(MOST) else MOST + 1
    sides: list[tuple[Floats, Floats]] = []
    models: list[Any] = []
    while len(sides) < 2 or (len(sides) < enough <= MOST and _apart(sides)):
        models = [fitted_again(fit, data, rng, look) for data in (left, right)]
        sides.append((_numbers(models[0]), _numbers(models[1])))
    found = {
        "a number of the result always tells two neighbours apart": len(sides) >= enough
        and _apart(sides),
        "the result holds the generator, or its state: the noise can be told from it": any(
            map(_holds_generator, models)
        ),
    }
    return [words for words, is_so in found.items() if is_so]


def _apart(sides: Sequence[tuple[Floats, Floats]]) -> bool:
    """Whether a number is the same in every fit of the left, the same in every one of the right,
    and not in both.
    """
    if len({len(numbers) for pair in sides for numbers in pair}) > 1:
        return False  # how many there are is up to the noise
    lefts, rights = (np.array(numbers) for numbers in zip(*sides, strict=True))  # (fits, numbers)
    near = ROUNDING * np.maximum(np.abs(lefts).max(axis=0), np.abs(rights).max(axis=0))
    still = (np.ptp(lefts, axis=0) <= near) & (np.ptp(rights, axis=0) <= near)
    return bool((still & (np.abs(lefts[0] - rights[0]) > 10 * near)).any())


def fitted_again(fit: Callable[..., Any], data: Any, rng: np.random.Generator, look: Look) -> Any:
    """The result of one more fit; None if it is refused."""
    with record() as tape:
        shown = seen(fit, data, int(rng.integers(2**63)))
    look(tape)
    return shown.model


def _holds_generator(model: Any) -> bool:
    return any(
        _is_generator(leaf) or (isinstance(leaf, str) and leaf in STATES) for leaf in leaves(model)
    )


def _is_generator(leaf: Any) -> bool:
    modules = {kind.__module__ for kind in type(leaf).__mro__}
    return any(f"{module}.".startswith(f"{name}.") for module in modules for name in GENERATORS)


def _numbers(model: Any) -> Floats:
    """Every number of a result, words as numbers too."""
    return np.concatenate([np.zeros(0), *map(_as_numbers, leaves(model))])


def _as_numbers(leaf: Any) -> Floats:
    if isinstance(leaf, (str, bytes)):
        return np.array([zlib.crc32(leaf.encode() if isinstance(leaf, str) else leaf)], dtype=float)
    array = (
        np.asarray(leaf)
        if isinstance(leaf, (np.ndarray, np.generic, bool, int, float))
        else np.zeros(0)
    )
    numbers = array.astype(float).ravel() if array.dtype.kind in "biuf" else np.zeros(0)
    return np.nan_to_num(numbers, nan=-1.0, posinf=1e300, neginf=-1e300)
