"""`dpfair check`: compares our values with the published ones, and fails if one is unexplained."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli.commands import (
    DIFFERS,
    MISTAKEN,
    Stopped,
    making,
    options,
    terminal,
    workflow_commands,
)
from dpfair_cli.commands.check_checksums import checksum_mismatches, write_checksums
from dpfair_cli.commands.check_output import Checked, Listing, print_check, print_not_run
from dpfair_cli.commands.extended import Extended
from dpfair_cli.commands.json_output import echo_json
from dpfair_cli.commands.records import argument, declared, group, option

if TYPE_CHECKING:
    from dpfair_cli.auditing.survey_rows import Audited
    from dpfair_cli.diff.difference import Difference
    from dpfair_cli.reporting.judged_artefact import JudgedArtefact
    from dpfair_cli.reproduction.artefact import Artefact
    from dpfair_cli.reproduction.runs import RunOptions


@dataclass(frozen=True)
class CheckOptions:
    """The arguments and options of the command."""

    names: tuple[str, ...] = argument(
        nargs=-1, metavar="[ARTEFACT|PAPER]...", shell_complete=options.complete_artefact
    )
    everything: bool = option("--all", is_flag=True, help="Check all artefacts of all papers.")
    against: str | None = option(
        "--against",
        metavar="REF",
        help="Also show what changed since the commit or folder REF, and why.",
    )
    form: str = option(
        "--format",
        type=click.Choice(["text", "github"]),
        default="text",
        show_default=True,
        help="github: write a summary, and annotate lines of published.csv.",
    )
    update_checksums: bool = option(
        "--update-checksums",
        is_flag=True,
        help="Write row counts and SHA-256 of published.csv and journals to checksums.json.",
    )
    record: bool = option(
        "--record",
        is_flag=True,
        help="Write our values of the cells that deviations cover to covered.json; names whole "
        "papers.",
    )
    as_json: bool = options.json_option()
    jobs: int | None = options.jobs_option()
    results: options.ResultsFolder = group(options.ResultsFolder)


@declared("check", CheckOptions, Extended)
def command(asked: CheckOptions) -> None:
    """Compare our finished runs with the published values, without making a run.

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
    from dpfair_cli.running import artefact_names

    if not asked.names and not asked.everything:
        raise click.UsageError("name artefacts or papers, such as xu2021, or give --all")
    if asked.as_json and asked.form != "text":
        raise click.UsageError("--json and --format github are two forms: give one of them")
    chosen = artefact_names.artefacts_named(asked.names)
    say_whose()
    terminal.say_start("dpfair check")
    with making.finished_runs():
        _check(asked, chosen, asked.results.reading(asked.jobs))


def _check(asked: CheckOptions, chosen: Sequence[str], run_options: RunOptions) -> None:
    """Compares the chosen artefacts with the published values, and prints the result.

    Raises:
        Stopped: an artefact lacks runs.
        click.exceptions.Exit: with code 1, if something fails.
    """
    from dpfair_cli.commands import check_papers

    artefacts = check_papers.load(chosen, run_options)
    checked = _checked(asked, artefacts, run_options)
    difference = changes_since(asked.against, chosen, run_options) if asked.against else None
    if asked.as_json:
        echo_as_json(artefacts, checked, difference)
    else:
        print_not_run(artefacts)
        _print_checked(checked, asked, chosen, run_options.out)
        failures = [*checked.broken, *(f"{name} is not complete" for name in checked.incomplete)]
        print_report(checked.entries, difference, failures, asked.form)
    if asked.update_checksums:
        write_checksums(artefacts)
    # after what was found about the complete ones is printed
    refuse_incomplete([one for one in artefacts if one.judgement.missing_runs])
    exit_on_failures(checked)


def _checked(
    asked: CheckOptions, artefacts: Sequence[Artefact], run_options: RunOptions
) -> Checked:
    """What is found about the asked artefacts; writes files if the user asks for it."""
    from dpfair_cli import paths
    from dpfair_cli.auditing import survey_rows
    from dpfair_cli.commands import check_papers

    # before anything is written; checksums that are about to be written cannot be broken
    broken = [] if asked.update_checksums else checksum_mismatches(artefacts)
    if asked.record or asked.update_checksums:
        compared = check_papers.rendered(artefacts, run_options, record=asked.record)
    else:
        compared = check_papers.judged(artefacts, run_options)
    audits = paths.results_file(run_options.out, "audit.csv").parent
    return Checked(
        [one.entry for one in compared],
        survey_rows.read(audits) if asked.everything else [],
        broken,
        [one.spec.artefact for one in artefacts if one.judgement.missing_runs],
        [one.entry.spec.artefact for one in compared if one.is_outdated],
    )


def _print_checked(checked: Checked, asked: CheckOptions, chosen: Sequence[str], out: Path) -> None:
    """Prints the result, for named artefacts with the cells that do not agree."""
    if checked.entries or checked.broken:
        named = Listing.DISAGREEING if {*asked.names} <= {*chosen} else Listing.UNEXPLAINED
        print_check(checked, out, named if asked.names else Listing.UNEXPLAINED)


