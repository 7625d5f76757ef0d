"""Writes differences as text, JSON and an HTML page, and for the checks of GitHub.

A check on GitHub has a summary, which is Markdown for $GITHUB_STEP_SUMMARY, and annotations at
the lines of published.csv that make it fail, each of which is a workflow command on stdout.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

from dpfair_cli.diff.comparing import ArtefactChange, Changed, Difference, Item
from dpfair_cli.diff.results import ComparedNumber
from dpfair_cli.diff.sides import read_bytes
from dpfair_cli.reporting import markup, score_tables
from dpfair_cli.reporting.html_page import ContentsEntry, Fact, Headline, anchor
from dpfair_cli.reporting.shown import (
    CLAIM_TONES,
    MIDDLE,
    PLAIN,
    Look,
    in_message,
    tones_by_text,
)
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.wording import format_mean

SHOWN = 12  # largest number of changes per kind and artefact in text; JSON has all
ROWS = 3000  # largest number of changes on a page
PAGE_BYTES = 2_000_000  # of a page with its pictures
LINES = 100  # lines of a table in the summary, whose size is limited to 1 MiB
ANNOTATIONS = 10  # GitHub shows no more annotations of a step
NOUNS = {"cells": "published cell", "numbers": "other number", "claims": "claim"}
VERDICT_CHANGED = "verdict changed"  # a choice of the filter
COLUMNS = ("", "before", "after", "published", "verdict before", "verdict after")


def text(difference: Difference) -> str:
    """The differences between two states of the results, as text for a terminal."""
    return markup.render(
        "changes.txt.j2",
        title=_first_line(difference),
        difference=difference,
        summary=summary,
        most_important=most_important,
        most=SHOWN,
        words=words,
    )


def _markdown_table(rows: Iterable[tuple[str, Changed]]) -> str:
    """A table of changes, each after its artefact; a verdict that changed is bold."""
    lines = []
    for artefact, one in rows:
        *cells, before, after = map(markup.cell, _texts(one))
        after = f"**{after}**" if after and one.verdict_changed else after  # seen at a glance
        lines.append([artefact, *cells, before, after, markup.cell("; ".join(one.causes))])
    return markup.of_cells(["artefact", *COLUMNS, "cause"], lines)


def page(difference: Difference, facts: Sequence[Fact] = ()) -> str:
    """The differences as one HTML page, with the pictures before and after.

    `facts` identify the two states of the results.
    """
    papers: dict[str, list[ArtefactChange]] = {}
    contents: dict[str, list[ContentsEntry]] = {}
    every: dict[str, list[Changed]] = {kind: [] for kind in NOUNS}
    for one in difference.changed:
        paper, _, name = one.artefact.partition("/")
        papers.setdefault(paper, []).append(one)
        entry = ContentsEntry(anchor(one.artefact), name, str(len(one.every) or ""))
        contents.setdefault(paper, []).append(entry)
        for kind, changes in one.by_kind.items():
            every[kind] += changes
    has_moved = attrgetter("verdict_changed")
    moved = {kind: list(filter(has_moved, own)) for kind, own in every.items()}
    important = sorted(chain.from_iterable(every.values()), key=attrgetter("importance"))
    render = partial(
        markup.render,
        "changes.html.j2",
        title=_first_line(difference),
        row_name="changes",
        example="accuracy, epsilon 0.1",
        count_means="changed cells, numbers and claims",
        facts=facts,
        headlines=[
            Headline("changes", _shares(every, PLAIN)),
            Headline("changed verdicts", _shares(moved, MIDDLE)),
        ],
        parts={},  # the frame of the page has such sections in the report
        contents=contents,
        choices=_choices(chain.from_iterable(every.values())),
        difference=difference,
        papers=papers,
        anchor=anchor,
        summary=summary,
        texts=_texts,
        filters=_filters,
        rows_of=partial(_rows, {*map(id, important[:ROWS])}),
        columns=("kind", "what", *COLUMNS[1:], "cause"),
        tones=tones_by_text() | CLAIM_TONES,
    )
    # what the page without pictures leaves of its size is for pictures
    room = PAGE_BYTES - len(render(inline=lambda folder, name: "").encode())
    return render(inline=_Pictures(room).inline)


def _rows(shown: Collection[int], artefact: ArtefactChange) -> list[tuple[str, Changed]]:
    """The changes of an artefact that a page shows, each after its kind; changed verdicts first.

    `shown` are the identities of all changes that the page shows.
    """
    found: list[tuple[str, Changed]] = []
    for kind, changes in artefact.by_kind.items():
        found += [(kind, one) for one in changes if id(one) in shown]
    return sorted(found, key=lambda pair: pair[1].importance)


def _shares(changes: Mapping[str, Sequence[Changed]], tone: str) -> dict[Look, int]:
    """The number of changes of each kind, by the look of the kind."""
    return {
        Look(f"{NOUNS[kind]}{'s' * (len(own) != 1)}", tone): len(own)
        for kind, own in changes.items()
    }


def _choices(changes: Iterable[Changed]) -> dict[str, list[str]]:
    """The verdicts, methods and data sets by which a reader of the page can filter changes."""
    found: dict[str, set[str]] = {"verdict": set(), "method": set(), "dataset": set()}
    for change in changes:
        verdicts, method, dataset = _filters(change)
        found["verdict"] |= {*verdicts.split("|")}
        found["method"].add(method)
        found["dataset"].add(dataset)
    sort = {"method": str.lower}
    return {name: sorted(words - {""}, key=sort.get(name)) for name, words in found.items()}


def _filters(change: Changed) -> tuple[str, str, str]:
    """The verdicts, method and data set by which the filter finds a change; empty if not known."""
    known = change.after or change.before  # what is gone is found by what it was
    verdicts = [verdict for verdict in dict.fromkeys(change.verdicts) if verdict]
    if isinstance(known, JudgedClaim):
        verdicts = [f"claim {verdict}" for verdict in verdicts]
    # one choice of the filter finds all rows whose verdict changed
    verdicts += [VERDICT_CHANGED] * change.verdict_changed
    own = (known.method, known.dataset) if isinstance(known, ComparedNumber) else ("", "")
    return "|".join(verdicts), *own


class _Pictures:
    """The pictures of a page, as long as `room` bytes are left for them."""

    def __init__(self, room: int) -> None:
        self.room = room

    def inline(self, folder: Path | None, name: str) -> str:
        """The picture `name` in a folder as a `data:` address; empty without it or room for it."""
        content = read_bytes(folder / name if folder else None) or b""
        address = f"data:image/png;base64,{base64.b64encode(content).decode()}"
        if not content or len(address) > self.room:
            return ""
        self.room -= len(address)
        return address


def as_json(difference: Difference) -> str:
    """The differences with every number in full precision, as JSON text."""
    return json.dumps(plain(difference), indent=2, allow_nan=False) + "\n"


def plain(difference: Difference) -> dict[str, Any]:
    """The differences with every number in full precision, as mappings and lists."""
    artefacts = []
    for one in difference.artefacts:
        found: dict[str, Any] = {"artefact": one.artefact, "state": one.state}
        found["causes"] = one.causes
        for kind, changes in one.by_kind.items():
            found[kind] = [
                {
                    "name": change.name,
                    "before": _plain_item(change.before),
                    "after": _plain_item(change.after),
                    "causes": list(change.causes),
                }
                for change in changes
            ]
        others = {"pictures": list(one.pictures), "remarks": list(one.remarks)}
        artefacts.append(found | others)
    return {
        "before": difference.before,
        "after": difference.after,
        "libraries": list(difference.libraries),
        "unchanged": difference.same,
        "artefacts": artefacts,
    }


def _plain_item(item: Item) -> dict[str, Any] | None:
    """A number or claim on one side; a number that is not known is null."""
    if item is None:
        return None
    if isinstance(item, JudgedClaim):
        return {"verdict": item.full_verdict, "reason": item.reason}
    numbers = {"mean": item.mean, "std": item.std, "published": item.published}
    known = {name: None if math.isnan(value) else value for name, value in numbers.items()}
    return {**known, "runs": item.runs, "verdict": item.full_verdict}


def summary(change: ArtefactChange) -> str:
    """The number of differences of an artefact by kind, as a text."""
    counts = {NOUNS[kind]: len(found) for kind, found in change.by_kind.items()}
    counts |= {"picture": len(change.pictures), "verdict": len(change.verdicts)}  # counted again
    told = [f"{count} {noun}{'s' * (count != 1)}" for noun, count in counts.items() if count]
    return ", ".join(told) or "the files differ, but no shown number, claim or picture"


def most_important(changes: Sequence[Changed]) -> list[Changed]:
    """The changes in the order in which they are shown: changed verdicts, then large changes."""
    return sorted(changes, key=attrgetter("importance"))[:SHOWN]


def _first_line(difference: Difference) -> str:
    """The title: the names of both sides, and how many of their artefacts changed."""
    count, every = len(difference.artefacts), len(difference.artefacts) + difference.same
    names = f"{difference.before} -> {difference.after}"
    return f"{names}: {count or 'none'} of {every} artefact{'s' * (every != 1)} changed"


def _texts(change: Changed) -> list[str]:
    """A change under the COLUMNS: name, numbers before, after and published, both verdicts."""
    numbers = [_number(change.before), _number(change.after), _published(change.after)]
    return [change.name, *numbers, *change.verdicts]


def words(change: Changed) -> str:
    """A change of a number, cell or claim as one line of text."""
    name, old, new, published, before, after = _texts(change)
    parts = [f"{name}: {old} -> {new}", f"published {published}" if published else "", after]
    if change.verdict_changed:
        parts[-1] = f"{before or 'none'} -> {after or 'none'}"
    return "; ".join([*filter(None, parts), *change.causes])


def _number(item: Item) -> str:
    """A number before or after as text; for a claim, the reason of the verdict."""
    if item is None:
        return "none"
    if isinstance(item, JudgedClaim):
        return item.reason
    return format_mean(item.mean, item.std) or "no run"


def _published(item: Item) -> str:
    """The published value of a number before or after, as text; empty without such a value."""
    if not isinstance(item, ComparedNumber) or math.isnan(item.published):
        return ""
    return f"{item.published:g}"


def check_summary(
    entries: Sequence[Verdicts], difference: Difference | None, failures: Sequence[str]
) -> str:
    """The summary of a check in Markdown: failures, changes of results, and the scoreboard."""
    tables: dict[str, list[tuple[str, Changed]]] = {"Published cells": [], "Claims": []}
    for one in difference.artefacts if difference else ():
        tables["Published cells"] += [(one.artefact, change) for change in one.cells]
        tables["Claims"] += [(one.artefact, change) for change in one.claims]
    for rows in tables.values():
        rows.sort(key=lambda pair: pair[1].importance)
    return markup.render(
        "check_summary.md.j2",
        failed=[*failures, *chain.from_iterable(map(_failures, entries))],
        most=LINES,
        difference=difference,
        tables=tables,
        table=_markdown_table,
        score=score_tables.counts_in_markdown(score_tables.scoreboard(entries)) if entries else "",
    )


def _failures(entry: Verdicts) -> list[str]:
    """The reasons why `dpfair check` fails for an artefact."""
    found = [f"{one}, not in deviations.yaml" for one in entry.failures]
    found += entry.impossible_scores
    found += [f"without evidence: {one}" for one in entry.unsupported_deviations]
    return [f"{entry.spec.artefact}: {one}" for one in found]


def workflow_commands(entries: Iterable[Verdicts], experiments: Path) -> list[str]:
    """Annotations of the published cells that make `dpfair check` fail, as commands of GitHub.

    The cells with the largest differences come first, and the others have no annotation.
    `experiments` is the path of the folder of the papers.
    """
    sizes: dict[str, float] = {}
    for one in entries:
        file = (experiments / one.spec.paper / "published.csv").as_posix()
        for cell in filter(attrgetter("is_unexplained"), one.cells):
            place = f"file={_property(file)},line={cell.published.line}"
            message = _message(f"{one.spec.artefact}: {in_message(cell)}")
            # a cell without a run stands before all others
            size = cell.default.comparison.difference if cell.default else math.inf
            sizes[f"::error {place},title=dpfair check::{message}"] = size
    return sorted(sizes, key=sizes.__getitem__, reverse=True)[:ANNOTATIONS]  # the worst ones


def _message(text: str) -> str:
    """A text in which the special characters of workflow commands of GitHub are escaped."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A property of a workflow command, in which colons and commas are escaped, too."""
    return _message(text).replace(":", "%3A").replace(",", "%2C")
