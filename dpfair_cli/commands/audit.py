"""`dpfair audit`: replay every release of a method on neighbouring data."""

from __future__ import annotations

from pathlib import Path

import click

from dpfair_cli.commands import options

FIRST = ("adult", "synthetic_categorical")  # what a method is audited on, if it can be fitted to one of them


@click.command("audit")
@click.argument("method")
@click.argument("dataset", default="")
@click.option("--eps", "epsilon", type=float, default=1.0, show_default=True, help="The claimed epsilon.")
@click.option("--neighbours", type=click.IntRange(min=1), default=200, show_default=True, help="Pairs to try.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@options.settings
@options.data_dir
def command(
    method: str, dataset: str, epsilon: float, neighbours: int, seed: int, settings: tuple[str, ...], data_dir: Path
) -> None:
    """Claimed epsilon, accounted epsilon, and what replaying on neighbours found; exit 1 if the claim breaks.

    METHOD is fitted on small samples of DATASET (a replica serves where the data are not here), in which one record is
    replaced by a random or an adversarial one. Without DATASET it is adult, synthetic_categorical, or the first that
    the method can be fitted to (synthetic_gaussian has to be named for methods that want numbers).
    """
    import numpy as np
    from tqdm import tqdm

    from dpfair_cli import catalog
    from dpfair_cli.auditing.audit import audit
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.data_access.loading import load
    from dpfair_cli.data_access.locating import locate
    from dpfair_cli.kinds import Population

    params = catalog.complete("algorithms", method, options.parse_settings(settings))
    if "epsilon" not in params:
        raise DpfairError(f"{method} claims no privacy: there is nothing to audit")
    params = catalog.complete("algorithms", method, params | {"epsilon": epsilon})
    there = [name for name in catalog.names("datasets") if catalog.fits_data(method, name)]
    here = [name for name in there if not catalog.dataset(name).own_files]
    dataset = dataset or next((name for name in (*FIRST, *here) if name in here), "")
    if not catalog.fits_data(method, dataset):
        raise DpfairError(f"{method} cannot be fitted to {dataset}: name one of {', '.join(there)}")
    loading = catalog.complete("datasets", dataset, {})
    data = load(locate(dataset, loading, data_dir=data_dir, replica_ok=True), loading)
    records = data.draw(np.random.default_rng(seed))[0] if isinstance(data, Population) else data
    try:
        with tqdm(total=neighbours, unit="pair", delay=1) as bar:
            found = audit(method, records, params=params, neighbours=neighbours, seed=seed, tick=bar.update)
    except ValueError as error:
        raise DpfairError(f"{method} on {dataset}: {error}") from error
    click.echo(f"claimed     epsilon {found.claimed:g}" + (f", delta {found.delta:g}" if found.delta else ""))
    click.echo(f"accounted   epsilon {found.accounted:.4g} (declared sensitivities, composed)")
    click.echo(f"found       epsilon {found.found:.4g} on {found.neighbours} pairs of neighbours")
    click.echo(f"queries     moved by at most {found.largest_move:.3f} of their declared sensitivity")
    click.echo(f"otherwise   {'nothing but the releases depends on the data' if found.post_processing else 'LEAK'}")
    click.echo(f"verdict     {'the claim holds as far as tried' if found.holds else 'refuted'}")
    if not found.holds:
        raise click.exceptions.Exit(1)
