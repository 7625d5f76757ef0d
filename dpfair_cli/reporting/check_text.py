"""The result of a check as text: a summary, and the cells and claims that do not agree."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dpfair_cli.reporting import authors_columns
from dpfair_cli.reporting.cell_columns import difference
from dpfair_cli.reporting.looks import CELL_LOOKS, look_of_cell, tone_of_claim
from dpfair_cli.reporting.report import JudgedArtefact
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.score.distinct import repeated_cells
from dpfair_cli.verdicts.score.scoreboard import CLAIM_ORDER

Paint = Callable[[str, str], str]  # (text, tone as in `looks`) -> text in colour
HEADINGS = ("cell", "ours", "published", "difference", "verdict")
NARROWEST = 30  # least width of a cause to the right of its cell; otherwise it is below
INDENT = "    "  # indentation of a cause below its cell
AGREEING = (ClaimVerdict.HOLDS, ClaimVerdict.NOT_TESTABLE, ClaimVerdict.NOT_TESTED)


@dataclass(frozen=True)
class Form:
    """The form of the text about cells and claims: width, colours, and how much is written."""

    width: int
    """The width of the terminal; 0 for lines of any length."""

    paint: Paint
    """The function that colours a verdict."""

    is_full: bool = False
    """Whether cells and claims that agree are written too, and causes are not cut to one line."""

    @property
    def most_lines(self) -> int | None:
        """The largest number of lines for the cause of a cell; None for no limit."""
        return None if self.is_full else 1


def does_not_agree(cell: JudgedCell) -> bool:
    """Whether a cell differs or is undecided, or has neither runs nor a deviation."""
    return cell.is_unexplained or (cell.verdict.is_compared and not cell.verdict.agrees)


def summary(entries: Sequence[JudgedArtefact], paint: Paint) -> list[str]:
    """Lines that count the published cells and the claims of artefacts by verdict."""
    repeated = repeated_cells((one.spec, one.verdicts.cells) for one in entries)
    cells = [cell for one in entries for cell in one.verdicts.cells if cell not in repeated]
    every = [claim for one in entries for claim in one.verdicts.claims]
    claims = [claim for claim in every if not claim.part.ours]
    added = len(every) - len(claims)
    counts = Counter(cell.verdict for cell in cells)
    lines = [_title(entries, len(cells), len(repeated))]
    for verdict in sorted(counts, key=lambda one: one.rank):
        count = f"{counts[verdict]:>6} {100 * counts[verdict] / len(cells):4.0f} %"
        kinds = _kinds([cell for cell in cells if cell.verdict is verdict])
        tone = CELL_LOOKS[verdict].tone if verdict in CELL_LOOKS else ""
        lines.append(f"  {paint(f'{verdict!s:<14}', tone)}{count}{kinds}")
    found = Counter(claim.full_verdict for claim in claims)
    words = sorted(found, key=_claim_rank)
    told = ", ".join(f"{found[verdict]} {verdict}" for verdict in words)
    ours = f" (and {added} that we added)" if added else ""
    values = [value for one in entries for value in one.verdicts.authors]
    third = authors_columns.summarise(values)
    return [*lines, f"claims and their parts: {told or 'none'}{ours}", *filter(None, [third])]


def _title(entries: Sequence[JudgedArtefact], cells: int, repeated: int) -> str:
    """The first line of a summary of artefacts: "2 artefacts of 1 paper: 60 published cells"."""
    papers = len({one.paper for one in entries})
    named = f"{len(entries)} artefacts of {papers} paper{'s' * (papers != 1)}"
    name = entries[0].spec.artefact if len(entries) == 1 else named
    again = f" (and {repeated} that print a number again)" if repeated else ""
    return f"{name}: {cells or 'no'} published cell{'s' * (cells != 1)}{again}"


def _kinds(cells: Sequence[JudgedCell]) -> str:
    """The number of cells with each kind of deviation and without a deviation, as text."""
    if not any(cell.verdict.needs_deviation or cell.kind for cell in cells):
        return ""
    kinds = Counter(cell.kind or "no deviation" for cell in cells)
    return "   " + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())


def _claim_rank(verdict: str) -> tuple[int, str]:
    """The sort key of a claim's full verdict, from best to worst."""
    return CLAIM_ORDER.index(verdict.partition(" (")[0]), verdict


