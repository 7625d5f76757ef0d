"""The rule of the states (docs/referee.md): from numbers and verdicts to the state of an entry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dpfair_cli.addons.referee.numbers import Interval, Number, weighted_sum
from dpfair_cli.verdicts.cells.comparison import MARGIN
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict

LARGEST_REST = 0.5  # of a settled gap, as a share of the gap


class State(StrEnum):
    """The state of an entry, in the order of the page."""

    SETTLED = "settled"  # the steps of our runs explain the gap: the rest is equivalent to zero
    # the steps explain a share of the gap, or the rest is too uncertain to be called zero
    IN_PART = "settled in part"
    # the noise is not known or larger than the margin, or our runs do not show the gap
    UNDECIDED = "undecided"
    NOT_ONE = "not one quantity"  # the two numbers or sentences are not about the same thing
    NO_CONTRADICTION = "no contradiction"  # the numbers are equivalent, or both sentences hold


@dataclass(frozen=True)
class Path:
    """Our means from the protocol of the first work to that of the second."""

    means: tuple[Number, ...] = ()  # the mean of each setting; neighbours differ in one thing
    # for each step, whether it explains something: its setting is published
    counts: tuple[bool, ...] = ()

    @property
    def steps(self) -> tuple[Interval, ...]:
        """The difference of neighbouring means, for each step."""
        pairs = zip(self.means, self.means[1:], strict=False)
        return tuple(weighted_sum([(1, after), (-1, before)]) for before, after in pairs)

    @property
    def weights(self) -> list[int]:
        """The weight of each mean in the sum of the steps that count."""
        found = [0] * len(self.means)
        for place, counts in enumerate(self.counts):
            found[place] -= counts
            found[place + 1] += counts
        return found


@dataclass(frozen=True)
class Gap:
    """The gap between two published numbers, taken apart by the steps of our runs."""

    a: Number  # the first published number
    b: Number  # the second published number
    path: Path = Path()  # our runs between both protocols; empty if there are none
    margin: float = MARGIN  # the largest difference of two means that count as the same number

    @property
    def whole(self) -> Interval:
        """The second number minus the first."""
        return weighted_sum([(1, self.b), (-1, self.a)])

    @property
    def explained(self) -> Interval:
        """The sum of the steps that count."""
        return weighted_sum(self._weighted(1))

    @property
    def rest(self) -> Interval:
        """The gap minus the sum of the steps that count."""
        return weighted_sum([(1, self.b), (-1, self.a), *self._weighted(-1)])

    @property
    def share(self) -> float:
        """The share of the gap that the steps explain; NaN without a gap."""
        whole = self.whole.value
        return self.explained.value / whole if whole else math.nan

    def _weighted(self, sign: int) -> list[tuple[float, Number]]:
        """The means of the path, each with its weight in the sum of the steps, times `sign`."""
        weights = (sign * weight for weight in self.path.weights)
        return list(zip(weights, self.path.means, strict=True))


@dataclass(frozen=True)
class Ruling:
    """The state of an entry, and why."""

    state: State
    reason: str  # why, in words; the page adds the numbers


NOT_ONE = "the two are not about the same {aspects}"


def decide_numbers(gap: Gap, aspects: Sequence[str] = ()) -> Ruling:
    """The state of an entry with two numbers.

    `aspects` are the differences that make the numbers about two quantities.
    """
    whole, explained, rest = gap.whole, gap.explained, gap.rest
    if aspects:
        return Ruling(State.NOT_ONE, NOT_ONE.format(aspects=" and ".join(aspects)))
    if not whole.is_known:
        return Ruling(State.UNDECIDED, "the noise of a published number is not known")
    if whole.contains_zero:
        return _without_gap(gap)
    if not any(gap.path.counts):
        return Ruling(State.UNDECIDED, "no runs of ours take the gap apart")
    if not explained.is_known or explained.contains_zero or explained.value * whole.value < 0:
        return Ruling(State.UNDECIDED, "our runs do not show a gap of this sign")
    if rest.contains_zero and abs(rest.value) <= LARGEST_REST * abs(whole.value):
        # noise alone puts zero into an interval: a settled rest is also shown to be small
        if rest.is_equivalent_to_zero(gap.margin):
            return Ruling(
                State.SETTLED, "the named differences explain the gap, and no rest is left"
            )
        return Ruling(State.IN_PART, "the rest is too uncertain to be called zero")
    too_much = "give more than the gap" if gap.share > 1 else "explain a part of the gap"
    return Ruling(State.IN_PART, f"the named differences {too_much}")


def _without_gap(gap: Gap) -> Ruling:
    """The state of an entry whose gap is not larger than its noise.

    The numbers agree only if the gap is certainly smaller than the margin: much noise alone must
    neither make nor settle a contradiction.
    """
    if gap.whole.is_equivalent_to_zero(gap.margin):
        return Ruling(State.NO_CONTRADICTION, "the numbers agree up to the margin")
    return Ruling(State.UNDECIDED, "the gap is within its noise, which is larger than the margin")


def decide_claims(verdicts: Sequence[ClaimVerdict], aspects: Sequence[str] = ()) -> Ruling:
    """The state of an entry with one or two claims, from the verdict on each claim."""
    if aspects:
        return Ruling(State.NOT_ONE, NOT_ONE.format(aspects=" and ".join(aspects)))
    if not {*verdicts} <= {ClaimVerdict.HOLDS, ClaimVerdict.FAILS}:
        return Ruling(State.UNDECIDED, "our verdicts do not decide every sentence")
    if ClaimVerdict.FAILS not in verdicts:
        both = "both sentences hold" if len(verdicts) > 1 else "the sentence holds"
        return Ruling(State.NO_CONTRADICTION, f"{both}, each for what it is about")
    if ClaimVerdict.HOLDS in verdicts:
        return Ruling(State.SETTLED, "one sentence holds and the other fails")
    neither = "neither sentence holds" if len(verdicts) > 1 else "the sentence does not hold"
    return Ruling(State.SETTLED, neither)
