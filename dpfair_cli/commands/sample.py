"""`dpfair sample`: new records from a saved generator, as a table with the original columns."""

from __future__ import annotations

from pathlib import Path

import click

from dpfair_cli.commands import options, output_file, terminal


@click.command("sample")
@click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="The number of records.",
)
@output_file.option("--out", "The CSV file to write.", required=True)
@output_file.force
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The seed from which the records are drawn.",
)
def command(model: Path, rows: int, out: Path, force: bool, seed: int) -> None:
    """Draw new records from a generator that `dpfair train --save` wrote.

    The status of the model's guarantee says whether the drawn records are private. If they are not,
    they may reveal the records that the generator was trained on. They cost no epsilon of a privacy
    ledger: records drawn from a model reveal no more than the model.
    """
    from dpfair_cli.contracts.writing import write_text
    from dpfair_cli.release import restoring, training

    options.keep_private()  # the records may be those of the user's own table
    output_file.require_free(out, "--out", inputs=[model], force=force)
    generator = restoring.load_generator(model)
    records = training.sampled_table(generator, rows, seed=seed)
    write_text(out, records.to_csv(index=False, lineterminator="\n"))
    for line in generator.described():
        terminal.echo(line, indent=2)
    click.echo(f"status of the records: {restoring.saved_guarantee(model)['status']}")
    click.echo(out, err=True)
