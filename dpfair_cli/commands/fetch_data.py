"""`dpfair fetch-data`: get data sets, from a mirror or their public addresses, and check them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dpfair_cli.commands import options
from dpfair_cli.commands.json_output import echo_json

COLUMNS = "{:<21} {:>9} {:>9}  {:<9} {}"


@click.command("fetch-data")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=options.complete_dataset)
@click.option("--all", "everything", is_flag=True, help="Fetch every data set that can be fetched.")
@click.option(
    "--list", "listing", is_flag=True, help="List the data sets and whether they are here."
)
@click.option(
    "--mirror",
    envvar="DPFAIR_MIRROR",
    metavar="DIR|URL",
    help="Try this first. [env: DPFAIR_MIRROR]",
)
@click.option(
    "--offline", is_flag=True, help="Never touch the network: copy from a --mirror folder only."
)
@options.as_json
@options.data_dir
def command(
    names: tuple[str, ...],
    everything: bool,
    listing: bool,
    mirror: str | None,
    offline: bool,
    as_json: bool,
    data_dir: Path,
) -> None:
    """Fetch data sets, checking the SHA-256 of each file.

    \b
    dpfair fetch-data adult dutch            from the public addresses
    dpfair fetch-data --all --mirror /data   from a folder laid out like ours
    dpfair fetch-data --list                 what there is, and what is here
    """
    from dpfair_cli.contracts.errors import DpfairError

    if as_json and not listing:
        raise click.UsageError("--json is for --list")
    if not (names or everything or listing):
        raise click.UsageError("name a data set, or give --all or --list")
    for name in names:
        _fetch(name, data_dir, mirror, offline)
    failures = _fetch_all(data_dir, mirror, offline) if everything else []
    if listing:
        _list(data_dir, as_json)
    if failures:
        raise DpfairError("; ".join(failures))


def _fetch_all(data_dir: Path, mirror: str | None, offline: bool) -> list[str]:
    """Every data set that has files; returns why some could not be had, which does not keep the
    others away.
    """
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


def _list(data_dir: Path, as_json: bool) -> None:
    from dpfair_cli import catalog

    lines = [_line(name, data_dir) for name in catalog.names("datasets")]
    if as_json:
        echo_json(lines)
        return
    click.echo(COLUMNS.format("name", "rows", "size", "", "what it is"))
    for line in lines:
        rows = "-" if line["rows"] is None else f"{line['rows']:,}"
        size = "-" if line["bytes"] is None else f"{line['bytes'] / 1e6:.1f} MB"
        click.echo(COLUMNS.format(line["name"], rows, size, line["here"], line["note"]))


def _line(name: str, data_dir: Path) -> dict[str, Any]:
    """What the list says of a data set; one without public files has no size, and no number of
    rows.
    """
    from dpfair_cli import catalog

    dataset = catalog.dataset(name)
    if not dataset.files:
        kind = "your file" if dataset.own_files else "made"
        return {"name": name, "rows": None, "bytes": None, "here": kind, "note": dataset.note}
    here = all((data_dir / file.path).is_file() for file in dataset.files)
    rows = dataset.expected.get("rows")  # a network has none of its own
    size = sum(file.size for file in dataset.files)
    return {
        "name": name,
        "rows": rows,
        "bytes": size,
        "here": "here" if here else "not here",
        "note": dataset.note,
    }
