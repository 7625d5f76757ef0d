"""Hints beside our runs of the same cells: withdrawn if our runs give the numbers, too.

A hint says that numbers would be unlikely by chance. If our runs, whose making is known, give the
same number, then something other than chance or a mistake of the authors makes it: the protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from dpfair_cli.addons.forensics.examining import Examination
from dpfair_cli.addons.forensics.finding import Grade, NumberFinding
from dpfair_cli.addons.forensics.printed import PrintedCell
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.published import PublishedCell

JudgedOf = Callable[[PublishedCell], JudgedCell | None]  # None for a cell without runs of ours


def beside_our_runs(examination: Examination, judged: JudgedOf) -> Examination:
    """The examination, with each hint withdrawn whose numbers our runs give.

    The other hints about cells with runs of ours, or of the kind, data set and score of a withdrawn
    hint, get a remark.
    """
    agreeing: list[NumberFinding] = []
    other: list[NumberFinding] = []
    for hint in examination.of(Grade.HINT):
        (agreeing if _all_agree(hint, judged) else other).append(hint)
    withdrawn = [replace(one, remark=_reason(one, judged)) for one in agreeing]
    kept = [replace(one, remark=_remark(one, judged, withdrawn)) for one in other]
    return replace(
        examination, findings=[*examination.of(Grade.FACT), *kept], withdrawn=tuple(withdrawn)
    )


def _all_agree(finding: NumberFinding, judged: JudgedOf) -> bool:
    """Whether our runs give all numbers of a finding."""
    found = [judged(cell.published) for cell in finding.cells]
    return all(one is not None and one.verdict.agrees for one in found)


def _reason(finding: NumberFinding, judged: JudgedOf) -> str:
    """The reason why a hint is withdrawn."""
    return f"withdrawn, because our runs give the same: {_ours(finding.cells, judged)}"


def _remark(finding: NumberFinding, judged: JudgedOf, withdrawn: Sequence[NumberFinding]) -> str:
    """What a reader of a hint should know of our runs; empty if there is nothing to say."""
    ours = _ours(finding.cells, judged)
    alike = sum(_subject(one) == _subject(finding) for one in withdrawn)
    remarks = [f"our runs of the same cells: {ours}"] if ours else []
    if alike:
        hints = "the same hint" if alike == 1 else f"{alike} hints of this kind"
        remarks.append(
            f"{hints} on this data set and score withdrawn, because our runs give those numbers"
        )
    return "; ".join(remarks)


def _subject(finding: NumberFinding) -> tuple[str, ...]:
    """The kind of a finding with the data set and score of its cells."""
    cell = finding.cells[0].published
    return finding.kind, cell.dataset, cell.metric


def _ours(cells: Sequence[PrintedCell], judged: JudgedOf) -> str:
    """The first of our means of some cells with its verdict, and how many others there are."""
    found = [one for cell in cells if (one := judged(cell.published)) and one.default]
    if not found:
        return ""
    first = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{first.default.ours.mean:.6g} ({first.verdict}){more}" if first.default else ""
