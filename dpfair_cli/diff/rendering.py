"""Writes differences as text for a terminal, as JSON, as Markdown and as one HTML page."""

from __future__ import annotations

import base64
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpfair_cli.diff.difference import ArtefactChange, Changed, Difference
from dpfair_cli.diff.results import ComparedNumber
from dpfair_cli.reporting.html_page import (
    BarPart,
    ContentsEntry,
    Fact,
    Headline,
    Page,
    anchor,
)
from dpfair_cli.reporting.looks import CLAIM_TONES, MIDDLE, PLAIN, tones_by_text
from dpfair_cli.reporting.templates import render
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.wording import format_mean

SHOWN = 12  # largest number of changes per kind and artefact in text and Markdown; JSON has all
KINDS = ("cells", "numbers", "claims")
KINDS_IN_WORDS = {"cells": "published cells", "numbers": "other numbers", "claims": "claims"}
VERDICT_CHANGED = "verdict changed"  # a choice of the filter
Choice = Callable[[Sequence[Changed]], list[Changed]]


def text(difference: Difference) -> str:
    """The differences between two states of the results, as text for a terminal."""
    lines = [_first_line(difference), *difference.libraries]
    for change in difference.artefacts:
        lines += ["", f"{change.artefact}: {summary(change)}"]
        lines += [f"  why: {cause} ({count} times)" for cause, count in change.causes.items()]
        lines += [f"  {remark}" for remark in change.remarks]
        for kind in KINDS:
            lines += [f"  {words(one)}" for one in most_important(getattr(change, kind))]
            hidden = len(getattr(change, kind)) - SHOWN
            lines += [f"  ... and {hidden} more {kind}: --json prints all"] if hidden > 0 else []
        lines += [f"  picture: {name}" for name in change.pictures]
    return "\n".join(lines) + "\n"


def markdown(difference: Difference) -> str:
    """The differences between two states of the results, in Markdown."""
    return render(
        "changes.md.j2", first=_first_line(difference), **_context(difference, most_important)
    )


def page(difference: Difference, facts: Sequence[Fact] = ()) -> str:
    """The differences as one HTML page, with the pictures before and after.

    `facts` identify the two states of the results.
    """
    context = _context(difference, list)
    sections = context["artefacts"]
    return render(
        "changes.html.j2",
        page=Page(
            title=_first_line(difference),
            rows="changes",
            example="accuracy, epsilon 0.1",
            count_means="changed cells, numbers and claims",
            facts=facts,
            headlines=_headlines(difference),
            parts={},
            contents=_contents(sections),
            choices=_choices([line for one in sections for line in one["lines"]]),
        ),
        papers=_by_paper(sections),
        tones=tones_by_text() | CLAIM_TONES,
        **context,
    )


