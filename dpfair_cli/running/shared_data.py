"""One copy of the data of a command in files, which all worker processes map into their memory.

A worker then neither reads a user's table again nor copies its arrays: the processes
share the pages of the files. The folder of the copy is deleted at the end of the context. If the
command is killed, the process that watches over the resources of worker processes deletes it.
"""

from __future__ import annotations

import mmap
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dpfair_cli.contracts.writing import write_bytes
from dpfair_cli.data_access.locating import Located

OBJECTS = "objects.pickle"  # everything but the arrays


@dataclass(frozen=True)
class SharedCopy:
    """A copy of located data; all copies of the same data are equal."""

    located: Located
    """The data."""

    folder: Path = field(compare=False)
    """The folder with the files of the copy."""

    def load(self) -> Any:
        """The data, whose arrays are those of the files until the process changes them."""
        arrays = (self.folder / str(number) for number in count())
        return pickle.loads((self.folder / OBJECTS).read_bytes(), buffers=map(_mapped, arrays))


@contextmanager
def shared_copy(data: Any, located: Located) -> Iterator[SharedCopy]:
    """A context with a copy of `data`, which are the located data.

    Raises:
        OSError: the copy cannot be written, such as on a full disk.
    """
    from loky.backend import resource_tracker

    with TemporaryDirectory(prefix="dpfair-", ignore_cleanup_errors=True) as name:
        resource_tracker.register(name, "folder")
        try:
            yield _written(data, SharedCopy(located, Path(name)))
        finally:
            resource_tracker.unregister(name, "folder")


def _written(data: Any, copy: SharedCopy) -> SharedCopy:
    """The copy, after its files are written: one for each array of the data, and one for the rest.

    Raises:
        OSError: a file cannot be written.
    """
    arrays: list[pickle.PickleBuffer] = []
    objects = pickle.dumps(data, protocol=5, buffer_callback=arrays.append)
    for number, array in enumerate(arrays):
        write_bytes(copy.folder / str(number), array.raw())
    write_bytes(copy.folder / OBJECTS, objects)
    return copy


def _mapped(path: Path) -> bytes | mmap.mmap:
    """The content of a file; what the process writes into it changes no file."""
    with path.open("rb") as file:
        if not path.stat().st_size:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
