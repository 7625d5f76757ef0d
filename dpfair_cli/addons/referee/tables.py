"""The lines of the tables about the referee's entries, the bars of a picture, and the evidence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from dpfair_cli.addons.referee import words
from dpfair_cli.addons.referee.entry import FILE, Address
from dpfair_cli.addons.referee.judging import JudgedEntry, JudgedSide
from dpfair_cli.addons.referee.numbers import Interval, Number, weighted_sum
from dpfair_cli.addons.referee.rule import State
from dpfair_cli.addons.referee.words import NONE, OURS
from dpfair_cli.reporting import shown
from dpfair_cli.reporting.shown import GOOD, MIDDLE, PLAIN
from dpfair_cli.verdicts.wording import describe_parameters

STATE_TONES = {
    State.SETTLED: GOOD,
    State.IN_PART: MIDDLE,
    State.UNDECIDED: MIDDLE,
    State.NOT_ONE: PLAIN,
    State.NO_CONTRADICTION: GOOD,
}
COLUMNS = ("entry", "quantity", "first", "second", "gap", "noise", "state", "our verdicts")
PRIVACY = ("epsilon", "delta")  # parameters of a cell that state its privacy


@dataclass(frozen=True)
class Line:
    """A line of the table that compares both numbers of an entry."""

    name: str  # what is compared
    texts: tuple[str, ...]  # the text for each of the one or two numbers


@dataclass(frozen=True)
class Bar:
    """One bar of the picture that takes a gap apart."""

    text: str  # the name of the bar
    start: float  # the value at which the bar begins
    end: float  # the value at which the bar ends; for a published number, the same as `start`
    kind: str  # "published", "step", "setting not published" or "rest"
    # half the width of the confidence interval; NaN if unknown or not shown
    noise: float = math.nan


@dataclass(frozen=True)
class Link:
    """A piece of evidence and the file that holds it."""

    text: str  # what it is
    file: str  # the path of the file, relative to the folder of results


def row(judged: JudgedEntry) -> dict[str, str]:
    """The line of an entry in the table of all entries, by column."""
    pairs = list(zip(words.names(judged), judged.sides, strict=True))
    numbers = [f"{name}: {words.said(side)}" for name, side in pairs]
    whole = judged.gap.whole if judged.gap else Interval(math.nan, math.nan)
    texts = (
        judged.entry.id,
        str(judged.entry.quantity),
        numbers[0],
        numbers[1] if judged.b else "its own numbers",
        words.change(whole.value),
        words.number(whole.half_width) if whole.has_chance else NONE,
        str(judged.ruling.state),
        "; ".join(f"{name}: {side.verdict}" for name, side in pairs if side.verdict),
    )
    return dict(zip(COLUMNS, texts, strict=True))


def comparison_lines(judged: JudgedEntry) -> list[Line]:
    """The lines of the table that compares both numbers or claims, without empty lines."""
    every: Mapping[str, Callable[[JudgedSide], str]] = {
        "number" if judged.gap else "verdict": words.said,
        "quotation": _quotation,
        "place": lambda side: side.place,
        "protocol": lambda side: side.side.protocol,
        "our runs under this protocol": lambda side: words.mean(side.ours),
        "our verdict on the number": lambda side: side.verdict if judged.gap else "",
        shown.PROGRAM: _authors,
        "privacy as printed": _printed_privacy,
        "cost by our accountant": _cost,
        "whom the guarantee of our method protects": _neighbours,
        "audit of our method": _audit,
    }
    lines = []
    for name, text in every.items():
        texts = tuple(text(side) or NONE for side in judged.sides)
        if {*texts} != {NONE}:
            lines.append(Line(name, texts))
    return lines


def difference_lines(judged: JudgedEntry) -> list[dict[str, str]]:
    """The lines of the table of all named differences: aspect, both protocols, and the effect."""
    effects = {one.difference: one for one in judged.steps}
    lines = []
    for one in judged.entry.differences:
        step = effects.get(one)
        lines.append(
            {
                "aspect": str(one.aspect),
                "first": one.a,
                "second": one.b,
                "change": words.with_noise(step.change) if step else NONE,
                "remark": one.unpublished or one.not_run,
            }
        )
    return lines


def bars(judged: JudgedEntry) -> list[Bar]:
    """The bars that lead from the first published number to the second; empty without runs."""
    gap = judged.gap
    if gap is None or not any(one.difference.runs for one in judged.steps):
        return []
    first, second = words.names(judged)
    start, end = judged.steps[0].before.value, judged.steps[-1].after.value
    steps = [
        Bar(
            words.step_name(one),
            one.before.value,
            one.after.value,
            "step" if one.counts else "setting not published",
            one.change.half_width,
        )
        for one in judged.steps
    ]
    to_second = Bar(f"from our runs under its protocol to {second}", end, gap.b.value, "rest")
    return [
        _end(first, gap.a),
        Bar(f"from {first} to our runs under its protocol", gap.a.value, start, "rest"),
        *steps,
        *([] if second == OURS else [to_second]),
        _end(second, gap.b),
    ]


def evidence(judged: JudgedEntry) -> list[Link]:
    """What the entry rests on, each with the file that holds it."""
    found = [*chain.from_iterable(map(_links, judged.sides))]
    found += [_runs(one.runs) if one.runs else _cell(one.cell) for one in judged.entry.steps]
    return list(dict.fromkeys(found))


def as_data(judged: JudgedEntry) -> dict[str, Any]:
    """An entry with its state, both numbers, the gap and the steps, for JSON."""
    gap = judged.gap
    return {
        "entry": judged.entry.id,
        "family": judged.entry.family,
        "quantity": str(judged.entry.quantity),
        "state": judged.ruling.state,
        "reason": judged.ruling.reason,
        "sentence": words.sentence(judged),
        "sides": [_side_data(one) for one in judged.sides],
        "gap": _interval_data(gap.whole) if gap else None,
        "explained": _interval_data(gap.explained) if gap and judged.steps else None,
        "rest": _interval_data(gap.rest) if gap and judged.steps else None,
        "margin": gap.margin if gap else None,
        "share": gap.share if gap and judged.steps else None,
        "differences": difference_lines(judged),
    }


def _side_data(side: JudgedSide) -> dict[str, Any]:
    """A side as plain data."""
    return {
        "work": side.work,
        "said": words.said(side),
        "place": side.place,
        "number": side.number.value if side.number else None,
        "our mean": side.ours.mean if side.ours else None,
        "verdict": side.verdict,
        "neighbours": side.method.neighbours if side.method else "",
        "accounted epsilon": side.epsilon,
        "audits": list(side.method.audits) if side.method else [],
    }


def _interval_data(found: Interval) -> dict[str, float]:
    """A difference; its half width is that of a 95 % interval, and 0 without chance."""
    half_width = found.half_width if found.has_chance or not found.is_known else 0.0
    return {"value": found.value, "half width": half_width, "rounding": found.rounding}


def counts(entries: Sequence[JudgedEntry]) -> dict[State, int]:
    """The number of entries in each state that occurs, in the order of the states."""
    states = [one.ruling.state for one in entries]
    return {state: states.count(state) for state in State if state in states}


def count_words(entries: Sequence[JudgedEntry]) -> str:
    """The number of entries in each state, in words."""
    return ", ".join(f"{count} {state}" for state, count in counts(entries).items())


def kinds_words(entries: Sequence[JudgedEntry]) -> str:
    """What the entries compare, in words with the number of entries of each kind."""
    kinds = Counter(_kind(one) for one in entries)
    return "; ".join(f"{kind}: {count}" for kind, count in kinds.most_common())


def _kind(judged: JudgedEntry) -> str:
    """What an entry compares."""
    if judged.entry.is_about_claims:
        return "two sentences" if judged.b else "one sentence with numbers of its own work"
    if any(side.side.is_ours for side in judged.sides):
        return "a published number with one of ours"
    if any(side.side.stated for side in judged.sides):
        return "a published number with one that is typed by hand"
    return "two published numbers"


def _end(name: str, found: Number) -> Bar:
    """The bar of a published number at an end of the picture, with its noise."""
    noise = weighted_sum([(1, found)]).half_width
    text = name if name == OURS else f"{name}, published"
    return Bar(text, found.value, found.value, "published", noise)


def _quotation(side: JudgedSide) -> str:
    """The sentence of a claim as the work has it."""
    return side.claims[0].part.claim.quote if side.claims else ""


def _authors(side: JudgedSide) -> str:
    """The value of the authors' program for a published cell, with both verdicts."""
    return "; ".join(map(shown.describe_value, side.authors))


