"""`dpfair fetch-data`: get data sets, from a mirror or their public addresses, and check them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import click

from dpfair_cli import catalog
from dpfair_cli.commands import options, terminal
from dpfair_cli.commands.options import argument, declared, option
from dpfair_cli.contracts import declarations
from dpfair_cli.contracts.errors import DpfairError

COLUMNS = "{:<21} {:>9} {:>9}  {:<9} {}"


@dataclass(frozen=True)
class FetchOptions:
    """The arguments and options of the command."""

    names: tuple[str, ...] = argument(
        nargs=-1, metavar="[NAME]...", shell_complete=options.complete_dataset
    )
    everything: bool = option("--all", "Download every data set that has files to download.")
    mirror: str | None = option(
        "--mirror",
        "A folder or address to try before the public addresses.  [env: DPFAIR_MIRROR]",
        envvar="DPFAIR_MIRROR",
        metavar="DIR|URL",
    )
    offline: bool = option(
        "--offline", "Do not use the network: copy only from the folder of --mirror."
    )
    as_json: bool = options.JSON
    data_dir: Path = options.DATA


@declared("fetch-data", FetchOptions)
def command(asked: FetchOptions) -> None:
    """Download data sets, and check the SHA-256 of each file.

    \b
    dpfair fetch-data adult dutch            two data sets
    dpfair fetch-data --all --mirror /data   all, from a copy of the data
    dpfair fetch-data                        what is here
    """
    if not (asked.names or asked.everything):
        _list(asked.data_dir, asked.as_json)
        return
    if asked.as_json:
        raise click.UsageError("--json prints the list of data sets: name no data set")
    for name in asked.names:  # the first error ends the command: these were named
        _fetch(catalog.data_source(name), asked)
    failures = _fetch_all(asked) if asked.everything else []
    if asked.names:
        terminal.say_next(f"dpfair sweep {asked.names[0]}", f"dpfair info {asked.names[0]}")
    if failures:
        raise DpfairError("; ".join(dict.fromkeys(failures)))  # data sets share files


def _sources() -> Iterator[declarations.DataSource]:
    """Every data source, in alphabetical order."""
    return map(catalog.data_source, catalog.data_sources.names)


def _fetch_all(asked: FetchOptions) -> list[str]:
    """Fetches the files of every data source, also after an error; returns the error messages."""
    failures, sources = [], list(filter(attrgetter("files"), _sources()))
    _say_sizes({file.path: file.size for source in sources for file in source.files}, asked)
    for source in sources:
        try:
            _fetch(source, asked)
        except DpfairError as error:
            failures.append(str(error))
    return failures


def _say_sizes(sizes: Mapping[str, int], asked: FetchOptions) -> None:
    """Says how many of the files, given by path, are missing, and how large they are together."""
    missing = [size for path, size in sizes.items() if not (asked.data_dir / path).is_file()]
    if missing:
        click.echo(f"{len(missing)} files to get, {sum(missing) / 1e6:,.1f} MB", err=True)


def _fetch(source: declarations.DataSource, asked: FetchOptions) -> None:
    """Fetches the files of a data source that are missing, and prints their paths."""
    from dpfair_cli.data_access import fetching  # loads NumPy, for which `--help` does not wait

    found = fetching.fetch(
        source, data_dir=asked.data_dir, mirror=asked.mirror, offline=asked.offline
    )
    for path in found:
        click.echo(path, err=True)
    click.echo(f"{source.name} is here")


def _list(data_dir: Path, as_json: bool) -> None:
    """Prints a line for each data source."""
    lines = [_line(source, data_dir) for source in _sources()]
    if as_json:
        terminal.echo_json(lines)
        return
    click.echo(COLUMNS.format("name", "rows", "size", "", "what it is"))
    for line in lines:
        rows = "-" if line["rows"] is None else f"{line['rows']:,}"
        size = "-" if line["bytes"] is None else f"{line['bytes'] / 1e6:.1f} MB"
        click.echo(COLUMNS.format(line["name"], rows, size, line["here"], line["note"]))


def _line(source: declarations.DataSource, data_dir: Path) -> dict[str, Any]:
    """The entry of a data source in `dpfair fetch-data`.

    The number of rows and the size are None for a source without public files.
    """
    about = {"name": source.name, "rows": None, "bytes": None, "here": "made", "note": source.note}
    if source.own_files:
        return about | {"here": "your file"}
    if not source.files:  # made by a program
        return about
    here = all((data_dir / file.path).is_file() for file in source.files)
    rows = source.expected.get("rows")  # a network has no rows
    size = sum(file.size for file in source.files)
    return about | {"rows": rows, "bytes": size, "here": "here" if here else "not here"}
