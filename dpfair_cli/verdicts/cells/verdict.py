"""Every verdict that a published cell can have."""

from __future__ import annotations

from enum import StrEnum


class CellVerdict(StrEnum):
    """What is said of a published cell, the best first."""

    REPRODUCED = "reproduced"
    WITHIN_NOISE = "within noise"
    UNDECIDED = "undecided"
    DIFFERS = "differs"
    MISSING = "missing"  # no run of ours has it
    NOT_RUN = "not run"  # missing, and a deviation says why
    NOT_COMPARED = "not compared"  # a replica of the data, or a time of another machine
    RECORD_COUNT = "record count"  # a number of records, which is true by construction

    @property
    def is_compared(self) -> bool:
        """Whether it is decided by the difference from the published value."""
        return self.rank <= CellVerdict.DIFFERS.rank

    @property
    def passes(self) -> bool:
        """Whether ours agrees with the published value."""
        return self.rank <= CellVerdict.WITHIN_NOISE.rank

    @property
    def needs_deviation(self) -> bool:
        """Whether `check` fails unless a deviation explains the cell."""
        return self in (CellVerdict.DIFFERS, CellVerdict.MISSING)

    @property
    def is_scored(self) -> bool:
        """Whether the cell is counted on the scoreboard."""
        return self.rank <= CellVerdict.NOT_RUN.rank

    @property
    def rank(self) -> int:
        """Its place in the order from best to worst."""
        return RANKS[self]


RANKS = {verdict: rank for rank, verdict in enumerate(CellVerdict)}
