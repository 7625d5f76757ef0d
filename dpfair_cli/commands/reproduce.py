"""`dpfair reproduce`: regenerates tables and figures, checks them, and writes one HTML report."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import click

from dpfair_cli import paths
from dpfair_cli.auditing import survey_rows
from dpfair_cli.commands import (
    SAY_MORE,
    check,
    entry_points,
    making,
    options,
    overview,
    terminal,
)
from dpfair_cli.commands.options import declared, group
from dpfair_cli.contracts.errors import naming
from dpfair_cli.provenance import arithmetic, checksums
from dpfair_cli.reporting import html_page, printed_picture, report, score_tables, shown, works
from dpfair_cli.reproduction import artefact, proof, runs, whole_paper
from dpfair_cli.running import artefact_names, pool, progress
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


@declared("reproduce", ReproduceOptions)
def command(asked: ReproduceOptions) -> None:
    """Regenerate all tables and figures, check them, and write results/report.html.

    Finished runs are kept, and missing ones are made. Then at least one run of each method is made
    again, and compared with its committed row where the data are here or made by dpfair. Without
    names, all papers are regenerated.

    \b
    dpfair reproduce ding2020            one paper: results/report-ding2020.html
    dpfair reproduce 'xu2021/*9.*'       the tables and figures of chapter 9
    dpfair reproduce --quick             a trial with few runs, in results/quick
    """
    terminal.say_start("dpfair reproduce")  # before pandas is imported
    names, rendering = asked.names, asked.rendering
    rendering.require_plan_for_json()
    chosen = rendering.run_options()
    named = artefact_names.artefacts_named(names)
    says_more = click.get_current_context().meta.get(SAY_MORE)
    tell = making.say if says_more else _nothing  # else its lines would hide those about all
    # a failed run ends the command here, after all that could be made is written
    made = making.make_artefacts(named, chosen, rendering, tell)
    if rendering.dry_run:  # the plan was printed instead
        return
    with making.finished_runs():
        checked, written = _write(made, asked)
    overview.echo_rows(made)
    if chosen.quick:
        overview.echo_last(made.left_out, written)
        return
    overview.echo_works(checked.entries)
    if says_more:
        check.print_check(checked, chosen.out, check.Listing.EVERYTHING)
    else:
        check.print_failures(checked)
    repeated, lacking = _proof(made, chosen, is_whole=not names)
    overview.echo_proof(repeated)
    overview.echo_last(made.left_out | lacking, written)
    check.exit_on_failures(checked)
    overview.exit_on_failures(repeated)


def _write(made: making.Made, asked: ReproduceOptions) -> tuple[check.Checked, list[str]]:
    """Writes the pages and the report; returns what is found, and where reports are, in words."""
    entries, chosen = made.entries, made.options
    found = [one.verdicts for one in entries]
    audits = paths.results_file(chosen.out, "audit.csv").parent
    audited = [] if asked.names else survey_rows.read(audits)
    if not chosen.quick:  # whose numbers would be those of few runs
        whole_paper.write_pages(check.verdicts_of(found), chosen)
        _write_printed_picture(found, chosen)
    written = _write_report(entries, audited, asked, chosen)
    if not (asked.names or chosen.quick):  # these files are about all papers
        score = score_tables.scoreboard(found)
        score_tables.write(score, chosen.out)
        works.write(found, score, chosen.out, paths.paper_folder)
        _write_statement(chosen)
    return check.Checked(found, audited), written


def _write_printed_picture(found: Sequence[verdicts.Verdicts], chosen: runs.RunOptions) -> None:
    """Writes the two pictures of the table PICTURED, if it is one of these artefacts."""
    for one in found:
        if one.spec.artefact == PICTURED:
            printed_picture.write(one, chosen.out / PICTURED)


def _proof(
    made: making.Made, chosen: runs.RunOptions, *, is_whole: bool
) -> tuple[list[proof.Repeated], dict[str, str]]:
    """The runs that were made again, and the Python module that other methods lack, by name.

    Nothing is made again if no run may be made, or if all of them were made now.
    """
    if chosen.collect or not made.kept:
        return [], {}
    repeated, lacking = repeat_runs(made.artefacts, chosen, is_whole=is_whole)
    return repeated, {name: what for name, what in lacking.items() if what != proof.NO_DATA}


def repeat_runs(
    artefacts: Sequence[artefact.Artefact], chosen: runs.RunOptions, *, is_whole: bool = False
) -> tuple[list[proof.Repeated], dict[str, str]]:
    """A run of each method that can be made here, made again; and what the other methods lack.

    `is_whole` says whether methods without an artefact make a run, too.
    """
    chosen_runs, lacking = proof.choose(artefacts)
    if is_whole and paths.folder("experiments") == paths.shipped("experiments"):
        chosen_runs += proof.of_no_artefact(artefacts, chosen.data_dir)
    look = {"desc": "proof", "unit": "run", "delay": 2, "leave": False}
    with progress.bar(total=len(chosen_runs), **look) as bar:
        repeat = partial(proof.repeat, tolerance=arithmetic.TOLERANCE)
        jobs = chosen.workers.jobs
        return pool.map_in_order(repeat, chosen_runs, jobs=jobs, tick=bar.update), lacking


def _nothing(line: str) -> None:
    """Prints nothing about an artefact."""


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
            is_quick=chosen.quick,
        )
        return [f"report: {whole.write(target)}"]


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
