"""Locks on folders: one process at a time adds runs to a journal, or spends from a ledger.

The operating system releases a lock when its process ends, also if the process is killed. The file
of a killed process therefore blocks no other process.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from dpfair_cli.contracts.errors import DpfairError

FILE = ".runs.lock"  # contains the number of the process that holds the lock
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}  # from a file system that has no locks


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """A context in which no other process adds runs to the journal in `folder`.

    A file system without locks gives no protection, and no error.

    Raises:
        DpfairError: another process has the lock; the message says which.
        OSError: the folder is not writable.
    """
    file = folder / FILE
    with ExitStack() as locks:
        try:
            locks.enter_context(held(file, seconds=0.0))
            with suppress(OSError):  # a full disk, or Windows, where nobody writes into a held file
                file.write_text(str(os.getpid()), encoding="ascii")
        except Timeout as error:
            raise DpfairError(
                f"{_holder(file)} makes runs in {folder}: wait until it ends, or give --out "
                "another folder"
            ) from error
        except OSError as error:
            if error.errno not in NO_LOCKS:
                error.filename = str(folder)  # the user knows the folder, and not the file
                raise
        yield


@contextmanager
def held(file: Path, *, seconds: float) -> Iterator[None]:
    """A context in which the present process holds a lock on `file`, which exists meanwhile.

    Raises:
        Timeout: another process has held the lock for so many `seconds`.
        OSError: the folder is not writable, or its file system has no locks.
    """
    # a lock by mere existence of a file would outlive a killed process
    lock = FileLock(file, timeout=seconds, fallback_to_soft=False)
    lock.acquire()
    try:
        yield
    finally:
        # before the lock ends, so that no file is deleted that another process has locked; who
        # opened the file before sees that it is deleted, and makes another one
        with suppress(OSError):  # Windows keeps a file that is open
            os.unlink(lock.lock_file)
        lock.release()


def _holder(file: Path) -> str:
    """The process that holds a lock file, in words."""
    try:
        number = file.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        number = ""
    return f"process {number}" if number.isdigit() else "another process"
