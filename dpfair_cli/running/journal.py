"""The journal of an artefact: one line per run, appended as runs end, sorted after the last run.

A line ends with the CRC-32 of the rest of its text, so that a damaged line is noticed. A line
without a checksum, as older commits have them, is read as it is.
"""

from __future__ import annotations

import json
import lzma
import math
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from dpfair_cli.contracts.devices import CPU, Device
from dpfair_cli.contracts.errors import DpfairError, naming
from dpfair_cli.contracts.writing import write_bytes
from dpfair_cli.running.folder_lock import locked

Row = dict[str, Any]
RESULTS = ("scores", "curves", "outputs")  # of a run; the other keys identify the run
OWN = {"seed", *RESULTS}  # the keys that differ between runs with equal settings
# in a line, `"seed"` follows the settings, which runs with other seeds share
SEED = b', "seed": '
CHECKSUM = b', "crc32": "'
SYNC_SECONDS = 1.0  # least time between two waits for the disk, which take longer than short runs
NO_SEED = "\0"  # stands for a seed while the keys of a setting are made; no name contains it
_decode = json.JSONDecoder().decode  # faster than json.loads, which detects encodings


def key(row: Row) -> str:
    """The key of a run in a journal: all values of the row that are not results, as one text."""
    return json.dumps(
        {name: value for name, value in row.items() if name not in RESULTS}, sort_keys=True
    )


def device_of(row: Row) -> Device:
    """The device on which the network of a run was trained; a row names no processor."""
    return Device(row["device"]) if "device" in row else CPU


class SeededKeys(NamedTuple):
    """The keys of the runs that differ in the seed and in the results only."""

    before: str
    """The text of a key before the seed."""

    after: str
    """The text of a key after the seed."""

    def of(self, seed: Any) -> str:
        """The key of the run with a seed."""
        text = str(seed) if type(seed) is int else json.dumps(seed)
        return f"{self.before}{text}{self.after}"


def seeded_keys(setting: Row) -> SeededKeys:
    """The keys of the runs with the values of `setting`, in which a seed is ignored."""
    before, _, after = key({**setting, "seed": NO_SEED}).partition(json.dumps(NO_SEED))
    return SeededKeys(before, after)


