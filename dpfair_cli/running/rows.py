"""The row of a run: its key, its line in a journal, and its form in memory.

    {"dataset": "adult", "options": {...}, "data": "546a14507eddbdd6", "task": "classification",
     "protocol": {...}, "algorithm": "pflr", "params": {"epsilon": 1.0, ...}, "versions": {...},
     "seed": 0, "scores": {"accuracy": 0.83823529, ...}, "crc32": "944a2d8c"}

A line ends with the CRC-32 of the rest of its text, so that a damaged line is noticed. A line
without a checksum, as older commits have them, is read as it is.

Runs that differ only in the seed share their setting: a journal of 100,000 rows has some hundred
settings, whose text and key are made once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from zlib import crc32

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.training_context import CPU, Device

Values = Mapping[str, Any]
RESULTS = ("scores", "curves", "outputs")  # of a run; the other values identify the run
OWN = {"seed", *RESULTS}  # the values that differ between runs with equal settings
# in a line, `"seed"` follows the setting, which runs with other seeds share
SEED = b', "seed": '
CHECKSUM = b', "crc32": "'
NOTHING: Values = MappingProxyType({})
_decode = json.JSONDecoder().decode  # faster than json.loads, which detects encodings
_encode = json.JSONEncoder(allow_nan=False).encode  # faster than json.dumps, which makes one


class Key(NamedTuple):
    """The identity of a run in a journal: runs with equal keys are the same run.

    Attributes:
        setting: the values of the run without seed and results, as one text.
        seed: the seed of the run.
    """

    setting: str
    seed: Any

    @property
    def text(self) -> str:
        """The key as one text."""
        return json.dumps({**_decode(self.setting), "seed": self.seed}, sort_keys=True)


class SettingFields:
    """The values of a row that runs with other seeds share, with their texts."""

    def __init__(self, row: Values) -> None:
        self.values = {name: value for name, value in row.items() if name not in OWN}

    @cached_property
    def key(self) -> str:
        """The values as one text, whatever their order."""
        return json.dumps(self.values, sort_keys=True)

    @cached_property
    def key_without_versions(self) -> str:
        """The key without identity of the data, code versions and device."""
        left_out = ("data", "versions", "device")
        kept = {name: value for name, value in self.values.items() if name not in left_out}
        return json.dumps(kept, sort_keys=True)

    @cached_property
    def text(self) -> str:
        """The values as they stand in a line of a journal."""
        return _encode(self.values)


class Row(Mapping[str, Any]):
    """The row of a run, a mapping of its values. Rows with equal settings share the setting.

    Attributes:
        setting: the values that runs with other seeds share.
        seed: the seed of the run.
        scores: the scores of the run.
        more: the curves and the outputs, if the run has any.
    """

    __slots__ = ("more", "scores", "seed", "setting")

    def __init__(
        self, setting: SettingFields, seed: Any, scores: Values, more: Values = NOTHING
    ) -> None:
        self.setting, self.seed, self.scores, self.more = setting, seed, scores, more

    @classmethod
    def of(cls, values: Values) -> Row:
        """The row with these values.

        Raises:
            ValueError, KeyError, TypeError, AttributeError: the values are not those of a run.
        """
        own = {name: values[name] for name in ("seed", *RESULTS) if name in values}
        return cls._made(SettingFields(values), own)

    @classmethod
    def _made(cls, setting: SettingFields, own: dict[str, Any]) -> Row:
        """The row of a setting with its own values, of which null becomes NaN."""
        seed, given = own.pop("seed", None), own.pop("scores")
        hash(seed)  # a list has none
        if "curves" in own:
            own["curves"] = {name: _points(points) for name, points in own["curves"].items()}
        scores = {name: _number(score) for name, score in given.items()}
        return cls(setting, seed, scores, own or NOTHING)

    @property
    def key(self) -> Key:
        """The key of the run: all values of the row that are not results."""
        return Key(self.setting.key, self.seed)

    def __getitem__(self, name: str) -> Any:
        """A value of the run."""
        if name in ("scores", "seed"):
            return getattr(self, name)
        return self.more[name] if name in self.more else self.setting.values[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the values, in the order of a line."""
        yield from (*self.setting.values, "seed", "scores", *self.more)

    def __len__(self) -> int:
        """The number of values."""
        return len(self.setting.values) + 2 + len(self.more)

    def under_present_names(self, renamed: Mapping[str, str]) -> Row:
        """The row with the present names of its scores, which `renamed` gives by former name.

        The rows of a journal keep the names that they were written with, and so the file its bytes.
        """
        if not renamed:
            return self

        def present(results: Values) -> Values:
            return {renamed.get(name, name): value for name, value in results.items()}

        curves = {"curves": present(self.more["curves"])} if "curves" in self.more else {}
        return Row(self.setting, self.seed, present(self.scores), {**self.more, **curves})


