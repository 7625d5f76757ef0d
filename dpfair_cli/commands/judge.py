"""`dpfair judge`: a published table of any field, next to a table of ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import click

from dpfair_cli.commands import DIFFERS, options, own_data, terminal
from dpfair_cli.commands.options import argument, declared
from dpfair_cli.reporting import json_writer, text_writer
from dpfair_cli.verdicts import two_tables, wording
from dpfair_cli.verdicts.cells import judging


@dataclass(frozen=True)
class JudgeOptions:
    """The arguments and options of the command."""

    published: str = argument(type=click.Path(dir_okay=False))
    ours: str = argument(type=click.Path(dir_okay=False))
    as_json: bool = options.JSON


@declared("judge", JudgeOptions)
def command(asked: JudgeOptions) -> None:
    """Judge a table of ours next to a published one, of any field.

    \b
    dpfair judge published.csv ours.csv

    PUBLISHED is a CSV file with the columns method and mean, and if they are known std (the
    standard deviation over runs), runs, metric (the score), margin, and columns that name the place
    of a number, such as dataset. OURS has the same names, and either a row for each run, with the
    columns seed and value, or the columns mean, std and runs.

    The margin, which is the largest difference that counts as none, is 0.02 for scores from -1 to
    1. For others the column margin states it, such as 2 or 10% (of the published value).

    The verdicts are about the order of each two methods, about all numbers of a method together,
    and about each number; docs/judge.md describes them. The exit code is 1 if an order is reversed,
    or if a column or a number differs.
    """
    terminal.say_start("dpfair judge")
    files = [own_data.regular_file(name) for name in (asked.published, asked.ours)]
    judged = two_tables.judge(*files)
    if asked.as_json:
        terminal.echo_json(json_writer.two_tables(judged))
    else:
        _print(judged)
    if judged.differences:
        raise click.exceptions.Exit(DIFFERS)


def _print(judged: two_tables.JudgedTables) -> None:
    """Prints the number of each verdict, a line for each number, and what differs."""
    for name, found in (
        ("orders", judged.orders),
        ("columns", judged.columns),
        ("numbers", judged.cells),
    ):
        click.echo(f"{name:8} {_counts(one.verdict for one in found)}")
    click.echo()
    for line in text_writer.aligned([HEADINGS, *map(_row, judged.cells)]):
        click.echo(terminal.coloured(line) if terminal.is_coloured() else line)
    for title, lines in (("what differs", judged.differences), ("remarks", judged.remarks)):
        if lines:
            click.echo(f"\n{title}")
        for line in lines:
            terminal.echo(f"  {line}", indent=4)


HEADINGS = ("number", "ours", "published", "verdict", "would decide")


def _row(cell: judging.JudgedCell) -> Sequence[str]:
    """A number with its verdict, as texts."""
    ours, theirs = cell.variants[0].ours, cell.sample
    return (
        cell.description,
        wording.format_mean(ours.mean, ours.std),
        wording.format_mean(theirs.mean, theirs.std),
        cell.verdict,
        cell.remedy,
    )


def _counts(verdicts: Iterable[str]) -> str:
    """The number of each verdict, such as "3 confirmed, 1 undecided"."""
    counts = Counter(verdicts)
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()) or "none"
