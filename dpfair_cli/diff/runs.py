"""Reads the runs of journals, and says how the runs before and after differ.

The row of a run records the data, options, parameters, seed and versions of code that made the run.
If none of these differ but the result does, differences of libraries and processor features are
given as the cause, from results/arithmetic.txt. If these are equal too, no recorded input explains
the change, and the change must be investigated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dpfair_cli.diff.sides import read_bytes
from dpfair_cli.running import rows
from dpfair_cli.running.rows import Row, SettingFields

STATEMENT = "arithmetic.txt"  # libraries and processor features that made the results of a folder
UNEXPLAINED = "no recorded cause: same code versions, data, options and seeds"
NAMES = {"running": "dpfair"}  # printed names of code; other names are those in the row
IDENTITIES = ("code: ", "data: ")  # begin the facts that name a method or a data set
Facts = dict[str, set[str]]  # what is recorded of runs, such as "data: adult", and its values


@dataclass(eq=False, slots=True)
class FinishedRun:
    """A run of a journal: its setting, its seed, and the row with its results."""

    setting: SettingFields
    seed: int
    row: Row


Runs = tuple[FinishedRun, ...]


def read_runs(journals: Iterable[Path | None]) -> list[list[FinishedRun]]:
    """The runs of each journal; none without a file. A truncated last line is ignored.

    Equal lines of two journals are the same object, and so are equal settings. Runs of two sides
    are therefore compared by identity.

    Raises:
        DpfairError: a line is not a run.
    """
    settings: dict[bytes, SettingFields] = {}
    known: dict[bytes, FinishedRun] = {}
    found = []
    for file in journals:
        lines = (read_bytes(file) or b"").split(b"\n")[:-1]
        for number, line in enumerate(lines, start=1):
            if line not in known:  # most lines of two sides are equal, and are parsed once
                row = rows.read_line(line, settings, file or Path(), number)
                known[line] = FinishedRun(row.setting, row.seed, row)
        found.append([known[line] for line in lines])
    return found


def settings_of(runs: Iterable[FinishedRun]) -> tuple[SettingFields, ...]:
    """The distinct settings of runs."""
    return tuple(dict.fromkeys(run.setting for run in runs))


class Causes:
    """The causes of changed numbers between two sides of a comparison of results.

    `libraries` is the result of `library_changes` for the two sides. `of` returns the differences
    between the runs of a number before and after, as texts; none if the runs do not differ.
    """

    def __init__(self, libraries: Sequence[str]) -> None:
        self._libraries = libraries
        # many numbers of an artefact are means of the same runs
        self.of: Callable[[Runs, Runs], tuple[str, ...]] = cache(self._found)
        self._of_settings = cache(lambda before, after: _changes(_facts(before), _facts(after)))

    def _found(self, before: Runs, after: Runs) -> tuple[str, ...]:
        """The causes for runs of a number that are compared for the first time."""
        if not before or not after:
            return (f"no runs {'after' if before else 'before'}",) if before or after else ()
        # runs are paired by all that identifies them: what is left must be the arithmetic
        old = {(run.setting.key, run.seed): run for run in before}
        pairs = [(old.get((run.setting.key, run.seed), run), run) for run in after]
        moved = not all(rows.same_results(one.row, other.row) for one, other in pairs)
        settings = self._of_settings(settings_of(before), settings_of(after))  # few, of many runs
        why = (self._libraries or [UNEXPLAINED]) if moved else ()
        seeds, new_seeds = {run.seed for run in before}, {run.seed for run in after}
        if seeds != new_seeds:
            settings += (f"seeds: {_range(seeds)} -> {_range(new_seeds)}",)
        return (*settings, *why)


def library_changes(before: Path | None, after: Path | None) -> tuple[str, ...]:
    """The libraries and processor features that differ between two folders of results, as texts."""
    old, new = _statement(before), _statement(after)
    if not old or not new:  # older results do not say what made them
        return ()
    return _changes(old, new)


def _statement(results: Path | None) -> Facts:
    """The values in the file arithmetic.txt of a folder of results; empty without the file."""
    content = read_bytes(results / STATEMENT if results else None) or b""
    pairs = (line.partition(": ") for line in content.decode("utf-8").splitlines())
    return {f"library: {name}": {value} for name, colon, value in pairs if colon}


def _changes(old: Facts, new: Facts) -> tuple[str, ...]:
    """Each fact whose values differ, as a text with both values."""
    found = []
    for name in {**old, **new}:
        before, after = (", ".join(sorted(side.get(name, ()))) for side in (old, new))
        # a method or a data set of one side only has nothing to be compared with
        is_compared = (before and after) or not name.startswith(IDENTITIES)
        if before != after and is_compared:
            found.append(f"{name} {before or 'none'} -> {after or 'none'}")
    return tuple(found)


def _facts(settings: Iterable[SettingFields]) -> Facts:
    """The versions of code, the digests of data sets and the options in settings of runs."""
    found: Facts = {}
    for row in (setting.values for setting in settings):
        facts = {
            f"code: {NAMES.get(kind) or row[kind]} version": version
            for kind, version in row["versions"].items()
        }
        facts[f"data: {row['dataset']}"] = row["data"]
        options = {"task": row["task"], **row["protocol"], **row["options"], **row["params"]}
        options["device"] = rows.device_of(row).name
        facts |= {f"option: {name}": value for name, value in options.items()}
        for name, value in facts.items():
            found.setdefault(name, set()).add(str(value))
    return found


def _range(seeds: set[int]) -> str:
    """The seeds as a text: the number of seeds for 0, 1, 2 and so on, otherwise a list."""
    first_ones = seeds == set(range(len(seeds)))  # as a spec numbers them
    return str(len(seeds)) if first_ones else ", ".join(map(str, sorted(seeds)))
