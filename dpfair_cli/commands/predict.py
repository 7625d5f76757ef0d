"""`dpfair predict`: decisions of a saved model about the records of a file or a data set."""

from __future__ import annotations

from pathlib import Path

import click

from dpfair_cli.commands import options


@click.command("predict")
@click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("records", metavar="FILE|DATASET", shell_complete=options.complete_dataset)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="Write here (CSV).  [default: print]",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=None,
    help="Draw a randomised rule's decisions again.",
)
@options.data_dir
def command(model: Path, records: str, out: Path | None, seed: int | None, data_dir: Path) -> None:
    """The decision about each record of FILE or of a data set, and its probability.

    \b
    dpfair train people.csv --label hired --protected sex --domain people.yaml \\
        --method pflr --save model.json
    dpfair predict model.json applicants.csv
    dpfair predict adult.json adult          a model that was trained on adult

    FILE has the columns that the model was trained on. It need not have the label, and the
    protected column only if the rule decides by it. A cell outside the domain is mapped into it
    (`dpfair info csv` says how). The decisions are about the records of FILE and reveal what its
    rows reveal. The probability is that of the favourable decision.
    """
    from dpfair_cli.contracts.errors import naming
    from dpfair_cli.release.predicting import predictions

    text = predictions(model, records, data_dir=data_dir, seed=seed).to_csv(
        index=False, lineterminator="\n"
    )
    if out is None:
        click.echo(text, nl=False)
        return
    with naming(out):
        out.write_text(text, encoding="utf-8")
    click.echo(out, err=True)
