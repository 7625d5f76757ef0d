"""The noise of a private training: calibrated, given and verified, or as a paper states it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, joint_multiplier
from dpfair_cli.mechanisms.accounting.training_noise import training_noise

NoiseChoice = Literal["pld", "given", "published"]


def chosen_noise(
    choice: NoiseChoice,
    epsilon: float,
    delta: float,
    noise_multiplier: float,
    *,
    copies: int,
    steps: NoisySteps,
) -> NoisySteps:
    """The steps of one copy with their noise multiplier, which is 0 for infinite epsilon.

    Args:
        choice: "pld" for the least noise with which all copies together cost (epsilon, delta),
            "given" for `noise_multiplier` if they cost at most that, "published" for
            `noise_multiplier`.
        epsilon: The privacy loss of all copies together.
        delta: The failure probability.
        noise_multiplier: The noise of "given" and "published".
        copies: The number of models that are trained on the same batches, with separate noise.
        steps: The steps of one copy; their noise multiplier is ignored.

    Raises:
        ValueError: the given noise costs more than epsilon, or there is no noise.
    """
    if choice == "published" and noise_multiplier > 0 and not math.isinf(epsilon):
        return replace(steps, noise_multiplier=noise_multiplier)
    # "published" without noise, or with infinite epsilon, is refused or adds nothing as "given"
    calibration = "given" if choice == "published" else choice
    sigma = training_noise(
        calibration,
        epsilon,
        delta,
        noise_multiplier=noise_multiplier,
        # the gradients of the other copies are further releases from the same batch
        count_noise_ratio=joint_multiplier([1.0] * (copies - 1)),
        batches=steps,
    )
    return replace(steps, noise_multiplier=sigma)
