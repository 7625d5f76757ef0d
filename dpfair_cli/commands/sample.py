"""`dpfair sample`: new records from a saved generator, as a table with the original columns."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("sample")
@click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="The number of records.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The CSV file to write.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The seed from which the records are drawn.",
)
def command(model: Path, rows: int, out: Path, seed: int) -> None:
    """Draw new records from a generator that `dpfair train --save` wrote.

    The drawn records are not private: they may reveal the records that the generator was trained
    on.
    """
    from dpfair_cli.contracts.errors import naming
    from dpfair_cli.release import restoring, training

    generator = restoring.load_generator(model)
    records = training.sampled_table(generator, rows, seed=seed)
    with naming(out), out.open("w", encoding="utf-8", newline="") as file:
        records.to_csv(file, index=False, lineterminator="\n")
    for line in generator.described():
        click.echo(line)
    click.echo(out, err=True)
