"""Privacy accounting of training with noise: the epsilon of a run, and the noise for an epsilon.

A part of a training run (`NoisySteps`) is a number of Gaussian releases, each on another batch. The
epsilon of a part depends on the sampling of the batches:

- "poisson": each record enters each batch independently with probability `sampling_rate`.
  Neighbours: add-or-remove-one. The chance that a record is not in a batch protects the record too
  (privacy amplification by sampling).
- "shuffled": each record is in one batch of each pass over the data; `sampling_rate` is 1 /
  (batches per pass). No amplification is used: for each record a pass is one Gaussian release.
  Neighbours: the contribution of one record is removed from the batches that contain the record
  (for replace-one, halve the noise multiplier). An epsilon computed for Poisson batches does not
  hold for shuffled batches, although papers print it.

There are three accountants. "pld" uses privacy loss distributions and is nearly exact. "rdp" uses
Renyi divergences with the improved conversion to epsilon. "moments" uses Renyi divergences at
integer orders with the classic conversion, as Abadi et al. 2016 and xu2021, chapter 9, do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
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
from dpfair_cli.mechanisms.gaussian import gaussian_epsilon

Accountant = Literal["pld", "rdp", "moments"]
SMALLEST, LARGEST = 2.0**-7, 2.0**20  # noise multipliers that are tried


@dataclass(frozen=True)
class NoisySteps:
    """`steps` Gaussian releases, each on one batch.

    >>> part = NoisySteps(noise_multiplier=1.1, sampling_rate=0.01, steps=1000)
    >>> round(spent_epsilon([part], delta=1e-5), 2)
    1.52
    """

    noise_multiplier: NotNegative
    """The standard deviation of the noise in units of the L2 sensitivity."""
    sampling_rate: Share
    """The batch size divided by the number of records."""
    steps: CountOrZero
    sampling: Sampling = "poisson"

    def __post_init__(self) -> None:
        check_fields(self)


@checked
def spent_epsilon(
    parts: Iterable[NoisySteps], delta: Delta, *, accountant: Accountant = "pld"
) -> float:
    """The epsilon at which all `parts` together are (epsilon, delta)-differentially private.

    The batches of different parts must be independent. Two releases on the same batches are one
    part with their `joint_multiplier`.

    Raises:
        ValueError: delta is not in (0, 1), or too small for the arithmetic of "pld".

    Source: Abadi et al. 2016; Mironov, Talwar and Zhang 2019; Zhu, Dong and Wang 2022.

    >>> run = NoisySteps(noise_multiplier=1.0, sampling_rate=1.0, steps=1)
    >>> round(spent_epsilon([run], delta=1e-5), 2)  # `gaussian_epsilon(1e-5, 1.0)`
    4.38
    """
    noisy = [part for part in parts if part.steps and part.noise_multiplier < math.inf]
    if not noisy:
        return 0.0
    if any(part.noise_multiplier == 0 for part in noisy):  # steps without noise have no finite cost
        return math.inf
    return _spent([_unamplified(part) for part in noisy], delta, accountant)


def joint_multiplier(noise_multipliers: Iterable[float]) -> float:
    """The noise multiplier s of one release that is equivalent to several on the same batch.

    1/s^2 is the sum of 1/s_i^2 over the releases i. Given the batch, a record changes release i by
    at most 1/s_i standard deviations, even if the query of release i depends on earlier releases.
    By Dong, Roth and Su 2022, Corollary 2, all these releases together are then at least as private
    as one Gaussian release of a value that changes by 1/s standard deviations. Since the batch is
    sampled once, the releases are one subsampled Gaussian release with multiplier s. This bound is
    tight: it is reached if every release changes by its largest amount.

    Theorem 4 of xu2021 adds the moments of the releases as if every release had a separate batch
    (`spent_epsilon` of two parts). For a common batch that sum is too small, because a record in
    the batch takes part in all releases.

    >>> round(joint_multiplier([1.0, 1.0]), 4)
    0.7071
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
    """The least noise multiplier with which the steps cost at most (epsilon, delta), to 5 digits.

    The result is 0 for an infinite epsilon, and otherwise at least SMALLEST.

    Raises:
        ValueError: no noise is enough for this accountant.

    >>> found = noise_multiplier_for(1.0, 1e-5, sampling_rate=1.0, steps=1)
    >>> round(found, 2)  # `analytic_sigma(1, 1, 1e-5)`
    3.73
    """
    if math.isinf(epsilon):
        return 0.0

    def excess(noise_multiplier: float) -> float:
        part = NoisySteps(noise_multiplier, sampling_rate, steps, sampling)
        return cost(part, delta, accountant) - epsilon

    # the cost falls as noise grows: doubling and halving bracket the multiplier
    low = high = 1.0
    while excess(high) > 0:
        low, high = high, 2 * high
        if high > LARGEST:
            raise ValueError(_out_of_reach(epsilon, delta, accountant))
    # no use has a cost as large as that of SMALLEST
    while low > SMALLEST and excess(low) <= 0:
        low, high = low / 2, low
    return _private_root(excess, low, high)


