"""Noise of Tumult Core, audited by its outcomes with the claim that Tumult Core computes."""

from __future__ import annotations

import numpy as np
from tmlt.core.measurements.noise_mechanisms import AddDiscreteGaussianNoise, AddGeometricNoise

from benchmarks.audited import Audited
from dpfair_cli.addons.foreign_audits.outcomes import ClaimedPrivacy

PAIRS = [(np.int64(0), np.int64(1))]
RELATION = "integers at distance 1"


def mechanisms() -> dict[str, Audited]:
    """The mechanisms by name."""
    geometric = AddGeometricNoise(alpha=1)
    gaussian = AddDiscreteGaussianNoise(sigma_squared=1)
    epsilon = ClaimedPrivacy(geometric.privacy_function(1).to_float(round_up=True))
    rho = ClaimedPrivacy(gaussian.privacy_function(1).to_float(round_up=True), name="rho")
    return {
        "AddGeometricNoise": Audited(
            lambda value: int(geometric(value)), epsilon, PAIRS, RELATION, "alpha = 1"
        ),
        "AddDiscreteGaussianNoise": Audited(
            lambda value: int(gaussian(value)), rho, PAIRS, RELATION, "variance 1"
        ),
    }
