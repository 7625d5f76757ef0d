"""`dpfair table`: regenerates tables next to the published values."""

from __future__ import annotations

from typing import Any

import click

from dpfair_cli.commands import options


@click.command("table")
@click.argument(
    "names", nargs=-1, metavar="[ARTEFACT]...", shell_complete=options.complete_artefact
)
@click.option("--all", "everything", is_flag=True, help="Regenerate every table of every paper.")
@options.rendering
def command(names: tuple[str, ...], everything: bool, **given: Any) -> None:
    """Regenerate tables next to the published values.

    \b
    dpfair table ding2020/table1          one table, into results/ding2020/table1
    dpfair table xu2021 --quick           all tables of a paper, with few runs
    dpfair table --all --dry-run          lists the runs that would be made, and why
    """
    from dpfair_cli.commands import produce

    chosen, form = produce.parse_shared_options(given)
    named = produce.artefacts_of_kind(names, everything, "table")
    for entry in produce.make_artefacts(named, chosen, **form):
        produce.echo_table(entry.table)
