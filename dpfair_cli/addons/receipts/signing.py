"""The list of the SHA-256 of all files of a receipt, and its signature by a key of SSH."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import sha256_of, write_text

LIST, SIGNATURE = "SHA256SUMS", "SHA256SUMS.sig"
NAMESPACE = "dpfair-receipt"  # a signature of anything else does not count as one of a receipt


def write_list(folder: Path) -> Path:
    """Writes the list of all files of a receipt, as `sha256sum -c` reads it; returns its path."""
    lines = [f"{sha256_of(folder / name)}  {name}\n" for name in _files(folder)]
    write_text(folder / LIST, "".join(lines))
    return folder / LIST


def sign(folder: Path, key: Path) -> Path:
    """Signs the list of a receipt with a private key of SSH; returns the path of the signature.

    Raises:
        DpfairError: ssh-keygen is missing, or refuses the key.
    """
    _keygen("sign", "-f", str(key), str(folder / LIST), why=f"cannot sign with {key}")
    return folder / SIGNATURE


def signer(folder: Path) -> str:
    """What ssh-keygen says of the signature, with the fingerprint of the key; empty without one.

    Raises:
        DpfairError: the signature is not one of the list, or ssh-keygen is missing.
    """
    if not (folder / SIGNATURE).is_file():
        return ""
    listed = (folder / LIST).read_bytes()
    where, why = str(folder / SIGNATURE), f"{folder / SIGNATURE} is no signature of {LIST}"
    return _keygen("check-novalidate", "-s", where, given=listed, why=why)


def changed_files(folder: Path) -> list[str]:
    """Each file of a receipt that is changed, missing or not in its list, in words.

    Raises:
        DpfairError: the folder has no list, or a line of it is malformed.
    """
    file = folder / LIST
    if not file.is_file():
        raise DpfairError(f"{folder} has no {LIST}: give the folder of a receipt")
    listed = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        digest, between, name = line.partition("  ")
        if not between or Path(name).is_absolute() or ".." in Path(name).parts:
            raise DpfairError(f"{file}: {line!r} is no line of a SHA-256 and a path in the folder")
        listed[name] = digest
    found = set(_files(folder))
    changed = [
        name for name in sorted(found & listed.keys()) if sha256_of(folder / name) != listed[name]
    ]
    return [
        *(f"{name} is changed" for name in changed),
        *(f"{name} is missing" for name in sorted(listed.keys() - found)),
        *(f"{name} is not in {LIST}" for name in sorted(found - listed.keys())),
    ]


def _files(folder: Path) -> Iterator[str]:
    """Yields the paths of the files in a folder, but for the list and its signature."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_dir() and name not in (LIST, SIGNATURE):
            yield name


def _keygen(*arguments: str, why: str, given: bytes | None = None) -> str:
    """What `ssh-keygen -Y` prints.

    Raises:
        DpfairError: begins with `why`.
    """
    action, *rest = arguments
    command = ["ssh-keygen", "-Y", action, "-n", NAMESPACE, *rest]
    try:
        done = subprocess.run(command, input=given, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise DpfairError(f"{why}: ssh-keygen is not installed (package openssh-client)") from error
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise DpfairError(f"{why}: {said or 'ssh-keygen failed'}")
    return done.stdout.decode().strip()
