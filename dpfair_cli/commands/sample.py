"""`dpfair sample`: new records from a saved generator, as a table with the original columns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from dpfair_cli.commands import options, own_data, terminal
from dpfair_cli.commands.options import argument, declared, option
from dpfair_cli.formats import questions
from dpfair_cli.release import model_files, training


@dataclass(frozen=True)
class SampleOptions:
    """The arguments and options of the command."""

    model: Path = argument(type=click.Path(exists=True, dir_okay=False, path_type=Path))
    rows: int = option(
        "--rows", "The number of records.", type=click.IntRange(1, 10**9), default=10_000
    )
    out: Path = options.target("--out", "The CSV file to write.", required=True)
    force: bool = options.FORCE
    seed: int = options.seed_option("The seed from which the records are drawn.")


@declared("sample", SampleOptions)
def command(asked: SampleOptions) -> None:
    """Draw new records from a generator that `dpfair train --save` wrote.

    \b
    dpfair train adult --method fair_gan_plus --save generator.json
    dpfair sample generator.json --rows 1000 --out fair.csv

    The status of the model's guarantee says whether the drawn records are private. If they are not,
    they may reveal the records that the generator was trained on. They cost no epsilon of a privacy
    ledger: records drawn from a model reveal no more than the model.
    """
    from dpfair_cli.contracts.files import write_bytes  # loads PyYAML

    own_data.keep_private()  # the records may be those of the user's own table
    options.require_free(asked.out, "--out", inputs=[asked.model], force=asked.force)
    generator = model_files.load_generator(asked.model)
    with model_files.blaming(asked.model):
        table = model_files.saved_table(asked.model)
        records = training.sampled_table(generator, asked.rows, table, seed=asked.seed)
        content = training.written(records, training.form_of(table))
        absent = questions.in_short(training.levels_without_rows(records, table))
        described = generator.described()
        status = model_files.saved_guarantee(asked.model)["status"]
    write_bytes(asked.out, content)
    if absent:
        click.echo(f"no row of {asked.out} has {absent}", err=True)
    for line in described:
        terminal.echo(line, indent=2)
    click.echo(f"status of the records: {status}")
    click.echo(asked.out, err=True)
