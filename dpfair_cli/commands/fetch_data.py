"""`dpfair fetch-data`: get data sets, from a mirror or their public addresses, and check them."""

from __future__ import annotations

from pathlib import Path

import click

from dpfair_cli.commands.options import data_dir

COLUMNS = "{:<21} {:>9} {:>9}  {:<9} {}"


@click.command("fetch-data")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "everything", is_flag=True, help="Fetch every data set that can be fetched.")
@click.option("--list", "listing", is_flag=True, help="List the data sets and whether they are here.")
@click.option("--mirror", envvar="DPFAIR_MIRROR", metavar="DIR|URL", help="Try this first. [env: DPFAIR_MIRROR]")
@click.option("--offline", is_flag=True, help="Never touch the network: copy from a --mirror folder only.")
@data_dir
def command(
    names: tuple[str, ...], everything: bool, listing: bool, mirror: str | None, offline: bool, data_dir: Path
) -> None:
    """Fetch data sets, checking the SHA-256 of each file.

    \b
    dpfair fetch-data adult dutch            from the public addresses
    dpfair fetch-data --all --mirror /data   from a folder laid out like ours
    dpfair fetch-data --list                 what there is, and what is here
    """
    from dpfair_cli.contracts.errors import DpfairError

    if not (names or everything or listing):
        raise click.UsageError("name a data set, or give --all or --list")
    for name in names:
        _fetch(name, data_dir, mirror, offline)
    failures = _fetch_all(data_dir, mirror, offline) if everything else []
    if listing:
        _list(data_dir)
    if failures:
        raise DpfairError("; ".join(failures))


def _fetch_all(data_dir: Path, mirror: str | None, offline: bool) -> list[str]:
    """Every data set that has files; returns why some could not be had, which does not keep the others away."""
    from dpfair_cli import catalog
    from dpfair_cli.contracts.errors import DpfairError

    failures = []
    for name in catalog.names("datasets"):
        try:
            if catalog.dataset(name).files:
                _fetch(name, data_dir, mirror, offline)
        except DpfairError as error:
            failures.append(str(error))
    return failures


def _fetch(name: str, data_dir: Path, mirror: str | None, offline: bool) -> None:
    from dpfair_cli.data_access import fetching

    for path in fetching.fetch(name, data_dir=data_dir, mirror=mirror, offline=offline):
        click.echo(path, err=True)
    click.echo(f"{name} is here")


def _list(data_dir: Path) -> None:
    from dpfair_cli import catalog

    click.echo(COLUMNS.format("name", "rows", "size", "", "what it is"))
    for name in catalog.names("datasets"):
        dataset = catalog.dataset(name)
        if not dataset.files:
            kind = "your file" if dataset.own_files else "made"
            click.echo(COLUMNS.format(name, "-", "-", kind, dataset.note))
            continue
        here = all((data_dir / file.path).is_file() for file in dataset.files)
        size = sum(file.size for file in dataset.files) / 1e6
        rows = dataset.expected.get("rows")  # a network has none of its own
        row = (
            name,
            "-" if rows is None else f"{rows:,}",
            f"{size:.1f} MB",
            "here" if here else "not here",
            dataset.note,
        )
        click.echo(COLUMNS.format(*row))
