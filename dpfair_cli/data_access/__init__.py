"""Finds and loads the files of data sets, without downloading, and checks their content.

`locate` finds the files of a data set and a digest of them, and `load` reads what was located.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from dpfair_cli import paths
from dpfair_cli.contracts.declarations import DataSet, DataSource, File
from dpfair_cli.contracts.errors import DpfairError, how_to_install
from dpfair_cli.contracts.files import sha256_of

OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open}
FIRST_LINE = 2**20  # largest number of bytes of a first line


@dataclass(frozen=True)
class Located:
    """A data set with the folder and the digest of its files."""

    dataset: DataSet
    folder: Path  # the folder with the files
    sha256: str  # a digest that identifies the content of the files
    replica: bool  # whether the files are those of a synthetic replica


def locate(dataset: DataSet, *, data_dir: Path, replica_ok: bool = False) -> Located:
    """The data set with its files in `data_dir`, or with its synthetic replica.

    The replica is used only if the files are missing and `replica_ok` is set.

    Raises:
        DpfairError: the data set is not there; the message says how to get it.
    """
    source = dataset.source
    if all((data_dir / file.path).is_file() for file in source.files):
        return declared(dataset, data_dir=data_dir)
    if replica_ok and replica_path(source).is_file():
        return locate_replica(dataset)
    wanted = ", ".join(file.path for file in source.files)
    raise DpfairError(
        f"the data set {source.name} is not in the data folder: run `dpfair fetch-data "
        f"{source.name}`, or copy {wanted} into {data_dir}"
    )


def declared(dataset: DataSet, *, data_dir: Path) -> Located:
    """The real data set, whose files may be missing; enough to find its runs in a journal.

    Raises:
        DpfairError: a file of the user does not exist.
    """
    source = dataset.source
    published = ((file.path, file.sha256) for file in source.files)
    sha256 = own_identity(dataset) if source.own_files else combined(published)
    return Located(dataset, data_dir, sha256, replica=False)


def locate_replica(dataset: DataSet) -> Located:
    """The data set with its synthetic replica, which must exist."""
    file = replica_path(dataset.source)
    return Located(dataset, file.parent, replica_identity(file), replica=True)


def own_identity(dataset: DataSet) -> str:
    """A digest of the content of the user's files that the options of a data set name.

    Of a domain file only what it says about the data counts, not layout, comments or the mark that
    `dpfair budget init` writes.

    Raises:
        DpfairError: no path was given, there is no file at the path, or the domain file is
            malformed.
    """
    name, options = dataset.name, dataset.options
    if not options.get("file"):
        raise DpfairError(
            f"the data set {name} reads a file of your own: give the path of the file with "
            "file=PATH"
        )
    keys = [key for key in dataset.source.own_files if options.get(key)]
    files = [Path(options[key]).expanduser() for key in keys]
    for file in files:
        if file.is_dir():
            raise DpfairError(f"{name}: {file} is a folder: give the path of a file in it")
        if not file.is_file():
            raise DpfairError(f"{name}: {file} does not exist: check the path")
    about_data = "domain" if "domain" in dataset.source.public_files else ""
    hashes = [
        _sha256_about_data(file) if key == about_data else _sha256_of_table(file)
        for key, file in zip(keys, files, strict=True)
    ]
    return hashes[0][:16] if len(hashes) == 1 else combined(enumerate(hashes))


def _sha256_about_data(domain: Path) -> str:
    """The SHA-256 of what a domain file says about the data."""
    # only a table of one's own needs the readers of such tables
    from dpfair_cli.formats.domain_file import read_draft, text_about_data

    return hashlib.sha256(text_about_data(read_draft(str(domain))).encode()).hexdigest()


def _sha256_of_table(file: Path) -> str:
    """The SHA-256 of a user's table; of a Parquet file or a workbook, that of its copy as csv."""
    from dpfair_cli.formats.file_content import kind_of, read_bytes

    if kind_of(str(file)) == "text":
        return _sha256_of_lines(file)
    return hashlib.sha256(read_bytes(str(file))).hexdigest()


def _sha256_of_lines(file: Path) -> str:
    """The SHA-256 of a file whose lines end with a line feed; of any other file, that of its copy.

    The copy of a table with other line ends has the same records, and so gets the same split.
    """
    with file.open("rb") as content:
        if not content.readline(FIRST_LINE).endswith(b"\r\n"):
            return sha256_of(file)
        content.seek(0)
        digest, rest = hashlib.sha256(), b""
        while piece := content.read(FIRST_LINE):
            piece = rest + piece
            rest = piece[-1:] if piece.endswith(b"\r") else b""  # its line feed comes next
            digest.update(piece[: len(piece) - len(rest)].replace(b"\r\n", b"\n"))
        digest.update(rest)
    return digest.hexdigest()


def replica_identity(file: Path) -> str:
    """A digest of the content of the file of a synthetic replica, however it is compressed."""
    with OPENERS.get(file.suffix, open)(file, "rb") as content:
        return combined([(file.stem, hashlib.file_digest(content, "sha256").hexdigest())])


def replica_path(source: DataSource) -> Path:
    """The path of the synthetic replica of a data source; the file may not exist.

    An installed package has the tables of the checkout, compressed by bzip2 in place of gzip.
    """
    folder = paths.replica_folder()
    file = source.replica.path(folder) if source.replica else folder / f"{source.name}.none"
    packed = file.with_suffix(".bz2")
    return packed if packed.exists() and not file.exists() else file


def combined(hashes: Iterable[tuple[Any, str]]) -> str:
    """A digest of 16 digits that changes if any of the pairs (name, hash) changes."""
    return hashlib.sha256(repr(sorted(hashes)).encode()).hexdigest()[:16]


def load(located: Located) -> Any:
    """The data of a located data set, or the population from which data are sampled.

    Raises:
        DpfairError: a file has the wrong SHA-256, changed while the command ran, does not have the
            declared counts, or needs a library that is not installed.
    """
    dataset, source = located.dataset, located.dataset.source
    if located.replica and source.replica:
        return source.replica.load(replica_path(source), **dataset.options)
    # a journal would otherwise have rows of one file under the digest of another
    if source.own_files and own_identity(dataset) != located.sha256:
        raise DpfairError(
            f"{dataset.name}: the file {dataset.options['file']} changed while the command "
            "ran: run the command again"
        )
    # the digest of a published file is asked each time: a data folder may be shared and changed
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
    """Refuses a published file that is missing or has another content."""
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
            f"the counts of the data set {dataset.name} must be {expected}, got {found}: the file "
            "has changed, or `expected` of the data source lacks some"
        )
