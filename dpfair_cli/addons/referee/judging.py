"""Judges the entries of contradictions.yaml by the evidence of the works."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from dpfair_cli.addons.referee.entry import Address, Entry, ReportedDifference, Side
from dpfair_cli.addons.referee.evidence import Evidence, OurMethod
from dpfair_cli.addons.referee.finding import find_cell, find_claims, mistake, require_work
from dpfair_cli.addons.referee.numbers import Interval, Number
from dpfair_cli.addons.referee.rule import Gap, Path, Ruling, decide_claims, decide_numbers
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.results import range_of
from dpfair_cli.verdicts.authors import JudgedAuthorsValue
from dpfair_cli.verdicts.cells.comparison import LAST_DECIMAL, MARGIN, RELATIVE_MARGIN, Sample
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.cells.published import PRINTED, PublishedCell
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict, worst


@dataclass(frozen=True, eq=False)
class JudgedSide:
    """One of the two numbers or sentences, with what our runs say of it."""

    side: Side  # the side in contradictions.yaml
    number: Number | None = None  # the number with its noise; None for a claim
    # the published cell with its verdict; None for a claim or a number of ours
    judged: JudgedCell | None = None
    # the value of the authors' program in the place of the cell; empty without one
    authors: tuple[JudgedAuthorsValue, ...] = ()
    claims: tuple[JudgedClaim, ...] = ()  # the parts of the claim
    ours: Sample | None = None  # our runs under the protocol of the work; None if there are none
    method: OurMethod | None = None  # the method of these runs
    # the privacy loss of the work's training by our accountant; NaN if it is not accounted
    epsilon: float = math.nan

    @property
    def work(self) -> str:
        """The work whose number it is, or that wrote the sentence."""
        wrote = self.claims[0].part.claim.by if self.claims else ""
        return wrote or self.side.work

    @property
    def verdict(self) -> str:
        """The verdict on the cell or the claim; empty for a number of ours."""
        if self.claims:
            return str(claim_verdict(self.claims))
        return self.judged.full_verdict if self.judged and not self.side.parameter else ""

    @property
    def place(self) -> str:
        """The place of the number or the sentence in the work."""
        if self.claims:
            return self.claims[0].part.claim.place
        if self.side.stated:
            return self.side.stated.place
        return self.judged.published.place if self.judged else "our runs"


@dataclass(frozen=True, eq=False)
class JudgedStep:
    """A difference whose effect our runs show."""

    difference: ReportedDifference
    before: Number  # our mean before the change
    after: Number  # our mean after the change
    change: Interval  # the mean after the change minus the mean before

    @property
    def counts(self) -> bool:
        """Whether the step explains a part of the gap."""
        return not self.difference.unpublished


@dataclass(frozen=True, eq=False)
class JudgedEntry:
    """An entry with its state."""

    entry: Entry
    a: JudgedSide  # the first number or claim
    # the second number or claim; None for a claim against the numbers of the same work
    b: JudgedSide | None
    ruling: Ruling  # the state, and why
    gap: Gap | None = None  # the gap of two numbers; None for claims
    # the differences that our runs show, from the first work to the second
    steps: tuple[JudgedStep, ...] = field(default_factory=tuple)

    @property
    def sides(self) -> tuple[JudgedSide, ...]:
        """The one or two numbers or claims."""
        return (self.a, self.b) if self.b else (self.a,)


def judge(entry: Entry, evidence: Evidence) -> JudgedEntry:
    """An entry with its state.

    Raises:
        DpfairError: a cell, a claim or runs of the entry do not exist; the message has a hint.
    """
    if entry.is_about_claims:
        return _judge_claims(entry, evidence)
    means = [_mean(address, entry, evidence) for address in _path(entry)]
    a = _numbered_side(entry.a, entry, evidence, means[:1])
    b = _numbered_side(entry.b, entry, evidence, means[-1:])
    counts = tuple(not one.unpublished for one in entry.steps)
    path = Path(tuple(means), counts) if counts else Path()
    gap = Gap(_required(a), _required(b), path, _margin(entry, _required(a)))
    steps = [
        JudgedStep(*one) for one in zip(entry.steps, means, means[1:], gap.path.steps, strict=False)
    ]
    return JudgedEntry(entry, a, b, decide_numbers(gap, _other(entry)), gap, tuple(steps))


def _judge_claims(entry: Entry, evidence: Evidence) -> JudgedEntry:
    """An entry about one or two sentences, whose state follows from their verdicts alone."""
    given = (entry.a, entry.b) if entry.has_two_sides else (entry.a,)
    sides = [JudgedSide(one, claims=find_claims(one.claim, evidence, entry)) for one in given]
    verdicts = [claim_verdict(side.claims) for side in sides]
    return JudgedEntry(
        entry,
        sides[0],
        sides[1] if len(sides) > 1 else None,
        decide_claims(verdicts, _other(entry)),
    )


def claim_verdict(parts: Sequence[JudgedClaim]) -> ClaimVerdict:
    """The verdict on a claim: the worst on a part; parts that we added do not count."""
    own = [one.verdict for one in parts if not one.part.ours]
    return worst(own or [ClaimVerdict.NOT_TESTED])


def _other(entry: Entry) -> list[str]:
    """The aspects in which the two numbers are not about the same thing."""
    found = [str(one.aspect) for one in entry.differences if one.aspect.changes_quantity]
    return list(dict.fromkeys(found))


def _margin(entry: Entry, a: Number) -> float:
    """The margin of a gap, as for cells: 0.02 for rates, else a tenth of the first number."""
    ranges = chain.from_iterable(range_of(one.metric) for one in entry.of_sides if one)
    is_rate = all(map(math.isfinite, ranges))
    is_parameter = bool(entry.a.parameter or entry.b.parameter)
    return MARGIN if is_rate and not is_parameter else RELATIVE_MARGIN * abs(a.value)


def _path(entry: Entry) -> Iterator[tuple[Address, bool]]:
    """Yields the address of each setting of the path, and whether it is a published cell."""
    if entry.steps or entry.a.runs:
        yield (entry.a.runs, False) if entry.a.runs else (entry.a.cell, True)
    for step in entry.steps:
        yield (step.runs, False) if step.runs else (step.cell, True)


def _mean(place: tuple[Address, bool], entry: Entry, evidence: Evidence) -> Number:
    """The mean at an address of the path, which is that of our runs or a published cell.

    A published cell, and any number of an entry without chance, has no noise but its rounding.
    """
    address, is_published = place
    if is_published:
        cell = find_cell(address, evidence, entry)
        return Number(_turned(cell.mean, address, entry), 0.0, 1, rounding=half_digit(cell))
    sample = _sample(address, entry, evidence)
    if entry.exact:
        return Number(sample.mean, 0.0, sample.runs, rounding=LAST_DECIMAL / 2)
    return Number(sample.mean, sample.std, sample.runs)


def _sample(address: Address, entry: Entry, evidence: Evidence) -> Sample:
    """Our mean at an address.

    Raises:
        DpfairError: there are no such runs; the message names the entry.
    """
    require_work(address.work, evidence, entry)
    try:
        found = evidence.sample(address)
    except DpfairError as error:
        raise mistake(entry, str(error)) from error
    return replace(found, mean=_turned(found.mean, address, entry))


def _turned(value: float, address: Address, entry: Entry) -> float:
    """A number at an address; an error as an accuracy if the entry compares accuracies."""
    return 1 - value if entry.turns(address) else value


def _numbered_side(
    side: Side, entry: Entry, evidence: Evidence, mean: Sequence[Number]
) -> JudgedSide:
    """A side with its number; `mean` is our mean under its protocol, if there is one.

    The number is stated in the entry, that of our runs, a parameter of the cell, or the published
    value, whichever the side gives.
    """
    runs = side.runs or _runs_of(side, entry)
    # of the work, whose noise the entry states, and not of our runs
    epsilon = evidence.epsilon(side.account) if side.account else math.nan
    ours = _sample(runs, entry, evidence) if runs else None
    method = evidence.method(runs) if runs else None
    found = JudgedSide(side, ours=ours, method=method, epsilon=epsilon)
    if side.stated:
        std = 0.0 if entry.exact else math.nan
        return replace(found, number=Number(side.stated.value, std, 1))
    if not side.cell:
        std = 0.0 if entry.exact or not ours else ours.std
        return replace(found, number=Number(ours.mean, std, ours.runs) if ours else None)
    judged = evidence.judged(side.cell.work, find_cell(side.cell, evidence, entry))
    if side.parameter:
        return replace(found, number=_parameter(side), judged=judged)
    authors = tuple(evidence.authors(side.cell.work, judged.published))
    number = _published_number(judged, entry, mean)
    number = replace(number, value=_turned(number.value, side.cell, entry))
    return replace(found, number=number, judged=judged, authors=authors)


def _parameter(side: Side) -> Number:
    """The value of a parameter of the cell, which a work states without noise."""
    value = float(side.cell.parameters[side.parameter])
    decimals = len(f"{value:g}".partition(".")[2])
    return Number(value, 0.0, 1, rounding=0.5 * 10.0**-decimals)


def _runs_of(side: Side, entry: Entry) -> Address:
    """The runs at the end of the path for the second side; no address for the first."""
    last = entry.steps[-1].runs if entry.steps else side.runs
    return last if side is entry.b else side.runs


def _published_number(judged: JudgedCell, entry: Entry, mean: Sequence[Number]) -> Number:
    """A published number with its noise; the deviation of our runs stands in for a missing one.

    The deviation of one run is taken from our runs, and the number of averaged runs stays that of
    the paper: fewer published runs make a noisier mean.
    """
    sample, rounding = judged.sample, half_digit(judged.published)
    if entry.exact:
        return Number(sample.mean, 0.0, 1, rounding=rounding)
    if not math.isnan(sample.std):
        return Number(sample.mean, sample.std, sample.runs, rounding=rounding)
    ours = [(judged.default.ours.std, judged.default.ours.runs)] if judged.default else []
    ours += [(one.std, one.runs) for one in mean]
    known = [(std, runs) for std, runs in ours if not math.isnan(std)]
    std, std_runs = known[0] if known else (math.nan, 0)
    return Number(sample.mean, std, sample.runs, std_runs, rounding)


def half_digit(cell: PublishedCell) -> float:
    """Half the last digit of a published number; 0 if its text is not known."""
    found = PRINTED.fullmatch(cell.printed.strip())
    if not found:
        return 0.0
    half = 0.5 * 10.0 ** -len(found[2] or "")
    value = float(found[1])
    near = min(abs(value - cell.mean), abs(1 - value - cell.mean))
    in_percent = min(abs(value / 100 - cell.mean), abs(1 - value / 100 - cell.mean))
    return half / 100 if in_percent < near else half


def _required(side: JudgedSide) -> Number:
    """The number of a side that has no claim."""
    if side.number is None:
        raise ValueError(f"no number for {side.side}")
    return side.number
