"""Statistical tests of sampling: whether batches have their stated rate and are independent.

Between neighbours, the query on a batch changes only if the differing record is in the batch. If
too many queries change, the batches were not sampled at their stated rate. If the queries of two
batches change together too often, the two batches are the same. The thresholds are Chernoff bounds;
each test raises a false alarm with probability of at most 1e-8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

from dpfair_cli.auditing.losses import pass_of
from dpfair_cli.mechanisms.ledger import Release

RARE = 1e-8  # probability of a false alarm of one test
STILL = 1e-9  # share of a sensitivity below which a change is a rounding error


class MembershipCheck:
    """A count of the batches that contain the record in which two neighbours differ.

    The batches of many fits are counted, to test whether records are sampled as declared.
    """

    def __init__(self) -> None:
        self.moved = self.expected = 0.0  # batches whose query changed; the sum of all rates
        self.together = self.expected_together = 0.0  # the same for pairs of successive batches
        self.in_two_of_a_pass = False

    def see(self, tape: Sequence[Release], changes: Sequence[float]) -> None:
        """Adds the releases of one fit, with the changes of the queries on a neighbour."""
        hidden: dict[int, tuple[float, bool]] = {}  # sample -> rate, whether a query of it changed
        passes: dict[int, set[int]] = {}  # pass over the data -> samples whose query changed
        for entry, change in zip(tape, changes, strict=True):
            draw, moves = entry.draw, bool(change > STILL * entry.sensitivity)
            if draw.sampling == "shuffled":
                moved = passes.setdefault(pass_of(draw), set())
                if moves:
                    moved.add(draw.sample)
            elif draw.sampling_rate < 1:
                _, moved_before = hidden.get(draw.sample, (0.0, False))
                hidden[draw.sample] = draw.sampling_rate, moves or moved_before
        batches = list(hidden.values())
        self.moved += sum(moves for _, moves in batches)
        self.expected += sum(rate for rate, _ in batches)
        pairs = list(zip(batches[::2], batches[1::2], strict=False))
        self.together += sum(one and other for (_, one), (_, other) in pairs)
        self.expected_together += sum(one * other for (one, _), (other, _) in pairs)
        self.in_two_of_a_pass |= any(len(samples) > 1 for samples in passes.values())

    def problems(self) -> Iterator[str]:
        """The messages about wrong sampling of the batches."""
        if _too_many(self.moved, self.expected):
            yield "a record is in more batches than their sampling rate allows"
        elif _too_many(self.together, self.expected_together):
            yield "batches that should be drawn independently are the same"
        if self.in_two_of_a_pass:
            yield "a record is in two batches of one pass over the data"


def _too_many(found: float, expected: float) -> bool:
    """Whether `found` independent events are significantly more than the `expected` number.

    The test uses Chernoff's bound.
    """
    return found > expected and found - expected - found * log(found / expected) < log(RARE)
