"""What `dpfair check` prints: a summary, the cells that do not agree, and what fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Any

import click

from dpfair_cli.auditing import survey_rows
from dpfair_cli.commands import DIFFERS, MISTAKEN, SAY_LESS, SAY_MORE, terminal
from dpfair_cli.reporting import check_text, score_tables, shown, text_writer
from dpfair_cli.verdicts import decision

COUNTED = {  # the name of a failure in the list of failures -> in the count of them
    "not in deviations.yaml": "cells and claims without a deviation",
    "no run gives that": "scores outside their range",
    "without evidence in deviations.yaml": "deviations without evidence",
    "against its label": "methods that contradict their label",
    "checksum mismatch": "files that differ from their checksum",
}


@dataclass(frozen=True)
class Checked:
    """The results of `dpfair check`: the compared artefacts, and everything that fails."""

    entries: Sequence[shown.JudgedArtefact]
    """The artefacts that were compared."""

    audited: Sequence[survey_rows.Audited] = ()
    """The audits of all methods."""

    broken: Sequence[str] = ()
    """The files that differ from their checksums, in words."""

    incomplete: Sequence[str] = ()
    """The names of artefacts that lack runs."""

    outdated: Sequence[str] = ()
    """The names of artefacts whose check.md is missing or has other verdicts."""

    def gathered(self, lines: Callable[[decision.Verdicts], Iterable[str]]) -> list[str]:
        """The lines of all compared artefacts, one after the other."""
        return list(chain.from_iterable(lines(entry.verdicts) for entry in self.entries))

    @property
    def failures(self) -> dict[str, list[str]]:
        """The failures of a check in words, by kind, such as "checksum mismatch"."""
        wrong = [row for row in self.audited if row.contradicts]
        found = (
            self.gathered(lambda one: one.failures),
            self.gathered(lambda one: one.impossible_scores),
            self.gathered(lambda one: one.unsupported_deviations),
            [f"labelled {row.label}: {row.method} {row.variant}: {row.verdict}" for row in wrong],
            list(self.broken),
        )
        return dict(zip(COUNTED, found, strict=True))

    @property
    def outcome(self) -> str:
        """A line that says whether a check passes, with exit code and number of each failure."""
        if self.incomplete:
            return f"fails (exit code {MISTAKEN}): not complete: {len(self.incomplete)}"
        counts = {name: len(lines) for name, lines in self.failures.items() if lines}
        if not counts:
            return "passes (exit code 0): each difference has a deviation with its evidence"
        told = "; ".join(f"{COUNTED[name]}: {count}" for name, count in counts.items())
        return f"fails (exit code {DIFFERS}): {told}"


class Listing(Enum):
    """The cells that `dpfair check` lists below its summary."""

    UNEXPLAINED = "cells that need a deviation and have none"
    DISAGREEING = "cells that do not agree"
    EVERYTHING = "all cells"


def print_check(checked: Checked, out: Path, listing: Listing) -> None:
    """Prints a summary, then cells and claims, then all failures; `-q` prints less, `-v` more."""
    meta = click.get_current_context().meta
    listing = Listing.EVERYTHING if meta.get(SAY_MORE) else listing
    if meta.get(SAY_LESS):  # also beside -v
        click.echo(checked.outcome)
        _print_problems(checked)
        return
    for line in _summary(checked, out):
        click.echo(line)
    if listing is Listing.UNEXPLAINED:
        _print_unexplained(checked.entries)
    else:
        _print_cells(checked.entries, listing)
    if checked.entries and listing is not Listing.DISAGREEING:
        click.echo(score_tables.text(score_tables.scoreboard(checked.entries)), nl=False)
    _print_problems(checked)


def _summary(checked: Checked, out: Path) -> list[str]:
    """The summary of a check in at most 15 lines, whatever the number of artefacts."""
    entries = checked.entries
    lines = check_text.summary(entries, terminal.paint) if entries else []
    if checked.audited:
        counts = score_tables.describe_outcomes(row.verdict for row in checked.audited)
        wrong = sum(row.contradicts for row in checked.audited)
        lines.append(f"privacy: {counts}; {wrong} against their label")
    # said and not counted as a failure: nothing differs
    stale = checked.gathered(lambda one: one.stale_deviations)
    if stale:
        lines.append(f"deviations that nothing needs: {len(stale)}")
    tone = "bad" if checked.outcome.startswith("fails") else "good"
    lines.append(f"result: {terminal.paint(checked.outcome, tone)}")
    if entries:
        lines.append(f"report: {_where(checked, out)}")
    return lines


def _where(checked: Checked, out: Path) -> str:
    """The paths of the files check.md, and how to update those with other verdicts."""
    entries, outdated = checked.entries, checked.outdated
    papers = {entry.paper for entry in entries}
    folder = relative(out) / papers.pop() if len(papers) == 1 else relative(out)
    place, count = f"check.md in each folder of {folder.as_posix()}", f" ({len(outdated)} of them)"
    if len(entries) == 1:
        place, count = (relative(out) / entries[0].spec.artefact / "check.md").as_posix(), ""
    if not outdated:
        return place
    of_papers = sorted({name.split("/")[0] for name in outdated})
    names = " ".join(outdated if len(outdated) == 1 else of_papers)
    return f"{place}, not up to date{count}: update with `dpfair reproduce {names} --collect`"


def relative(path: Path) -> Path:
    """A path inside the working folder as a relative path; any other path unchanged."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _print_cells(entries: Sequence[shown.JudgedArtefact], listing: Listing) -> None:
    """Prints the cells and claims to be listed, under the names of their artefacts."""
    form = text_writer.TextForm(terminal.width(), terminal.paint, listing is Listing.EVERYTHING)
    listed = [(entry, check_text.artefact_lines(entry, form)) for entry in entries]
    for entry, lines in listed:
        if lines:
            click.echo("\n".join(["", entry.spec.artefact, *lines]))
    if listing is Listing.DISAGREEING and any(lines for _, lines in listed):
        click.echo("\nEvery cell: -v. All about one cell: `dpfair explain ARTEFACT --method NAME`.")


