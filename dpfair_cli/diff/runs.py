"""Reads the runs of journals, and says how the runs before and after differ.

The row of a run records the data, options, parameters, seed and versions of code that made the run.
If none of these differ but the result does, differences of libraries and processor features are
given as the cause, from results/arithmetic.txt. If these are equal too, no recorded input explains
the change, and the change must be investigated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from dpfair_cli import catalog
from dpfair_cli.contracts.conversion import as_json
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.diff.sides import read_bytes
from dpfair_cli.running import rows
from dpfair_cli.running.rows import Row, SettingFields, Values

STATEMENT = "arithmetic.txt"  # libraries and processor features that made the results of a folder
UNEXPLAINED = "no recorded cause: same code versions, data, options and seeds"
NAMES = {"running": "dpfair"}  # printed names of code; other names are those in the row
ARROW = " -> "


@cache
def question_now(setting: SettingFields) -> str:
    """The key without versions, with present defaults for the parameters that a setting lacks."""
    return rows.key_without_versions({**setting.values, "params": _completed(setting.values)})


def _completed(row: Values) -> Values:
    """The present parameters of the row's algorithm: the value in the row, or else the default."""
    try:
        known = catalog.algorithm(row["algorithm"]).parameters
    except DpfairError:  # an algorithm that does not exist any more
        return dict(row["params"])
    defaults = as_json({name: parameter.default for name, parameter in known.items()})
    return {name: row["params"].get(name, defaults[name]) for name in known}


@dataclass(eq=False, slots=True)
class FinishedRun:
    """A run of a journal: its setting, its seed, and the row with its results."""

    setting: SettingFields
    seed: int
    row: Row


Runs = tuple[FinishedRun, ...]


class JournalReader:
    """A reader of journals that returns the same run object for equal lines of two journals.

    Equal settings share one setting object, so that the runs of two sides are compared by identity.
    """

    def __init__(self) -> None:
        self._parsed: dict[bytes, SettingFields] = {}
        self._runs: dict[bytes, FinishedRun] = {}

    def read(self, file: Path | None) -> list[FinishedRun]:
        """The runs of a journal; empty without a file. A truncated last line is ignored.

        Raises:
            DpfairError: a line is not a run.
        """
        lines = file.read_bytes().split(b"\n")[:-1] if file else []
        name = file.name if file else ""
        return [
            self._runs.get(line) or self._read(line, name, number)
            for number, line in enumerate(lines, start=1)
        ]

    def _read(self, line: bytes, name: str, number: int) -> FinishedRun:
        """The run of a line, which no journal had before."""
        row = rows.read_line(line, self._parsed, name, number)
        return self._runs.setdefault(line, FinishedRun(row.setting, row.seed, row))


def settings_of(runs: Iterable[FinishedRun]) -> tuple[SettingFields, ...]:
    """The distinct settings of runs."""
    return tuple(dict.fromkeys(run.setting for run in runs))


class Causes:
    """The causes of changed numbers between two sides of a comparison of results.

    `libraries` is the result of `library_changes` for the two sides.
    """

    def __init__(self, libraries: Sequence[str]) -> None:
        self._libraries = libraries
        # many numbers of an artefact are means of the same runs
        self._known: Callable[[Runs, Runs], tuple[str, ...]] = cache(self._found)
        self._known_settings = cache(_setting_changes)

    def of(self, before: Runs, after: Runs) -> tuple[str, ...]:
        """The differences between the runs of a number before and after, as texts.

        Empty if the runs do not differ.
        """
        return self._known(before, after)

    def _found(self, before: Runs, after: Runs) -> tuple[str, ...]:
        if before and after:
            # runs are paired by all that identifies them: what is left must be the arithmetic
            old = {(run.setting.key, run.seed): run for run in before}
            pairs = [(old.get((run.setting.key, run.seed), run), run) for run in after]
            moved = not all(rows.same_results(one.row, other.row) for one, other in pairs)
            settings = self._known_settings(settings_of(before), settings_of(after))
            why = (self._libraries or [UNEXPLAINED]) if moved else ()
            return (*settings, *_seeds(before, after), *why)
        if before or after:
            return ("no runs before" if after else "no runs after",)
        return ()


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
    content = read_bytes(results / STATEMENT if results else None) or b""
    pairs = (line.partition(": ") for line in content.decode("utf-8").splitlines())
    return {name: value for name, colon, value in pairs if colon}


def _setting_changes(
    before: Sequence[SettingFields], after: Sequence[SettingFields]
) -> tuple[str, ...]:
    """The versions of code, data and options that differ between settings, as texts."""
    old, new = [one.values for one in before], [one.values for one in after]
    return (*_versions(old, new), *_data(old, new), *_options(old, new))


def _versions(before: Sequence[Values], after: Sequence[Values]) -> Iterator[str]:
    for kind in after[0]["versions"]:
        for name in [NAMES[kind]] if kind in NAMES else _names(after, kind):
            old, new = (_version(rows, kind, name) for rows in (before, after))
            if old and old != new:
                yield f"code: {name} version {_words(old)}{ARROW}{_words(new)}"


def _version(rows: Sequence[Values], kind: str, name: str) -> list[str]:
    """The versions in the rows of one data set, task or method; of dpfair in all rows."""
    own = [row["versions"].get(kind) for row in rows if row.get(kind, name) == name]
    return sorted({*map(str, own)})


def _data(before: Sequence[Values], after: Sequence[Values]) -> Iterator[str]:
    for name in _names(after, "dataset"):
        old, new = (_digests(rows, name) for rows in (before, after))
        if old and old != new:
            yield f"data: {name} {_words(old)}{ARROW}{_words(new)}"


def _digests(rows: Sequence[Values], dataset: str) -> list[str]:
    return sorted({str(row["data"]) for row in rows if row["dataset"] == dataset})


def _options(before: Sequence[Values], after: Sequence[Values]) -> Iterator[str]:
    """Yields each option of a data set, task or method whose values differ, as a text."""
    old, new = _values(before), _values(after)
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield f"option: {name} {_words(old.get(name, ()))}{ARROW}{_words(new.get(name, ()))}"


def _values(settings: Sequence[Values]) -> dict[str, list[str]]:
    """The options of data sets, tasks and methods, each with its values in rows of a journal."""
    found: dict[str, set[str]] = {}
    for row in settings:
        names: Mapping[str, Any] = {
            "task": row["task"],
            **row["protocol"],
            **row["options"],
            **row["params"],
            "device": rows.device_of(row).name,
        }
        for name, value in names.items():
            found.setdefault(name, set()).add(str(value))
    return {name: sorted(values) for name, values in found.items()}


def _seeds(before: Runs, after: Runs) -> Iterator[str]:
    old, new = {run.seed for run in before}, {run.seed for run in after}
    if old != new:
        yield f"seeds: {_range(old)}{ARROW}{_range(new)}"


def _range(seeds: set[int]) -> str:
    """The seeds as a text: the number of seeds for 0, 1, 2 and so on, otherwise a list."""
    first_ones = seeds == set(range(len(seeds)))
    return str(len(seeds)) if first_ones else ", ".join(map(str, sorted(seeds)))


def _names(rows: Sequence[Values], kind: str) -> list[str]:
    return sorted({str(row[kind]) for row in rows})


def _words(values: Iterable[str]) -> str:
    return ", ".join(values) or "none"
