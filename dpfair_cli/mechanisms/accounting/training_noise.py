"""The noise multiplier of private training: calibrated to a budget, or given and verified."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from dpfair_cli.contracts.parameters import (
    Delta,
    Epsilon,
    NotNegativeFinite,
    PositiveFinite,
    check_fields,
    checked,
)
from dpfair_cli.mechanisms.accounting.accountant import (
    Accountant,
    NoisySteps,
    joint_multiplier,
    noise_multiplier_for,
    spent_epsilon,
)

NoiseCalibration = Literal["pld", "rdp", "moments", "given"]


# runs that differ in their seeds share the calibration
@cache
@checked
def training_noise(
    calibration: NoiseCalibration,
    epsilon: Epsilon,
    delta: Delta,
    *,
    noise_multiplier: float,
    count_noise_ratio: float = math.inf,
    batches: NoisySteps,
) -> float:
    """The noise multiplier of the gradients, 0 for infinite epsilon.

    With an accountant as `calibration` the result is the least multiplier with which the training
    costs at most (epsilon, delta). With "given" it is `noise_multiplier`, if the accountant "pld"
    finds that the training then costs no more. The cost includes counts that are released on each
    batch, whose noise multiplier is `count_noise_ratio` times that of the gradients; infinity means
    that there are none. The noise multiplier of `batches` is ignored.

    Raises:
        ValueError: epsilon is finite and there is no noise, or the noise costs more than epsilon.
    """
    if math.isinf(epsilon):
        return 0.0
    if not noise_multiplier > 0 or not count_noise_ratio > 0:
        raise ValueError(
            "`noise_multiplier` and `count_noise_ratio` must be positive if epsilon is finite, got "
            f"{noise_multiplier:g} and {count_noise_ratio:g}"
        )
    # counts and gradients of a batch are one release, with the multiplier share * sigma_2
    share = joint_multiplier((1.0, count_noise_ratio))
    if calibration != "given":
        parts = {
            "sampling_rate": batches.sampling_rate,
            "steps": batches.steps,
            "sampling": batches.sampling,
        }
        return noise_multiplier_for(epsilon, delta, **parts, accountant=calibration) / share  # type: ignore[arg-type]
    spent = spent_epsilon([replace(batches, noise_multiplier=noise_multiplier * share)], delta)
    if spent > epsilon:
        raise ValueError(
            f"the training must cost at most epsilon {epsilon:g}, but with `noise_multiplier` "
            f"{noise_multiplier:g} costs epsilon {spent:.4g}: use a larger `noise_multiplier`"
        )
    return noise_multiplier


@dataclass(frozen=True)
class JointNoise:
    """The noise of training that releases counts and the sum of gradients on each batch."""

    calibration: NoiseCalibration = "pld"
    """The accountant that finds the noise, or "given" for the noise `noise_multiplier`."""
    noise_multiplier: NotNegativeFinite = 1.0
    """sigma_2, the noise multiplier of the gradients; used only with the calibration "given"."""
    count_noise_ratio: PositiveFinite = 10.0
    """sigma_1 / sigma_2, where sigma_1 is the noise multiplier of the counts."""

    def __post_init__(self) -> None:
        check_fields(self)

    def multipliers(self, epsilon: float, delta: float, batches: NoisySteps) -> tuple[float, float]:
        """The noise multipliers (sigma_1, sigma_2) of counts and of gradients for (epsilon, delta).

        Raises:
            ValueError: as `training_noise`.
        """
        sigma_2 = training_noise(
            self.calibration,
            epsilon,
            delta,
            noise_multiplier=self.noise_multiplier,
            count_noise_ratio=self.count_noise_ratio,
            batches=batches,
        )
        return self.count_noise_ratio * sigma_2, sigma_2


DEFAULT_NOISE = JointNoise()


@dataclass(frozen=True)
class Spending:
    """The releases of a training run, from which the privacy loss at `delta` is computed."""

    releases: tuple[NoisySteps, ...] = ()  # one part for each release that is made on every batch
    delta: float = 0.0

    def after(self, steps: int) -> Spending:
        """The releases of the first `steps` steps of the training run."""
        return replace(self, releases=tuple(replace(part, steps=steps) for part in self.releases))

    @property
    def published(self) -> float:
        """The epsilon that papers compute for a training run; NaN without noise.

        The moments accountant treats every release as if it were on a separate batch.
        """
        return (
            spent_epsilon(self.releases, self.delta, accountant="moments")
            if self.noisy
            else math.nan
        )

    def together(self, accountant: Accountant) -> float:
        """The epsilon of a run whose releases on one batch count as one; NaN without noise."""
        if not self.noisy:
            return math.nan
        joint = replace(
            self.releases[0],
            noise_multiplier=joint_multiplier(r.noise_multiplier for r in self.releases),
        )
        return spent_epsilon([joint], self.delta, accountant=accountant)

    @property
    def noisy(self) -> bool:
        """Whether every release of the training run has noise."""
        return bool(self.releases) and min(part.noise_multiplier for part in self.releases) > 0


NOTHING = Spending()


def spending(batches: NoisySteps, delta: float, noise_multipliers: Iterable[float]) -> Spending:
    """The releases of a training run: on each of `batches`, one for each noise multiplier."""
    return Spending(
        tuple(replace(batches, noise_multiplier=multiplier) for multiplier in noise_multipliers),
        delta,
    )
