"""Whether a record is in no more batches than they say, and no two batches are one.

A query on a batch moves only if the record that was exchanged is in it: where many move, the
batches were not drawn at the rate that they state, and where they move together, they are one batch
under two names. Thresholds are Chernoff's, of a false alarm in a hundred million audits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

from dpfair_cli.auditing.losses import pass_of
from dpfair_cli.mechanisms.ledger import Release

RARE = 1e-8
STILL = 1e-9  # of a sensitivity: less is rounding


class MembershipCheck:
    """In how many batches of many fits the record that was exchanged was found."""

    def __init__(self) -> None:
        self.moved = self.expected = 0.0  # batches that moved, and the sum of the rates of all
        self.together = self.expected_together = 0.0  # of pairs of batches that follow each other
        self.in_two_of_a_pass = False

    def see(self, tape: Sequence[Release], changes: Sequence[float]) -> None:
        """Look at one fit and by how much its queries changed on a neighbour."""
        hidden: dict[int, tuple[float, bool]] = {}  # sample -> rate, whether any query of it moved
        passes: dict[int, set[int]] = {}  # pass over the data -> samples that moved
        for entry, change in zip(tape, changes, strict=True):
            draw, moves = entry.draw, bool(change > STILL * entry.sensitivity)
            if draw.sampling == "shuffled":
                passes.setdefault(pass_of(draw), set()).update({draw.sample} if moves else ())
            elif draw.sampling_rate < 1:
                hidden[draw.sample] = (
                    draw.sampling_rate,
                    moves or hidden.get(draw.sample, (0.0, False))[1],
                )
        batches = list(hidden.values())
        self.moved += sum(moves for _, moves in batches)
        self.expected += sum(rate for rate, _ in batches)
        pairs = list(zip(batches[::2], batches[1::2], strict=False))
        self.together += sum(one and other for (_, one), (_, other) in pairs)
        self.expected_together += sum(one * other for (one, _), (other, _) in pairs)
        self.in_two_of_a_pass |= any(len(samples) > 1 for samples in passes.values())

    def problems(self) -> Iterator[str]:
        """What is wrong with the batches, in words."""
        if _too_many(self.moved, self.expected):
            yield "a record is in more batches than their rate says"
        elif _too_many(self.together, self.expected_together):
            yield "batches that should be drawn anew are the same"
        if self.in_two_of_a_pass:
            yield "a record is in two batches of one pass over the data"


def _too_many(found: float, expected: float) -> bool:
    """Whether independent events of that expected number cannot be so many (Chernoff)."""
    return found > expected and found - expected - found * log(found / expected) < log(RARE)
