"""Every verdict that a claim can have."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class ClaimVerdict(StrEnum):
    """What is said of a claim, of its parts, and of a predicate at one point."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    NOT_TESTABLE = "not testable here"  # it asks for what no run of ours can show
    NOT_TESTED = "not tested"  # no runs, or a replica of the data


WORST_FIRST = (
    ClaimVerdict.FAILS,
    ClaimVerdict.UNDECIDED,
    ClaimVerdict.NOT_TESTABLE,
    ClaimVerdict.HOLDS,
    ClaimVerdict.NOT_TESTED,
)


def worst(verdicts: Iterable[ClaimVerdict]) -> ClaimVerdict:
    """The verdict of a whole whose parts must all hold: the worst of its parts that were tested.

    A whole with a part that cannot be tested does not hold by the others.
    """
    return min(verdicts, key=WORST_FIRST.index)
