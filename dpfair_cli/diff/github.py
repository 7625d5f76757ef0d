"""Output of a check for GitHub: a summary, and annotations at lines of published.csv.

The summary is Markdown for $GITHUB_STEP_SUMMARY. An annotation is a workflow command on stdout.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from dpfair_cli.diff import rendering
from dpfair_cli.diff.difference import Difference
from dpfair_cli.diff.results import ComparedNumber
from dpfair_cli.reporting import score_text
from dpfair_cli.reporting.judged_artefact import JudgedArtefact
from dpfair_cli.reporting.templates import render
from dpfair_cli.verdicts.cells.judged import JudgedCell

ANNOTATIONS = 10  # GitHub shows no more annotations of a step
LINES = 100  # lines of a table in the summary, whose size is limited to 1 MiB


class Annotation(NamedTuple):
    """A message for GitHub about a line of published.csv that differs or has become worse."""

    level: str
    """The level of a workflow command: "error" or "warning"."""

    difference: float
    """The absolute difference from the published value, or the absolute change."""

    paper: str
    """The paper of the cell."""

    line: int
    """The line of the cell in published.csv."""

    message: str
    """The message of the annotation."""


def summary(
    entries: Sequence[JudgedArtefact], difference: Difference | None, failures: Sequence[str]
) -> str:
    """The summary of a check in Markdown: failures, changes of results, and the scoreboard."""
    failed = [*failures, *(line for entry in entries for line in _failures(entry))]
    changed = difference.artefacts if difference else ()
    changes = [(change.artefact, one) for change in changed for one in change.cells]
    claims = [(change.artefact, one) for change in changed for one in change.claims]
    return render(
        "check_summary.md.j2",
        failed=failed[:LINES],
        hidden_failures=max(0, len(failed) - LINES),
        difference=difference,
        tables=[_table("Published cells", changes), _table("Claims", claims)],
        scoreboard=score_text.markdown(score_text.scoreboard(entries)) if entries else "",
    )


def _failures(entry: JudgedArtefact) -> Iterator[str]:
    """Yields the reasons why `dpfair check` fails for an artefact."""
    verdicts = entry.verdicts
    yield from (
        f"{entry.spec.artefact}: {failure}, not in deviations.yaml" for failure in verdicts.failures
    )
    yield from (f"{entry.spec.artefact}: {run}" for run in verdicts.impossible_scores)
    yield from (
        f"{entry.spec.artefact}: without evidence: {one}" for one in verdicts.unsupported_deviations
    )


def _table(title: str, changes: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The most important of some changes (artefact, change), as lines of a table for a template."""
    chosen = sorted(changes, key=lambda pair: rendering.importance(pair[1]))[:LINES]
    lines = [{"artefact": artefact, **rendering.line(one)} for artefact, one in chosen]
    return {"title": title, "lines": lines, "hidden": max(0, len(changes) - LINES)}


def workflow_commands(
    entries: Sequence[JudgedArtefact], difference: Difference | None, locate: Callable[[str], str]
) -> list[str]:
    """The most severe annotations of published cells, as workflow commands of GitHub.

    `locate` returns the path of a paper's published.csv.
    """
    found = [*_differing(entries), *_worse(difference)]
    worst = sorted(dict.fromkeys(found), key=lambda one: (one.level != "error", -one.difference))[
        :ANNOTATIONS
    ]
    return [
        f"::{one.level} file={_property(locate(one.paper))},line={one.line},title=dpfair check"
        f"::{_message(one.message)}"
        for one in worst
    ]


def _differing(artefacts: Iterable[JudgedArtefact]) -> Iterator[Annotation]:
    """Yields an annotation for each published cell that makes `dpfair check` fail."""
    for one in artefacts:
        for shown in one.cells:
            cell = shown.judged
            if cell.is_unexplained:
                words = f"{one.spec.artefact}: {shown.name}: {shown.verdict}: {shown.numbers}"
                size = cell.default.comparison.difference if cell.default else math.inf
                yield Annotation("error", size, one.paper, cell.published.line, words)


def _worse(difference: Difference | None) -> Iterator[Annotation]:
    """Yields an annotation for each published cell whose verdict has become worse."""
    for change in difference.artefacts if difference else ():
        for one in change.cells:
            before, after = _cell(one.before), _cell(one.after)
            if before and after and after.verdict.rank > before.verdict.rank:
                paper = change.artefact.split("/")[0]
                words = f"{change.artefact}: {rendering.words(one)}"
                size = -rendering.importance(one)[1]
                yield Annotation("warning", size, paper, after.published.line, words)


def _cell(side: object) -> JudgedCell | None:
    """The published cell of `side`, the state before or after a change; None for a claim.

    The result is also None for a number without a published value, and if the state lacks the
    number.
    """
    return side.cell if isinstance(side, ComparedNumber) else None


def _message(text: str) -> str:
    """A text in which the special characters of workflow commands of GitHub are escaped."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
