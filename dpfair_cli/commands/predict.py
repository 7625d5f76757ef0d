"""`dpfair predict`: decisions of a saved model about the records of a file or a data set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpfair_cli.commands import options, output_file, own_data
from dpfair_cli.commands.json_output import echo_json
from dpfair_cli.commands.records import argument, declared, option

if TYPE_CHECKING:
    from dpfair_cli.release.predicting import ReadOthers


@dataclass(frozen=True)
class PredictOptions:
    """The arguments and options of the command."""

    model: Path = argument(type=click.Path(exists=True, dir_okay=False, path_type=Path))
    records: str = argument(metavar="FILE|DATASET", shell_complete=options.complete_dataset)
    out: Path | None = output_file.target(
        "--out", "Write the decisions to FILE (CSV).  [default: print the decisions]"
    )
    force: bool = output_file.force()
    seed: int | None = option(
        "--seed",
        type=click.IntRange(min=0),
        default=None,
        help="The seed from which a randomised rule draws its decisions, to repeat the decisions.",
    )
    cluster: str = options.cluster_option()
    as_json: bool = options.json_option()
    data_dir: Path = options.data_option()


@declared("predict", PredictOptions)
def command(asked: PredictOptions) -> None:
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
    from dpfair_cli.contracts.files import write_text
    from dpfair_cli.formats.table_in_model import read_others
    from dpfair_cli.release.predicting import predictions

    out = asked.out
    output_file.require_free(out, "--out", inputs=[asked.model, asked.records], force=asked.force)
    if asked.as_json and out:
        raise click.UsageError("--json prints the decisions: leave out --out, which writes CSV")
    own_data.keep_private()
    read = _reading_in_parts(asked.cluster) if asked.cluster else read_others
    records = own_data.regular_file(asked.records)
    found = predictions(asked.model, records, data_dir=asked.data_dir, seed=asked.seed, read=read)
    if asked.as_json:
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

    return partial(read_others_on_cluster, workers=own_data.cluster_workers(cluster))
