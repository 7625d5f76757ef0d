"""Reads the runs of a journal; runs that differ only in the seed share a setting."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dpfair_cli import catalog
from dpfair_cli.contracts.conversion import as_json
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.running.rows import (
    Row,
    SettingFields,
    Values,
    key_without_versions,
    read_line,
    same_results,
)


@cache
def question_now(setting: SettingFields) -> str:
    """The key without versions, with present defaults for the parameters that a setting lacks."""
    return key_without_versions({**setting.values, "params": _completed(setting.values)})


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

    def has_results_of(self, other: FinishedRun) -> bool:
        """Whether this run and `other` have equal results."""
        return same_results(self.row, other.row)


class JournalReader:
    """A reader of journals that returns the same run object for equal lines of two journals.

    Equal settings share one setting object.
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
        row = read_line(line, self._parsed, name, number)
        return self._runs.setdefault(line, FinishedRun(row.setting, row.seed, row))


def settings_of(runs: Iterable[FinishedRun]) -> tuple[SettingFields, ...]:
    """The distinct settings of runs."""
    return tuple(dict.fromkeys(run.setting for run in runs))