def say_whose() -> None:
    """Says that the checked papers came with dpfair if the working folder has no specs."""
    from dpfair_cli import paths

    if not paths.is_project(Path.cwd()):
        click.echo(
            "no specs in experiments/ here: the papers that came with dpfair are used", err=True
        )


def echo_as_json(
    artefacts: Sequence[Artefact], checked: Checked, difference: Difference | None
) -> None:
    """Prints the result of a check as JSON, with the artefacts that were not compared."""
    from dataclasses import asdict

    from dpfair_cli.diff import rendering
    from dpfair_cli.reporting import json_writer

    entries = {entry.spec.artefact: entry for entry in checked.entries}
    audits = [asdict(row) | {"against its label": row.contradicts} for row in checked.audited]
    echo_json(
        {
            "artefacts": [
                json_writer.artefact(entries[one.spec.artefact])
                if one.spec.artefact in entries
                else _not_compared(one)
                for one in artefacts
            ],
            "scoreboard": json_writer.scores(checked.entries) if checked.entries else {},
            "audit": audits,
            "checksum mismatches": checked.broken,
            "changes": rendering.plain(difference) if difference else None,
        }
    )


def _not_compared(artefact: Artefact) -> dict[str, Any]:
    """The reasons why an artefact was not compared with the published values, for JSON."""
    state = "incomplete" if artefact.judgement.missing_runs else "not run"
    return {
        "artefact": artefact.spec.artefact,
        "state": state,
        "missing runs": artefact.judgement.missing_runs,
        "not run": artefact.judgement.not_run,
    }


def refuse_incomplete(artefacts: Sequence[Artefact]) -> None:
    """Refuse artefacts that lack runs.

    Raises:
        Stopped: says what to run.
    """
    if artefacts:
        spec = artefacts[0].spec
        raise Stopped(
            f"{spec.artefact} is not complete: run `dpfair reproduce {spec.paper}` first", MISTAKEN
        )


def print_report(
    entries: Sequence[JudgedArtefact],
    difference: Difference | None,
    failures: Sequence[str],
    form: str,
) -> None:
    """Prints the changes of results; with the form `github`, writes a summary and annotations."""
    from dpfair_cli.diff import rendering

    if form == "github":
        write_for_github(entries, difference, failures)
    elif difference:
        click.echo(f"\n{rendering.text(difference)}", nl=False)


def print_verdicts(
    entries: Sequence[JudgedArtefact], audited: Sequence[Audited], out: Path
) -> None:
    """Prints the verdicts on artefacts, and exits with 1 if a cell, a claim or a check fails.

    Raises:
        click.exceptions.Exit: as `exit_on_failures`.
    """
    checked = Checked(entries, audited)
    print_check(checked, out, Listing.UNEXPLAINED)
    exit_on_failures(checked)


def exit_on_failures(checked: Checked) -> None:
    """Exits if a cell, a claim, an audit or a checksum fails.

    Raises:
        click.exceptions.Exit: with code 1, if something differs without a supported
            deviation, a score is outside its range, a checksum does not match, or a label
            contradicts the audit.
    """
    if any(checked.failures.values()):
        raise click.exceptions.Exit(DIFFERS)


def changes_since(reference: str, artefacts: Sequence[str], run_options: RunOptions) -> Difference:
    """The changes from `reference`, a commit or folder, to the folder of the results.

    Only the named `artefacts` are compared, by the rules of their papers.
    """
    from tempfile import TemporaryDirectory

    from dpfair_cli.diff import comparing, sides
    from dpfair_cli.reproduction.artefact import artefact_named
    from dpfair_cli.reproduction.whole_paper import derive_rules

    rules = derive_rules([artefact_named(name, run_options) for name in artefacts])
    with TemporaryDirectory() as scratch:
        before = sides.read_side(reference, Path(scratch))
        after = sides.working_side(run_options.out)
        return comparing.compare(before, after, artefacts.__contains__, rules=rules)


def write_for_github(
    entries: Sequence[JudgedArtefact], difference: Difference | None, failures: Sequence[str]
) -> None:
    """Prints annotations for GitHub and writes a summary of the check.

    The summary is appended to the file $GITHUB_STEP_SUMMARY, or printed without this variable.
    """
    from dpfair_cli import paths
    from dpfair_cli.diff import github

    text = github.summary(entries, difference, failures)
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if file:
        with Path(file).open("a", encoding="utf-8") as summary:
            summary.write(text)
    else:
        click.echo(text)
    experiments = paths.folder("experiments")
    root = Path(os.environ.get("GITHUB_WORKSPACE", experiments.parent))

    def locate(paper: str) -> str:
        file = experiments / paper / "published.csv"
        return (file.relative_to(root) if file.is_relative_to(root) else file).as_posix()

    workflow_commands.annotate(github.workflow_commands(entries, difference, locate))
