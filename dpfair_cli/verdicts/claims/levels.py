"""The levels at which the p-values of a paper's claims decide (see `false_discovery.py`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dpfair_cli.verdicts.claims.p_values import PValues, every
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.false_discovery import RATE, controlled_level


@dataclass(frozen=True)
class ClaimLevels:
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


def levels_of(claims: Iterable[Sequence[PValues]]) -> ClaimLevels:
    """The levels of a paper, from the p-values of the parts of each claim.

    The p-values of failing must count the parts of the claim already. Claims that no chance is
    involved in are no tests, and do not count.
    """
    tested = [
        PValues(every(parts).holds, min(part.fails for part in parts)) for parts in claims if parts
    ]
    uncertain = [found for found in tested if not found.is_certain]
    return ClaimLevels(
        controlled_level(found.holds for found in uncertain),
        controlled_level(found.fails for found in uncertain),
    )
