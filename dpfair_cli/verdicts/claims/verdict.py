"""Every verdict that a claim can have, and the p-values and levels that decide it.

A statement that all of k inequalities hold is an intersection-union test (Berger 1982): the
statement holds at a level if each inequality holds at this level. The statement fails at a level if
one inequality is violated at this level divided by k (Bonferroni). Both are special cases of a
partial conjunction (Benjamini and Heller 2008), the statement that at least u of k are true.

A paper has hundreds of cells and claims, and a test at the level 0.05 is wrong for one of twenty.
The levels of a paper therefore follow from all its tests by the method of Benjamini and Hochberg:
of all tests that are significant, at most a twentieth is expected to be significant wrongly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

RATE = 0.05  # false discovery rate of a paper, and level of a single test


class ClaimVerdict(StrEnum):
    """The verdict on a claim, on a part of a claim, or on a predicate at one point."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    OTHER_PROTOCOL = "not the paper's protocol"  # no verdict follows from such runs
    NOT_TESTABLE = "not testable here"  # no run of ours can decide the claim
    NOT_TESTED = "not tested"  # there are no runs, or the data are a replica


WORST_FIRST = (
    ClaimVerdict.FAILS,
    ClaimVerdict.OTHER_PROTOCOL,
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


class PValues(NamedTuple):
    """The p-values of a statement and of its opposite."""

    holds: float  # largest probability of such an estimate if the statement is false
    fails: float  # largest probability of such an estimate if the statement is true

    @property
    def is_certain(self) -> bool:
        """Whether no chance is involved: the estimate has no standard error."""
        return {self.holds, self.fails} == {0.0, 1.0}


def at_least(needed: int, parts: Sequence[PValues]) -> PValues:
    """The p-values of the statement that at least `needed` of several statements are true.

    Source: Benjamini and Heller 2008, Equation 3, for both the statement and its opposite, which is
    that more than len(parts) - needed of the statements are false.

    Examples:
        >>> at_least(2, [PValues(0.01, 0.99), PValues(0.03, 0.97)])  # both hold
        PValues(holds=0.03, fails=1.0)
        >>> at_least(2, [PValues(0.98, 0.02), PValues(0.03, 0.97)])  # one of both fails
        PValues(holds=0.98, fails=0.04)
    """
    k = len(parts)
    holds = sorted(part.holds for part in parts)
    fails = sorted(part.fails for part in parts)
    return PValues(
        holds=min(1.0, (k - needed + 1) * holds[needed - 1]),
        fails=min(1.0, needed * fails[k - needed]),
    )


def every(parts: Sequence[PValues]) -> PValues:
    """The p-values of the statement that all of several statements are true."""
    return at_least(len(parts), parts)


@dataclass(frozen=True)
class ClaimLevels:
    """The largest p-values with which a claim holds, or fails."""

    holds: float = RATE
    fails: float = RATE

    def verdict(self, found: PValues) -> ClaimVerdict:
        """The verdict on a statement with these p-values."""
        if found.holds <= self.holds:
            return ClaimVerdict.HOLDS
        return ClaimVerdict.FAILS if found.fails <= self.fails else ClaimVerdict.UNDECIDED


def controlled_level(p_values: Iterable[float], rate: float = RATE) -> float:
    """The level of each test at which a false discovery rate is controlled.

    It is rate * k / m for m p-values, of which the k smallest are significant. If none is, it is
    the level rate / m that a first one would have to reach.

    Source: Benjamini and Hochberg, 1995, Equation 1.

    Examples:
        >>> controlled_level([0.01, 0.02, 0.5, 0.9])
        0.025
        >>> controlled_level([0.04, 0.5, 0.6, 0.9])
        0.0125
    """
    ordered = sorted(p_values)
    ranks = [rank for rank, p in enumerate(ordered, 1) if p * len(ordered) <= rate * rank]
    return rate * max(ranks, default=1) / max(len(ordered), 1)


def levels_of(claims: Iterable[Sequence[PValues]]) -> ClaimLevels:
    """The levels of a paper, from the p-values of the parts of each claim.

    The p-values of failing must count the parts of the claim already. Claims that no chance is
    involved in are no tests, and do not count.
    """
    # a claim holds if all its parts hold, and fails if one fails
    tested = []
    for parts in filter(None, claims):
        fails = min(part.fails for part in parts)
        tested.append(PValues(every(parts).holds, fails))
    uncertain = [found for found in tested if not found.is_certain]
    return ClaimLevels(
        controlled_level(found.holds for found in uncertain),
        controlled_level(found.fails for found in uncertain),
    )
