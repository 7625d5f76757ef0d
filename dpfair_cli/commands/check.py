"""`dpfair check`: compares our values with the published ones, and fails if one is unexplained."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from dpfair_cli import paths
from dpfair_cli.auditing import survey_rows
from dpfair_cli.commands import (
    DIFFERS,
    MISTAKEN,
    SAY_LESS,
    SAY_MORE,
    Stopped,
    entry_points,
    imports_on_use,
    inheriting,
    input_validation,
    making,
    options,
    terminal,
)
from dpfair_cli.commands.options import declared, group, option
from dpfair_cli.diff import comparing, rendering, sides
from dpfair_cli.provenance import checksums
from dpfair_cli.reporting import check_text, json_writer, score_tables, text_writer
from dpfair_cli.reproduction import artefact, runs, whole_paper
from dpfair_cli.running import artefact_names, spec
from dpfair_cli.running.rows import DamagedJournalError
from dpfair_cli.verdicts import paper_rule, scoreboard, verdicts

COUNTED = {  # the name of a failure in the list of failures -> in the count of them
    "not in deviations.yaml": "cells and claims without a deviation",
    "no run gives that": "scores outside their range",
    "without evidence in deviations.yaml": "deviations without evidence",
    "against its label": "methods that contradict their label",
    "checksum mismatch": "files that differ from their checksum",
}


@dataclass(frozen=True)
class Checked:
    """The results of `dpfair check`: the compared artefacts, and everything that fails.

    Attributes:
        entries: the artefacts that were compared.
        audited: the audits of all methods.
        broken: the files that differ from their checksums, in words.
        incomplete: the names of artefacts that lack runs.
        outdated: the names of artefacts whose check.md is missing or has other verdicts.
    """

    entries: Sequence[verdicts.Verdicts]
    audited: Sequence[survey_rows.Audited] = ()
    broken: Sequence[str] = ()
    incomplete: Sequence[str] = ()
    outdated: Sequence[str] = ()

    def gathered(self, lines: Callable[[verdicts.Verdicts], Iterable[str]]) -> list[str]:
        """The lines of all compared artefacts, one after the other."""
        return list(chain.from_iterable(lines(entry) for entry in self.entries))

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
            return f"passes (exit code 0): {self._causes}"
        told = "; ".join(f"{COUNTED[name]}: {count}" for name, count in counts.items())
        return f"fails (exit code {DIFFERS}): {told}"

    @property
    def _causes(self) -> str:
        """How many of the differences have a known cause, in words."""
        cells, _ = scoreboard.tallies(self.entries)
        return score_tables.describe_causes(cells) or "no compared number differs"


class Listing(Enum):
    """The cells that `dpfair check` lists below its summary."""

    UNEXPLAINED = "cells that need a deviation and have none"
    DISAGREEING = "cells that do not agree"
    EVERYTHING = "all cells"


@dataclass(frozen=True)
class CheckOptions:
    """The arguments and options of the command."""

    names: tuple[str, ...] = options.names_argument("[ARTEFACT|PAPER]...")
    everything: bool = option("--all", "Check all artefacts of all papers.")
    against: str | None = option(
        "--against",
        "Also show what changed since the commit or folder REF, and why.",
        metavar="REF",
    )
    form: str = option(
        "--format",
        "github: write a summary, and annotate lines of published.csv.",
        type=click.Choice(["text", "github"]),
        default="text",
    )
    update_checksums: bool = option(
        "--update-checksums",
        "Write row counts and SHA-256 of published.csv and journals to checksums.json.",
    )
    record: bool = option(
        "--record",
        "Write our values of the cells that deviations cover to covered.json; names whole papers.",
    )
    as_json: bool = options.JSON
    jobs: int | None = options.jobs_option()
    results: options.ResultsFolder = group(options.ResultsFolder)


class Extended(click.Command):
    """A command whose entry points, in the group dpfair.NAME, are commands in its place.

    The command of an entry point named forensics runs if --forensics is given. It has its own
    options, so that the options of the other command need not say with which others they go.
    """

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **more: Any,
    ) -> click.Context:
        """The context of the command that runs, without the option that names it."""
        points = entry_points.find(f"dpfair.{self.name}")
        name = next((name for name in points if f"--{name}" in args), None)
        try:
            if name is None:
                return super().make_context(info_name, args, parent, **more)
            with imports_on_use():
                other = inheriting(points[name].load())
            rest = [one for one in args if one != f"--{name}"]
            return other.make_context(info_name, rest, parent, **more)
        except click.NoSuchOption as error:
            why = f"{error.option_name} cannot be given with --{name}"
            if name is None:
                # without entry points, the option may be that of an add-on
                hint = "" if points else f" {entry_points.INSTALL_AGAIN}"
                why = f"{error.format_message()}{hint}"
            raise click.UsageError(why, error.ctx) from error

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The options of the command itself, and those that name another one."""
        found = super().get_params(ctx)
        for name, point in entry_points.find(f"dpfair.{self.name}").items():
            words = entry_points.summary(point)
            found.append(click.Option([f"--{name}"], is_flag=True, expose_value=False, help=words))
        return found


