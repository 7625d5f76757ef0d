"""`dpfair table`: regenerates tables next to the published values."""

from __future__ import annotations

from typing import Any

import click

from dpfair_cli.commands import options, terminal
from dpfair_cli.commands.json_output import echo_json


@click.command("table")
@click.argument(
    "names", nargs=-1, metavar="[ARTEFACT]...", shell_complete=options.complete_artefact
)
@click.option("--all", "everything", is_flag=True, help="Regenerate every table of every paper.")
@click.option(
    "--variants",
    "show_variants",
    is_flag=True,
    help="In a terminal, also print the rows of variants; without a terminal they are always "
    "printed.",
)
@options.rendering
def command(names: tuple[str, ...], everything: bool, show_variants: bool, **given: Any) -> None:
    """Regenerate tables next to the published values.

    \b
    dpfair table ding2020/table1          one table, into results/ding2020/table1
    dpfair table xu2021 --quick           all tables of a paper, with few runs
    dpfair table --all --dry-run          lists the runs that would be made, and why
    """
    terminal.say_start("dpfair table")  # before pandas is imported
    from dpfair_cli.commands import making, parsed_options, table_output

    whole = given["as_json"] and not given["dry_run"]
    given["as_json"] = given["as_json"] and given["dry_run"]
    chosen, form = parsed_options.parse_shared_options(given)
    named = parsed_options.artefacts_of_kind(names, everything, "table")
    entries = making.make_artefacts(named, chosen, **form)
    if whole:
        from dpfair_cli.reporting import json_writer  # which a printed table does without

        echo_json({entry.spec.artefact: json_writer.table(entry.table) for entry in entries})
        return
    for entry in entries:
        defaults = {cell.default.label for cell in entry.verdicts.cells if cell.default}
        others = {one.label for cell in entry.verdicts.cells for one in cell.others}
        table_output.echo_table(entry.table, variants=() if show_variants else others - defaults)
