"""A predicate at one point: an estimate, its standard error over the seeds, and its verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scipy.special import ndtri

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.verdicts.cells.comparison import FEWEST
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.means import deviation

ERRORS = 2.0  # standard errors beyond which something is decided
FALSE_ALARM = 0.05  # how often at most some point of a true predicate is called wrong
ROUNDING = 1e-12  # of a mean: what is equal to the last bit or two is equal


class NotTested(Exception):  # noqa: N818 - it is a verdict
    """Why a claim cannot be decided on these rows."""


@dataclass(frozen=True)
class PointResult:
    """A predicate at one point."""

    text: str
    """The point and its estimate, in words."""

    slack: float
    """How far the estimate lies on the asked side."""

    error: float = 0.0
    """The standard error of the estimate."""

    def __str__(self) -> str:
        """The text with two standard errors behind it; nothing for what does not vary."""
        if math.isinf(self.error):
            return f"{self.text} (one seed)"
        return f"{self.text} (± {ERRORS * self.error:.4f})" if self.error > ROUNDING else self.text

    def verdict(self, points: int = 1) -> ClaimVerdict:
        """What this point says, as one of several; an error that is not known decides nothing."""
        if self.slack > ERRORS * self.error:
            return ClaimVerdict.HOLDS
        unlucky = max(ERRORS, -float(ndtri(FALSE_ALARM / 2 / points)))
        is_beyond = self.slack <= 0 and self.slack <= -unlucky * self.error
        return ClaimVerdict.FAILS if is_beyond else ClaimVerdict.UNDECIDED


def standard_error(values: Floats, largest: float = math.nan) -> float:
    """The standard error of the mean of one value a seed.

    Of fewer than three seeds the `largest` deviation counts that was seen, where it is known;
    infinite if neither is.
    """
    found = (float(deviation(values)), largest if len(values) < FEWEST else math.nan)
    known = [one for one in found if not math.isnan(one)]
    return max(known) / math.sqrt(len(values)) if known else math.inf


def largest_deviation(samples: Iterable[Floats]) -> float:
    """The largest standard deviation among samples of two seeds at least, NaN if there is none."""
    return max(
        (float(deviation(sample)) for sample in samples if len(sample) > 1), default=math.nan
    )
