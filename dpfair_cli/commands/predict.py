"""`dpfair predict`: decisions of a saved model about the records of a file or a data set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from dpfair_cli.commands import group_table, options, own_data, terminal
from dpfair_cli.commands.options import argument, declared, option
from dpfair_cli.formats import table_in_model
from dpfair_cli.release import predicting, table_on_cluster, training


@dataclass(frozen=True)
class PredictOptions:
    """The arguments and options of the command."""

    model: Path = argument(type=click.Path(exists=True, dir_okay=False, path_type=Path))
    records: str = argument(metavar="FILE|DATASET", shell_complete=options.complete_dataset)
    out: Path | None = options.target(
        "--out",
        "Write the decisions to FILE (CSV, in the dialect of the records).  "
        "[default: print the decisions]",
    )
    force: bool = options.FORCE
    seed: int | None = option(
        "--seed",
        "The seed from which a randomised rule draws its decisions, to repeat the decisions.",
        type=click.IntRange(min=0),
    )
    truth: bool = option(
        "--truth",
        "FILE also has the label and the protected column: print how right and how fair the "
        "decisions are, with intervals, in place of the decisions.",
    )
    cluster: str = options.cluster_option()
    as_json: bool = options.JSON
    data_dir: Path = options.DATA


@declared("predict", PredictOptions)
def command(asked: PredictOptions) -> None:
    """Print the decision of a saved model for each record of FILE or of a data set.

    \b
    dpfair train people.csv --label hired --protected sex --domain people.yaml \\
        --method pflr --save model.json
    dpfair predict model.json applicants.csv
    dpfair predict adult.json adult          a model that was trained on adult
    dpfair predict model.json others.csv --truth

    Each decision has the probability with which the rule decides in favour: 0 or 1, unless the rule
    is randomised. FILE must have the feature columns that the model was trained on. The label
    column is not needed, and the protected column is needed only if the decision depends on the
    group. A value outside the range or levels of its column is replaced by a value inside (`dpfair
    info csv` says which). The privacy guarantee of the model does not cover the records of FILE: a
    decision can reveal facts about its record. The numbers of --truth are those of `dpfair gaps`:
    give other records than those that the model was trained on.

    With --truth, FILE of --out also has the true label and the group, which `dpfair gaps` reads:

    \b
    dpfair predict model.json others.csv --truth --out decisions.csv
    dpfair gaps decisions.csv --label "true hired" --decision hired \\
        --protected sex
    """
    from dpfair_cli.contracts.files import write_bytes  # loads PyYAML

    out = asked.out
    options.require_free(out, "--out", inputs=[asked.model, asked.records], force=asked.force)
    if asked.as_json and out:
        raise click.UsageError("--json prints the decisions: leave out --out, which writes CSV")
    own_data.keep_private()  # decisions reveal facts about records
    read = _reader(asked)
    # a pipe cannot be read twice, for the form of the table and for its records
    records = own_data.regular_file(asked.records)
    found = predicting.predictions(
        asked.model, records, data_dir=asked.data_dir, seed=asked.seed, read=read
    )
    content = training.written(found.table, found.form)
    if out:
        write_bytes(out, content)
        click.echo(out, err=True)
    if asked.truth:
        group_table.show(found.counts(), found.records.domain.groups, as_json=asked.as_json)
    elif asked.as_json:
        terminal.echo_json(found.table.to_dict(orient="records"))
    elif out is None:
        click.echo(content.decode(found.form.encoding), nl=False)


def _reader(asked: PredictOptions) -> predicting.ReadOthers:
    """The function that reads FILE: with labels, on a cluster, or as usual.

    Raises:
        click.UsageError: labels are to be read on a cluster.
    """
    if asked.truth and asked.cluster:
        raise click.UsageError("--truth reads the table in memory: leave out --cluster")
    if asked.truth:
        return table_in_model.read_with_truth
    if asked.cluster:
        workers = own_data.cluster_workers(asked.cluster)
        return partial(table_on_cluster.read_others_on_cluster, workers=workers)
    return table_in_model.read_others
