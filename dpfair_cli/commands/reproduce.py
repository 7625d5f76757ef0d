"""`dpfair reproduce`: regenerates tables and figures, checks them, and writes one HTML report."""

from __future__ import annotations

import hashlib
import re
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpfair_cli.commands import entry_points, options, output_file, terminal
from dpfair_cli.commands.records import argument, declared, group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpfair_cli.auditing.survey_rows import Audited
    from dpfair_cli.reporting.added_section import AddedSection
    from dpfair_cli.reporting.judged_artefact import JudgedArtefact, ReportedArtefact
    from dpfair_cli.reproduction.runs import RunOptions

# most characters of the name of a report, which is also a part of the names of its pictures
LONGEST_NAME = 100


@dataclass(frozen=True)
class ReproduceOptions:
    """The arguments and options of the command."""

    names: tuple[str, ...] = argument(
        nargs=-1, metavar="[PAPER|ARTEFACT]...", shell_complete=options.complete_artefact
    )
    rendering: options.Rendering = group(options.Rendering)
    html: Path | None = output_file.target(
        "--html", "Also write the report to this file, with the commit and its date, to be sent."
    )
    force: bool = output_file.force()


@declared("reproduce", ReproduceOptions)
def command(asked: ReproduceOptions) -> None:
    """Regenerate all tables and figures, check them, and write results/report.html.

    Without names, the command regenerates the tables and figures of all papers.

    \b
    dpfair reproduce ding2020            one paper; the report is results/report-ding2020.html
    dpfair reproduce 'xu2021/*9.*'       the tables and figures of chapter 9
    """
    output_file.require_free(asked.html, "--html", inputs=[], force=asked.force)
    terminal.say_start("dpfair reproduce")  # before pandas is imported
    from dpfair_cli.commands import making

    with making.finished_runs() if asked.rendering.collect else nullcontext():
        _reproduce(asked.names, asked.html, asked.rendering)


def _reproduce(names: tuple[str, ...], html: Path | None, rendering: options.Rendering) -> None:
    """Regenerates tables and figures with the report, and prints the verdicts."""
    from dpfair_cli import paths
    from dpfair_cli.auditing import survey_rows
    from dpfair_cli.commands import check, making
    from dpfair_cli.reporting import score_text
    from dpfair_cli.reproduction.whole_paper import write_pages
    from dpfair_cli.running import artefact_names

    rendering.require_plan_for_json()
    chosen = rendering.run_options()
    named = artefact_names.artefacts_named(names)
    entries = making.make_artefacts(named, chosen, rendering)
    if rendering.dry_run:
        return
    audited = [] if names else survey_rows.read(paths.results_file(chosen.out, "audit.csv").parent)
    if not chosen.quick:
        write_pages({entry.spec.artefact: entry.verdicts for entry in entries}, chosen)
    written = _write_report(entries, audited, names, html, chosen)
    if chosen.quick:
        _print_quick_counts(entries)
    if not (names or chosen.quick):
        score_text.write(score_text.scoreboard(entries), chosen.out)
        _write_statement(chosen)
    for line in written:
        click.echo(line)
    if not chosen.quick:
        check.print_verdicts(entries, audited, chosen.out)


def _write_report(
    entries: Sequence[ReportedArtefact],
    audited: Sequence[Audited],
    names: tuple[str, ...],
    html: Path | None,
    chosen: RunOptions,
) -> list[str]:
    """Writes the report, and its copy with the commit; returns where they are, in words."""
    from dpfair_cli import paths
    from dpfair_cli.commands import page_facts
    from dpfair_cli.contracts.errors import naming
    from dpfair_cli.reporting import report
    from dpfair_cli.running.pool import map_in_order

    experiments = paths.folder("experiments")
    citations = {one.paper: report.citation(experiments / one.paper) for one in entries}
    target = chosen.out / f"{_report_name(names)}.html"
    facts = [page_facts.version_fact(), *page_facts.runs_fact(entries, chosen.out)]
    copies = {html: [*facts, *page_facts.commit_fact()]} if html else {}
    with naming(target):
        page = report.write(
            entries,
            target,
            papers=citations,
            audit=list(map(asdict, audited)),
            facts=facts,
            copies=copies,
            added=[] if names or chosen.quick else _added_sections(entries, chosen),
            each=partial(map_in_order, jobs=chosen.workers.jobs),
        )
    return [f"report: {page}", *(f"report with its commit: {copy}" for copy in copies)]


def _added_sections(entries: Sequence[ReportedArtefact], chosen: RunOptions) -> list[AddedSection]:
    """The sections of add-ons, which also write their pages."""
    pages = entry_points.load(entry_points.PAGES).values()
    return list(filter(None, (write(entries, chosen) for write in pages)))


def _report_name(names: Sequence[str]) -> str:
    """The name of the report of these artefacts; a part must not replace the whole report."""
    words = re.findall(r"\w+(?:\.\w+)*", " ".join(names))
    name = "-".join(["report", *words])
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.blake2b(" ".join(names).encode(), digest_size=4).hexdigest()
    return f"report-of-{len(names)}-parts-{digest}"


def _print_quick_counts(entries: Sequence[JudgedArtefact]) -> None:
    """Prints the counts of the cells and claims of artefacts whose runs are quick."""
    from dpfair_cli.commands.check_output import print_counts

    for entry in entries:
        print_counts(entry)
    click.echo("These are quick runs: they show that everything works, and no verdict counts.")


def _write_statement(options: RunOptions) -> None:
    """Writes arithmetic.txt, which states the arithmetic of the machine that made the results.

    The file is not written if the results come from an earlier run or are part of the package.
    """
    from dpfair_cli import paths
    from dpfair_cli.contracts.files import write_bytes, write_text
    from dpfair_cli.provenance import arithmetic

    file, device = options.out / arithmetic.STATEMENT, options.device
    brought = paths.committed(file.name)
    own = not (file.exists() or (device.is_processor and brought.exists()))
    if options.fresh or own:
        write_text(file, arithmetic.statement(device.name))
    elif not file.exists():
        write_bytes(file, brought.read_bytes())
