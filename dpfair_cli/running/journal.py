"""The journal of an artefact: one line per run, appended as runs end, sorted after the last run."""

from __future__ import annotations

import io
import lzma
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from dpfair_cli.contracts.errors import naming
from dpfair_cli.contracts.files import unpacked, write_bytes
from dpfair_cli.running.folder_lock import locked
from dpfair_cli.running.rows import (
    DamagedJournalError,
    Key,
    Row,
    SettingFields,
    line,
    name_of,
    read_line,
    same_results,
)


class Journal:
    """The finished runs in a file `runs.jsonl`, one row per run, by key.

    If the file does not exist, the journal begins with the rows of the journal `start`, which may
    be compressed, if that file exists.
    """

    def __init__(self, path: Path, start: Path | None = None) -> None:
        self.path = path
        self._start = b""
        if start and start.exists() and not path.exists():
            # a wheel has the journals compressed
            self._start = _unpacked(start) if start.suffix == ".xz" else start.read_bytes()
        self._read()

    def _read(self) -> None:
        """Reads the rows of the file, or of the compressed journal without the file."""
        # before the reading: what another process adds is noticed
        self._bytes, self._torn = _size(self.path), 0
        self.rows: dict[Key, Row] = {}
        self._lines: list[Key] = []  # the keys of the lines of the file
        with self.path.open("rb") if self._bytes >= 0 else io.BytesIO(self._start) as file:
            settings: dict[bytes, SettingFields] = {}
            for number, text in enumerate(self._whole_lines(file), start=1):
                row = read_line(text, settings, self.path, number)
                self._lines.append(row.key)
                if not same_results(self.rows.setdefault(row.key, row), row):
                    raise DamagedJournalError(
                        f"{name_of(self.path)}: line {number} has other results than an earlier "
                        "line of the same run: delete the wrong line"
                    )

    def _whole_lines(self, file: IO[bytes]) -> Iterator[bytes]:
        """Yields the lines of the file; a truncated last line is left out, and its length noted.

        A killed process leaves a truncated line, which the next append removes.
        """
        for text in file:
            if not text.endswith(b"\n"):
                self._torn = len(text)  # removed with the next row, so that reading changes no file
                return
            yield text[:-1]

    @classmethod
    def blank(cls, path: Path) -> Journal:
        """An empty journal for the file at `path`; rows that the file contains are ignored."""
        journal = cls(path.with_suffix(".none"))  # no file has this name, so nothing is read
        journal.path, journal._bytes = path, _size(path)
        return journal

    @contextmanager
    def held(self) -> Iterator[None]:
        """A context in which no other process adds rows; rows added in the meantime are read.

        Raises:
            DpfairError: another process adds rows to the journal.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.parent):
            if _size(self.path) != self._bytes:  # another process has added rows
                self._read()
            yield

    def append(self, rows: Iterable[Row]) -> None:
        """Appends rows of finished runs to the file, and waits until they are on the disk."""
        # an iterator that fails must not leave a part of its rows
        rows = list(rows)
        if self._torn:
            self._bytes = self.path.stat().st_size - self._torn
            os.truncate(self.path, self._bytes)
            self._torn = 0
        if self._start and not self.path.exists():  # the rows of the wheel, as they are, come first
            write_bytes(self.path, self._start)
            self._bytes = len(self._start)
        content = "".join(map(line, rows)).encode()
        with naming(self.path), self.path.open("ab") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        self._bytes = max(self._bytes, 0) + len(content)
        self._lines += [row.key for row in rows]
        self.rows |= {row.key: row for row in rows}

    def put_aside(self) -> None:
        """Renames the journal to runs.jsonl.old and begins an empty journal.

        If runs.jsonl.old is larger, it stays: the journal is then that of an interrupted command,
        which had put aside the larger one.
        """
        old = self.path.with_suffix(".jsonl.old")
        if self.path.exists() and _size(self.path) >= _size(old):
            self.path.replace(old)
        write_bytes(self.path, b"")
        self._bytes, self.rows, self._lines = 0, {}, []

    def rewrite(self, order: Iterable[Key]) -> None:
        """Sorts the rows of the file, those with keys in `order` first.

        With sorted rows, equal rows give equal bytes.

        Rows that another process has appended in the meantime are kept. A file that no other
        process has changed, with each row once and in this order, is left alone.
        """
        order = list(dict.fromkeys(order))  # two methods of a spec can need the same run
        changed = bool(self._torn) or not 0 < _size(self.path) == self._bytes
        if changed:
            # those of the other process stand first, and are equal
            self.rows = Journal(self.path).rows | self.rows
        lines = self._sorted(order)
        if not changed and self._lines == lines:
            return
        content = "".join(line(self.rows[name]) for name in lines).encode()
        if content != (self.path.read_bytes() if self.path.exists() else b""):
            write_bytes(self.path, content)
        self._bytes, self._torn, self._lines = len(content), 0, lines

    def _sorted(self, order: Sequence[Key]) -> list[Key]:
        """The keys of all rows, those in `order` first."""
        first = [name for name in order if name in self.rows]
        # of earlier versions, and of methods that the spec lost
        others = self.rows.keys() - set(first)
        return [*first, *sorted(others, key=lambda name: name.text)]


def _unpacked(file: Path) -> bytes:
    """The content of a compressed journal.

    Raises:
        DamagedJournalError: the file was changed or truncated.
        DpfairError: the content is much larger than the file.
    """
    try:
        with lzma.open(file) as content:
            return unpacked(name_of(file), content, file.stat().st_size)
    except (EOFError, lzma.LZMAError) as error:
        raise DamagedJournalError(
            f"{name_of(file)} is damaged or truncated ({error}): install dpfair again"
        ) from error


def _size(file: Path) -> int:
    """The number of bytes of a file; -1 without the file."""
    return file.stat().st_size if file.exists() else -1
