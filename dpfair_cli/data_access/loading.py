"""Loads the data of a located data set, and checks the files and counts."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from dpfair_cli.contracts.declarations import File
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.extras import how_to_install
from dpfair_cli.contracts.file_digests import sha256_of
from dpfair_cli.contracts.resolved import DataSet
from dpfair_cli.data_access.locating import Located, own_identity, replica_path


def load(located: Located) -> Any:
    """The data of a located data set, or the population from which data are sampled.

    Raises:
        DpfairError: a file has the wrong SHA-256, changed while the command ran, does not have the
            declared counts, or needs a library that is not installed.
    """
    dataset, source = located.dataset, located.dataset.source
    if located.replica and source.replica:
        return source.replica.load(replica_path(source), **dataset.options)
    if source.own_files and own_identity(dataset) != located.sha256:
        raise DpfairError(
            f"{dataset.name}: the file {dataset.options['file']} changed while the command "
            "ran: run the command again"
        )
    for file in source.files:
        _require_published(located.folder, file)
    data = _loaded(dataset, located.folder)
    _require_counts(dataset, data)
    return data


def _loaded(dataset: DataSet, folder: Path) -> Any:
    """The data that the `load` function of a data set's source returns for the files in `folder`.

    Raises:
        DpfairError: a file is damaged, or needs a library that is not installed.
    """
    options, source = dataset.options, dataset.source
    try:
        return source.load(folder, **options)
    except (EOFError, zlib.error, BadZipFile) as error:
        files = ", ".join(str(options[key]) for key in source.own_files if options.get(key))
        raise DpfairError(
            f"{files or dataset.name} is damaged or truncated: copy or fetch the file again "
            f"({error})"
        ) from error
    except ImportError as error:  # pandas imports pyarrow only when it is needed
        command = how_to_install(["pyarrow"])
        raise DpfairError(
            f"the data set {dataset.name} needs a library that is not installed: {command}"
        ) from error


def _require_published(folder: Path, file: File) -> None:
    path = folder / file.path
    if not path.is_file() or sha256_of(path) != file.sha256:
        raise DpfairError(
            f"{path} is damaged, its SHA-256 must be {file.sha256}: delete the file and "
            "fetch it again"
        )


def _require_counts(dataset: DataSet, data: Any) -> None:
    """Refuses data with other counts, such as of records, than the data set declares."""
    expected = dataset.source.counts(dataset.options)
    found = data.counts() if expected else {}
    if found != expected:
        raise DpfairError(
            f"the counts of the data set {dataset.name} must be {expected}, got {found}: "
            "please report this as a bug"
        )
