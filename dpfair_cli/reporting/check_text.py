"""The result of a check as text: a summary, and the cells and claims that do not agree."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import attrgetter

from dpfair_cli.reporting import shown
from dpfair_cli.reporting.shown import (
    CELL_LOOKS,
    ShownColumn,
    by_default,
    look_of_cell,
    tone_of_claim,
)
from dpfair_cli.reporting.text_writer import Paint, TextForm, padded
from dpfair_cli.verdicts import scoreboard
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.paper_rule import distinct_cells
from dpfair_cli.verdicts.scoreboard import CLAIM_ORDER
from dpfair_cli.verdicts.verdicts import Verdicts

COLUMNS = (
    ShownColumn("cell", attrgetter("description")),
    ShownColumn("ours", by_default(shown.short)),
    ShownColumn("published", shown.short_published),
    ShownColumn("difference", by_default(shown.difference)),
    ShownColumn("verdict", attrgetter("full_verdict")),
)
NARROWEST = 30  # least width of a cause to the right of its cell; otherwise it is below
INDENT = "    "  # indentation of a cause below its cell
AGREEING = (ClaimVerdict.HOLDS, ClaimVerdict.NOT_TESTABLE, ClaimVerdict.NOT_TESTED)


def does_not_agree(cell: JudgedCell) -> bool:
    """Whether a cell differs or is undecided, or has neither runs nor a deviation."""
    return cell.is_unexplained or (cell.verdict.is_compared and not cell.verdict.agrees)


def summary(entries: Sequence[Verdicts], paint: Paint) -> list[str]:
    """Lines that count the published cells and the claims of artefacts by verdict."""
    # a number that two tables print is one number of the paper
    cells = [cell for _, cell in distinct_cells(entries)]
    repeated = sum(len(one.cells) for one in entries) - len(cells)
    compared = sum(cell.verdict.is_compared for cell in cells)
    lines = [_title(entries, compared, repeated)]
    lines += shown.describe_tables(*entries) if len(entries) == 1 else shown.count_tables(entries)
    counts = Counter(cell.verdict for cell in cells)
    for verdict in sorted(counts, key=lambda one: one.rank):
        share = f"{100 * counts[verdict] / compared:4.0f} %" if verdict.is_compared else " " * 6
        count = f"{counts[verdict]:>6} {share}"
        kinds = _kinds([cell for cell in cells if cell.verdict is verdict])
        tone = CELL_LOOKS[verdict].tone if verdict in CELL_LOOKS else ""
        lines.append(f"  {paint(f'{verdict!s:<14}', tone)}{count}{kinds}".rstrip())
    if len(entries) == 1:
        lines.append(_count_parts(entries[0].claims))
    else:
        lines.append(_count_claims(entries))
    values = list(chain.from_iterable(one.authors for one in entries))
    return [*lines, shown.count_values(values)] if values else lines


def _title(entries: Sequence[Verdicts], cells: int, repeated: int) -> str:
    """The first line of a summary of artefacts: "2 artefacts of 1 paper: 60 numbers compared"."""
    papers = len({one.spec.paper for one in entries})
    named = f"{len(entries)} artefacts of {papers} paper{'s' * (papers != 1)}"
    name = entries[0].spec.artefact if len(entries) == 1 else named
    again = f" (and {repeated} that print a number again)" if repeated else ""
    return f"{name}: {cells or 'no'} number{'s' * (cells != 1)} compared{again}"


def _kinds(cells: Sequence[JudgedCell]) -> str:
    """The number of cells with each kind of deviation and without a deviation, as text."""
    if not any(cell.verdict.needs_deviation or cell.kind for cell in cells):
        return ""
    kinds = Counter(cell.kind or "no deviation" for cell in cells)
    told = [f"{kind} {count}" for kind, count in kinds.most_common()]
    fragile = sum(cell.is_fragile for cell in cells)
    return "   " + ", ".join([*told, *([f"of them fragile {fragile}"] if fragile else [])])


def _count_claims(entries: Sequence[Verdicts]) -> str:
    """A line with the number of claims of several artefacts of each kind with each verdict."""
    told = shown.count_claims(scoreboard.judged_statements(entries))
    return f"claims, {told}" if told else "claims: none"


def _count_parts(every: Sequence[JudgedClaim]) -> str:
    """A line with the number of parts of claims with each verdict, from best to worst."""

    def rank(verdict: str) -> tuple[int, str]:
        return CLAIM_ORDER.index(verdict.partition(" (")[0]), verdict

    # what we added to a claim is not the paper's, and not counted as its
    found = Counter(claim.full_verdict for claim in every if not claim.part.ours)
    told = ", ".join(f"{found[verdict]} {verdict}" for verdict in sorted(found, key=rank))
    added = len(every) - found.total()
    ours = f" (and {added} that we added)" if added else ""
    return f"claims and their parts: {told or 'none'}{ours}"


def cell_lines(cells: Sequence[JudgedCell], form: TextForm) -> list[str]:
    """Lines with published cells in aligned columns, each with its cause.

    If the columns are wider than the terminal, the numbers of a cell stand below its name.
    """
    headings = [one.heading for one in COLUMNS]
    head, *lines = padded([headings, *shown.rows(COLUMNS, cells)], right=(1, 2, 3))
    if form.width and len("  ".join(head)) > form.width:
        for texts in (head, *lines):
            texts[0] = f"{textwrap.fill(texts[0].rstrip(), form.width)}\n{INDENT}"
    used = len("  ".join(head).rpartition("\n")[2]) + 2
    found = [f"{'  '.join(head)}  cause"]
    for cell, (*texts, verdict) in zip(cells, lines, strict=True):
        # painted after padding, because the codes of a colour have a length and no width
        line = "  ".join([*texts, form.paint(verdict, look_of_cell(cell).tone)])
        found += _with_cause(line, shown.reason(cell), used, form)
    return found


def _with_cause(line: str, reason: str, used: int, form: TextForm) -> list[str]:
    """The line of a cell with its cause to the right, or below the line if there is no room.

    `used` is the width of the line with the space after it; colours are not counted.
    """
    if not reason:
        return [line.rstrip()]
    if not form.width:  # a file, of which a line is a record
        return [f"{line}  {reason}"]
    room = form.width - used
    if room < NARROWEST:
        parts = form.wrapped(reason, form.width - len(INDENT))
        return [line.rstrip(), *(f"{INDENT}{part}" for part in parts)]
    first, *others = form.wrapped(reason, room)
    return [f"{line}  {first}", *(f"{' ' * used}{part}" for part in others)]


def claim_lines(claims: Iterable[JudgedClaim], form: TextForm) -> list[str]:
    """Lines with the verdict of each claim and, below, the reason of the verdict."""
    lines = []
    for claim in claims:
        lines.append(f"{claim.part.id}: {form.paint(claim.full_verdict, tone_of_claim(claim))}")
        why = claim.cause or claim.reason
        columns = form.width - len(INDENT) if form.width else max(1, len(why))
        lines += [f"{INDENT}{part}" for part in form.wrapped(why, columns)]
    return lines


def artefact_lines(entry: Verdicts, form: TextForm) -> list[str]:
    """Lines with the cells and claims of an artefact that disagree; with a full form, all."""
    cells = [cell for cell in entry.cells if form.is_full or does_not_agree(cell)]
    claims = [one for one in entry.claims if form.is_full or one.verdict not in AGREEING]
    lines = cell_lines(cells, form) if cells else []
    return [*lines, "claims", *claim_lines(claims, form)] if claims else lines
