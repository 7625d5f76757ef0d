"""Reads the runs of a journal; runs that differ only in the seed share a setting."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dpfair_cli import catalog
from dpfair_cli.contracts.conversion import as_json
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.running import rows
from dpfair_cli.running.rows import (
    Row,
    Values,
    key_without_versions,
    same_results,
    setting_key,
)


@dataclass(frozen=True, eq=False)
class JournalSetting:
    """The data set, task, method and options of a row, which runs with different seeds share."""

    row: Values

    @cached_property
    def identity(self) -> str:
        """The key of a setting of runs: all values that identify a run, except the seed."""
        return setting_key(self.row)

    @cached_property
    def question(self) -> str:
        """The key of a setting of runs, without the identity of the data and versions of code."""
        return key_without_versions(self.row)

    @cached_property
    def question_now(self) -> str:
        """The property `question`, with present defaults for the parameters that the row lacks."""
        return key_without_versions({**self.row, "params": _completed(self.row)})


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

    setting: JournalSetting
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
        self._parsed: dict[bytes, rows.SettingFields] = {}
        self._settings: dict[rows.SettingFields, JournalSetting] = {}
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
        row = rows.read_line(line, self._parsed, name, number)
        setting = self._settings.get(row.setting) or self._settings.setdefault(
            row.setting, JournalSetting(row.setting.values)
        )
        return self._runs.setdefault(line, FinishedRun(setting, row.seed, row))


def settings_of(runs: Iterable[FinishedRun]) -> tuple[JournalSetting, ...]:
    """The distinct settings of runs."""
    return tuple(dict.fromkeys(run.setting for run in runs))