class Journal:
    """The finished runs in a file `runs.jsonl`, one row per run, by key.

    If the file does not exist, the journal begins with the rows of the compressed journal `start`,
    if that file exists.
    """

    def __init__(self, path: Path, start: Path | None = None) -> None:
        self.path = path
        self._start = (
            b""
            if path.exists() or not (start and start.exists())
            else lzma.decompress(start.read_bytes())
        )
        self.rows: dict[str, Row] = {}
        self._lines: list[str] = []  # the keys of the rows of the file, as they were read
        self._synced_at = -math.inf  # by the monotonic clock
        self._unsynced = False
        self._read()

    def _read(self) -> None:
        """Reads the rows of the file, or of the compressed journal without the file."""
        self._bytes = _size(self.path)
        content = self.path.read_bytes() if self.path.exists() else self._start
        whole = content.rfind(b"\n") + 1
        # a killed process leaves a truncated line, which the next append removes
        self._torn = len(content) - whole
        self.rows, self._lines = {}, []
        found = parse(content[:whole], self.path.name)
        for number, (name, row) in enumerate(found, start=1):
            self._lines.append(name)
            if not same_results(self.rows.setdefault(name, row), row):
                raise DpfairError(
                    f"{self.path.name}: line {number} has other results than an earlier line of "
                    "the same run: delete the wrong line"
                )

    @classmethod
    def blank(cls, path: Path) -> Journal:
        """An empty journal for the file at `path`; rows that the file contains are ignored."""
        journal = cls(path.with_suffix(".none"))
        journal.path, journal._bytes = path, _size(path)
        return journal

    @contextmanager
    def held(self) -> Iterator[None]:
        """A context in which no other process adds rows; rows added in the meantime are read.

        All appended rows are on the disk at the end, also after an error or an interrupt.

        Raises:
            DpfairError: another process adds rows to the journal.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.parent):
            if _size(self.path) != self._bytes:
                self._read()
            try:
                yield
            finally:
                self._sync()

    def append(self, rows: Iterable[Row]) -> None:
        """Appends rows of finished runs to the file.

        The operating system has the rows when this method returns: a process that is killed
        afterwards loses none. They are written to the disk at most once in SYNC_SECONDS, and at the
        end of `held`: a machine that loses power may lose the last of them.
        """
        rows = list(rows)
        if self._torn:
            os.truncate(self.path, self.path.stat().st_size - self._torn)
            self._torn = 0
        if self._start and not self.path.exists():
            write_bytes(self.path, self._start)
        with naming(self.path), self.path.open("ab") as file:
            file.write("".join(line(row) for row in rows).encode())
        self._unsynced = True
        self.rows |= {key(row): row for row in rows}
        if time.monotonic() - self._synced_at >= SYNC_SECONDS:
            self._sync()

    def _sync(self) -> None:
        """Waits until all appended rows are on the disk."""
        if not self._unsynced:
            return
        with naming(self.path), self.path.open("ab") as file:
            os.fsync(file.fileno())
        self._unsynced, self._synced_at = False, time.monotonic()

    def put_aside(self) -> None:
        """Renames the journal to runs.jsonl.old and begins an empty journal.

        If runs.jsonl.old is larger, it stays: the journal is then that of an interrupted command,
        which had put aside the larger one.
        """
        old = self.path.with_suffix(".jsonl.old")
        if self.path.exists() and _size(self.path) >= _size(old):
            self.path.replace(old)
        write_bytes(self.path, b"")
        self.rows = {}

    def rewrite(self, order: Iterable[str]) -> None:
        """Sorts the rows of the file, those with keys in `order` first.

        With sorted rows, equal rows give equal bytes.

        Rows that another process has appended in the meantime are kept. A file that is as it was
        read, with each row once and in this order, is left alone.
        """
        order = list(dict.fromkeys(order))
        unchanged = not self._torn and 0 < _size(self.path) == self._bytes
        if unchanged and self._lines == self._sorted(order):
            return
        self.rows = Journal(self.path).rows | self.rows
        content = "".join(line(self.rows[name]) for name in self._sorted(order)).encode()
        if content == (self.path.read_bytes() if self.path.exists() else b""):
            return
        write_bytes(self.path, content)

    def _sorted(self, order: Sequence[str]) -> list[str]:
        """The keys of all rows, those in `order` first."""
        first = [name for name in order if name in self.rows]
        return [*first, *sorted(self.rows.keys() - set(first))]


def _size(file: Path) -> int:
    """The number of bytes of a file; -1 without the file."""
    return file.stat().st_size if file.exists() else -1


def parse(content: bytes, name: str) -> Iterator[tuple[str, Row]]:
    """Yields the key and the row of each complete line of a journal in the file `name`.

    Rows with equal settings share objects. Therefore a row must not be changed in place.

    Raises:
        DpfairError: a line is not a run.
    """
    settings: dict[bytes, Row] = {}
    keys: dict[int, SeededKeys] = {}  # by the identity of a setting
    for number, line in enumerate(whole_lines(content), start=1):
        setting, own = read_line(line, settings, name, number)
        if setting is own:  # a line in another form
            yield key(own), own
            continue
        if id(setting) not in keys:
            keys[id(setting)] = seeded_keys(setting)
        yield keys[id(setting)].of(own["seed"]), setting | own


def whole_lines(content: bytes) -> list[bytes]:
    """The complete lines of a journal file; a truncated last line is ignored."""
    return content.split(b"\n")[:-1]


def read_line(line: bytes, settings: dict[bytes, Row], name: str, number: int) -> tuple[Row, Row]:
    """The parts of a line of a journal: the setting of a run, and its seed and results.

    Runs with equal settings begin with the same text, which is parsed once: `settings` maps each
    text to its parsed setting. For a line in another form, both mappings are the whole row.

    Raises:
        DpfairError: the line is damaged or no run; `name` and `number` say where it is.
    """
    text, mark, checksum = line.rpartition(CHECKSUM)
    if mark and checksum != _checksum(text + b"}"):
        raise DpfairError(
            f"{name}: line {number} was changed after it was written: restore the file, or delete "
            "the line, and the run is made again"
        )
    try:
        setting, own = _parts(text + b"}" if mark else line, settings)
        if own.keys() - setting.keys() - OWN:
            raise ValueError(own)
        own["scores"] = _floats(own["scores"])
        if "curves" in own:
            own["curves"] = {name: _points(points) for name, points in own["curves"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DpfairError(
            f"{name}: line {number} is not a valid run: restore the file or delete the line"
        ) from error
    return setting, own


def _parts(line: bytes, settings: dict[bytes, Row]) -> tuple[Row, Row]:
    """The setting of a run, and seed and results; for a line in another form, twice the row."""
    text, _, rest = line.partition(SEED)
    try:
        if text not in settings:
            settings[text] = _decode(f"{text.decode()}}}")
        return settings[text], _decode(f'{{"seed": {rest.decode()}')
    except ValueError:
        row = json.loads(line)
        return row, row


def line(row: Row) -> str:
    """The line of a journal for the row of a run; NaN becomes null."""
    results = {name: _plain(row[name]) for name in RESULTS if name in row}
    text = json.dumps(row | results, allow_nan=False)
    return f"{text[:-1]}{CHECKSUM.decode()}{_checksum(text.encode()).decode()}\n"


def _checksum(text: bytes) -> bytes:
    """The end of a line, after the name of the checksum, for the text of a row without checksum."""
    return b'%08x"}' % crc32(text)


def same_results(one: Row, other: Row) -> bool:
    """Whether two rows have equal results; NaN equals NaN."""
    return one is other or all(_same(one.get(name), other.get(name)) for name in RESULTS)


def _same(one: object, other: object) -> bool:
    return one == other or repr(one) == repr(other)  # NaN equals NaN as text


def _plain(value: Any) -> Any:
    """A result of a run as a JSON value; NaN becomes null."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(point) for point in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _floats(scores: dict[str, Any]) -> dict[str, float]:
    """The scores of a run as floats; null becomes NaN."""
    plain = {*map(type, scores.values())} <= {float} and math.inf not in map(abs, scores.values())
    return scores if plain else {name: _number(value) for name, value in scores.items()}


def _points(points: list[Any]) -> list[float | str]:
    """The points of a curve: numbers, or names of positions on the axis."""
    return points if {*map(type, points)} <= {float, str} else [_point(point) for point in points]


def _number(value: Any) -> float:
    """A finite score as a float; null becomes NaN.

    Raises:
        ValueError: the number is too large for a float.
    """
    number = math.nan if value is None else float(value)
    if math.isinf(number):
        raise ValueError(value)
    return number


def _point(value: Any) -> float | str:
    """A point of a curve: a number, or the name of a position on the axis."""
    return value if isinstance(value, str) else _number(value)
