"""A check for GitHub: a summary of what failed and what changed, and annotations at lines of
published.csv.

The summary is Markdown for $GITHUB_STEP_SUMMARY; an annotation is a workflow command on stdout.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from dpfair_cli.diff import rendering
from dpfair_cli.diff.difference import Difference
from dpfair_cli.diff.results import State
from dpfair_cli.reporting import report, scoreboard
from dpfair_cli.reporting.report import Entry
from dpfair_cli.reporting.templates import render
from dpfair_cli.verdicts.means import to_records

ANNOTATIONS = 10  # the worst ones: GitHub shows no more of a step
LINES = 100  # of a table of the summary, which may have 1 MiB
BETTER_FIRST = ("reproduced", "within noise", "undecided", "differs", "missing", "not compared", "")


class Annotation(NamedTuple):
    """A published cell that differs, or whose verdict has become worse: how bad it is, its place,
    and what it says.
    """

    level: str
    difference: float
    paper: str
    line: int
    message: str


def summary(
    entries: Sequence[Entry], difference: Difference | None, failures: Sequence[str]
) -> str:
    """The summary as Markdown: what failed first, then what changed, then the scoreboard."""
    failed = [*failures, *(line for entry in entries for line in _failures(entry))]
    changes = (
        [(change.artefact, one) for change in difference.artefacts for one in change.cells]
        if difference
        else []
    )
    claims = (
        [(change.artefact, one) for change in difference.artefacts for one in change.claims]
        if difference
        else []
    )
    return render(
        "check_summary.md.j2",
        failed=failed[:LINES],
        hidden_failures=max(0, len(failed) - LINES),
        difference=difference,
        tables=[_table("Published cells", changes), _table("Claims", claims)],
        scoreboard=scoreboard.markdown(report.scoreboard(entries)) if entries else "",
    )


def _failures(entry: Entry) -> Iterator[str]:
    """Why an artefact fails, in words."""
    verdicts = entry.verdicts
    yield from (
        f"{entry.spec.artefact}: {failure}, not in deviations.yaml" for failure in verdicts.failures
    )
    yield from (f"{entry.spec.artefact}: {run}" for run in verdicts.impossible_scores)
    yield from (
        f"{entry.spec.artefact}: not borne by its evidence: {one}"
        for one in verdicts.unsupported_deviations
    )


def _table(title: str, changes: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The most important changes of a kind, as lines."""
    chosen = sorted(changes, key=lambda pair: rendering.importance(pair[1]))[:LINES]
    lines = [{"artefact": artefact, **rendering.line(one)} for artefact, one in chosen]
    return {"title": title, "lines": lines, "hidden": max(0, len(changes) - LINES)}


def workflow_commands(
    entries: Sequence[Entry], difference: Difference | None, locate: Callable[[str], str]
) -> list[str]:
    """The worst annotations as workflow commands; `locate` gives the path of a paper's
    published.csv.
    """
    found = [*_differing(entries), *_worse(difference)]
    worst = sorted(dict.fromkeys(found), key=lambda one: (one.level != "error", -one.difference))[
        :ANNOTATIONS
    ]
    return [
        f"::{one.level} file={_property(locate(one.paper))},line={one.line},title=dpfair check::{_message(one.message)}"
        for one in worst
    ]


def _differing(entries: Iterable[Entry]) -> Iterator[Annotation]:
    """The published cells that make a check fail."""
    for entry in entries:
        cells = entry.verdicts.default_cells
        failing = cells[cells["verdict"].isin(["differs", "missing"]) & (cells["kind"] == "")]
        for cell in to_records(failing):
            ours = rendering.number(State(cell["mean"], cell["std"], 0))
            words = (
                f"{entry.spec.artefact}: {cell['cell']}: {cell['verdict']}: ours {ours}, published "
            )
            size = (
                math.inf if math.isnan(cell["mean"]) else abs(cell["mean"] - cell["published_mean"])
            )
            yield Annotation(
                "error", size, entry.paper, int(cell["line"]), f"{words}{cell['published_mean']:g}"
            )


def _worse(difference: Difference | None) -> Iterator[Annotation]:
    """The published cells whose verdict has become worse."""
    for change in difference.artefacts if difference else ():
        for one in change.cells:
            before, after = one.before, one.after
            if (
                isinstance(before, State)
                and isinstance(after, State)
                and _rank(after) > _rank(before)
            ):
                paper, words = (
                    change.artefact.split("/")[0],
                    f"{change.artefact}: {rendering.words(one)}",
                )
                yield Annotation("warning", abs(after.mean - before.mean), paper, after.line, words)


def _rank(state: State) -> int:
    verdict = state.verdict.partition(" (")[0]
    return BETTER_FIRST.index(verdict) if verdict in BETTER_FIRST else len(BETTER_FIRST)


def _message(text: str) -> str:
    """A text as GitHub wants it in a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
