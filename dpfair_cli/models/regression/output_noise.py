"""The settings of penalised logistic regression with noise on its weights."""

from __future__ import annotations

from dataclasses import dataclass

from dpfair_cli.contracts.parameters import PositiveFinite, check_fields
from dpfair_cli.mechanisms.budget import capped_delta
from dpfair_cli.mechanisms.gaussian import SigmaCalibration, calibrated_sigma
from dpfair_cli.mechanisms.sensitivity.minimiser import l2_minimiser


@dataclass(frozen=True)
class OutputNoise:
    """The settings of output perturbation.

    Raises:
        ValueError: a value outside its range.
    """

    mu: PositiveFinite = 1.0
    """The strength of the penalty mu |w|^2 / 2, which the sensitivity is inverse to."""

    clip_norm: PositiveFinite = 3.0
    """The norm to which standardised records are clipped."""

    calibration: SigmaCalibration = "analytic"
    """The formula of the Gaussian noise."""

    def __post_init__(self) -> None:
        check_fields(self)

    def l2_sensitivity(self, n: int) -> float:
        """The l2 sensitivity of the minimiser on n records."""
        return l2_minimiser(n, clip_norm=self.clip_norm, mu=self.mu)

    def sigma(self, n: int, epsilon: float, delta: float) -> float:
        """The standard deviation of the noise, for the smaller of delta and 1/n^2.

        Raises:
            ValueError: the classical calibration with an epsilon above 1.
        """
        capped = capped_delta(delta, n)
        return calibrated_sigma(self.calibration, self.l2_sensitivity(n), epsilon, capped)


DEFAULT_OUTPUT_NOISE = OutputNoise()
