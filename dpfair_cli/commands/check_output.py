"""What `dpfair check` prints: a summary, the cells that do not agree, and what fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpfair_cli.commands import DIFFERS, MISTAKEN, SAY_LESS, SAY_MORE, terminal

if TYPE_CHECKING:
    from dpfair_cli.auditing.survey_rows import Audited
    from dpfair_cli.reporting.judged_artefact import JudgedArtefact
    from dpfair_cli.reproduction.artefact import Artefact

COUNTED = {  # the name of a failure in the list of failures -> in the count of them
    "not in deviations.yaml": "cells and claims without a deviation",
    "no run gives that": "scores outside their range",
    "without evidence in deviations.yaml": "deviations without evidence",
    "against its label": "methods that contradict their label",
    "checksum mismatch": "files that differ from their checksum",
}


def print_not_run(artefacts: Sequence[Artefact]) -> None:
    """Prints each artefact that deviations.yaml declares as not run, with the reason."""
    for artefact in artefacts:
        if not (artefact.runs.number or artefact.judgement.missing_runs):
            why = "; ".join(sorted(set(artefact.judgement.not_run.values())))
            click.echo(f"{artefact.spec.artefact}: not run: {why}")


@dataclass(frozen=True)
class Checked:
    """The results of `dpfair check`: the compared artefacts, and everything that fails."""

    entries: Sequence[JudgedArtefact]
    """The artefacts that were compared."""

    audited: Sequence[Audited] = ()
    """The audits of all methods."""

    broken: Sequence[str] = ()
    """The files that differ from their checksums, in words."""

    incomplete: Sequence[str] = ()
    """The names of artefacts that lack runs."""

    outdated: Sequence[str] = ()
    """The names of artefacts whose check.md is missing or has other verdicts."""

    @property
    def failures(self) -> dict[str, list[str]]:
        """The failures of a check in words, by kind, such as "checksum mismatch"."""
        verdicts = [entry.verdicts for entry in self.entries]
        return {
            "not in deviations.yaml": list(chain.from_iterable(one.failures for one in verdicts)),
            "no run gives that": list(
                chain.from_iterable(one.impossible_scores for one in verdicts)
            ),
            "without evidence in deviations.yaml": list(
                chain.from_iterable(one.unsupported_deviations for one in verdicts)
            ),
            "against its label": [
                f"labelled {row.label}: {row.method} {row.variant}: {row.verdict}"
                for row in self.audited
                if row.contradicts
            ],
            "checksum mismatch": [*self.broken],
        }

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

    NOTHING = "the result alone"
    UNEXPLAINED = "cells that need a deviation and have none"
    DISAGREEING = "cells that do not agree"
    EVERYTHING = "all cells"


def print_check(checked: Checked, out: Path, listing: Listing) -> None:
    """Prints a summary, then cells and claims, then all failures; `-q` prints less, `-v` more."""
    meta = click.get_current_context().meta
    listing = Listing.EVERYTHING if meta.get(SAY_MORE) else listing
    listing = Listing.NOTHING if meta.get(SAY_LESS) else listing
    lines = [checked.outcome] if listing is Listing.NOTHING else _summary(checked, out)
    for line in lines:
        click.echo(line)
    if listing in (Listing.DISAGREEING, Listing.EVERYTHING):
        _print_cells(checked.entries, is_full=listing is Listing.EVERYTHING)
    elif listing is Listing.UNEXPLAINED:
        _print_unexplained(checked.entries)
    if checked.entries and listing in (Listing.UNEXPLAINED, Listing.EVERYTHING):
        _print_scoreboard(checked.entries)
    _print_problems(checked)


def _summary(checked: Checked, out: Path) -> list[str]:
    """The summary of a check in at most 15 lines, whatever the number of artefacts."""
    from dpfair_cli.reporting import check_text
    from dpfair_cli.reporting.audit_counts import describe_outcomes

    entries = checked.entries
    lines = check_text.summary(entries, terminal.paint) if entries else []
    if checked.audited:
        counts = describe_outcomes(row.verdict for row in checked.audited)
        wrong = sum(row.contradicts for row in checked.audited)
        lines.append(f"privacy: {counts}; {wrong} against their label")
    stale = sum(len(entry.verdicts.stale_deviations) for entry in entries)
    if stale:
        lines.append(f"deviations that nothing needs: {stale}")
    fails = checked.outcome.startswith("fails")
    lines.append(f"result: {terminal.paint(checked.outcome, 'bad' if fails else 'good')}")
    if entries:
        lines.append(f"report: {_where(entries, out)}{_describe_outdated(checked)}")
    return lines


def _describe_outdated(checked: Checked) -> str:
    """The words after the path of a report that does not have the verdicts of this check."""
    if not checked.outdated:
        return ""
    papers = sorted({name.split("/")[0] for name in checked.outdated})
    names = " ".join(checked.outdated if len(checked.outdated) == 1 else papers)
    count = "" if len(checked.entries) == 1 else f" ({len(checked.outdated)} of them)"
    return f", not up to date{count}: update with `dpfair reproduce {names} --collect`"


def _where(entries: Sequence[JudgedArtefact], out: Path) -> str:
    """The paths of the files check.md that describe the artefacts, as a text."""
    if len(entries) == 1:
        return (shown(out) / entries[0].spec.artefact / "check.md").as_posix()
    papers = {entry.paper for entry in entries}
    folder = shown(out) / papers.pop() if len(papers) == 1 else shown(out)
    return f"check.md in each folder of {folder.as_posix()}"


def shown(path: Path) -> Path:
    """A path inside the working folder as a relative path; any other path unchanged."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _print_cells(entries: Sequence[JudgedArtefact], *, is_full: bool) -> None:
    """Prints the cells and claims that disagree, under the name of their artefact.

    With `is_full`, all cells and claims are printed.
    """
    from dpfair_cli.reporting import check_text
    from dpfair_cli.reporting.text_writer import TextForm

    listed = False
    form = TextForm(terminal.width(), terminal.paint, is_full)
    for entry in entries:
        lines = check_text.artefact_lines(entry, form)
        if lines:
            listed = True
            click.echo("\n".join(["", entry.spec.artefact, *lines]))
    if listed and not is_full:
        click.echo("\nEvery cell: -v. All about one cell: `dpfair explain ARTEFACT --method NAME`.")


