"""Every verdict that a claim can have."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class ClaimVerdict(StrEnum):
    """The verdict on a claim, on a part of a claim, or on a predicate at one point."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    NOT_TESTABLE = "not testable here"  # no run of ours can decide the claim
    NOT_TESTED = "not tested"  # there are no runs, or the data are a replica


WORST_FIRST = (
    ClaimVerdict.FAILS,
    ClaimVerdict.UNDECIDED,
    ClaimVerdict.NOT_TESTABLE,
    ClaimVerdict.HOLDS,
    ClaimVerdict.NOT_TESTED,
)


def worst(verdicts: Iterable[ClaimVerdict]) -> ClaimVerdict:
    """The verdict on a whole whose parts must all hold: the worst verdict on a part.

    Parts that were not tested are ignored if any other part was. A whole with a part that cannot
    be tested does not hold.
    """
    return min(verdicts, key=WORST_FIRST.index)
