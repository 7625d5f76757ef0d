"""Judge published numbers of two papers about the same quantity.

This module is the command `dpfair referee`; `dpfair --help` prints its first line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from dpfair_cli.commands import options, terminal
from dpfair_cli.commands.options import argument, declared, group, option
from dpfair_cli.commands.terminal import echo_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpfair_cli.addons.referee.judging import JudgedEntry


def complete_entry(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """The ids of the entries that begin with `incomplete`, for shell completion."""
    from dpfair_cli.addons.referee.committed import committed_entries

    names = [one.id for one in committed_entries()]
    return sorted(name for name in names if name.startswith(incomplete))


@dataclass(frozen=True)
class RefereeOptions:
    """The arguments and options of the command."""

    names: tuple[str, ...] = argument(nargs=-1, metavar="[ENTRY]...", shell_complete=complete_entry)
    letter: bool = option(
        "--letter", is_flag=True, help="Print a letter to the authors, with a question, per ENTRY."
    )
    as_json: bool = options.JSON
    results: options.ResultsFolder = group(options.ResultsFolder)


@declared("referee", RefereeOptions)
def command(asked: RefereeOptions) -> None:
    """Judge two published numbers about the same quantity, without making a run.

    \b
    dpfair referee                       all entries in one table
    dpfair referee fermi-adult-accuracy  the steps of one gap, with their evidence
    dpfair referee best-stage --letter   a letter to the authors, with a question

    The entries are in experiments/contradictions.yaml. For each entry the command prints whether
    the two numbers differ by more than their noise, and which difference of protocol changes our
    runs by how much. The state of an entry is settled, settled in part, undecided, not one quantity
    or no contradiction; docs/referee.md has the rule.

    No file is written; `dpfair reproduce` of all papers writes the page of all entries.
    """
    from dpfair_cli.addons.referee import committed, page, tables
    from dpfair_cli.contracts.errors import DpfairError

    if asked.letter and (asked.as_json or not asked.names):
        raise click.UsageError("--letter prints letters about entries: give ENTRY and no --json")
    run_options = asked.results.reading()
    if not committed.committed_entries():
        file = committed.entries_file()
        raise DpfairError(f"{file} has no entries: docs/referee.md describes the file")
    entries = committed.referee(run_options, names=asked.names)
    if asked.letter:
        click.echo("\n---\n\n".join(map(page.letter, entries)), nl=False)
    elif asked.as_json:
        echo_json([tables.as_data(one) for one in entries])
    elif asked.names:
        for entry in entries:
            print_entry(entry)
    else:
        print_table(entries)


def print_table(entries: Sequence[JudgedEntry]) -> None:
    """Prints a few lines for each entry, and the number of entries in each state."""
    from dpfair_cli.addons.referee import tables

    for one in entries:
        row = tables.row(one)
        state = terminal.paint(row["state"], tables.STATE_TONES[one.ruling.state])
        gap = f"; gap {row['gap']}, noise {row['noise']}" if one.gap else ""
        click.echo(f"{row['entry']}: {state}")
        terminal.echo(f"    {row['quantity']}", indent=4)
        terminal.echo(f"    {row['first']}; {row['second']}{gap}", indent=4)
        if one.gap and row["our verdicts"]:
            terminal.echo(f"    our verdicts: {row['our verdicts']}", indent=4)
    click.echo()
    terminal.echo(f"{len(entries)} entries: {tables.count_words(entries)}", indent=0)


def print_entry(entry: JudgedEntry) -> None:
    """Prints one entry: the sentence, both numbers, the differences and the evidence."""
    from dpfair_cli.addons.referee import tables, words

    names = words.names(entry)
    click.echo(click.style(words.title(entry), bold=terminal.is_coloured()))
    terminal.echo(f"  {words.sentence(entry)}", indent=2)
    for line in tables.comparison_lines(entry):
        print_sides(line.name, names, line.texts)
    for found in tables.difference_lines(entry):
        title = f"difference of {found['aspect']}; change in our runs {found['change']}"
        print_sides(title, names, (found["first"], found["second"]))
        if found["remark"]:
            terminal.echo(f"    {found['remark']}", indent=4)
    click.echo("\n  evidence")
    for link in tables.evidence(entry):
        terminal.echo(f"    {link.text}", indent=6)
    for text in filter(None, (entry.entry.exact, entry.entry.remark)):
        click.echo()
        terminal.echo(f"  {text}", indent=2)


def print_sides(title: str, names: Sequence[str], texts: Sequence[str]) -> None:
    """Prints what both works say of one thing."""
    click.echo(f"\n  {title}")
    for name, text in zip(names, texts, strict=False):
        terminal.echo(f"    {name}: {text}", indent=6)
