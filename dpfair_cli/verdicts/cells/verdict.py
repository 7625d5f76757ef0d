"""Every verdict that a published cell can have."""

from __future__ import annotations

from enum import StrEnum


class CellVerdict(StrEnum):
    """The verdict on a published cell, from best to worst."""

    REPRODUCED = "reproduced"
    CONSISTENT = "consistent"
    UNDECIDED = "undecided"
    DIFFERS = "differs"
    MISSING = "missing"  # no run of ours has the cell
    NOT_RUN = "not run"  # missing, and a deviation gives the reason
    NOT_COMPARED = "not compared"  # the data are a replica, or the score is a time
    RECORD_COUNT = "record count"  # a number of records, which is true by construction

    @property
    def is_compared(self) -> bool:
        """Whether the verdict comes from comparing our mean with the published value."""
        return self.rank <= CellVerdict.DIFFERS.rank

    @property
    def agrees(self) -> bool:
        """Whether our mean agrees with the published value."""
        return self.rank <= CellVerdict.CONSISTENT.rank

    @property
    def needs_deviation(self) -> bool:
        """Whether `dpfair check` fails if no deviation explains a cell with this verdict."""
        return self in (CellVerdict.DIFFERS, CellVerdict.MISSING)

    @property
    def is_scored(self) -> bool:
        """Whether a cell with this verdict is counted on the scoreboard."""
        return self.rank <= CellVerdict.NOT_RUN.rank

    @property
    def rank(self) -> int:
        """The number of the verdict in the order from best to worst."""
        return RANKS[self]


RANKS = {verdict: rank for rank, verdict in enumerate(CellVerdict)}
COMPARED = [verdict for verdict in CellVerdict if verdict.is_compared]
