"""`dpfair train`: train one method on one data set and say what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dpfair_cli.commands import options

SCORES = "of the private data, without noise: not private, do not publish them"
REPLICA = "REPLICA: not the real data"


@click.command("train")
@click.argument("dataset", shell_complete=options.complete_dataset)
@click.option(
    "--method",
    required=True,
    metavar="NAME",
    shell_complete=options.complete_method,
    help="The method; `dpfair info methods` lists them.",
)
@click.option("--eps", "epsilon", type=float, default=None, help="Privacy budget.")
@click.option(
    "--delta", type=float, default=None, help="Failure probability, for the methods that have one."
)
@click.option(
    "--seed",
    metavar="N",
    help="Repeat the noise: whoever knows N can take it away, and no privacy is left.  [default: secret noise]",
)
@options.settings
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="Write the model here (JSON).",
)
@options.own_file
@options.data_dir
def command(
    dataset: str,
    method: str,
    epsilon: float | None,
    delta: float | None,
    seed: str | None,
    settings: tuple[str, ...],
    save: Path | None,
    data_dir: Path,
    **own: Any,
) -> None:
    """Train on 80 % of a data set, score on the rest, and state what is private.

    Methods of causal discovery take all records, and print the edges that they find.

    The noise is the operating system's and nobody knows it. --save writes what is private and
    public facts alone; the scores that are printed are not private.
    """
    from dpfair_cli import catalog
    from dpfair_cli.commands import produce
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.contracts.specs import Part
    from dpfair_cli.release import saving, training

    options.require_usable_epsilon(1.0 if epsilon is None else epsilon)
    budget = {
        key: value for key, value in (("epsilon", epsilon), ("delta", delta)) if value is not None
    }
    name, columns, given = options.parse_dataset(dataset, own, settings, method)
    options.say_of_delta(given | budget)
    part = Part(method, catalog.complete("algorithms", method, given | budget))
    for reason in produce.show_preview(name, columns, [part]).values():
        raise DpfairError(f"{method} on {name}: {reason}")
    with produce.notice_if_slow([method]):
        trained = training.train(
            name, columns, method, given | budget, seed=options.parse_seed(seed), data_dir=data_dir
        )
    stated = (
        {"data": REPLICA} if trained.origin.replica else {}
    ) | trained.origin.guarantee.in_words()
    width = max(map(len, [*trained.scores, *stated]))
    click.echo(f"{'scores':{width}}  {SCORES}")
    for key, value in trained.scores.items():
        click.echo(f"{key:{width}}  {_text(value)}")
    click.echo()
    for line in trained.model.described():
        click.echo(line)
    if trained.model.described():
        click.echo()
    for key, text in stated.items():
        click.echo(f"{key:{width}}  {text}")
    if save:
        saving.write(save, trained.model, trained.origin)
        click.echo(save, err=True)


def _text(score: Any) -> str:
    """A score as text; that of each group in a column."""
    if isinstance(score, list):
        return " ".join(f"{_text(value):>8}" for value in score)
    return (
        score
        if isinstance(score, str)
        else f"{score:.4f}"
        if abs(score) < 1000
        else f"{score:,.0f}"
    )
