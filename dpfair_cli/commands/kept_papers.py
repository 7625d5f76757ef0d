"""Keeps what a check finds about a paper, until a file that it depends on changes.

The key is a digest of the code of dpfair, of the versions of the libraries, of the files of the
paper and of its results, and of the files directly in `experiments` and `results`. What is found
about several papers together, such as the scoreboard, is not kept.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpfair_cli.commands import kept_answers
from dpfair_cli.contracts import kept_files
from dpfair_cli.reproduction.checked_paper import CheckedPaper

FOLDER = "papers"  # in the cache folder
MOST = 40  # kept papers; the oldest ones are deleted
OWN = "dpfair_cli."  # beginning of the modules whose classes are read
OTHERS = {  # what else is read: numbers, and the function that looks up a declaration
    ("numpy._core.multiarray", "scalar"),
    ("numpy", "dtype"),
    ("dpfair_cli.contracts.declarations", "_registered_again"),
}


def keys_of(names: Sequence[str], data_dir: Path, out: Path) -> dict[str, str]:
    """The key of the named artefacts of each paper, with results in `out`.

    The keys are empty if nothing is kept, or if another package adds methods or data sets.
    """
    from dpfair_cli import paths

    by_paper: dict[str, list[str]] = {}
    for name in names:
        by_paper.setdefault(name.partition("/")[0], []).append(name)
    code, experiments = kept_answers.digest_of_code(), paths.folder("experiments")
    if not code:
        return dict.fromkeys(by_paper, "")
    tops = [file for place in (experiments, out) for file in place.glob("*") if file.is_file()]
    shared = kept_answers.digest_of_files(sorted(tops), [code, data_dir, out, Path.cwd()])
    return {
        paper: kept_answers.digest_of_files([experiments / paper, out / paper], [shared, own])
        for paper, own in by_paper.items()
    }


def kept(key: str) -> CheckedPaper | None:
    """What was found with a key; None if it was not kept, or cannot be read."""
    try:
        found = _Reader(io.BytesIO(kept_files.read(FOLDER, key) or b"")).load()
    except Exception:  # a damaged file can raise anything: the paper is checked again
        return None
    return found if isinstance(found, CheckedPaper) else None


def keep(key: str, found: CheckedPaper) -> None:
    """Keeps what was found with a key, if it depends on nothing that the key lacks."""
    if key and found.is_lasting:
        kept_files.keep(FOLDER, key, pickle.dumps(found, protocol=5), most=MOST)


class _Reader(pickle.Unpickler):
    """Reads objects of dpfair and numbers, and nothing that could run another program."""

    def find_class(self, module: str, name: str) -> Any:
        """The class of an object, or the function that looks up a declaration.

        Raises:
            pickle.UnpicklingError: another package defines the class.
        """
        if (module, name) in OTHERS:
            return super().find_class(module, name)
        if module.startswith(OWN) and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__.startswith(OWN):
                return found
        raise pickle.UnpicklingError(f"{module}.{name}")
