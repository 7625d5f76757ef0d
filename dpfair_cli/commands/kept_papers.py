"""Keeps what a check finds about a paper, until a file that it depends on changes.

The key is a digest of the code of dpfair, of the versions of the libraries, of the files of the
paper and of its results, and of the files directly in `experiments` and `results`. What is found
about several papers together, such as the scoreboard, is not kept.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dpfair_cli.commands import kept_answers
from dpfair_cli.contracts import declarations
from dpfair_cli.contracts.writing import write_bytes
from dpfair_cli.reproduction.checked_paper import CheckedPaper

FOLDER = "papers"  # in the folder of everything that is kept
MOST = 40  # kept papers; the oldest ones are deleted
OWN = "dpfair_cli."  # beginning of the modules whose objects are read
NUMBERS = {("numpy._core.multiarray", "scalar"), ("numpy", "dtype")}


def key_of(paper: str, names: Sequence[str], data_dir: Path, out: Path) -> str:
    """The key of the named artefacts of a paper with results in `out`; empty if none is kept."""
    from dpfair_cli import paths

    code = kept_answers.digest_of_code()
    experiments = paths.folder("experiments")
    tops = [file for place in (experiments, out) for file in place.glob("*") if file.is_file()]
    folders = [experiments / paper, out / paper, *sorted(tops)]
    found = kept_answers.digest_of_files(folders, [code, names, data_dir, out, Path.cwd()])
    return found if code else ""


def kept(key: str) -> CheckedPaper | None:
    """What was found with a key; None if it was not kept, or cannot be read."""
    if not key or not kept_answers.folder():
        return None
    try:
        found = _Reader(io.BytesIO(_file(key).read_bytes())).load()
    except Exception:  # a damaged file can raise anything: the paper is checked again
        return None
    return found if isinstance(found, CheckedPaper) else None


def keep(key: str, found: CheckedPaper) -> None:
    """Keeps what was found with a key, if it depends on nothing that the key lacks."""
    if not key or not kept_answers.folder() or not found.is_lasting:
        return
    with suppress(OSError):  # the next command checks the paper again
        _file(key).parent.mkdir(parents=True, exist_ok=True)
        write_bytes(_file(key), pickle.dumps(found, protocol=5))
        kept_answers.delete_oldest(_file(key).parent, MOST)


class _Reader(pickle.Unpickler):
    """Reads objects of dpfair and numbers, and nothing that could run another program."""

    def find_class(self, module: str, name: str) -> Any:
        """The class of an object, or the function that looks up a declaration.

        Raises:
            pickle.UnpicklingError: another package defines the class.
        """
        if not (module.startswith(OWN) or (module, name) in NUMBERS) or "." in name:
            raise pickle.UnpicklingError(f"{module}.{name}")
        found = super().find_class(module, name)
        is_own = isinstance(found, type) and found.__module__.startswith(OWN)
        if is_own or found is declarations.registered_again or (module, name) in NUMBERS:
            return found
        raise pickle.UnpicklingError(f"{module}.{name}")


def _file(key: str) -> Path:
    """The file of a kept paper."""
    return Path(kept_answers.folder(), FOLDER, f"{key}.pickle")