@lru_cache(maxsize=4096)
def cost(part: NoisySteps, delta: float, accountant: Accountant) -> float:
    """The epsilon of one part, kept since calibrations for several epsilons share noise levels."""
    return spent_epsilon([part], delta, accountant=accountant)


@checked
def affordable_steps(
    epsilon: Epsilon, delta: Delta, parts: Sequence[NoisySteps], *, accountant: Accountant = "pld"
) -> int:
    """The largest number of steps, equal for all `parts`, that cost at most (epsilon, delta).

    Raises:
        ValueError: the number is unbounded, because epsilon is infinite or the noise of every part
            is infinite.

    >>> part = NoisySteps(noise_multiplier=10.0, sampling_rate=1.0, steps=0)
    >>> affordable_steps(1.0, 1e-5, [part])  # 7 / 10^2 < 1 / 3.73^2 < 8 / 10^2
    7
    """
    if math.isinf(epsilon) or all(part.noise_multiplier == math.inf for part in parts):
        raise ValueError(
            f"any number of steps costs at most epsilon {epsilon:g}, because this epsilon or the "
            "noise is infinite: give the number of steps"
        )

    def affordable(steps: int) -> bool:
        taken = [replace(part, steps=steps) for part in parts]
        return spent_epsilon(taken, delta, accountant=accountant) <= epsilon

    # the cost grows with the steps: double until they cost too much, then halve the gap
    low, high = 0, 1
    while affordable(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if affordable(middle) else (low, middle)
    return low


def central_limit_epsilon(steps: NoisySteps, delta: float) -> float:
    """The epsilon of DP-SGD at `delta` by the central limit of Gaussian differential privacy.

    It is an approximation and not a bound: the true epsilon can be larger. ficiu2023 states these
    numbers, and no method of dpfair calibrates noise with them. With sampling rate q, T steps and
    noise multiplier s, DP-SGD is nearly as private as one Gaussian release that changes by
    q sqrt(T (exp(1/s^2) - 1)) standard deviations. The result is 0 without steps and infinite
    without noise.

    Source: Bu, Dong, Long and Su 2020, Corollary 4.

    >>> steps = NoisySteps(noise_multiplier=0.48, sampling_rate=1 / 1954, steps=195_400)
    >>> round(central_limit_epsilon(steps, 1e-5), 4)  # spent_epsilon has 11.07
    9.8047
    """
    if not steps.steps or math.isinf(steps.noise_multiplier):
        return 0.0
    if steps.noise_multiplier == 0:
        return math.inf
    # expm1: the difference to 1 is small for much noise
    moved = math.expm1(steps.noise_multiplier**-2)
    return gaussian_epsilon(delta, 1 / (steps.sampling_rate * math.sqrt(steps.steps * moved)))


def _unamplified(part: NoisySteps) -> NoisySteps:
    """A part with the same privacy loss in which each pass of shuffled batches is one release."""
    if part.sampling == "poisson":
        return part
    return NoisySteps(part.noise_multiplier, 1.0, _passes(part.steps, part.sampling_rate))


def _passes(steps: int, sampling_rate: float) -> int:
    """The number of passes over the data that contain the first `steps` steps, rounded up."""
    # the sampling rate has a rounding error, which must not add a pass
    return math.ceil(steps * sampling_rate - 1e-9)


def _multiplier(square: float) -> float:
    """The noise multiplier of one release that changes by sqrt(square) standard deviations."""
    # no change needs no noise: infinitely much of it
    return 1 / math.sqrt(square) if square else math.inf


def _spent(parts: Sequence[NoisySteps], delta: float, accountant: Accountant) -> float:
    if accountant == "pld":
        steps = [(part.noise_multiplier, part.sampling_rate, part.steps) for part in parts]
        return loss_epsilon(steps, delta)
    orders = INTEGER_ORDERS if accountant == "moments" else ORDERS  # as the papers that use it do
    divergences = np.zeros(len(orders))
    for part in parts:
        divergences += part.steps * renyi_divergences(
            part.noise_multiplier, part.sampling_rate, orders
        )
    conversion: Conversion = "classic" if accountant == "moments" else "improved"
    return renyi_epsilon(divergences, delta, orders=orders, conversion=conversion)


def _private_root(excess: Callable[[float], float], low: float, high: float) -> float:
    """A point at or slightly above the root of a falling function, at which it is at most 0."""
    root = low if excess(low) <= 0 else float(brentq(excess, low, high, rtol=1e-6))
    # brentq may end on the side where epsilon is exceeded; this side is left
    while excess(root) > 0:
        root *= 1 + 2e-6
    return root


def _out_of_reach(epsilon: float, delta: float, accountant: Accountant) -> str:
    others = "" if accountant == "pld" else "the pld accountant, or "
    return (
        f"no noise gives epsilon {epsilon:g} at delta {delta:g} by the {accountant} accountant: "
        f"take {others}a larger epsilon or delta"
    )
