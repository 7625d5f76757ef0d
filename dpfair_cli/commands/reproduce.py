"""`dpfair reproduce`: every table and figure, then check, then one HTML report."""

from __future__ import annotations

from typing import Any

import click

from dpfair_cli.commands import options


@click.command("reproduce")
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
@options.rendering
def command(papers: tuple[str, ...], **given: Any) -> None:
    """Regenerate every table and figure of all papers (or of those named), and write results/report.html.

    The report of named papers is a file of its own, such as results/report-ding2020.html.
    """
    from dpfair_cli import home, report, spec
    from dpfair_cli.commands import produce
    from dpfair_cli.commands.check import conclude, summarise

    settings, dry_run = produce.settings_of(given)
    entries = produce.produce(spec.matching(papers), settings, dry_run=dry_run)
    if dry_run:
        return
    name = "-".join(["report", *papers]).replace("/", "-")  # a part must not take the place of the whole
    citations = {entry.paper: report.citation(home.folder("experiments") / entry.paper) for entry in entries}
    page = report.write(entries, settings.out / f"{name}.html", papers=citations)
    if settings.quick:
        for entry in entries:
            summarise(entry)
        click.echo("These are quick runs: they show that everything works and decide nothing.")
    click.echo(f"report: {page}")
    if not settings.quick:
        conclude(entries)