def _print_unexplained(entries: Sequence[shown.JudgedArtefact]) -> None:
    """Prints the cells that need a deviation and have none, and how to list the other cells."""
    hidden = []
    form = text_writer.TextForm(terminal.width(), terminal.paint)
    for entry in entries:
        cells = list(filter(check_text.does_not_agree, entry.verdicts.cells))
        unexplained = [cell for cell in cells if cell.is_unexplained]
        if unexplained:
            lines = check_text.cell_lines(unexplained, form)
            click.echo("\n".join(["", entry.spec.artefact, *lines]))
        if len(cells) > len(unexplained):
            hidden.append(entry.spec.artefact)
    if hidden:
        click.echo(
            "\nNot listed: cells that are undecided or differ with a deviation. "
            f"`dpfair check {hidden[0]}` lists those of an artefact, -v every cell."
        )


def _print_problems(checked: Checked) -> None:
    """Prints each failure of a check, and each deviation that no cell or claim needs."""
    stale = checked.gathered(lambda one: one.stale_deviations)
    problems = {"not needed in deviations.yaml": stale} | checked.failures
    if any(problems.values()) and not click.get_current_context().meta.get(SAY_LESS):
        click.echo()
    for problem, lines in problems.items():
        for line in lines:
            click.echo(f"  {problem}: {line}")


def audits_as_json(audited: Iterable[survey_rows.Audited]) -> list[dict[str, Any]]:
    """The audits of all methods, each with whether it contradicts its label."""
    return [asdict(row) | {"against its label": row.contradicts} for row in audited]


def print_counts(artefact: shown.JudgedArtefact) -> None:
    """Prints the number of published cells with each verdict, and the verdict of each claim."""
    verdicts = artefact.verdicts
    cells = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.cell_counts.items())
    claims = ", ".join(f"{claim.part.id} {claim.full_verdict}" for claim in verdicts.claims)
    name = artefact.spec.artefact
    click.echo(f"{name}: {cells or 'no published cells'}; {claims or 'no claims'}")
