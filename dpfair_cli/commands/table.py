"""`dpfair table`: regenerates tables next to the published values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import click

from dpfair_cli.commands import SAY_MORE, making, options, terminal
from dpfair_cli.commands.options import declared, group
from dpfair_cli.reporting import json_writer


@dataclass(frozen=True)
class TableOptions:
    """The arguments and options of the command."""

    names: tuple[str, ...] = options.names_argument("[ARTEFACT]...")
    rendering: options.Rendering = group(options.Rendering)


@declared("table", TableOptions)
def command(asked: TableOptions) -> None:
    """Regenerate tables next to the published values.

    \b
    dpfair table ding2020/table1          one table, into results/ding2020/table1
    dpfair table xu2021/figure8.1         the numbers of a figure, as a table
    dpfair table xu2021 --quick           all tables of a paper, with few runs
    dpfair table '*' --dry-run            the runs that would be made
    """
    terminal.say_start("dpfair table")  # before pandas is imported
    rendering = asked.rendering
    chosen = rendering.run_options()
    named = making.artefacts_of_kind(asked.names, "table")
    entries = making.make_artefacts(named, chosen, rendering).entries
    if rendering.as_json and not rendering.dry_run:
        terminal.echo_json({one.spec.artefact: json_writer.table(one.table) for one in entries})
        return
    in_full = click.get_current_context().meta.get(SAY_MORE)
    for entry in entries:  # those of a paper may be many tables
        cells = entry.verdicts.cells
        defaults = {cell.default.label for cell in cells if cell.default}
        variants = chain.from_iterable(cell.others for cell in cells)
        others = {one.label for one in variants}
        terminal.echo_table(entry.table, variants=() if in_full else others - defaults)
