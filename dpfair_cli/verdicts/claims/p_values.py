"""The p-values of a statement about true means, and of statements that are made of several.

A statement that all of k inequalities hold is an intersection-union test (Berger 1982): the
statement holds at a level if each inequality holds at this level. The statement fails at a level if
one inequality is violated at this level divided by k (Bonferroni). Both are special cases of a
partial conjunction (Benjamini and Heller 2008), the statement that at least u of k are true.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class PValues(NamedTuple):
    """The p-values of a statement and of its opposite."""

    holds: float
    """The largest probability of such an estimate if the statement is false."""

    fails: float
    """The largest probability of such an estimate if the statement is true."""

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
