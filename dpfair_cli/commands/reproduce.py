"""`dpfair reproduce`: regenerates tables and figures, checks them, and writes one HTML report."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import click

from dpfair_cli import paths
from dpfair_cli.auditing import survey_rows
from dpfair_cli.commands import (
    check,
    entry_points,
    making,
    options,
    terminal,
)
from dpfair_cli.commands.options import declared, group
from dpfair_cli.contracts.errors import naming
from dpfair_cli.diff import sides
from dpfair_cli.provenance import arithmetic, checksums
from dpfair_cli.reporting import html_page, printed_picture, report, score_tables, shown, works
from dpfair_cli.reproduction import runs, whole_paper
from dpfair_cli.running import artefact_names, pool
from dpfair_cli.verdicts import verdicts

# most characters of the name of a report, which is also a part of the names of its pictures
LONGEST_NAME = 100
DIGITS = 16  # of a SHA-256 that a page shows
# the table that README.md shows as a picture, as its paper prints it
PICTURED = "xu2021/table8.1"


@dataclass(frozen=True)
class ReproduceOptions:
    """The arguments and options of the command."""

    names: tuple[str, ...] = options.names_argument("[PAPER|ARTEFACT]...")
    rendering: options.Rendering = group(options.Rendering)
    html: Path | None = options.target(
        "--html", "Also write the report to this file, with the commit and its date, to be sent."
    )
    force: bool = options.FORCE


@declared("reproduce", ReproduceOptions)
def command(asked: ReproduceOptions) -> None:
    """Regenerate all tables and figures, check them, and write results/report.html.

    Without names, the command regenerates the tables and figures of all papers.

    \b
    dpfair reproduce ding2020            one paper; the report is results/report-ding2020.html
    dpfair reproduce 'xu2021/*9.*'       the tables and figures of chapter 9
    """
    options.require_free(asked.html, "--html", inputs=[], force=asked.force)
    terminal.say_start("dpfair reproduce")  # before pandas is imported
    with making.finished_runs() if asked.rendering.collect else nullcontext():
        _reproduce(asked)


def _reproduce(asked: ReproduceOptions) -> None:
    """Regenerates tables and figures with the report, and prints the verdicts.

    Raises:
        click.exceptions.Exit: as `check.exit_on_failures`.
    """
    names, rendering = asked.names, asked.rendering
    rendering.require_plan_for_json()
    chosen = rendering.run_options()
    named = artefact_names.artefacts_named(names)
    # a failed run ends the command here, after all that could be made is written
    entries = making.make_artefacts(named, chosen, rendering)
    if rendering.dry_run:  # the plan was printed instead
        return
    audited = [] if names else survey_rows.read(paths.results_file(chosen.out, "audit.csv").parent)
    found = [one.verdicts for one in entries]
    if not chosen.quick:  # whose numbers would be those of few runs
        whole_paper.write_pages(check.verdicts_of(found), chosen)
        _write_printed_picture(found, chosen)
    written = "\n".join(_write_report(entries, audited, asked, chosen))
    if chosen.quick:
        for one in found:
            _print_counts(one)
        click.echo("These are quick runs: they show that everything works, and no verdict counts.")
        click.echo(written)
        return
    if not names:  # the scoreboard and the statement are about all papers
        score = score_tables.scoreboard(found)
        score_tables.write(score, chosen.out)
        works.write(found, score, chosen.out, paths.paper_folder)
        _write_statement(chosen)
    click.echo(written)  # before the verdicts, which may be many lines
    checked = check.Checked(found, audited)
    check.print_check(checked, chosen.out, check.Listing.UNEXPLAINED)
    check.exit_on_failures(checked)


def _write_printed_picture(found: Sequence[verdicts.Verdicts], chosen: runs.RunOptions) -> None:
    """Writes the two pictures of the table PICTURED, if it is one of these artefacts."""
    for one in found:
        if one.spec.artefact == PICTURED:
            printed_picture.write(one, chosen.out / PICTURED)


def _print_counts(entry: verdicts.Verdicts) -> None:
    """Prints the number of published cells with each verdict, and the verdict of each claim."""
    cells = ", ".join(f"{count} {verdict}" for verdict, count in entry.cell_counts.items())
    claims = ", ".join(f"{claim.part.id} {claim.full_verdict}" for claim in entry.claims)
    name = entry.spec.artefact
    click.echo(f"{name}: {cells or 'no published cells'}; {claims or 'no claims'}")


def _write_report(
    entries: Sequence[shown.ReportedArtefact],
    audited: Sequence[survey_rows.Audited],
    asked: ReproduceOptions,
    chosen: runs.RunOptions,
) -> list[str]:
    """Writes the report, and its copy with the commit; returns where they are, in words."""
    experiments = paths.folder("experiments")
    found = [one.verdicts for one in entries]
    papers = dict.fromkeys(one.spec.paper for one in found)
    citations = {paper: report.citation(experiments / paper) for paper in papers}
    target = chosen.out / f"{_report_name(asked.names)}.html"
    facts = [html_page.Fact("dpfair", f"version {version('dpfair')}"), *_runs_fact(found, chosen)]
    commit = sides.present_commit()
    # the commit is in the copy alone: the same runs give the same bytes of the report
    more = [html_page.Fact("commit", commit)] if commit else []
    copies = {asked.html: [*facts, *more]} if asked.html else {}
    # add-ons write their pages, about the runs of all papers, and return a section of the report
    of_all = not (asked.names or chosen.quick)
    pages = entry_points.load(entry_points.PAGES).values() if of_all else ()
    added = list(filter(None, (write(found, chosen) for write in pages)))
    with naming(target):  # an error of the disk else names a temporary file
        whole = report.Report(
            entries,
            citations,
            audit=list(map(asdict, audited)),
            added=added,
            facts=facts,
            each=partial(pool.map_in_order, jobs=chosen.workers.jobs),
        )
        page = whole.write(target, copies)
    return [f"report: {page}", *(f"report with its commit: {copy}" for copy in copies)]


def _runs_fact(
    entries: Sequence[verdicts.Verdicts], chosen: runs.RunOptions
) -> list[html_page.Fact]:
    """The checksum of the runs and published values that a report shows; empty without journals.

    The checksum is the SHA-256 of the checksum manifests of the papers, one after the other in
    alphabetical order. If the check of the files passes, the command
    `cat experiments/*/checksums.json | sha256sum` prints the same checksum.
    """
    journals: dict[str, dict[str, Path]] = {one.spec.paper: {} for one in entries}
    for entry in entries:
        if not entry.spec.is_reanalysis:  # of printed numbers, which needs no journal
            journal = chosen.out / entry.spec.artefact / "runs.jsonl"
            journals[entry.spec.paper][entry.spec.name] = journal
    every = chain.from_iterable(own.values() for own in journals.values())
    if not all(file.is_file() for file in every):
        return []
    digest = hashlib.sha256()  # over the manifests, so that `cat` and sha256sum can repeat it
    for paper in sorted(journals):  # as the shell sorts experiments/*
        manifest = checksums.compute(paths.paper_folder(paper), journals[paper])
        digest.update(checksums.as_text(manifest).encode())
    return [html_page.Fact("checksum of the runs", digest.hexdigest()[:DIGITS])]


def _report_name(names: Sequence[str]) -> str:
    """The name of the report of these artefacts; a part must not replace the whole report."""
    words = re.findall(r"\w+(?:\.\w+)*", " ".join(names))
    name = "-".join(["report", *words])
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.blake2b(" ".join(names).encode(), digest_size=4).hexdigest()
    return f"report-of-{len(names)}-parts-{digest}"


def _write_statement(chosen: runs.RunOptions) -> None:
    """Writes arithmetic.txt, which states the arithmetic of the machine that made the results.

    The file is not written if the results come from an earlier run or are part of the package.
    """
    from dpfair_cli.contracts.files import write_bytes, write_text

    file, device = chosen.out / arithmetic.STATEMENT, chosen.device
    brought = paths.committed(file.name)
    own = not (file.exists() or (device.is_processor and brought.exists()))
    if chosen.fresh or own:
        write_text(file, arithmetic.statement(device.name))
    elif not file.exists():
        write_bytes(file, brought.read_bytes())
