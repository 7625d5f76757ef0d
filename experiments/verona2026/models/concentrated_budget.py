"""A budget of zero-concentrated differential privacy that is spent in shares.

Gaussian noise of standard deviation sigma on a query of sensitivity 1 costs 1 / (2 sigma^2), the
exponential mechanism epsilon^2 / 8. The costs of releases add up, also if each depends on earlier
outputs, as long as their sum cannot exceed the budget.

It cannot: a round that is not the last is made only while two of its kind are left. It costs its
share of the budget, in the parts OF_TABLE and 1 - OF_TABLE, and the last round costs what is left.
The share grows after a round by what noisy tables say, before it is compared with what is left.

Source: Bun and Steinke 2016; Cesar and Rogers 2021 (the exponential mechanism); Feldman and Zrnic
    2021 (costs that depend on outputs); McKenna et al. 2022, Algorithm 4 (the shares).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import scipy  # which imports its modules when they are used

OF_TABLE = 0.9  # of the cost of a round; the rest is for the choice of the table
CERTAIN = 1e-9  # by which a root is rounded down, relatively


@dataclass
class Budget:
    """A budget, and the share of it that a round costs now."""

    rho: float  # the whole budget
    share: float
    used: float = 0.0  # the share of all releases so far
    has_rounds: bool = True  # whether there is a round left

    @classmethod
    def of(cls, epsilon: float, delta: float, *, share: float) -> Self:
        """The budget of which all releases together are (epsilon, delta)-private."""
        return cls(zero_concentrated(epsilon, delta), share)

    @property
    def sigma(self) -> float:
        """The standard deviation of the noise of a table in this round."""
        return math.sqrt(1 / (2 * OF_TABLE * self.share * self.rho))

    @property
    def choice_epsilon(self) -> float:
        """The epsilon of the choice of a table in this round."""
        return math.sqrt(8 * (1 - OF_TABLE) * self.share * self.rho)

    def expected_noise(self, cells: int) -> float:
        """The mean L1 norm of the noise of a table with so many cells."""
        return math.sqrt(2 / math.pi) * self.sigma * cells

    def spend_on_table(self) -> None:
        """Counts a table that nobody chose."""
        self.used += OF_TABLE * self.share

    def spend_on_round(self) -> None:
        """Counts a round. If less than two rounds are left, this one gets all and is the last."""
        if 1 - self.used < 2 * self.share:
            self.share, self.has_rounds = 1 - self.used, False
        self.used += self.share


def zero_concentrated(epsilon: float, delta: float) -> float:
    """The largest rho such that rho-zero-concentrated DP is (epsilon, delta)-DP, rounded down.

    Source: Canonne, Kamath and Steinke 2020, Corollary 13.

    >>> round(zero_concentrated(2, 1e-9), 4)  # that of smartnoise-synth is the same
    0.0561
    """
    if math.isinf(epsilon):
        return math.inf

    def excess(log_rho: float) -> float:
        """How far the logarithm of delta is too large at the best order."""

        def log_delta(log_above: float) -> float:
            above = math.exp(log_above)  # the order minus 1
            order = 1 + above
            divergence = above * (order * math.exp(log_rho) - epsilon)
            return divergence - order * math.log1p(1 / above) - math.log(above)

        best = scipy.optimize.minimize_scalar(log_delta, bounds=(-10, 20), method="bounded")
        return float(best.fun) - math.log(delta)

    return math.exp(scipy.optimize.brentq(excess, -60, 10)) * (1 - CERTAIN)
