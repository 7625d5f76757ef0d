"""The lock: versions and digests of all code on which committed results depend.

    python -m tests.code_lock.lock [--accept NAME ...]

A name in the lock is FOLDER/MODULE, such as algorithms/pflr, or "running" for the code that
executes every run. If the code of a name changed and its version did not, committed runs that use
the code are made again (rerun.py). If all rows are equal to the byte, the new digest is written;
otherwise the version must be raised. `--accept` is for names with runs that cannot be made again on
this machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

import dpfair_cli
from dpfair_cli import catalog, paths
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.files import write_text
from dpfair_cli.running import runner
from dpfair_cli.running.plan import VERSION
from tests.code_lock import rerun
from tests.code_lock.digest import DIGITS, Root, digests
from tests.code_lock.rerun import RUNNING, Check

PACKAGE = Path(dpfair_cli.__file__).parent
RUNS = ("fit_and_score", "as_results", "split", "_generator")
# keyword arguments that are not part of a digest, because they cannot change a committed row: only
# messages, commands and downloads read them, or the key of a row contains them
DESCRIPTIVE = {
    "Algorithm": ("version", "source", "guarantee", "data_options", "needs", "uses_groups"),
    "Study": (
        "version",
        "scores",
        "unbounded",
        "ranges",
        "exact",
        "result",
        "axis",
        "outputs",
        "sweep",
        "fits",
        "optional_in_rows",
    ),
    "Sweep": (
        "title",
        "methods",
        "values",
        "also",
        "panels",
        "labels",
        "known_without_truth",
        "reference_methods",
        "baselines",
    ),
    "DataSource": (
        "version",
        "note",
        "task",
        "files",
        "expected",
        "expected_by_option",
        "own_files",
        "public_files",
        "confirmed",
        "profile",
        "table",
        "truth",
        "needs",
        "unpublished",
        "optional_in_rows",
    ),
    "Replica": ("note",),
    "File": ("sha256", "size", "urls", "licence"),
}


class LockedCode(NamedTuple):
    """The version and the digest of a module's code, as written in experiments/lock.json."""

    version: int
    """The version that its module declares."""
    digest: str
    """The digest of the module and of all definitions that the module refers to."""


Lock = Mapping[str, LockedCode]


def path() -> Path:
    """The path of the lock file experiments/lock.json."""
    return paths.folder("experiments") / "lock.json"


def roots() -> dict[str, tuple[int, list[Root]]]:
    """The code that the lock covers: name, such as algorithms/pflr -> (version, definitions).

    A digest of the name is computed from these definitions, each as (module, name in the module),
    and from all code that they refer to.
    """
    found = {RUNNING: (VERSION, [(runner.__name__, name) for name in RUNS])}
    for registry in (catalog.algorithms, catalog.studies, catalog.data_sources):
        for name in registry.own_modules:
            declared = registry.find(name)
            root = (declared.module, declared.attribute)
            found[f"{registry.folder}/{name}"] = declared.version, [root]
    return found


def current() -> dict[str, LockedCode]:
    """The version and digest of the present code of each locked name, such as algorithms/pflr."""
    named = roots()
    every = [root for _, parts in named.values() for root in parts]
    found = digests(PACKAGE, every, descriptive=DESCRIPTIVE)
    lock = {}
    for name, (version, parts) in named.items():
        together = " ".join(found[root] for root in parts)
        lock[name] = LockedCode(version, hashlib.sha256(together.encode()).hexdigest()[:DIGITS])
    return lock


def read(file: Path) -> dict[str, LockedCode]:
    """The version and digest of each name in a lock file; empty if the file does not exist.

    Raises:
        DpfairError: the file is not a lock.
    """
    try:
        content = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        return {name: LockedCode(**code) for name, code in content.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise DpfairError(
            f"{file.name} must map names to a version and a digest: restore the file with "
            "`git checkout`"
        ) from error


def write(lock: Lock, file: Path) -> None:
    """Writes a lock file as JSON, with one line per locked name in alphabetical order."""
    codes = sorted(lock.items())
    lines = [f"  {json.dumps(name)}: {json.dumps(code._asdict())}" for name, code in codes]
    write_text(file, "{\n" + ",\n".join(lines) + "\n}\n")


def moved(lock: Lock, now: Lock) -> list[str]:
    """The names with a changed digest and an equal version, and names in only one of the locks."""
    found = lock.keys() ^ now.keys()
    for name in lock.keys() & now.keys():
        if lock[name].version == now[name].version and lock[name].digest != now[name].digest:
            found.add(name)
    return sorted(found)


def relock(
    lock: Lock, now: Lock, *, accepted: Collection[str], data_dir: Path
) -> tuple[dict[str, LockedCode], list[str]]:
    """The new content of the lock file, and a message for each name whose code or version changed.

    A name whose new digest may not be written keeps its old digest. `accepted` are names whose rows
    cannot be run again on this machine.

    Raises:
        DpfairError: an accepted name has no changed code.
    """
    names = moved(lock, now)
    for name in accepted:
        if name not in names:
            meant = nearest(name, names) if names else "no code has changed"
            raise DpfairError(f"--accept takes names whose code has changed, got {name}: {meant}")
    checks = rerun.check([name for name in names if name in now], data_dir=data_dir)
    refusals = {name: _refusal(name, check, lock, accepted) for name, check in checks.items()}
    written = {name: code for name, code in now.items() if not refusals.get(name)}
    kept = {name: lock[name] for name, refusal in refusals.items() if refusal and name in lock}
    lines = [f"{name}: {refusals.get(name) or _outcome(checks.get(name))}" for name in names]
    return written | kept, lines


def _refusal(name: str, check: Check, lock: Lock, accepted: Collection[str]) -> str:
    """The reason why the new digest of a name may not be written; empty if it may be written.

    An accepted name is refused too if one of its rows changed.
    """
    if check.other:
        return f"raise its version: rows changed ({'; '.join(map(str, check.other))})"
    obstacles = check.obstacles
    if not obstacles and not check.same and name in lock:
        obstacles = ["no committed row uses it"]
    if name in accepted or not obstacles:
        return ""
    return f"raise its version, or --accept {name} if no row can change: {', '.join(obstacles)}"


def _outcome(check: Check | None) -> str:
    """The text that says what became of a name in the lock; `check` is None for a removed name."""
    if not check:
        return "removed from the lock"
    return "; ".join([f"locked, {len(check.same)} rows came out to the byte", *check.obstacles])


def main(arguments: list[str]) -> int:
    """Writes the lock file, after checking each name whose code changed; prints a line for each.

    Returns 1 if a new digest may not be written, otherwise 0.
    """
    parser = argparse.ArgumentParser(
        prog="python -m tests.code_lock.lock", description="Lock the code of results."
    )
    accept_help = "lock NAME although some of its rows cannot be run again here"
    parser.add_argument("--accept", nargs="+", default=[], metavar="NAME", help=accept_help)
    given = parser.parse_args(arguments)
    try:
        now, data_dir = current(), paths.data_folder()
        locked, lines = relock(read(path()), now, accepted=given.accept, data_dir=data_dir)
        write(locked, path())
    except (DpfairError, OSError) as error:
        sys.stderr.write(f"Error: {error}\n")
        return 1
    sys.stdout.write("".join(f"{line}\n" for line in lines or ["no code has changed"]))
    return int(locked != now)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