def _print_unexplained(entries: Sequence[JudgedArtefact]) -> None:
    """Prints the cells that need a deviation and have none, and how to list the other cells."""
    from dpfair_cli.reporting import check_text
    from dpfair_cli.reporting.text_writer import TextForm

    hidden = []
    form = TextForm(terminal.width(), terminal.paint)
    for entry in entries:
        cells = [cell for cell in entry.verdicts.cells if check_text.does_not_agree(cell)]
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


def _print_scoreboard(entries: Sequence[JudgedArtefact]) -> None:
    """Prints the scoreboard: verdicts by part of a paper, and tests of the rule of the verdicts."""
    from dpfair_cli.reporting import score_text

    click.echo(score_text.text(score_text.scoreboard(entries)), nl=False)


def _print_problems(checked: Checked) -> None:
    """Prints each failure of a check, and each deviation that no cell or claim needs."""
    stale = list(chain.from_iterable(one.verdicts.stale_deviations for one in checked.entries))
    problems = {"not needed in deviations.yaml": stale} | checked.failures
    if any(problems.values()) and not click.get_current_context().meta.get(SAY_LESS):
        click.echo()
    for problem, lines in problems.items():
        for line in lines:
            click.echo(f"  {problem}: {line}")


def print_counts(artefact: JudgedArtefact) -> None:
    """Prints the number of published cells with each verdict, and the verdict of each claim."""
    verdicts = artefact.verdicts
    cells = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.cell_counts.items())
    claims = ", ".join(f"{claim.part.id} {claim.full_verdict}" for claim in verdicts.claims)
    name = artefact.spec.artefact
    click.echo(f"{name}: {cells or 'no published cells'}; {claims or 'no claims'}")
