"""The lock on the folder of a journal: one process at a time adds runs to it.

The operating system releases the lock when a process ends, also if the process is killed. The file
of a killed process therefore blocks no other process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # on a system without locks, processes must use different folders
    fcntl = None  # type: ignore[assignment]

from dpfair_cli.contracts.errors import DpfairError

_open: set[int] = set()  # the opened lock files of the present process
FILE = ".runs.lock"  # contains the number of the process that holds the lock


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """A context in which no other process has the lock on `folder`.

    Raises:
        DpfairError: another process has the lock; the message says which.
        OSError: the folder is not writable.
    """
    file = folder / FILE
    try:
        number = _open_locked(file)
    except OSError as error:
        error.filename = str(folder)  # the user knows the folder, and not the file
        raise
    _open.add(number)
    try:
        yield
    finally:
        _open.remove(number)
        file.unlink(missing_ok=True)
        os.close(number)  # after the file, so that no other process locks a deleted file


def _forget() -> None:
    """Closes the lock files in a copy of a process, which would prolong the locks of a killed one.

    The process itself keeps its locks.
    """
    for number in _open:
        os.close(number)
    _open.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _open_locked(file: Path) -> int:
    """The number of the opened lock file, which the present process has locked."""
    while True:
        number = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(number, file)
            if _is_at(file, number):
                _write_holder(number)
                return number
        except BaseException:
            os.close(number)
            raise
        os.close(number)  # of a process that has just ended and deleted the file


def _lock(number: int, file: Path) -> None:
    """Locks an opened file.

    A file system without locks gives no protection, and no error.

    Raises:
        DpfairError: another process has locked the file.
    """
    if fcntl is None:
        return
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(number, 20, 0).decode(errors="replace")
        who = f"process {holder}" if holder.isdigit() else "another process"
        raise DpfairError(
            f"{who} makes runs in {file.parent}: wait until it ends, or give --out another folder"
        ) from error
    except OSError:
        return


def _write_holder(number: int) -> None:
    """Writes the number of the present process into the lock file, if the disk is not full."""
    with suppress(OSError):
        os.truncate(number, 0)
        os.write(number, str(os.getpid()).encode())


def _is_at(file: Path, number: int) -> bool:
    """Whether an opened file is still the file at its path."""
    try:
        return os.path.samestat(file.stat(), os.fstat(number))
    except FileNotFoundError:
        return False