@declared("check", CheckOptions, Extended)
def command(asked: CheckOptions) -> None:
    """Compare our finished runs with the published values, without making a run.

    \b
    dpfair check --all               all papers, and whether the check passes
    dpfair check xu2021/table8.2     one table, with its cells that do not agree

    A cell is one published number. The output is a summary and a list of cells: for an ARTEFACT (a
    table or figure) the cells that do not agree, for a PAPER and with --all only the cells that
    need an explanation and have none. -v lists every cell with its whole cause. -q prints only
    whether the check passes, and each problem. `dpfair explain` describes one cell.

    The exit code is 1 if a cell differs or a claim (a sentence of the paper) fails without an entry
    in experiments/<paper>/deviations.yaml, if an entry lacks the evidence that its kind requires,
    if a score is outside its range, or if a file differs from its checksum; with --all also if a
    privacy audit contradicts the status of a method. The exit code is 2 if an artefact lacks runs,
    or if a file of the paper has a mistake.

    Files are written only with --record or --update-checksums. `dpfair reproduce --collect` writes
    the tables and pages of finished runs.
    """
    if not asked.names and not asked.everything:
        raise click.UsageError("name artefacts or papers, such as xu2021, or give --all")
    if asked.as_json and asked.form != "text":
        raise click.UsageError("--json and --format github are two forms: give one of them")
    chosen = artefact_names.artefacts_named(asked.names)
    say_whose()  # before the second that loading takes
    terminal.say_start("dpfair check")
    with making.finished_runs():
        _check(asked, chosen, asked.results.reading(asked.jobs))


def _check(asked: CheckOptions, chosen: Sequence[str], run_options: runs.RunOptions) -> None:
    """Compares the chosen artefacts with the published values, and prints the result.

    Raises:
        Stopped: an artefact lacks runs.
        click.exceptions.Exit: with code 1, if something fails.
    """
    every = load(chosen, run_options)
    artefacts = [one for one in every if not one.damage]
    damaged = [one.leave_out() for one in every if one.damage]
    # before the changes, whose side it writes
    checked = _checked(asked, artefacts, damaged, run_options)
    checked, changes = _compared(asked.against, artefacts, checked, run_options)
    if asked.as_json:
        echo_as_json(artefacts, checked, changes)
    else:
        for one in artefacts:
            if not (one.runs.number or one.missing_runs):
                click.echo(f"{one.spec.artefact}: not run: {not_run(one)}")
        if checked.entries or checked.broken:
            # of named artefacts, all cells that do not agree are listed
            are_artefacts = asked.names and {*asked.names} <= {*chosen}
            listing = Listing.DISAGREEING if are_artefacts else Listing.UNEXPLAINED
            print_check(checked, run_options.out, listing)
        failures = [*checked.broken, *(f"{name} is not complete" for name in checked.incomplete)]
        if asked.form == "github":
            write_for_github(checked.entries, changes, failures)
        elif changes:
            click.echo(f"\n{rendering.text(changes)}", nl=False)
    if asked.update_checksums:
        write_checksums(artefacts)
    # after what was found about the complete ones is printed
    refuse_incomplete(artefacts)
    exit_on_failures(checked)


