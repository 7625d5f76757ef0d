"""Repeated fits of two neighbours: a search for results from which the noise was removed.

A replay returns equal outputs to both neighbours. It does not detect a method that subtracts the
noise from its result, with a copy of the generator or with a seed that depends on the data.
Therefore both neighbours are fitted repeatedly with new noise. A number of the result that is
constant over the fits of each neighbour but differs between the neighbours shows that noise is
missing.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from itertools import chain
from math import ceil, exp, log, log1p
from typing import Any

import numpy as np

from dpfair_cli.auditing.equality import leaves
from dpfair_cli.auditing.replaying import seen
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.ledger import Release, record

RARE = 1e-6  # probability of a false alarm: a private answer always differs by chance
MOST = 60  # largest number of fits of each neighbour
ROUNDING = 1e-9  # relative rounding error of a number after the noise is subtracted
# modules with classes of random generators and seeds
GENERATORS = ("numpy.random.", "randomgen.", "random.")
STATES = ("bit_generator", "MT19937")  # words that occur in the state of a generator

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
    """The messages about problems that independent fits of two neighbours show.

    An epsilon-private yes-or-no answer separates the neighbours in k fits of each with probability
    at most (1 + exp(-epsilon))^(-2 k). If more than MOST fits are needed to make this probability
    RARE, each neighbour is fitted twice and this test is skipped. `rng` draws the seeds of the
    fits, and `look` is called with the releases of each.
    """
    enough = ceil(log(RARE) / (-2 * log1p(exp(-epsilon)))) if epsilon < log(MOST) else MOST + 1
    sides: list[tuple[Floats, Floats]] = []
    models: list[Any] = []
    while len(sides) < 2 or (len(sides) < enough <= MOST and _apart(sides)):
        models = [fitted_again(fit, data, rng, look) for data in (left, right)]
        sides.append((numbers_in(models[0]), numbers_in(models[1])))
    problems = []
    if len(sides) >= enough and _apart(sides):  # fewer fits may differ by chance
        problems.append("a number of the result always tells two neighbours apart")
    if any(map(_is_of_generator, chain.from_iterable(map(leaves, models)))):
        problems.append(
            "the result holds the generator, or its state: the noise can be computed from it"
        )
    return problems


def _apart(sides: Sequence[tuple[Floats, Floats]]) -> bool:
    """Whether some number of a result is constant for each neighbour but differs between the two.

    `sides` has the numbers in the fits of both neighbours for each repetition.
    """
    if len(set(map(len, chain.from_iterable(sides)))) > 1:
        return False  # the number of numbers is itself random
    lefts, rights = (np.array(numbers) for numbers in zip(*sides, strict=True))  # (fits, numbers)
    near = ROUNDING * np.maximum(np.abs(lefts).max(axis=0), np.abs(rights).max(axis=0))
    still = (np.ptp(lefts, axis=0) <= near) & (np.ptp(rights, axis=0) <= near)
    return bool((still & (np.abs(lefts[0] - rights[0]) > 10 * near)).any())


def fitted_again(fit: Callable[..., Any], data: Any, rng: np.random.Generator, look: Look) -> Any:
    """The result of one more fit of `data`, whose releases `look` gets; None after an error."""
    with record() as tape:
        shown = seen(fit, data, int(rng.integers(2**63)))
    look(tape)
    return shown.model


def _is_of_generator(leaf: Any) -> bool:
    """Whether a part of a result is a generator of random numbers, or a part of its state."""
    if isinstance(leaf, str):
        return leaf in STATES
    return any(f"{kind.__module__}.".startswith(GENERATORS) for kind in type(leaf).__mro__)


def numbers_in(model: Any) -> Floats:
    """The numbers inside a fitted model; a text counts as a number too."""
    return np.concatenate([np.zeros(0), *map(_as_numbers, leaves(model))])


def _as_numbers(leaf: Any) -> Floats:
    if isinstance(leaf, str):
        leaf = leaf.encode()
    if isinstance(leaf, bytes):
        return np.array([zlib.crc32(leaf)], dtype=float)
    if not isinstance(leaf, (np.ndarray, np.generic, bool, int, float)):
        return np.zeros(0)
    array = np.asarray(leaf)
    if array.dtype.kind not in "biuf":
        return np.zeros(0)
    numbers: Floats = array.astype(float).ravel()
    # NaN and infinity become numbers, because no range of numbers is defined with them
    return np.nan_to_num(numbers, nan=-1.0, posinf=1e300, neginf=-1e300)
