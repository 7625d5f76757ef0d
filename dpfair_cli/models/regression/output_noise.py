"""The settings of penalised logistic regression with noise on its weights."""

from __future__ import annotations

from dataclasses import dataclass

from dpfair_cli.contracts.parameters import PositiveFinite, check_fields
from dpfair_cli.mechanisms.gaussian import SigmaCalibration


@dataclass(frozen=True)
class OutputNoise:
    """The settings of output perturbation.

    Raises:
        ValueError: a value is outside its range.
    """

    mu: PositiveFinite = 1.0
    """The strength of the penalty mu |w|^2 / 2; the sensitivity is proportional to 1 / mu."""

    clip_norm: PositiveFinite = 3.0
    """The norm to which standardised records are clipped."""

    calibration: SigmaCalibration = "analytic"
    """The formula that gives the standard deviation of the Gaussian noise."""

    def __post_init__(self) -> None:
        check_fields(self)


DEFAULT_OUTPUT_NOISE = OutputNoise()
