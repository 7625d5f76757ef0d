"""Prints a table; in a terminal, its verdicts are coloured."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from dpfair_cli.commands import terminal

COLOURS = {
    "reproduced": "green",
    "consistent": "green",
    "undecided": "yellow",
    "differs": "red",
    "refuted": "red",
}
VERDICTS = re.compile(rf"\b({'|'.join(COLOURS)})\b(?: \(\w+\))?")

if TYPE_CHECKING:
    from collections.abc import Collection

    from dpfair_cli.contracts.specs import Table


def echo_table(table: Table, *, variants: Collection[str] = ()) -> None:
    """Prints a table; in a terminal the table fits the width, and verdicts are coloured.

    In a terminal, the rows of the methods `variants` are left out. The environment variable
    NO_COLOR switches the colours off.
    """
    width = terminal.width()
    if width:
        from dpfair_cli.reporting import terminal_table

        text = terminal_table.text(table, width=width, left_out=variants)
    else:
        from dpfair_cli.reporting import text_writer

        text = text_writer.table(table)
    click.echo(coloured(text) if terminal.is_coloured() else text)


def coloured(text: str) -> str:
    """A text in which the names and the symbols of verdicts are coloured."""
    from dpfair_cli.reporting.terminal_table import SYMBOL_OF

    tones = {SYMBOL_OF[word]: tone for word, tone in COLOURS.items() if word in SYMBOL_OF}
    text = VERDICTS.sub(lambda found: click.style(found[0], fg=COLOURS[found[1]]), text)
    symbols = re.compile("|".join(map(re.escape, tones)))
    return re.sub(
        r" (\S) \(",
        lambda found: symbols.sub(lambda one: click.style(one[0], fg=tones[one[0]]), found[0]),
        text,
    )
