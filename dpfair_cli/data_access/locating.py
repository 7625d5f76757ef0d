"""Where a data set is and what its bytes are, without reading them as data and without the network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpfair_cli import catalog, paths
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.data_access.hashes import combined, sha256_of


@dataclass(frozen=True)
class Located:
    """A data set that is here: its folder, the identity of the bytes that `load` will read, real or
    replica.
    """

    name: str
    folder: Path
    sha256: str
    replica: bool


def locate(
    name: str, options: Mapping[str, Any], *, data_dir: Path, replica_ok: bool = False
) -> Located:
    """Where data set `name` is; never touches the network.

    Raises:
        DpfairError: it is not here, and how to get it.
    """
    files = catalog.dataset(name).files
    if all((data_dir / file.path).is_file() for file in files):
        return declared(name, options, data_dir=data_dir)
    replica = replica_path(name)
    if replica_ok and replica.is_file():
        return Located(name, replica.parent, replica_identity(replica), replica=True)
    wanted = ", ".join(file.path for file in files)
    raise DpfairError(
        f"{name} is not here: run `dpfair fetch-data {name}`, or put {wanted} into {data_dir}"
    )


def declared(name: str, options: Mapping[str, Any], *, data_dir: Path) -> Located:
    """The real data set `name`, here or not: enough to recognise the runs on it in a journal.

    Raises:
        DpfairError: a user's own file is not there.
    """
    dataset = catalog.dataset(name)
    if dataset.own_files:
        return Located(name, data_dir, own_identity(name, options), replica=False)
    return Located(
        name, data_dir, combined((file.path, file.sha256) for file in dataset.files), replica=False
    )


def own_identity(name: str, options: Mapping[str, Any]) -> str:
    """What identifies a user's own files.

    Raises:
        DpfairError: no path was given, or there is no file at it.
    """
    if not options.get("file"):
        raise DpfairError(f"{name} reads a file of your own: give its path with file=PATH")
    files = [
        Path(options[key]).expanduser()
        for key in catalog.dataset(name).own_files
        if options.get(key)
    ]
    for file in files:
        if file.is_dir():
            raise DpfairError(f"{name}: {file} is a folder: give the path of a file in it")
        if not file.is_file():
            raise DpfairError(f"{name}: {file} is not there")
    hashes = [sha256_of(file) for file in files]
    return hashes[0][:16] if len(hashes) == 1 else combined(enumerate(hashes))


def replica_identity(file: Path) -> str:
    """What identifies a replica's file."""
    return combined([(file.name, sha256_of(file))])


def replica_path(name: str) -> Path:
    """The file of a data set's replica; one that is never there if it has none."""
    folder, replica = paths.replica_folder(), catalog.dataset(name).replica
    return replica.path(folder) if replica else folder / f"{name}.none"