def load(names: Sequence[str], run_options: runs.RunOptions) -> list[artefact.Artefact]:
    """The named artefacts with their journals, after the files of their papers were validated.

    Raises:
        Stopped: a file of a paper has a mistake.
        DpfairError: a journal, a claim or a published cell is malformed.
    """
    specs = list(map(spec.load, names))
    input_validation.check_premises(specs, run_options.paper)
    artefacts = [artefact.artefact_of(one, run_options) for one in specs]
    artefact.read_artefacts(artefacts)  # all that follows asks which runs are finished
    return artefacts


def _checked(
    asked: CheckOptions,
    artefacts: Sequence[artefact.Artefact],
    damaged: Sequence[str],
    run_options: runs.RunOptions,
) -> Checked:
    """What is found about the asked artefacts; writes files if the user asks for it.

    The journals of `artefacts` are whole; `damaged` says what is wrong in those of others.

    Raises:
        DpfairError: a file of a paper has a mistake, also a template of a page.
    """
    # before anything is written; checksums that are about to be written cannot be broken
    broken = [*damaged, *([] if asked.update_checksums else checksum_mismatches(artefacts))]
    complete = [one for one in artefacts if one.runs.number and not one.missing_runs]
    outdated: list[str] = []
    if asked.record or asked.update_checksums:
        entries = rendered(artefacts, complete, asked)
        whole_paper.write_pages(verdicts_of(entries), run_options)
    else:
        judge = partial(_judged, whole_paper.derive_rules(artefacts))
        found = artefact.map_artefacts(judge, complete, "check")
        entries = [entry for entry, _ in found]
        outdated = [entry.spec.artefact for entry, has_page in found if not has_page]
        whole_paper.page_texts(verdicts_of(entries), run_options)  # which may refuse a page
    audits = paths.results_file(run_options.out, "audit.csv").parent
    audited = survey_rows.read(audits) if asked.everything else []  # of all papers together
    incomplete = [one.spec.artefact for one in artefacts if one.missing_runs]
    return Checked(entries, audited, broken, incomplete, outdated)


def _judged(
    rules: Mapping[str, paper_rule.PaperRule], one: artefact.Artefact
) -> tuple[verdicts.Verdicts, bool]:
    """An artefact with its verdicts, and whether its page check.md has the same verdicts.

    The verdicts are by the rule of its paper in `rules`; part of a paper has no new rule.
    """
    entry = one.verdicts(rules.get(one.spec.paper))
    return entry, one.has_page_of(entry)


def rendered(
    artefacts: Sequence[artefact.Artefact],
    complete: Sequence[artefact.Artefact],
    asked: CheckOptions,
) -> Sequence[verdicts.Verdicts]:
    """The complete artefacts with their verdicts, after their files and rules were written.

    With --record, our values of the cells that deviations cover are written, too.

    Raises:
        click.UsageError: --record is given, and no paper is complete.
    """
    whole_paper.write_rules(artefacts)  # before the verdicts, which the rules decide
    if asked.record:
        written = whole_paper.record_deviations(artefacts)
        if not written:
            raise click.UsageError("--record needs whole papers, such as xu2021, or --all")
        for file in written:
            click.echo(f"recorded: {file}", err=True)
    made = artefact.map_artefacts(artefact.Artefact.render, complete, "render")
    return [one.verdicts for one in made]


def verdicts_of(
    entries: Iterable[verdicts.Verdicts],
) -> dict[str, verdicts.Verdicts]:
    """The verdicts on artefacts, by the name of the artefact."""
    return {one.spec.artefact: one for one in entries}


def say_whose() -> None:
    """Says that the checked papers came with dpfair if the working folder has no specs."""
    if not paths.is_project(Path.cwd()):
        click.echo(
            "no specs in experiments/ here: the papers that came with dpfair are used", err=True
        )


def not_run(one: artefact.Artefact) -> str:
    """The reasons for which deviations.yaml declares runs of an artefact as not made."""
    return "; ".join(sorted(set(one.not_run.values())))


def refuse_incomplete(artefacts: Iterable[artefact.Artefact]) -> None:
    """Refuses artefacts of which one lacks runs.

    Raises:
        Stopped: says what to run.
    """
    lacking = next((one.spec for one in artefacts if one.missing_runs), None)
    if lacking:
        words = f"run `dpfair reproduce {lacking.paper}` first"
        raise Stopped(f"{lacking.artefact} is not complete: {words}", MISTAKEN)


