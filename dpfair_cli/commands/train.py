"""`dpfair train`: trains one method on one data set, and states what is private."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpfair_cli.commands import options, output_file
from dpfair_cli.commands.json_output import echo_json

if TYPE_CHECKING:
    from dpfair_cli.release.training import Trained

SCORES = "of the private data, without noise: not private, do not publish them"
REPLICA = "REPLICA: not the real data"


@click.command("train")
@click.argument("dataset", shell_complete=options.complete_dataset)
@click.option(
    "--method",
    required=True,
    metavar="NAME",
    shell_complete=options.complete_method,
    help="The method; `dpfair info methods` lists all methods.",
)
@click.option(
    "--eps",
    "epsilon",
    type=float,
    default=None,
    help="The epsilon of the fit.  [default: that of the method]",
)
@click.option(
    "--delta",
    type=float,
    default=None,
    help="The delta of (epsilon, delta)-differential privacy, for methods with a delta.",
)
@click.option(
    "--seed",
    metavar="N",
    help="Draw the noise from the seed N. Everybody who knows N can subtract the noise, so the fit "
    "is not private.  [default: secret noise]",
)
@options.task
@options.settings
@output_file.option("--save", "Write the model to FILE (JSON).")
@output_file.force
@options.as_json
@options.own_file
@options.data_dir
def command(
    dataset: str,
    method: str,
    epsilon: float | None,
    delta: float | None,
    seed: str | None,
    task: str,
    settings: tuple[str, ...],
    save: Path | None,
    force: bool,
    as_json: bool,
    data_dir: Path,
    **own: Any,
) -> None:
    """Train a method on 80 % of a data set, score the model on the rest, and state what is private.

    A method of causal discovery is fitted to all records, and the command prints the edges that
    the method finds.

    The noise comes from the operating system and cannot be drawn again. The file of --save holds
    the fitted model and public facts; for a private method, the guarantee covers the whole file.
    The printed scores are exact and not private.
    """
    from dpfair_cli import catalog
    from dpfair_cli.catalog import matching
    from dpfair_cli.commands import produce
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.release import saving, training

    options.require_usable_epsilon(1.0 if epsilon is None else epsilon)
    algorithm, given = catalog.algorithm(method), options.parse_settings(settings)
    if save and not matching.can_be_saved(algorithm):
        raise DpfairError(f"a model file cannot hold the result of {method}: leave out --save")
    output_file.require_free(save, "--save", inputs=[dataset, *own.values()], force=force)
    data, params = options.resolve_data_set(dataset, own, given, [algorithm])
    study = matching.study_named(task, data.source, [algorithm])
    protocol, params = matching.divided(params, study, [algorithm])
    budget = {"epsilon": epsilon, "delta": delta}
    params |= {name: value for name, value in budget.items() if value is not None}
    options.say_of_delta(params)
    chosen = catalog.method(method, params)
    for reason in produce.show_preview(data, [chosen]).values():
        raise DpfairError(f"{method} on {data.name}: {reason}")
    with produce.notice_if_slow([method]):
        trained = training.train(
            data,
            chosen,
            task=task,
            protocol=protocol,
            seed=options.parse_seed(seed),
            data_dir=data_dir,
        )
    echo_json(_plain(trained)) if as_json else _echo(trained)
    if save:
        saving.write(save, trained.model, trained.origin)
        click.echo(save, err=True)


def _plain(trained: Trained) -> dict[str, Any]:
    """The scores, the description and the privacy guarantee of a trained model for JSON."""
    return {
        "scores": dict(trained.scores),
        "scores are": SCORES,
        "replica": bool(trained.origin.replica),
        "model": list(trained.model.described()),
        "guarantee": trained.origin.guarantee.in_words(),
    }


def _echo(trained: Trained) -> None:
    """Prints the scores of a trained model, the description and the privacy guarantee."""
    stated = trained.origin.guarantee.in_words()
    if trained.origin.replica:
        stated = {"data": REPLICA, **stated}
    width = max(map(len, [*trained.scores, *stated]))
    click.echo(f"{'scores':{width}}  {SCORES}")
    for key, value in trained.scores.items():
        click.echo(f"{key:{width}}  {_text(value)}")
    click.echo()
    described = trained.model.described()
    for line in described:
        click.echo(line)
    if described:
        click.echo()
    for key, text in stated.items():
        click.echo(f"{key:{width}}  {text}")


def _text(score: Any) -> str:
    """A score as text; of a score with a value for each group, one group per line."""
    if isinstance(score, list):
        return " ".join(f"{_text(value):>8}" for value in score)
    if isinstance(score, str):
        return score
    if math.isnan(score):
        return "not measurable"
    return f"{score:.4f}" if abs(score) < 1000 else f"{score:,.0f}"
