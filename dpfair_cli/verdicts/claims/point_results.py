"""The result of a predicate at one point: estimate, standard error over the seeds, verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scipy.special import ndtri

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.verdicts.cells.comparison import FEWEST
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.means import deviation

ERRORS = 2.0  # standard errors from which a point is decided
FALSE_ALARM = 0.05  # largest probability that a true predicate fails at any of its points
ROUNDING = 1e-12  # relative difference of means that are equal up to rounding


class NotTested(Exception):  # noqa: N818 - a verdict, not an error
    """The reason why a claim cannot be decided on these rows, as an exception."""


@dataclass(frozen=True)
class PointResult:
    """The result of a predicate (statement about mean scores) at one point, such as one epsilon."""

    text: str
    """The point and its estimate, in words."""

    slack: float
    """The distance of the estimate from the limit; positive if the predicate is fulfilled."""

    error: float = 0.0
    """The standard error of the estimate."""

    def __str__(self) -> str:
        """The text of the result, followed by two standard errors if the error is not zero."""
        if math.isinf(self.error):
            return f"{self.text} (one seed)"
        return f"{self.text} (± {ERRORS * self.error:.4f})" if self.error > ROUNDING else self.text

    def verdict(self, points: int = 1) -> ClaimVerdict:
        """The verdict of a predicate at this point, one of `points` points.

        The verdict is undecided if the standard error is not known.
        """
        if self.slack > ERRORS * self.error:
            return ClaimVerdict.HOLDS
        unlucky = max(ERRORS, -float(ndtri(FALSE_ALARM / 2 / points)))
        is_beyond = self.slack <= 0 and self.slack <= -unlucky * self.error
        return ClaimVerdict.FAILS if is_beyond else ClaimVerdict.UNDECIDED


def standard_error(values: Floats, largest: float = math.nan) -> float:
    """The standard error of the mean of `values`, one per seed, (seeds,).

    For fewer than three seeds, the standard deviation is at least `largest`, the largest that is
    known. The result is infinite if neither deviation is known.
    """
    found = (float(deviation(values)), largest if len(values) < FEWEST else math.nan)
    known = [one for one in found if not math.isnan(one)]
    return max(known) / math.sqrt(len(values)) if known else math.inf


def largest_deviation(samples: Iterable[Floats]) -> float:
    """The largest standard deviation of the samples of two or more values; NaN without any."""
    return max(
        (float(deviation(sample)) for sample in samples if len(sample) > 1), default=math.nan
    )
