"""Load a located data set, after its files and its counts were checked."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import File
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.extras import how_to_install
from dpfair_cli.data_access.hashes import sha256_of
from dpfair_cli.data_access.locating import Located, own_identity, replica_path


def load(located: Located, options: Mapping[str, Any]) -> Any:
    """The data, or the population to draw them from, of a located data set.

    Raises:
        DpfairError: a file is not the published one, changed since it was located, was read
            wrongly, or needs a library that is not here.
    """
    dataset = catalog.dataset(located.name)
    if located.replica and dataset.replica:
        return dataset.replica.load(replica_path(located.name), **options)
    if dataset.own_files and own_identity(located.name, options) != located.sha256:
        raise DpfairError(f"{located.name}: {options['file']} changed while it was used: run again")
    for file in dataset.files:
        _require_published(located.folder, file)
    try:
        data = dataset.load(located.folder, **options)
    except (EOFError, zlib.error, BadZipFile) as error:
        files = ", ".join(str(options[key]) for key in dataset.own_files if options.get(key))
        raise DpfairError(
            f"{files or located.name} is damaged or cut short: copy or fetch it again ({error})"
        ) from error
    except ImportError as error:  # of pyarrow, by pandas
        command = how_to_install(["pyarrow"])
        raise DpfairError(f"{located.name} needs a library to be read: {command}") from error
    _require_counts(located.name, data, dataset.counts(options))
    return data


def _require_published(folder: Path, file: File) -> None:
    path = folder / file.path
    if not path.is_file() or sha256_of(path) != file.sha256:
        raise DpfairError(
            f"{path} is damaged (SHA-256 should be {file.sha256}): delete it and fetch it again"
        )


def _require_counts(name: str, data: Any, expected: Mapping[str, Any]) -> None:
    """The contract of the real data: a change of a library that reads it must not go unseen."""
    found = data.counts() if expected else {}
    if found != expected:
        raise DpfairError(
            f"{name} was read wrongly: {found} instead of {expected}: please report this"
        )
