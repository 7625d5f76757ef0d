"""`dpfair gaps`: rates by group of decisions that were made elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import click

from dpfair_cli.commands import group_table, options, own_data
from dpfair_cli.commands.options import argument, declared, option
from dpfair_cli.formats import decisions
from dpfair_cli.metrics import classification


@dataclass(frozen=True)
class GapsOptions:
    """The arguments and options of the command."""

    file: str = argument(type=click.Path(dir_okay=False))
    label: str = option("--label", "The column of true labels.", metavar="COLUMN", required=True)
    decision: str = option(
        "--decision",
        "The column of decisions: values of the label, or probabilities of the favourable one.",
        metavar="COLUMN",
        required=True,
    )
    protected: str = option(
        "--protected", "The column that defines the groups.", metavar="COLUMN", required=True
    )
    positive: str = option(
        "--positive",
        "The favourable label, or a comparison such as >15.  [default: that of no and yes, or 0 "
        "and 1]",
    )
    as_json: bool = options.JSON


@declared("gaps", GapsOptions)
def command(asked: GapsOptions) -> None:
    """Print how often each group gets the favourable decision, with 95 % intervals.

    \b
    dpfair gaps decisions.csv --label hired --decision decided --protected sex

    FILE is a table with one line for each record, from any program. For each group, the command
    prints the selection rate, the true and the false positive rate and the accuracy, and for each
    rate the gap: the largest minus the smallest rate of a group. The intervals are those of Wilson
    for a rate and of Newcombe for a gap. With more than two groups, the interval of a gap allows
    for the number of pairs of groups.

    A gap is small if its interval lies below 0.05. It is undecided if the interval holds 0 and also
    values above 0.05: the groups have too few records. The records must be those that the rule was
    not made from.

    Empty cells of the protected column are a group. The numbers are exact and not private.
    """
    file = own_data.regular_file(asked.file)
    found = decisions.read_decisions(
        file,
        label=asked.label,
        decision=asked.decision,
        protected=asked.protected,
        positive=asked.positive,
    )
    counts = classification.tabulate(
        found.decision, found.y, found.protected, groups=len(found.groups)
    )
    click.echo(f"{found.positive!r} is the favourable value of {asked.label}", err=True)
    group_table.show(counts, found.groups, as_json=asked.as_json)
