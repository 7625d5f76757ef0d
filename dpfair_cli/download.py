"""Find, fetch and load data sets: no byte is used before its SHA-256 agrees with the one in `datasets/`."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from dpfair_cli import catalog, home
from dpfair_cli.contracts import DpfairError, Expected, ExpectedNetwork, ExpectedVariables, File, Records

RETRIES = 2  # of one address, after 1 and 2 seconds
TIMEOUT = 30  # seconds without an answer
PATHS = ("file", "domain")  # options of a user's own data set that name a file


@dataclass(frozen=True)
class Located:
    """A data set that is here: its folder, the identity of the bytes that `load` will read, real or replica."""

    name: str
    folder: Path
    sha256: str
    replica: bool


def locate(name: str, options: Mapping[str, Any], *, data_dir: Path, replica_ok: bool = False) -> Located:
    """Where data set `name` is; never touches the network.

    Raises:
        DpfairError: it is not here, and how to get it.
    """
    module = catalog.find("datasets", name)
    if _is_own(name):
        return declared(name, options, data_dir=data_dir)
    if all((data_dir / file.path).is_file() for file in module.FILES):
        return declared(name, options, data_dir=data_dir)
    replica = _replica(name)
    if replica_ok and replica.is_file():
        return Located(name, replica.parent, _identity([(replica.name, _sha256(replica))]), replica=True)
    paths = ", ".join(file.path for file in module.FILES)
    raise DpfairError(f"{name} is not here: run `dpfair fetch-data {name}`, or put {paths} into {data_dir}")


def declared(name: str, options: Mapping[str, Any], *, data_dir: Path) -> Located:
    """The real data set `name`, here or not: enough to recognise the runs on it in a journal.

    Raises:
        DpfairError: a user's own file is not there.
    """
    if _is_own(name):
        return Located(name, data_dir, _own_identity(name, options), replica=False)
    files = catalog.find("datasets", name).FILES
    return Located(name, data_dir, _identity((file.path, file.sha256) for file in files), replica=False)


def load(located: Located, options: Mapping[str, Any]) -> Any:
    """The Records, Observations or Population of a located data set, after its files and its counts were checked.

    Raises:
        DpfairError: a file is not the published one, or changed since it was located.
    """
    module = catalog.find("datasets", located.name)
    if located.replica:
        return _load_replica(located, options)
    if _is_own(located.name):
        if _own_identity(located.name, options) != located.sha256:
            raise DpfairError(f"{located.name}: {options['file']} changed while it was used: run again")
        return module.load(located.folder, **options)
    for file in module.FILES:
        _verify(located.folder, file)
    data = module.load(located.folder, **options)
    if module.FILES:
        _agree(located.name, data, _expected(module, options), options)
    return data


def fetch(name: str, *, data_dir: Path, mirror: str | None, offline: bool) -> list[Path]:
    """Get the files of data set `name` into `data_dir`: from the mirror, else from the public addresses.

    `mirror` is a folder, or an address (http://...), laid out like `data_dir`. Files that are here are kept.

    Raises:
        DpfairError: a file could not be had; the message says which to put where by hand.
    """
    if _is_own(name):
        raise DpfairError(f"{name} reads a file of your own: give its path with file=PATH")
    return [_fetch(file, data_dir, mirror, offline) for file in catalog.find("datasets", name).FILES]


def _fetch(file: File, data_dir: Path, mirror: str | None, offline: bool) -> Path:
    """One file: the first source that gives the right bytes; they appear at their place all at once."""
    target = data_dir / file.path
    if target.is_file() and _sha256(target) == file.sha256:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    failures = []
    for source in _sources(file, mirror, offline):
        try:
            _get(source, target, file.sha256)
            return target
        except (OSError, ValueError) as error:  # requests' errors are OSErrors; pooch's wrong hash is a ValueError
            failures.append(f"{source}: {_reason(error)}")
    tried = "; ".join(failures) or "offline and without a mirror"
    raise DpfairError(f"cannot get {file.path} ({tried}): put it by hand at {target}, SHA-256 {file.sha256}")


def _sources(file: File, mirror: str | None, offline: bool) -> list[str]:
    """Folder or addresses to try in turn; offline, only a folder is left."""
    mirrored = [f"{mirror.rstrip('/')}/{file.path}"] if mirror else []
    return [source for source in (*mirrored, *file.urls) if not (offline and _is_url(source))]


def _get(source: str, target: Path, sha256: str) -> None:
    if _is_url(source):
        _download(source, target, sha256)
    else:
        _copy(Path(source).expanduser(), target, sha256)


def _download(url: str, target: Path, sha256: str) -> None:
    import pooch

    pooch.get_logger().setLevel("ERROR")
    folder = pooch.create(
        path=target.parent,
        base_url="",
        registry={target.name: f"sha256:{sha256}"},
        urls={target.name: url},
        retry_if_failed=RETRIES,
    )
    folder.fetch(target.name, downloader=pooch.HTTPDownloader(progressbar=True, timeout=TIMEOUT))
    target.chmod(0o644)  # pooch leaves 0600, and colleagues may share the folder


def _copy(source: Path, target: Path, sha256: str) -> None:
    part = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        shutil.copyfile(source, part)
        if _sha256(part) != sha256:
            raise ValueError("wrong SHA256 hash")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _reason(error: Exception) -> str:
    if isinstance(error, ValueError):
        return "another file (an error page, cut short, or changed)"
    answer = getattr(error, "response", None)  # of a requests.HTTPError
    if answer is not None:
        return f"answered {answer.status_code}"
    return getattr(error, "strerror", None) or type(error).__name__


def _verify(folder: Path, file: File) -> None:
    path = folder / file.path
    if not path.is_file() or _sha256(path) != file.sha256:
        raise DpfairError(f"{path} is damaged (SHA-256 should be {file.sha256}): delete it and fetch it again")


def _expected(module: ModuleType, options: Mapping[str, Any]) -> Any:
    """What the data set must show with these options: the variant that names them, else EXPECTED."""
    variants = [found for found in getattr(module, "VARIANTS", ()) if found.options.items() <= options.items()]
    return next(iter(variants), module.EXPECTED)


def _agree(name: str, data: Any, expected: Any, options: Mapping[str, Any]) -> None:
    """The contract of the real data: a change of a library that reads it must not go unseen."""
    found: Any
    wanted = expected
    if isinstance(expected, ExpectedNetwork):
        network = data.network
        found = ExpectedNetwork(len(network.names), int(network.dag.sum()), network.parameters)
    elif isinstance(expected, ExpectedVariables):
        found = ExpectedVariables(len(data), data.levels)
    else:
        found, wanted = _counts(data, expected, options)
    if found != wanted:
        raise DpfairError(f"{name} was read wrongly: {found} instead of {wanted}: please report this")


def _counts(records: Records, expected: Expected, options: Mapping[str, Any]) -> tuple[Expected, Expected]:
    """What records show, and what they should."""
    groups = tuple(int((records.protected == group).sum()) for group in range(len(records.domain.groups)))
    found = Expected(len(records), records.X.shape[1], groups, round(float(records.y.mean()), 4))
    columns = expected.columns if options.get("encoding", "one_hot") == "one_hot" else found.columns
    return found, Expected(expected.rows, columns, expected.groups, expected.base_rate)


def _load_replica(located: Located, options: Mapping[str, Any]) -> Records:
    import pandas as pd

    from dpfair_cli.models.encoding import encode

    module = catalog.find("datasets", located.name)
    if hasattr(module, "load_replica"):  # no table, or one of its own form
        return module.load_replica(_replica(located.name), **options)  # type: ignore[no-any-return]
    frame = pd.read_csv(_replica(located.name), comment="#", dtype=str, keep_default_na=False)
    records = encode(frame, module.DOMAIN, encoding=options.get("encoding", "one_hot"))
    if not hasattr(module, "keep"):  # other options choose among real rows
        return records
    return module.keep(records, **{name: value for name, value in options.items() if name != "encoding"})  # type: ignore[no-any-return]


def _replica(name: str) -> Path:
    """The file of a replica; a data set that reads the table of another one shares that one's (REPLICA)."""
    module = catalog.find("datasets", name)
    if hasattr(module, "replica_file"):  # one that a library brings
        return module.replica_file()  # type: ignore[no-any-return]
    shared = getattr(module, "REPLICA", name)
    return home.folder("data") / "replicas" / f"{shared}.csv.gz"


def _is_own(name: str) -> bool:
    """Whether the data set is a file of the user's."""
    return "file" in catalog.parameters("datasets", name)


def _own_identity(name: str, options: Mapping[str, Any]) -> str:
    if not options.get("file"):
        raise DpfairError(f"{name} reads a file of your own: give its path with file=PATH")
    paths = [Path(options[key]).expanduser() for key in PATHS if options.get(key)]
    for path in paths:
        if not path.is_file():
            raise DpfairError(f"{name}: {path} is not there")
    hashes = [_sha256(path) for path in paths]
    return hashes[0][:16] if len(hashes) == 1 else _identity(enumerate(hashes))


def _identity(hashes: Iterable[tuple[Any, str]]) -> str:
    """16 digits that change with any path or byte."""
    return hashlib.sha256(repr(sorted(hashes)).encode()).hexdigest()[:16]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_url(source: str) -> bool:
    return "://" in source