def cell_lines(cells: Sequence[JudgedCell], form: Form) -> list[str]:
    """Lines with published cells in aligned columns, each with its cause."""
    rows = [
        (
            one.description,
            _mean(one),
            f"{one.published.mean:.4f}",
            difference(one),
            one.full_verdict,
        )
        for one in cells
    ]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *rows, strict=True)]
    used = sum(widths) + 2 * len(widths)
    lines = [f"{_row(HEADINGS, widths)}  cause".rstrip()]
    for cell, row in zip(cells, rows, strict=True):
        line = _row((*row[:-1], ""), widths)[: used - 2 - widths[-1]]
        line += form.paint(f"{row[-1]:<{widths[-1]}}", look_of_cell(cell).tone)
        lines += _with_cause(line, reason(cell), used, form)
    return lines


def _mean(cell: JudgedCell) -> str:
    """Our mean for a published cell, as text; empty if nothing was compared."""
    return f"{cell.default.ours.mean:.4f}" if cell.default else ""


def reason(cell: JudgedCell) -> str:
    """The cause of a cell that does not agree, or how many seeds would decide an undecided cell.

    For a cell without a deviation, the text says that no deviation covers the cell.
    """
    missing = "not in deviations.yaml" if cell.is_unexplained else ""
    return cell.cause or cell.remedy or missing


def _row(texts: Sequence[str], widths: Sequence[int]) -> str:
    """A line of texts in columns of the given widths; the three columns of numbers align right."""
    first, *numbers, last = texts
    parts = [first.ljust(widths[0])]
    parts += [text.rjust(size) for text, size in zip(numbers, widths[1:-1], strict=True)]
    return "  ".join([*parts, last.ljust(widths[-1])])


def _with_cause(line: str, cause: str, used: int, form: Form) -> list[str]:
    """The line of a cell with its cause to the right, or below the line if there is no room.

    `used` is the width of the line.
    """
    if not cause:
        return [line.rstrip()]
    if not form.width:
        return [f"{line}  {cause}"]
    room = form.width - used
    is_below = room < NARROWEST
    parts = _wrapped(cause, form.width - len(INDENT) if is_below else room, form)
    if is_below:
        return [line.rstrip(), *(f"{INDENT}{part}" for part in parts)]
    return [f"{line}  {parts[0]}", *(f"{' ' * used}{part}" for part in parts[1:])]


def _wrapped(words: str, columns: int, form: Form) -> list[str]:
    """A text wrapped to lines of `columns` characters; a text that is cut ends with "…"."""
    return textwrap.wrap(words, columns, max_lines=form.most_lines, placeholder=" …")


def claim_lines(claims: Iterable[JudgedClaim], form: Form) -> list[str]:
    """Lines with the verdict of each claim and, below, the reason of the verdict."""
    lines = []
    for claim in claims:
        verdict = form.paint(claim.full_verdict, tone_of_claim(claim))
        lines.append(f"{claim.part.id}: {verdict}")
        why = claim.cause or claim.reason
        columns = form.width - len(INDENT) if form.width else max(1, len(why))
        lines += [f"{INDENT}{part}" for part in _wrapped(why, columns, form)]
    return lines


def artefact_lines(entry: JudgedArtefact, form: Form) -> list[str]:
    """Lines with the cells and claims of an artefact that disagree; with a full form, all."""
    verdicts = entry.verdicts
    cells = [cell for cell in verdicts.cells if form.is_full or does_not_agree(cell)]
    claims = [one for one in verdicts.claims if form.is_full or one.verdict not in AGREEING]
    lines = cell_lines(cells, form) if cells else []
    return [*lines, "claims", *claim_lines(claims, form)] if claims else lines
