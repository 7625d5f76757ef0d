"""Write what was checked as an RO-Crate, in SARIF, and as a badge.

This module is the command `dpfair receipt`; `dpfair --help` prints its first line.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpfair_cli.commands import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpfair_cli.addons.receipts.content import Receipt

FORMATS = ("ro-crate", "sarif", "badge")
DATE = re.compile(r"\d{4}-\d\d-\d\d")


@click.command("receipt")
@click.argument("names", nargs=-1, metavar="[PAPER]...", shell_complete=options.complete_artefact)
@click.option("--format", "form", type=click.Choice(FORMATS), help="Print one document instead.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the receipt; receipt, or receipt-PAPER for one paper, without this option.",
)
@click.option("--date", help="Date of the results; that of the present commit by default.")
@click.option(
    "--sign",
    "key",
    metavar="KEY",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    help="Also sign the receipt with this private key of SSH.",
)
def command(
    names: tuple[str, ...], form: str | None, out: Path | None, date: str | None, key: Path | None
) -> None:
    """Write what was checked in the formats of other programs, without making a run.

    \b
    dpfair receipt xian2024                   the folder receipt-xian2024
    dpfair receipt xian2024 --sign my_key     for `dpfair verify FOLDER`
    dpfair receipt --format sarif             the findings of the check, on stdout

    The folder has a copy of the specs, published values and results, and three documents about
    them: an RO-Crate (ro-crate-metadata.json), the findings of the check (check.sarif) and a badge
    (badge.json), and the SHA-256 of all files. docs/receipts.md explains each format. Data sets are
    described and not copied.

    The same results give the same bytes.
    """
    if form and (out or key):
        raise click.UsageError("--format prints a document: give no --out and no --sign")
    if date is not None and not DATE.fullmatch(date):
        raise click.UsageError(f"--date must be a date such as 2026-11-27, got {date!r}")
    target = out or Path("-".join(["receipt", *re.findall(r"[\w.]+", " ".join(names))]))
    if not form and target.is_dir() and any(target.iterdir()):
        raise click.UsageError(f"{target} has files: give --out another folder")
    from dpfair_cli.addons.receipts import documents, signing

    receipt = collected(names, date)
    if form:
        click.echo(documents.DOCUMENTS[form].text(receipt), nl=False)
        return
    written = [*documents.write(receipt, target), signing.write_list(target)]
    if key:
        written.append(signing.sign(target, key))
    for file in written:
        click.echo(file, err=True)


def collected(names: Sequence[str], date: str | None) -> Receipt:
    """The receipt of the named papers or artefacts; without names, of all papers.

    Raises:
        Stopped: a file of a paper has a mistake, or runs are missing.
        DpfairError: a name is unknown.
    """
    from dpfair_cli.addons.receipts import collecting
    from dpfair_cli.commands.check import load, refuse_incomplete
    from dpfair_cli.reproduction.artefact import map_artefacts
    from dpfair_cli.reproduction.whole_paper import derive_rules
    from dpfair_cli.running import artefact_names

    run_options = options.ResultsFolder(None).reading(jobs=None)
    artefacts = load(artefact_names.artefacts_named(names), run_options)
    refuse_incomplete([artefact for artefact in artefacts if artefact.missing_runs])
    complete = [artefact for artefact in artefacts if artefact.runs.number]
    rules = derive_rules(artefacts)
    entries = map_artefacts(lambda one: one.verdicts(rules.get(one.spec.paper)), complete, "check")
    return collecting.collect(entries, run_options.out, date or commit_date())


def commit_date() -> str:
    """The date of the present commit; empty if the results are in no repository."""
    from dpfair_cli import paths
    from dpfair_cli.diff.sides import git

    if paths.folder("experiments").is_relative_to(paths.PACKAGED):
        return ""
    return git("log", "-1", "--format=%cs").decode().strip()
