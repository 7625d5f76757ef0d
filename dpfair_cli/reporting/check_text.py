"""A check as text for a terminal: a short summary, then the cells and claims that do not agree."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from dpfair_cli.reporting.cell_columns import difference
from dpfair_cli.reporting.looks import CELL_LOOKS, look_of_cell, tone_of_claim
from dpfair_cli.reporting.report import ReportedArtefact
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.score.scoreboard import CLAIM_ORDER, repeated_cells

Paint = Callable[[str, str], str]  # a text and its tone, as in `looks` -> the text in colour
HEADINGS = ("cell", "ours", "published", "difference", "verdict")
NARROWEST = 30  # columns that a cause needs behind its cell; with fewer it stands below the cell
INDENT = "    "  # of a cause below its cell
AGREEING = (ClaimVerdict.HOLDS, ClaimVerdict.NOT_TESTABLE, ClaimVerdict.NOT_TESTED)


def paint_nothing(text: str, _: str) -> str:
    """The text without colour."""
    return text


def does_not_agree(cell: JudgedCell) -> bool:
    """Whether ours differs or is undecided, or a cell without runs has no deviation."""
    return cell.is_unexplained or (cell.verdict.is_compared and not cell.verdict.passes)


def summary(entries: Sequence[ReportedArtefact], paint: Paint) -> list[str]:
    """What was compared, a line for each verdict of a cell, and one for claims."""
    decided = [(one.spec, one.verdicts) for one in entries]
    repeated = repeated_cells(decided)
    cells = [cell for one in entries for cell in one.verdicts.cells if cell not in repeated]
    claims = [claim for one in entries for claim in one.verdicts.claims if not claim.part.ours]
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
    return [*lines, f"claims and their parts: {told or 'no claims'}"]


def _title(entries: Sequence[ReportedArtefact], cells: int, repeated: int) -> str:
    """What was compared, such as "2 artefacts of 1 paper: 60 published cells"."""
    papers = len({one.paper for one in entries})
    named = f"{len(entries)} artefacts of {papers} paper{'s' * (papers != 1)}"
    name = entries[0].spec.artefact if len(entries) == 1 else named
    again = f" (and {repeated} that print a number again)" if repeated else ""
    return f"{name}: {cells or 'no'} published cell{'s' * (cells != 1)}{again}"


def _kinds(cells: Sequence[JudgedCell]) -> str:
    """The kinds of the deviations of cells with one verdict, and how many have none."""
    if not any(cell.verdict.needs_deviation or cell.kind for cell in cells):
        return ""
    kinds = Counter(cell.kind or "no deviation" for cell in cells)
    return "   " + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())


def _claim_rank(verdict: str) -> tuple[int, str]:
    """The place of a claim's verdict with its kind in the order of verdicts."""
    return CLAIM_ORDER.index(verdict.partition(" (")[0]), verdict


def cell_lines(
    cells: Sequence[JudgedCell], *, width: int, in_full: bool, paint: Paint
) -> list[str]:
    """Cells as aligned columns, each with its cause.

    `width` is that of the terminal; 0 for a line of any length. A cause takes one line, or as many
    as it needs if it is shown `in_full`.
    """
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
        line += paint(f"{row[-1]:<{widths[-1]}}", look_of_cell(cell).tone)
        lines += _with_cause(line, reason(cell), used, width, in_full=in_full)
    return lines


def _mean(cell: JudgedCell) -> str:
    """Our mean; empty where nothing was compared."""
    return f"{cell.default.ours.mean:.4f}" if cell.default else ""


def reason(cell: JudgedCell) -> str:
    """The cause that explains a cell, what would decide it, or that no deviation covers it."""
    missing = "not in deviations.yaml" if cell.is_unexplained else ""
    return cell.cause or cell.remedy or missing


def _row(texts: Sequence[str], widths: Sequence[int]) -> str:
    """A line of columns: texts on the left, the three numbers on the right."""
    first, *numbers, last = texts
    parts = [first.ljust(widths[0])]
    parts += [text.rjust(size) for text, size in zip(numbers, widths[1:-1], strict=True)]
    return "  ".join([*parts, last.ljust(widths[-1])])


def _with_cause(line: str, cause: str, used: int, width: int, *, in_full: bool) -> list[str]:
    """A line with its cause behind it, or below it where there is no room."""
    if not cause:
        return [line.rstrip()]
    if not width:
        return [f"{line}  {cause}"]
    room = width - used
    is_below = room < NARROWEST
    parts = textwrap.wrap(
        cause,
        width - len(INDENT) if is_below else room,
        max_lines=None if in_full else 1,
        placeholder=" …",
    )
    if is_below:
        return [line.rstrip(), *(f"{INDENT}{part}" for part in parts)]
    return [f"{line}  {parts[0]}", *(f"{' ' * used}{part}" for part in parts[1:])]


def claim_lines(
    claims: Iterable[JudgedClaim], *, width: int, in_full: bool, paint: Paint
) -> list[str]:
    """Claims, each with its verdict and below it why."""
    lines = []
    for claim in claims:
        verdict = paint(claim.full_verdict, tone_of_claim(claim))
        lines.append(f"{claim.part.id}: {verdict}")
        why = claim.cause or claim.reason
        wrapped = textwrap.wrap(
            why,
            width - len(INDENT) if width else max(1, len(why)),
            max_lines=None if in_full else 1,
            placeholder=" …",
        )
        lines += [f"{INDENT}{part}" for part in wrapped]
    return lines


def artefact_lines(
    entry: ReportedArtefact, *, width: int, everything: bool, paint: Paint
) -> list[str]:
    """The cells and claims of an artefact that do not agree, or all of them."""
    verdicts = entry.verdicts
    cells = [cell for cell in verdicts.cells if everything or does_not_agree(cell)]
    claims = [one for one in verdicts.claims if everything or one.verdict not in AGREEING]
    lines = []
    if cells:
        lines += cell_lines(cells, width=width, in_full=everything, paint=paint)
    if claims:
        lines.append("claims")
        lines += claim_lines(claims, width=width, in_full=everything, paint=paint)
    return lines
