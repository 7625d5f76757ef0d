"""Causes of changed numbers: differences between the runs before and after.

The row of a run records the data, options, parameters, seed and versions of code that made the run.
If none of these differ but the result does, differences of libraries and processor features are
given as the cause, from results/arithmetic.txt. If these are equal too, no recorded input explains
the change, and the change must be investigated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpfair_cli.diff.runs import FinishedRun, settings_of
from dpfair_cli.running.rows import SettingFields, Values, device_of

STATEMENT = (
    "arithmetic.txt"  # the libraries and processor features that made the results of a folder
)
UNEXPLAINED = "no recorded cause: same code versions, data, options and seeds"
NAMES = {"running": "dpfair"}  # printed names of code; other names are those in the row
ARROW = " -> "

Runs = tuple[FinishedRun, ...]
Settings = tuple[SettingFields, ...]


class Causes:
    """The causes of changed numbers between two sides, A and B, of a comparison of results.

    `libraries` is the result of `library_changes` for the two sides.
    """

    def __init__(self, libraries: Sequence[str]) -> None:
        self._libraries = libraries
        self._of_runs: dict[tuple[Runs, Runs], tuple[str, ...]] = {}
        self._of_settings: dict[tuple[Settings, Settings], tuple[str, ...]] = {}

    def of(self, before: Runs, after: Runs) -> tuple[str, ...]:
        """The differences between the runs of a number before and after, as texts.

        Empty if the runs do not differ.
        """
        if (before, after) not in self._of_runs:
            self._of_runs[before, after] = tuple(self._found(before, after))
        return self._of_runs[before, after]

    def _found(self, before: Runs, after: Runs) -> Iterator[str]:
        if not before or not after:
            if before or after:
                yield "no runs before" if after else "no runs after"
            return
        yield from self._found_in_settings(settings_of(before), settings_of(after))
        yield from _seeds(before, after)
        old = {(run.setting.key, run.seed): run for run in before}
        pairs = ((old.get((run.setting.key, run.seed), run), run) for run in after)
        if not all(run.has_results_of(other) for run, other in pairs):
            yield from self._libraries or [UNEXPLAINED]

    def _found_in_settings(self, before: Settings, after: Settings) -> tuple[str, ...]:
        if (before, after) not in self._of_settings:
            old, new = _rows_of(before), _rows_of(after)
            found = (*_versions(old, new), *_data(old, new), *_options(old, new))
            self._of_settings[before, after] = found
        return self._of_settings[before, after]


def library_changes(before: Path | None, after: Path | None) -> tuple[str, ...]:
    """The libraries and processor features that differ between two folders of results, as texts."""
    old, new = _statement(before), _statement(after)
    if not old or not new:
        return ()
    names = [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]
    return tuple(
        f"library: {name} {old.get(name, 'none')}{ARROW}{new.get(name, 'none')}" for name in names
    )


def _statement(results: Path | None) -> dict[str, str]:
    """The values in the file arithmetic.txt of a folder of results; empty without the file."""
    file = results / STATEMENT if results else None
    text = file.read_text(encoding="utf-8") if file and file.is_file() else ""
    pairs = (line.partition(": ") for line in text.splitlines())
    return {name: value for name, colon, value in pairs if colon}


def _versions(before: Sequence[Values], after: Sequence[Values]) -> Iterator[str]:
    for kind in after[0]["versions"]:
        for name in [NAMES[kind]] if kind in NAMES else _values(after, kind):
            old, new = (_of(rows, kind, name, _version(kind)) for rows in (before, after))
            if old and old != new:
                yield f"code: {name} version {_words(old)}{ARROW}{_words(new)}"


def _data(before: Sequence[Values], after: Sequence[Values]) -> Iterator[str]:
    for name in _values(after, "dataset"):
        old, new = (_of(rows, "dataset", name, lambda row: row["data"]) for rows in (before, after))
        if old and old != new:
            yield f"data: {name} {_words(old)}{ARROW}{_words(new)}"


def _options(before: Sequence[Values], after: Sequence[Values]) -> Iterator[str]:
    """Yields each option of a data set, task or method whose values differ, as a text."""
    old, new = _settings(before), _settings(after)
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield f"option: {name} {_words(old.get(name, ()))}{ARROW}{_words(new.get(name, ()))}"


def _settings(rows: Sequence[Values]) -> dict[str, list[str]]:
    """The options of data sets, tasks and methods, each with its values in rows of a journal."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        names: Mapping[str, Any] = {
            "task": row["task"],
            **row["protocol"],
            **row["options"],
            **row["params"],
            "device": device_of(row).name,
        }
        for name, value in names.items():
            found.setdefault(name, {})[str(value)] = None
    return {name: sorted(values) for name, values in found.items()}


def _rows_of(settings: Settings) -> list[Values]:
    return [setting.values for setting in settings]


def _seeds(before: Runs, after: Runs) -> Iterator[str]:
    old, new = {run.seed for run in before}, {run.seed for run in after}
    if old != new:
        yield f"seeds: {_range(old)}{ARROW}{_range(new)}"


def _range(seeds: set[int]) -> str:
    """The seeds as a text: the number of seeds for 0, 1, 2 and so on, otherwise a list."""
    first_ones = seeds == set(range(len(seeds)))
    return str(len(seeds)) if first_ones else ", ".join(map(str, sorted(seeds)))


def _values(rows: Sequence[Values], name: str) -> list[str]:
    return sorted({str(row[name]) for row in rows})


def _version(kind: str) -> Callable[[Values], Any]:
    return lambda row: row["versions"].get(kind)


def _of(rows: Sequence[Values], kind: str, name: str, value: Callable[[Values], Any]) -> list[str]:
    """The values that `value` gives for the rows of one data set, task or method, as texts."""
    return sorted({str(value(row)) for row in rows if row.get(kind, name) == name})


def _words(values: Iterable[str]) -> str:
    return ", ".join(values) or "none"