def exit_on_failures(checked: Checked) -> None:
    """Ends the command with exit code 1 if a cell, a claim, an audit or a checksum fails."""
    if any(checked.failures.values()):
        raise click.exceptions.Exit(DIFFERS)


def echo_as_json(
    artefacts: Sequence[artefact.Artefact],
    checked: Checked,
    changes: comparing.Difference | None,
) -> None:
    """Prints the result of a check as JSON, with the artefacts that were not compared."""
    entries = {entry.spec.artefact: entry for entry in checked.entries}

    def content(one: artefact.Artefact) -> dict[str, Any]:
        """An artefact with its verdicts, or with the reasons why it was not compared."""
        name = one.spec.artefact
        if name in entries:
            return json_writer.artefact(entries[name])
        return {
            "artefact": name,
            "state": "incomplete" if one.missing_runs else "not run",
            "missing runs": one.missing_runs,
            "not run": one.not_run,
        }

    terminal.echo_json(
        {
            "artefacts": list(map(content, artefacts)),
            "scoreboard": json_writer.scores(checked.entries) if checked.entries else {},
            "audit": audits_as_json(checked.audited),
            "checksum mismatches": checked.broken,
            "changes": rendering.plain(changes) if changes else None,
        }
    )


def _compared(
    reference: str | None,
    artefacts: Sequence[artefact.Artefact],
    checked: Checked,
    run_options: runs.RunOptions,
) -> tuple[Checked, comparing.Difference | None]:
    """What is found, and the changes since `reference`; a damaged journal there is a finding."""
    if not reference:
        return checked, None
    try:
        return checked, changes_since(reference, artefacts, run_options)
    except DamagedJournalError as error:
        unread = f"not compared with {reference}: there {error}"
        return replace(checked, broken=[*checked.broken, unread]), None


def changes_since(
    reference: str, artefacts: Sequence[artefact.Artefact], run_options: runs.RunOptions
) -> comparing.Difference:
    """The changes of artefacts from `reference`, a commit or folder, to the folder of the results.

    Both sides are decided by the present rules of their papers.
    """
    names = {one.spec.artefact for one in artefacts}
    with TemporaryDirectory() as scratch:
        before = sides.read_side(reference, Path(scratch))
        after = sides.working_side(run_options.out)
        rules = whole_paper.derive_rules(artefacts)
        return comparing.compare(before, after, names.__contains__, rules=rules)


def write_for_github(
    entries: Sequence[verdicts.Verdicts],
    changes: comparing.Difference | None,
    failures: Sequence[str],
) -> None:
    """Prints annotations for GitHub and writes a summary of the check.

    The summary is appended to the file $GITHUB_STEP_SUMMARY, or printed without this variable.
    """
    text = rendering.check_summary(entries, changes, failures)
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if file:
        with Path(file).open("a", encoding="utf-8") as summary:
            summary.write(text)
    else:
        click.echo(text)  # to try the check outside of GitHub
    experiments = paths.folder("experiments")
    # GitHub finds files from the root of the repository, which may be above the project
    root = os.environ.get("GITHUB_WORKSPACE", experiments.parent)
    inside = experiments.relative_to(root) if experiments.is_relative_to(root) else experiments
    lines = rendering.workflow_commands(entries, inside)
    # below the stream, which disarms what else looks like a command to GitHub (__main__.py)
    sys.stdout.flush()
    sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode())
    sys.stdout.buffer.flush()


def checksum_mismatches(artefacts: Sequence[artefact.Artefact]) -> list[str]:
    """One line for each file that differs from the checksum manifest of its paper.

    Journals with networks of an accelerator are left out, and a line says so.
    """
    broken: list[str] = []
    for one in artefacts:
        if not one.runs.device.is_processor:
            click.echo(
                f"{one.spec.artefact}: networks were trained on {one.runs.device.name}, so "
                "verdicts are compared, and not the bytes of the journal",
                err=True,
            )
    for folder, own in _journals(artefacts).items():
        broken += checksums.mismatches(
            folder.name,
            checksums.read(folder),
            checksums.compute(folder, own),
            [checksums.PUBLISHED, checksums.AUTHORS, *own],
        )
    return broken


