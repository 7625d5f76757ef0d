"""`dpfair audit`: replay every release of a method on neighbouring data."""

from __future__ import annotations

from pathlib import Path

import click

from dpfair_cli.commands import options

@click.command("audit")
@click.argument("method")
@click.argument("dataset", default="")
@click.option("--eps", "epsilon", type=float, default=1.0, show_default=True, help="The claimed epsilon.")
@click.option("--neighbours", type=click.IntRange(min=1), default=200, show_default=True, help="Pairs to try.")
@click.option("--seconds", type=click.FloatRange(min=0), default=60, show_default=True, help="Begin no pair after them.")
@click.option("--trials", type=click.IntRange(min=0), default=0, help="Fits of the worst pair, for a lower bound.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@options.settings
@options.data_dir
def command(
    method: str,
    dataset: str,
    epsilon: float,
    neighbours: int,
    seconds: float,
    trials: int,
    seed: int,
    settings: tuple[str, ...],
    data_dir: Path,
) -> None:
    """Claimed epsilon, accounted epsilon, and what replaying on neighbours found; exit 1 if the claim breaks.

    METHOD is fitted on small samples of DATASET (a replica serves where the data are not here), in which one record is
    replaced by a random or an adversarial one, and the worst pair is made worse, value by value. Without DATASET it is
    adult, synthetic_categorical, or the first that the method can be fitted to (synthetic_gaussian has to be named for
    methods that want numbers).
    """
    from tqdm import tqdm

    from dpfair_cli.auditing import report
    from dpfair_cli.auditing.audit import audit
    from dpfair_cli.auditing.subjects import subject
    from dpfair_cli.contracts.errors import DpfairError

    chosen = subject(method, dataset, options.parse_settings(settings) | {"epsilon": epsilon}, data_dir, seed=seed)
    try:
        with tqdm(total=neighbours, unit="pair", delay=1) as bar:
            found = audit(
                method,
                chosen.data,
                params=chosen.params,
                neighbours=neighbours,
                seconds=seconds,
                trials=trials,
                seed=seed,
                tick=bar.update,
            )
    except ValueError as error:
        raise DpfairError(f"{method} on {chosen.dataset}: {error}") from error
    click.echo("\n".join(report.lines(found)))
    if not found.holds:
        raise click.exceptions.Exit(1)