def device_of(row: Values) -> Device:
    """The device on which the network of a run was trained; a row names no processor."""
    return Device(row["device"]) if "device" in row else CPU


class DamagedJournalError(DpfairError):
    """The error for a journal that was changed after it was written, or is truncated."""


def name_of(file: Path) -> str:
    """The name of a journal with its folders, such as xu2021/table8.1/runs.jsonl."""
    return "/".join(file.parts[-3:])


def read_line(text: bytes, settings: dict[bytes, SettingFields], file: Path, number: int) -> Row:
    """The row of a line of a journal.

    Runs with equal settings begin with the same text, which is parsed once: `settings` maps each
    text to its parsed setting.

    Raises:
        DamagedJournalError: the line is damaged or no run; the message names `file` and `number`.
    """
    content, mark, checksum = text.rpartition(CHECKSUM)
    content = content + b"}" if mark else text
    if mark and checksum != _checksum(content):
        raise DamagedJournalError(
            f"{name_of(file)}: line {number} was changed after it was written: restore the file, "
            "or delete the line, and the run is made again"
        )
    try:
        return _row(content, settings)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedJournalError(
            f"{name_of(file)}: line {number} is not a valid run: restore the file or delete the "
            "line"
        ) from error


def _row(text: bytes, settings: dict[bytes, SettingFields]) -> Row:
    """The row of the text of a line without its checksum.

    Raises:
        ValueError, KeyError, TypeError, AttributeError, RecursionError: the text is not a run.
    """
    begin, _, rest = text.partition(SEED)
    try:
        if begin not in settings:
            settings[begin] = SettingFields(_decode(f"{begin.decode()}}}"))
        own = _decode(f'{{"seed": {rest.decode()}')
    except ValueError:
        return Row.of(json.loads(text))  # the values of the line have another order
    if own.keys() - OWN:
        raise ValueError(text)
    return Row._made(settings[begin], own)


def line(row: Row) -> str:
    """The line of a journal for the row of a run; NaN becomes null."""
    results = {"scores": row.scores, **row.more}
    own = {"seed": row.seed} | {name: results[name] for name in RESULTS if name in results}
    text = f"{row.setting.text[:-1]}, {_encode(_plain(own))[1:]}"
    return f"{text[:-1]}{CHECKSUM.decode()}{_checksum(text.encode()).decode()}\n"


def _checksum(text: bytes) -> bytes:
    """The end of a line, after the name of the checksum, for the text of a row without checksum."""
    return b'%08x"}' % crc32(text)


def same_results(one: Row, other: Row) -> bool:
    """Whether two rows have equal results; as texts, NaN equals NaN."""
    if one is other:
        return True
    pairs = [(one.get(name), other.get(name)) for name in RESULTS]
    return all(mine == yours or repr(mine) == repr(yours) for mine, yours in pairs)


def _plain(value: Any) -> Any:
    """A result of a run as a JSON value; NaN becomes null."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(point) for point in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _points(points: list[Any]) -> list[float | str]:
    """The points of a curve: numbers, or names of positions on the axis."""
    return [point if isinstance(point, str) else _number(point) for point in points]


def _number(value: Any) -> float:
    """A finite number as a float; null becomes NaN.

    Raises:
        ValueError: the number is too large for a float.
    """
    number = math.nan if value is None else float(value)
    if math.isinf(number):
        raise ValueError(value)
    return number
