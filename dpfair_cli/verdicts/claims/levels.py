"""The levels at which the p-values of a paper's claims decide.

A paper has many claims, and a test at the level 0.05 is wrong for one of twenty. The method of
Benjamini and Hochberg (1995) lowers the level until, of all claims that are said to hold, at most
a twentieth is expected not to hold, and likewise of all claims that are said to fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dpfair_cli.verdicts.claims.p_values import PValues, every
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict

RATE = 0.05  # false discovery rate of a paper's claims, and level of a single test


@dataclass(frozen=True)
class Levels:
    """The largest p-values with which a claim holds, or fails."""

    holds: float = RATE
    """The largest p-value with which a claim holds."""

    fails: float = RATE
    """The largest p-value with which a claim fails."""

    def verdict(self, found: PValues) -> ClaimVerdict:
        """The verdict on a statement with these p-values."""
        if found.holds <= self.holds:
            return ClaimVerdict.HOLDS
        return ClaimVerdict.FAILS if found.fails <= self.fails else ClaimVerdict.UNDECIDED


def controlled_level(p_values: Iterable[float], rate: float = RATE) -> float:
    """The level at which p-values are significant at a false discovery rate; 0 if none is.

    Source: Benjamini and Hochberg 1995, Equation 1.

    Examples:
        >>> controlled_level([0.01, 0.02, 0.9, 0.03])  # three of four
        0.0375
        >>> controlled_level([0.04, 0.9])
        0.0
    """
    ordered = sorted(p_values)
    levels = [rate * rank / len(ordered) for rank in range(1, len(ordered) + 1)]
    return max((level for p, level in zip(ordered, levels, strict=True) if p <= level), default=0.0)


def levels_of(claims: Iterable[Sequence[PValues]]) -> Levels:
    """The levels of a paper, from the p-values of the parts of each claim.

    The p-values of failing must count the parts of the claim already. Claims that no chance is
    involved in are no tests, and do not count.
    """
    tested = [
        PValues(every(parts).holds, min(part.fails for part in parts)) for parts in claims if parts
    ]
    uncertain = [found for found in tested if not found.is_certain]
    return Levels(
        controlled_level(found.holds for found in uncertain),
        controlled_level(found.fails for found in uncertain),
    )
