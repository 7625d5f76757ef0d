"""`dpfair sweeps`: lists the sweeps in the results, and removes those that are named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dpfair_cli.commands import options, terminal
from dpfair_cli.commands.json_output import echo_json
from dpfair_cli.commands.records import declared, option

JOURNAL = "runs.jsonl"  # every folder of a sweep has this file


@dataclass(frozen=True)
class SweepsOptions:
    """The options of the command."""

    names: tuple[str, ...] = option(
        "--prune",
        multiple=True,
        metavar="NAME",
        help="Remove the sweep in the folder NAME, with all its runs; may be repeated.",
    )
    as_json: bool = options.json_option()
    out: Path | None = options.out_option()


@declared("sweeps", SweepsOptions)
def command(asked: SweepsOptions) -> None:
    """List the sweeps below results/sweeps: folder, data set, methods, runs and size.

    Nothing is removed without --prune, and --prune removes only the sweeps that it names.
    """
    from dpfair_cli.contracts.errors import DpfairError, nearest
    from dpfair_cli.running.folder_lock import locked

    place = (asked.out or Path.cwd() / "results") / "sweeps"
    folders = {file.parent.name: file.parent for file in sorted(place.glob(f"*/{JOURNAL}"))}
    for name in asked.names:
        if name not in folders:
            hint = nearest(name, folders) if folders else "there are no sweeps"
            raise DpfairError(f"{place} has no sweep {name!r}: {hint}")
        if folders[name].is_symlink():
            raise DpfairError(f"{folders[name]} is a link: remove it by hand")
    for name in dict.fromkeys(asked.names):
        with locked(folders[name]):
            shutil.rmtree(folders.pop(name))
        click.echo(f"removed {place / name}", err=True)
    found = [_described(folder) for folder in folders.values()]
    if asked.as_json:
        echo_json(found)
        return
    for one in found:
        size = f"{one['bytes'] / 1024:,.0f} KiB"
        click.echo(f"{one['folder']}: {one['data set']}, {one['runs']} runs, {size}")
        terminal.echo(f"  {', '.join(one['methods'])}; epsilon {one['epsilon']}", indent=4)
    if not (found or asked.names):
        click.echo(f"no sweeps in {place}", err=True)


def _described(folder: Path) -> dict[str, Any]:
    """The data set, methods, number of runs and size of a sweep; damaged rows are left out."""
    rows = list(filter(None, map(_row, (folder / JOURNAL).read_bytes().splitlines())))
    return {
        "folder": folder.name,
        "data set": ", ".join(dict.fromkeys(str(row["dataset"]) for row in rows)) or "-",
        "methods": list(dict.fromkeys(str(row["algorithm"]) for row in rows)),
        "epsilon": ", ".join(f"{epsilon:g}" for epsilon in sorted(_epsilons(rows))) or "-",
        "runs": len(rows),
        "bytes": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
    }


def _epsilons(rows: Iterable[Mapping[str, Any]]) -> set[float]:
    """The values of epsilon in the parameters of rows."""
    values = [row["params"]["epsilon"] for row in rows if "epsilon" in row.get("params", {})]
    return set(map(float, values))


def _row(line: bytes) -> dict[str, Any]:
    """A row of a journal; empty for a line that is no row, such as a truncated last line."""
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    return row if isinstance(row, dict) and {"dataset", "algorithm"} <= row.keys() else {}
