"""The lock: version and digest of all code that a committed result depends on; it notices code that
nobody versioned.

    python -m dpfair_cli.code_lock.lock [--accept NAME ...]

A name is in the lock as kind/stem, or "running" for what all runs go through. Where its code moved
and its version did not, committed rows that use it are run again (rerun.py): if all come out to the
byte, the new digest is written, and otherwise the version has to be raised. `--accept` is for names
with rows that cannot be run again here.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import dpfair_cli
from dpfair_cli import catalog, paths
from dpfair_cli.code_lock import rerun
from dpfair_cli.code_lock.digest import DIGITS, Root, digests
from dpfair_cli.code_lock.rerun import RUNNING, Check
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.running import runner
from dpfair_cli.running.plan import VERSION

PACKAGE = Path(dpfair_cli.__file__).parent
RUNS = ("fit_and_score", "as_results", "split", "_generators")
# what only records, commands and downloads read, or what the key of a row holds anyway
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
    ),
    "Replica": ("note",),
    "File": ("sha256", "size", "urls"),
}


class Entry(NamedTuple):
    """What the lock holds of a name."""

    version: int
    digest: str


Lock = Mapping[str, Entry]


def path() -> Path:
    """Where the lock is."""
    return paths.folder("experiments") / "lock.json"


def roots() -> dict[str, tuple[int, list[Root]]]:
    """Every name with its version and what the digest is taken of."""
    found = {RUNNING: (VERSION, [(runner.__name__, name) for name in RUNS])}
    for registry in (catalog.algorithms, catalog.studies, catalog.data_sources):
        for name in registry.own_modules:
            declared = registry.find(name)
            root = (declared.module, declared.attribute)
            found[f"{registry.folder}/{name}"] = declared.version, [root]
    return found


def current() -> dict[str, Entry]:
    """The lock as the code would have it now."""
    named = roots()
    found = digests(
        PACKAGE, [root for _, parts in named.values() for root in parts], descriptive=DESCRIPTIVE
    )
    return {
        name: Entry(version, _together(found[root] for root in parts))
        for name, (version, parts) in named.items()
    }


def _together(parts: Iterable[str]) -> str:
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:DIGITS]


def read(file: Path) -> dict[str, Entry]:
    """The lock in a file, empty if there is none.

    Raises:
        DpfairError: the file is not a lock.
    """
    try:
        content = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        return {name: Entry(**entry) for name, entry in content.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise DpfairError(f"{file.name} is not a lock: restore it with git") from error


def write(lock: Lock, file: Path) -> None:
    """The lock as text, one sorted line a name."""
    lines = [
        f"  {json.dumps(name)}: {json.dumps(entry._asdict())}"
        for name, entry in sorted(lock.items())
    ]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def moved(lock: Lock, now: Lock) -> list[str]:
    """The names whose code moved although their version did not, and those that are new or gone."""
    both = lock.keys() & now.keys()
    silent = {
        name for name in both if lock[name].version == now[name].version and lock[name] != now[name]
    }
    return sorted(silent | (lock.keys() ^ now.keys()))


def relock(
    lock: Lock, now: Lock, *, accepted: Collection[str], data_dir: Path
) -> tuple[dict[str, Entry], list[str]]:
    """The lock as it may be written, and a line for each name that moved; a name that may not keeps
    its old entry.

    Raises:
        DpfairError: a name is accepted that did not move.
    """
    names = moved(lock, now)
    for name in accepted:
        if name not in names:
            raise DpfairError(
                f"{name} did not move: {nearest(name, names) if names else 'nothing did'}"
            )
    checks = rerun.check([name for name in names if name in now], data_dir=data_dir)
    refusals = {name: _refusal(name, check, lock, accepted) for name, check in checks.items()}
    entries = {name: lock.get(name) if refusals.get(name) else entry for name, entry in now.items()}
    lines = [f"{name}: {refusals.get(name) or _told(checks.get(name))}" for name in names]
    return {name: entry for name, entry in entries.items() if entry}, lines


def _refusal(name: str, check: Check, lock: Lock, accepted: Collection[str]) -> str:
    """Why the digest of a name that moved may not be written, if it may not; to accept it overrules
    no row.
    """
    if check.other:
        return f"raise its version: results moved ({'; '.join(map(str, check.other))})"
    unused = name in lock and not check.same
    obstacles = check.obstacles or ["no committed row uses it"] * unused
    if name in accepted or not obstacles:
        return ""
    return f"raise its version, or --accept {name} if no result can move: {', '.join(obstacles)}"


def _told(check: Check | None) -> str:
    if not check:
        return "gone"
    return "; ".join([f"locked, {len(check.same)} rows came out to the byte", *check.obstacles])


def main(arguments: list[str]) -> int:
    """Check what moved and write what may be written; 1 if something is left to do, said in one
    line each.
    """
    parser = argparse.ArgumentParser(
        prog="python -m dpfair_cli.code_lock.lock", description="Lock the code of results."
    )
    parser.add_argument(
        "--accept", nargs="+", default=[], metavar="NAME", help="lock NAME as far as it was checked"
    )
    given = parser.parse_args(arguments)
    try:
        now = current()
        entries, lines = relock(
            read(path()), now, accepted=given.accept, data_dir=paths.data_folder()
        )
        write(entries, path())
    except (DpfairError, OSError) as error:
        sys.stderr.write(f"Error: {error}\n")
        return 1
    sys.stdout.write("".join(f"{line}\n" for line in lines or ["nothing moved"]))
    return int(entries != now)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