def write_checksums(artefacts: Sequence[artefact.Artefact]) -> None:
    """Writes the checksums of the artefacts into the checksum manifests of their papers."""
    for folder, own in _journals(artefacts).items():
        # entries of artefacts that were not asked for stay
        renewed = (checksums.PUBLISHED, checksums.AUTHORS, *own)
        read = checksums.read(folder).items()
        kept = {name: entry for name, entry in read if name not in renewed}
        click.echo(checksums.write(folder, {**kept, **checksums.compute(folder, own)}), err=True)


def _journals(artefacts: Sequence[artefact.Artefact]) -> dict[Path, dict[str, Path]]:
    """The folder of each paper -> name of an artefact -> path of the journal of the artefact.

    Artefacts with networks of an accelerator are left out.
    """
    found: dict[Path, dict[str, Path]] = {}
    for one in (one for one in artefacts if one.runs.device.is_processor):
        journals = found.setdefault(paths.paper_folder(one.spec.paper), {})
        own = one.runs.journal_file
        file = own if own.exists() else paths.committed_journal(one.spec.artefact)
        if not one.spec.is_reanalysis:  # of printed numbers, which needs no journal
            journals[one.spec.name] = file
    return found


def print_check(checked: Checked, out: Path, listing: Listing) -> None:
    """Prints a summary, then cells and claims, then all failures; `-q` prints less, `-v` more."""
    meta = click.get_current_context().meta
    listing = Listing.EVERYTHING if meta.get(SAY_MORE) else listing
    if meta.get(SAY_LESS):  # also beside -v
        click.echo(checked.outcome)
    else:
        for line in _summary(checked, out):
            terminal.echo(line, indent=len("result: "))
        _print_cells(checked.entries, listing)
        if checked.entries and listing is not Listing.DISAGREEING:
            score = score_tables.scoreboard(checked.entries)
            click.echo(score_tables.text(score, terminal.width()), nl=False)
    _print_problems(checked)  # last, where a reader of a long list looks


def print_failures(checked: Checked) -> None:
    """Prints that a check fails, and each failure; a check that passes is silent."""
    if any(checked.failures.values()):
        click.echo(_result(checked))
    _print_problems(checked)


def _result(checked: Checked) -> str:
    """A line that says in colour whether a check passes."""
    tone = "bad" if checked.outcome.startswith("fails") else "good"
    return f"result: {terminal.paint(checked.outcome, tone)}"


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
    if stale:  # said in a summary only if there are any
        lines.append(f"deviations that nothing needs: {len(stale)}")
    lines.append(_result(checked))
    if entries:
        lines.append(f"report: {_where(checked, out)}")
    return lines


def _where(checked: Checked, out: Path) -> str:
    """The paths of the files check.md, and how to update those with other verdicts."""
    entries, outdated = checked.entries, checked.outdated
    papers = {entry.spec.paper for entry in entries}
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


def _print_cells(entries: Sequence[verdicts.Verdicts], listing: Listing) -> None:
    """Prints the cells and claims to be listed, below their artefacts, and where the others are."""
    form = text_writer.TextForm(terminal.width(), terminal.paint, listing is Listing.EVERYTHING)
    listed, hidden = [], []  # names of artefacts
    for entry in entries:
        lines = check_text.artefact_lines(entry, form)
        if listing is Listing.UNEXPLAINED:
            cells = list(filter(check_text.does_not_agree, entry.cells))
            unexplained = [cell for cell in cells if cell.is_unexplained]
            lines = check_text.cell_lines(unexplained, form) if unexplained else []
            hidden += [entry.spec.artefact] if len(cells) > len(unexplained) else []
        if lines:  # an artefact without a problem is not named
            click.echo("\n".join(["", entry.spec.artefact, *lines]))
            listed.append(entry.spec.artefact)
    if hidden:
        click.echo()
        terminal.echo(
            "Not listed: cells that are undecided or differ with a deviation. "
            f"`dpfair check {hidden[0]}` lists those of an artefact, -v every cell.",
            indent=0,
        )
    if listed and listing is Listing.DISAGREEING:
        click.echo("\nEvery cell: -v. All about one cell: `dpfair explain ARTEFACT --method NAME`.")


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
