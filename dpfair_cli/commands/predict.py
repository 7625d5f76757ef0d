"""`dpfair predict`: decisions of a saved model about the records of a file or a data set."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpfair_cli.commands import options, output_file
from dpfair_cli.commands.json_output import echo_json

if TYPE_CHECKING:
    from dpfair_cli.release.predicting import ReadOthers


@click.command("predict")
@click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("records", metavar="FILE|DATASET", shell_complete=options.complete_dataset)
@output_file.option("--out", "Write the decisions to FILE (CSV).  [default: print the decisions]")
@output_file.force
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=None,
    help="The seed from which a randomised rule draws its decisions, to repeat the decisions.",
)
@options.table_cluster
@options.as_json
@options.data_dir
def command(
    model: Path,
    records: str,
    out: Path | None,
    force: bool,
    seed: int | None,
    cluster: str,
    as_json: bool,
    data_dir: Path,
) -> None:
    """Print the decision of a saved model for each record of FILE or of a data set.

    \b
    dpfair train people.csv --label hired --protected sex --domain people.yaml \\
        --method pflr --save model.json
    dpfair predict model.json applicants.csv
    dpfair predict adult.json adult          a model that was trained on adult

    Each decision has the probability with which the rule decides in favour: 0 or 1, unless the rule
    is randomised. FILE must have the feature columns that the model was trained on. The label
    column is not needed, and the protected column is needed only if the decision depends on the
    group. A value outside the range or levels of its column is replaced by a value inside (`dpfair
    info csv` says which). The privacy guarantee of the model does not cover the records of FILE: a
    decision can reveal facts about its record.
    """
    from dpfair_cli.contracts.writing import write_text
    from dpfair_cli.formats.table_in_model import read_others
    from dpfair_cli.release.predicting import predictions

    output_file.require_free(out, "--out", inputs=[model, records], force=force)
    if as_json and out:
        raise click.UsageError("--json prints the decisions: leave out --out, which writes CSV")
    options.keep_private()
    read = _reading_in_parts(cluster) if cluster else read_others
    found = predictions(
        model, options.regular_file(records), data_dir=data_dir, seed=seed, read=read
    )
    if as_json:
        echo_json(found.to_dict(orient="records"))
        return
    text = found.to_csv(index=False, lineterminator="\n")
    if out is None:
        click.echo(text, nl=False)
        return
    write_text(out, text)
    click.echo(out, err=True)


def _reading_in_parts(cluster: str) -> ReadOthers:
    """A function that reads a file in parts on the cluster at the address `cluster`."""
    from dpfair_cli.release.table_on_cluster import read_others_on_cluster

    return partial(read_others_on_cluster, workers=options.cluster_workers(cluster))
