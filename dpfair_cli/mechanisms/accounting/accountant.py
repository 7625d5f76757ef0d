"""What private training costs: epsilon of many noisy steps, and the noise or the steps that a
budget affords.

A part of a training run is `steps` Gaussian releases, each on a batch of its own. How batches are
drawn decides:

- "poisson": every record enters every batch with probability `sampling_rate` by itself. Neighbours:
  add-or-remove-one. A record that may be absent is hidden by that too (amplification).
- "shuffled": every record is in one batch of every pass over the data; `sampling_rate` is 1 /
  (batches of a pass). Nothing is amplified here: a pass is one Gaussian release to every record.
  Neighbours: one record's contribution is taken out of its batches (for replace-one, halve the
  noise multiplier). An epsilon for Poisson batches says nothing about this run; papers print one
  nevertheless, and `as_if_poisson` is how to ask for it.

Accountants: "pld" (nearly exact), "rdp" (Renyi, improved conversion) and "moments" (Renyi at
integer orders, classic conversion), the one of Abadi et al. 2016 and xu2021, chapter 9.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from dpfair_cli.contracts.parameters import (
    CountOrZero,
    Delta,
    Epsilon,
    NotNegative,
    Share,
    check_fields,
    checked,
)
from dpfair_cli.mechanisms.accounting.privacy_loss import loss_epsilon
from dpfair_cli.mechanisms.accounting.renyi import (
    INTEGER_ORDERS,
    ORDERS,
    Conversion,
    renyi_divergences,
    renyi_epsilon,
)
from dpfair_cli.mechanisms.batches import Sampling

Accountant = Literal["pld", "rdp", "moments"]
SMALLEST, LARGEST = 2.0**-7, 2.0**20  # of the noise multipliers that are tried


@dataclass(frozen=True)
class NoisySteps:
    """`steps` releases with noise of `noise_multiplier` sensitivities, each on one batch."""

    noise_multiplier: NotNegative
    sampling_rate: Share  # batch size / records
    steps: CountOrZero
    sampling: Sampling = "poisson"

    def __post_init__(self) -> None:
        check_fields(self)


@checked
def spent_epsilon(
    parts: Iterable[NoisySteps], delta: Delta, *, accountant: Accountant = "pld"
) -> float:
    """The epsilon of (epsilon, delta)-DP of all `parts` together, each on batches independent of
    the others'.

    For two releases on the same batches give one part with their `joint_multiplier`.
    """
    counted = [
        _unamplified(part) for part in parts if part.steps and part.noise_multiplier < math.inf
    ]
    if not counted or any(part.noise_multiplier == 0 for part in counted):
        return math.inf if counted else 0.0
    return _spent(counted, delta, accountant)


def as_if_poisson(part: NoisySteps) -> NoisySteps:
    """The same steps accounted as Poisson batches, as papers do for shuffled ones: no privacy guarantee
    of the run.
    """
    return replace(part, sampling="poisson")


def joint_multiplier(noise_multipliers: Iterable[float]) -> float:
    """The noise multiplier of one release that equals several on the same batch: 1 / s^2 = sum of 1
    / s_i^2.

    Given the batch, a record moves release i by at most 1 / s_i standard deviations, also if its
    query depends on the releases before: that is no worse than N(0, 1) against N(1 / s, 1) (Dong,
    Roth and Su 2022, Corollary 2), and sampling the batch once gives one subsampled Gaussian of
    multiplier s. One that reaches every bound attains it. xu2021, Theorem 4, adds moments as if
    every release had a batch of its own (`spent_epsilon` of two parts); the common batch makes the
    sum too small: a record that is in it is in it for all releases.
    """
    return _multiplier(sum(math.inf if s == 0 else s**-2 for s in noise_multipliers))


@checked
def noise_multiplier_for(
    epsilon: Epsilon,
    delta: Delta,
    *,
    sampling_rate: Share,
    steps: CountOrZero,
    sampling: Sampling = "poisson",
    accountant: Accountant = "pld",
) -> float:
    """The least noise multiplier, to 5 digits, with which `steps` steps cost at most (epsilon,
    delta).

    It is 0 for infinite epsilon, and never below SMALLEST otherwise.

    Raises:
        ValueError: no noise is enough for this accountant.
    """
    if math.isinf(epsilon):
        return 0.0

    @cache
    def excess(noise_multiplier: float) -> float:
        part = NoisySteps(noise_multiplier, sampling_rate, steps, sampling)
        return spent_epsilon([part], delta, accountant=accountant) - epsilon

    low = high = 1.0
    while excess(high) > 0:
        low, high = high, 2 * high
        if high > LARGEST:
            raise ValueError(_out_of_reach(epsilon, delta, accountant))
    while low > SMALLEST and excess(low) <= 0:
        low, high = low / 2, low
    return _private_root(excess, low, high)


@checked
def affordable_steps(
    epsilon: Epsilon, delta: Delta, parts: Sequence[NoisySteps], *, accountant: Accountant = "pld"
) -> int:
    """The most steps, the same number in each of `parts`, that cost at most (epsilon, delta).

    Raises:
        ValueError: there is no end to them, since epsilon is infinite or the noise is.
    """
    if math.isinf(epsilon) or all(part.noise_multiplier == math.inf for part in parts):
        raise ValueError(
            f"any number of steps costs at most epsilon {epsilon:g}: say how many to take"
        )

    def affordable(steps: int) -> bool:
        taken = [replace(part, steps=steps) for part in parts]
        return spent_epsilon(taken, delta, accountant=accountant) <= epsilon

    low, high = 0, 1
    while affordable(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if affordable(middle) else (low, middle)
    return low


def _unamplified(part: NoisySteps) -> NoisySteps:
    """Poisson batches as they are; of shuffled ones, what one record meets: a Gaussian release in
    every pass.
    """
    if part.sampling == "poisson":
        return part
    return NoisySteps(part.noise_multiplier, 1.0, _passes(part.steps, part.sampling_rate))


def _passes(steps: int, sampling_rate: float) -> int:
    """In how many passes over the data the first `steps` steps lie; a rate is rounded, a pass is
    whole.
    """
    return math.ceil(steps * sampling_rate - 1e-9)


def _multiplier(square: float) -> float:
    """The noise multiplier of a release that a record moves by the square root of `square`
    deviations.
    """
    return 1 / math.sqrt(square) if square else math.inf


def _spent(parts: Sequence[NoisySteps], delta: float, accountant: Accountant) -> float:
    if accountant == "pld":
        return loss_epsilon(
            [(part.noise_multiplier, part.sampling_rate, part.steps) for part in parts], delta
        )
    orders = INTEGER_ORDERS if accountant == "moments" else ORDERS
    divergences = np.zeros(len(orders))
    for part in parts:
        divergences += part.steps * renyi_divergences(
            part.noise_multiplier, part.sampling_rate, orders
        )
    conversion: Conversion = "classic" if accountant == "moments" else "improved"
    return renyi_epsilon(divergences, delta, orders=orders, conversion=conversion)


def _private_root(excess: Callable[[float], float], low: float, high: float) -> float:
    """The root of `excess` or a little more: what is returned was tried and keeps the budget."""
    root = low if excess(low) <= 0 else float(brentq(excess, low, high, rtol=1e-6))
    while excess(root) > 0:
        root *= 1 + 2e-6
    return root


def _out_of_reach(epsilon: float, delta: float, accountant: Accountant) -> str:
    way = (
        "a larger epsilon or delta"
        if accountant == "pld"
        else "the pld accountant, or a larger epsilon or delta"
    )
    return f"no noise gives epsilon {epsilon:g} at delta {delta:g} by the {accountant} accountant: take {way}"