def _by_paper(sections: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The sections of a page by paper."""
    found: dict[str, list[dict[str, Any]]] = {}
    for section in sections:
        found.setdefault(section["paper"], []).append(section)
    return found


def _contents(sections: Iterable[dict[str, Any]]) -> dict[str, list[ContentsEntry]]:
    """The lines of the contents, by paper."""
    return {
        paper: [
            ContentsEntry(one["anchor"], one["name"].split("/")[-1], str(len(one["lines"]) or ""))
            for one in own
        ]
        for paper, own in _by_paper(sections).items()
    }


def _headlines(difference: Difference) -> list[Headline]:
    """The number of changes, and of changed verdicts, of all artefacts by kind."""
    changes: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    for artefact in difference.artefacts:
        for kind in KINDS:
            found = getattr(artefact, kind)
            changes[kind] += len(found)
            verdicts[kind] += sum(one.verdict_changed for one in found)
    return [
        Headline("changes", _shares(changes, PLAIN)),
        Headline("changed verdicts", _shares(verdicts, MIDDLE)),
    ]


def _shares(counts: Mapping[str, int], tone: str) -> list[BarPart]:
    """The counts by kind as parts of a bar."""
    return [
        BarPart(KINDS_IN_WORDS[kind].removesuffix("s" * (count == 1)), count, tone)
        for kind, count in counts.items()
    ]


def _choices(lines: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """The verdicts, methods and data sets by which a reader of the page can filter changes."""
    return {
        "verdict": sorted({word for line in lines for word in line["verdicts"].split("|")} - {""}),
        "method": sorted({line["method"] for line in lines} - {""}, key=str.lower),
        "dataset": sorted({line["dataset"] for line in lines} - {""}),
    }


def as_json(difference: Difference) -> str:
    """The differences with every number in full precision, as JSON text."""
    return json.dumps(plain(difference), indent=2, allow_nan=False) + "\n"


def plain(difference: Difference) -> dict[str, Any]:
    """The differences with every number in full precision, as mappings and lists."""
    return {
        "before": difference.before,
        "after": difference.after,
        "libraries": list(difference.libraries),
        "unchanged": difference.same,
        "artefacts": [_artefact_as_json(change) for change in difference.artefacts],
    }


def summary(change: ArtefactChange) -> str:
    """The number of differences of an artefact by kind, as a text."""
    if change.state != "changed":
        return f"{change.state}: the artefact is on one side only"
    counts = [
        (len(change.cells), "published cell"),
        (len(change.numbers), "other number"),
        (len(change.claims), "claim"),
        (len(change.pictures), "picture"),
        (len(change.verdicts), "verdict"),
    ]
    return (
        ", ".join(f"{count} {noun}{'s' * (count != 1)}" for count, noun in counts if count)
        or "the files differ, but no shown number, claim or picture"
    )


def most_important(changes: Sequence[Changed]) -> list[Changed]:
    """The changes in the order in which they are shown: changed verdicts, then large changes."""
    return sorted(changes, key=importance)[:SHOWN]


def importance(change: Changed) -> tuple[bool, float]:
    """The sort key of a change; more important changes have smaller keys."""
    return not change.verdict_changed, -_size(change)


def _size(change: Changed) -> float:
    """The absolute change of a mean; infinite for a claim, and for a new or missing number."""
    if not (isinstance(change.before, ComparedNumber) and isinstance(change.after, ComparedNumber)):
        return math.inf
    size = abs(change.after.mean - change.before.mean)
    return math.inf if math.isnan(size) else size


def _first_line(difference: Difference) -> str:
    count, every = len(difference.artefacts), len(difference.artefacts) + difference.same
    names = f"{difference.before} -> {difference.after}"
    return f"{names}: {count or 'none'} of {every} artefact{'s' * (every != 1)} changed"


def words(change: Changed) -> str:
    """A change of a number, cell or claim as one line of text."""
    parts = [f"{change.name}: {number(change.before)} -> {number(change.after)}"]
    parts += [f"published {published(change.after)}"] if published(change.after) else []
    before, after = change.verdicts
    if change.verdict_changed:
        parts.append(f"{before or 'none'} -> {after or 'none'}")
    elif after:
        parts.append(after)
    return "; ".join([*parts, *change.causes])


def number(side: ComparedNumber | JudgedClaim | None) -> str:
    """A number before or after as text; for a claim, the reason of the verdict."""
    if side is None:
        return "none"
    if isinstance(side, JudgedClaim):
        return side.reason
    return format_mean(side.mean, side.std) or "no run"


def published(side: ComparedNumber | JudgedClaim | None) -> str:
    """The published value of a number before or after, as text; empty without such a value."""
    has_value = isinstance(side, ComparedNumber) and not math.isnan(side.published)
    return f"{side.published:g}" if isinstance(side, ComparedNumber) and has_value else ""


def _context(difference: Difference, choose: Choice) -> dict[str, Any]:
    """The values for the templates of a comparison; `choose` selects the changes that are shown."""
    return {
        "difference": difference,
        "artefacts": [_section(change, choose) for change in difference.artefacts],
    }


def _section(change: ArtefactChange, choose: Choice) -> dict[str, Any]:
    lines = []
    for kind in KINDS:
        shown = choose(getattr(change, kind))
        lines += [
            {"kind": kind.removesuffix("s"), **line(one), **_filtered_by(one)} for one in shown
        ]
    every = sum(len(getattr(change, kind)) for kind in KINDS)
    return {
        "name": change.artefact,
        "paper": change.artefact.split("/")[0],
        "anchor": anchor(change.artefact),
        "summary": summary(change),
        "causes": change.causes,
        "remarks": change.remarks,
        "lines": lines,
        "hidden": every - len(lines),
        "pictures": [
            (name, _inline(change.before, name), _inline(change.after, name))
            for name in change.pictures
        ],
    }


def line(change: Changed) -> dict[str, str]:
    """A change of a number, cell or claim as the texts of a line of a table, by column."""
    return {
        "name": change.name,
        "before": number(change.before),
        "after": number(change.after),
        "published": published(change.after),
        "verdict_before": change.verdicts[0],
        "verdict_after": change.verdicts[1],
        "verdict_changed": "yes" if change.verdict_changed else "",
        "causes": "; ".join(change.causes),
    }


def _filtered_by(change: Changed) -> dict[str, str]:
    """The verdicts, method and data set by which the filter finds a change; empty if not known."""
    known = change.after or change.before
    verdicts = [verdict for verdict in dict.fromkeys(change.verdicts) if verdict]
    if isinstance(known, JudgedClaim):
        verdicts = [f"claim {verdict}" for verdict in verdicts]
    if change.verdict_changed:
        verdicts.append(VERDICT_CHANGED)
    number = known if isinstance(known, ComparedNumber) else None
    return {
        "verdicts": "|".join(verdicts),
        "method": number.method if number else "",
        "dataset": number.dataset if number else "",
    }


def _inline(folder: Path | None, name: str) -> str:
    """The picture `name` in a folder as a `data:` address; empty if there is no such picture."""
    file = folder / name if folder else None
    if not file or not file.is_file():
        return ""
    return f"data:image/png;base64,{base64.b64encode(file.read_bytes()).decode()}"


def _artefact_as_json(change: ArtefactChange) -> dict[str, Any]:
    found: dict[str, Any] = {
        "artefact": change.artefact,
        "state": change.state,
        "causes": change.causes,
    }
    for kind in KINDS:
        found[kind] = [_as_json(one) for one in getattr(change, kind)]
    return found | {"pictures": list(change.pictures), "remarks": list(change.remarks)}


def _as_json(change: Changed) -> dict[str, Any]:
    before, after = (_state_as_json(side) for side in (change.before, change.after))
    return {"name": change.name, "before": before, "after": after, "causes": list(change.causes)}


def _state_as_json(side: ComparedNumber | JudgedClaim | None) -> dict[str, Any] | None:
    if side is None:
        return None
    if isinstance(side, JudgedClaim):
        return {"verdict": side.full_verdict, "reason": side.reason}
    numbers = {"mean": side.mean, "std": side.std, "published": side.published}
    plain = {name: None if math.isnan(value) else value for name, value in numbers.items()}
    return {**plain, "runs": side.runs, "verdict": side.full_verdict}
