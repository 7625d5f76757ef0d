"""The entries of the referee in words: numbers with noise, names, and the sentence of an entry."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dpfair_cli.addons.referee.entry import Address
from dpfair_cli.addons.referee.judging import JudgedEntry, JudgedSide, JudgedStep
from dpfair_cli.addons.referee.numbers import Interval
from dpfair_cli.addons.referee.rule import Gap, State
from dpfair_cli.verdicts.cells.comparison import Sample
from dpfair_cli.verdicts.wording import describe_parameters

NONE, OURS = "–", "our runs"
LONGEST = 16  # characters of a printed number that is shown as printed
LARGE = 10  # from this number on, a number has four digits in place of four decimals


def number(value: float) -> str:
    """A number with four decimals, or with four digits from 10 on; a dash for NaN."""
    if math.isnan(value):
        return NONE
    return f"{value:.4f}" if abs(value) < LARGE else f"{value:.4g}"


def change(value: float) -> str:
    """A difference with its sign; a dash for NaN."""
    return NONE if math.isnan(value) else f"{value:+.4f}".replace("-", "−")


def with_noise(found: Interval) -> str:
    """A difference with half the width of its confidence interval, such as "+0.0100 ± 0.0020".

    Numbers without chance have no such interval: the largest error by rounding is shown.
    """
    if not found.is_known:
        return f"{change(found.value)} (noise not known)"
    if not found.has_chance:
        by = f" (rounding: up to {found.rounding:.4f})" if found.rounding else ""
        return f"{change(found.value)}{by}"
    return f"{change(found.value)} ± {found.half_width:.4f}"


def mean(sample: Sample | None) -> str:
    """A mean of runs with deviation and number of runs; a dash without runs."""
    if sample is None:
        return NONE
    spread = "" if math.isnan(sample.std) else f" ± {sample.std:.4f}"
    return f"{number(sample.mean)}{spread} ({sample.runs} run{'s' * (sample.runs != 1)})"


def said(side: JudgedSide) -> str:
    """The number of a side as the work prints it, or the verdict on its claim."""
    if side.claims:
        return side.verdict
    value = side.number.value if side.number else math.nan
    if side.judged is None:
        return number(value)
    if side.side.parameter:
        return f"{side.side.parameter} {value:g}"
    cell = side.judged.published
    printed = cell.printed or number(cell.mean)
    printed = printed if len(printed) <= LONGEST else number(cell.mean)
    turned = not math.isclose(value, cell.mean)
    return f"{number(value)} (as an error: {printed})" if turned else printed


def names(judged: JudgedEntry) -> list[str]:
    """The name of each side: its work, with the artefact where both are of one work."""
    works = [OURS if one.side.is_ours else one.side.stated.name or one.work for one in judged.sides]
    # two numbers of one work need longer names
    if len({*works}) == len(works):
        return works
    addresses = [one.side.cell or one.side.runs for one in judged.sides]
    longer = [f"{one.work}/{one.artefact}" for one in addresses]
    if all(addresses) and len({*longer}) == len(longer):
        return longer
    return [f"{work} ({place})" for work, place in zip(works, ("first", "second"), strict=True)]


def title(judged: JudgedEntry) -> str:
    """The heading of an entry: what its numbers are about."""
    return _capital(str(judged.entry.quantity))


def sentence(judged: JudgedEntry) -> str:
    """What the entry shows, in a few sentences with numbers first."""
    gap = judged.gap
    parts = _number_parts(judged, gap) if gap else _claim_parts(judged)
    ruling = judged.ruling
    return " ".join([*parts, f"{_capital(ruling.state)}: {ruling.reason}."])


def step_name(step: JudgedStep) -> str:
    """The change of a step in words."""
    return f"{step.difference.aspect}: from {step.difference.a} to {step.difference.b}"


def address(found: Address) -> str:
    """An address in words."""
    words = (f"{found.work}/{found.artefact}", found.dataset, found.method, found.metric)
    return ", ".join(filter(None, (*words, describe_parameters(found.parameters))))


def _claim_parts(judged: JudgedEntry) -> Iterator[str]:
    """Yields the sentence of each work with its verdict."""
    for side in judged.sides:
        claim = side.claims[0].part.claim
        part = side.side.claim.part and f" (here: {side.side.claim.part})"
        yield f"{side.work} ({claim.place}): {claim.claim.rstrip('.')}{part}."
        yield f"Our verdict: {side.verdict}."


def _number_parts(judged: JudgedEntry, gap: Gap) -> Iterator[str]:
    """Yields both numbers with their gap, what our runs show, and what makes two quantities."""
    pairs = zip(names(judged), judged.sides, strict=True)
    texts = [f"{name} {_verb(side)} {said(side)}" for name, side in pairs]
    yield f"{', '.join(texts)}: a gap of {with_noise(gap.whole)}."
    if judged.steps:
        yield from _step_parts(judged, gap)
    for one in judged.entry.differences:
        if one.aspect.changes_quantity:
            first, second = names(judged)
            yield f"The {one.aspect} of {first}: {one.a}; of {second}: {one.b}."


def _verb(side: JudgedSide) -> str:
    """What the work of a side does with its number."""
    if side.side.parameter:
        return "names"
    if side.side.is_ours:
        return "give"
    return "gives" if side.side.stated else "publishes"


def _step_parts(judged: JudgedEntry, gap: Gap) -> Iterator[str]:
    """Yields the steps that count, the other steps, and the rest."""
    counted = [one for one in judged.steps if one.counts]
    steps = "; ".join(f"{change(one.change.value)} {step_name(one)}" for one in counted)
    if counted:
        whole = with_noise(gap.explained)
        given = "Our runs give" if counted[0].difference.runs else "The published numbers give"
        yield f"{given} {whole} for the named differences: {steps}."
    for one in judged.steps:
        if not one.counts:
            yield (
                f"A setting that is not published ({step_name(one)}) gives "
                f"{change(one.change.value)} in our runs, which counts as part of the rest."
            )
    if judged.ruling.state in (State.SETTLED, State.IN_PART):
        yield f"That is {100 * gap.share:.0f} % of the gap; the rest is {with_noise(gap.rest)}."


def _capital(text: str) -> str:
    """The text with a capital first letter; unlike `capitalize`, the others stay as they are."""
    return text[:1].upper() + text[1:]