def _printed_privacy(side: JudgedSide) -> str:
    """The epsilon and delta of a published cell."""
    if not side.judged:
        return ""
    given = side.judged.published.parameters
    return describe_parameters({name: given[name] for name in PRIVACY if name in given})


def _cost(side: JudgedSide) -> str:
    """The privacy loss of the work's training, by our accountant."""
    if math.isnan(side.epsilon):
        return ""
    delta = side.side.account.delta
    return f"epsilon {side.epsilon:.4g} at delta {delta:g}, for one record more or less"


def _neighbours(side: JudgedSide) -> str:
    """Whom the guarantee of our method protects, with the status of the guarantee."""
    if not side.method:
        return ""
    neighbours = side.method.neighbours
    return f"{neighbours} ({side.method.status})" if neighbours else "no privacy"


def _audit(side: JudgedSide) -> str:
    """What the stored audits of our method found; empty for a method without privacy."""
    if not (side.method and side.method.neighbours):
        return ""
    return "; ".join(side.method.audits) or "no stored audit"


def _links(side: JudgedSide) -> list[Link]:
    """What one side rests on: a claim, a cell or a typed number, and our runs."""
    if side.claims:
        claim = side.side.claim
        text = f"claim {claim.id} ({claim.part})" if claim.part else f"claim {claim.id}"
        return [Link(text, f"../experiments/{claim.work}/claims.yaml")]
    cells = [_cell(side.side.cell)] if side.side.cell else []
    if side.side.stated:
        giver = side.side.stated.name or side.work
        text = f"typed by hand: {words.said(side)} of {giver}, {side.place}"
        cells = [Link(text, f"../experiments/{FILE}")]
    return cells + ([_runs(side.side.runs)] if side.side.runs else [])


def _cell(cell: Address) -> Link:
    """The evidence of a published cell."""
    return Link(f"published: {words.address(cell)}", f"../experiments/{cell.work}/published.csv")


def _runs(runs: Address) -> Link:
    """The evidence of our runs, whose journal is among the results."""
    return Link(f"our runs: {words.address(runs)}", f"{runs.work}/{runs.artefact}/runs.jsonl")
