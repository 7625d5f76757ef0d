"""`dpfair predict`: decisions for the people of a file, by a model that `dpfair train --save` wrote."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("predict")
@click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("file", type=click.Path(dir_okay=False))
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), default=None, help="Write here (CSV).  [default: print]"
)
@click.option("--seed", type=click.IntRange(min=0), default=None, help="Draw a randomised rule's decisions again.")
def command(model: Path, file: str, out: Path | None, seed: int | None) -> None:
    """Decide about the people of FILE, a line for each: the decision, and the probability of the favourable one.

    \b
    dpfair train people.csv --label hired --protected sex --domain people.yaml --method pflr --save model.json
    dpfair predict model.json applicants.csv

    FILE has the columns that the model was trained on; the label need not be there, and the protected column only for
    a rule that decides by it. A cell outside the domain is moved inside by its rule (`dpfair info csv`). The decisions
    are about the people of FILE: they say what its rows say.
    """
    from dpfair_cli.predicting import predictions

    text = predictions(model, file, seed=seed).to_csv(index=False, lineterminator="\n")
    if out is None:
        click.echo(text, nl=False)
        return
    out.write_text(text, encoding="utf-8")
    click.echo(out, err=True)
