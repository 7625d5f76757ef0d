"""An estimate with its standard error over the seeds, at one point of a claim, and what it says:
three verdicts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from scipy.special import ndtri

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.verdicts.levels import FEWEST
from dpfair_cli.verdicts.means import deviation

ERRORS = 2.0  # standard errors beyond which something is decided
FALSE_ALARM = 0.05  # how often at most some point of a true predicate is called wrong
ROUNDING = 1e-12  # of a mean: what is equal to the last bit or two is equal


class NotTested(Exception):  # noqa: N818 - it is a verdict
    """Why a claim cannot be decided on these rows."""


class Verdict(StrEnum):
    """What can be said of a claim, the worst first."""

    FAILS = "fails"
    UNDECIDED = "undecided"
    HOLDS = "holds"


@dataclass(frozen=True)
class PointResult:
    """A predicate at one point: how far its estimate lies on the asked side, and the standard error
    of that.
    """

    text: str
    slack: float
    error: float = 0.0

    def __str__(self) -> str:
        """The text with two standard errors behind it; nothing for what does not vary."""
        if math.isinf(self.error):
            return f"{self.text} (one seed)"
        return f"{self.text} (± {ERRORS * self.error:.4f})" if self.error > ROUNDING else self.text

    def verdict(self, points: int = 1) -> Verdict:
        """What this point says, as one of several; an error that is not known decides nothing."""
        if self.slack > ERRORS * self.error:
            return Verdict.HOLDS
        unlucky = max(ERRORS, -float(ndtri(FALSE_ALARM / 2 / points)))
        return (
            Verdict.FAILS
            if self.slack <= 0 and self.slack <= -unlucky * self.error
            else Verdict.UNDECIDED
        )


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
