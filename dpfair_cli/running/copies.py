"""Calls a function for many items, in the present process and in copies of it.

A copy (a fork) has all that the process has read and imported, so it starts in milliseconds. The
processes take the next item from a shared list as they become free. The results do not depend on
the number of processes, and neither does the first error or the order of lines on stderr.

Copies are made on Linux alone: elsewhere, libraries that are loaded may not survive it.
"""

from __future__ import annotations

import gc
import io
import os
import pickle
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, suppress
from functools import partial
from multiprocessing.connection import Connection, Pipe
from typing import IO, Any, NamedTuple, NoReturn, TypeVar

from dpfair_cli.running.workers import end_with, shielded

Item = TypeVar("Item")
Result = TypeVar("Result")

PATIENCE_SECONDS = 0.05  # a copy and its results cost about as much
NUMBER = struct.Struct("I")  # the place of an item in the list of items
MOST_ITEMS = 10_000  # whose places fit into a pipe


class Ended(NamedTuple):
    """The result of a call, and what it has written to stderr."""

    result: Any
    said: str


def call_each(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int,
    known: Sequence[object] = (),
    tick: Callable[[int], Any] = lambda _: None,
    patience: float | None = None,
) -> list[Result]:
    """The results of a function for the items, in their order, with at most `jobs` processes.

    For `patience` seconds, by default PATIENCE_SECONDS, the present process calls the function
    alone, because few short calls end sooner there. A result is sent back as a copy; a part of it
    that is one of the objects in `known` stays this object. `tick` is called with numbers of items
    that have ended.
    """
    patience = PATIENCE_SECONDS if patience is None else patience
    results: list[Result] = []
    began = time.monotonic()
    for item in items:
        left = len(items) - len(results)
        patient = time.monotonic() - began < patience
        if not patient and can_copy(jobs) and 1 < left <= MOST_ITEMS:
            break
        results.append(function(item))
        tick(1)
    rest = items[len(results) :]
    return results + _in_order(function, rest, _shared(function, rest, jobs, known, tick))


@contextmanager
def begun(
    function: Callable[[Item], Result], items: Sequence[Item], *, jobs: int
) -> Iterator[Callable[[], list[Result]]]:
    """A context in which `jobs - 1` copies already call a function for the items.

    The present process does other work, and then calls the function of the context: it makes the
    calls that are left, and returns the results of all calls, in any order. Calls that raised an
    error are left out, and all calls where no copy is made.
    """
    try:
        places = _places(len(items)) if can_copy(jobs) and 0 < len(items) <= MOST_ITEMS else None
    except OSError:  # no more files can be opened
        places = None
    if places is None:
        yield list
        return
    calls = partial(_calls, function, items, places)
    try:
        with copies(jobs - 1, partial(_send, calls, ())) as pipes:
            yield lambda: [one.result for one in _ended(calls(), pipes).values()]
    finally:
        os.close(places)


def can_copy(jobs: int) -> bool:
    """Whether the work is shared by several processes."""
    return jobs > 1 and sys.platform == "linux"


def _in_order(
    function: Callable[[Item], Result], items: Sequence[Item], ended: dict[int, Ended]
) -> list[Result]:
    """The results in the order of the items, after the lines that the calls have written.

    Calls that have not ended are made again: they raised an error, or their process was killed.
    """
    results = []
    for place, item in enumerate(items):
        if place in ended:
            sys.stderr.write(ended[place].said)
        results.append(ended[place].result if place in ended else function(item))
    return results


def _shared(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int,
    known: Sequence[object],
    tick: Callable[[int], Any],
) -> dict[int, Ended]:
    """The calls that have ended, by the place of the item; all of them if no call raised an error.

    The present process makes calls, too.
    """
    if not items:
        return {}
    try:
        places = _places(len(items))
    except OSError:  # no more files can be opened
        return {}
    calls = partial(_calls, function, items, places)
    try:
        with copies(min(jobs, len(items)) - 1, partial(_send, calls, known)) as pipes:
            return _ended(_ticked(calls(), tick, len(items)), pipes, known)
    finally:
        os.close(places)


def _ticked(
    calls: Iterator[tuple[int, Ended]], tick: Callable[[int], Any], count: int
) -> Iterator[tuple[int, Ended]]:
    """Yields the same calls, and passes the numbers of items that have ended to `tick`."""
    done = 0
    for place, found in calls:
        tick(place + 1 - done)  # items before this one were taken
        done = place + 1
        yield place, found
    tick(count - done)


def _ended(
    calls: Iterator[tuple[int, Ended]], pipes: Sequence[Connection], known: Sequence[object] = ()
) -> dict[int, Ended]:
    """The calls of the present process, and then those of its copies, by the place of the item."""
    ended = dict(calls)
    for pipe in pipes:
        ended |= _received(pipe, known)
    return ended


def _places(count: int) -> int:
    """The end of a pipe from which the places of `count` items can be read, each one once."""
    reading, writing = os.pipe()
    os.write(writing, b"".join(map(NUMBER.pack, range(count))))
    os.close(writing)
    return reading


def _calls(
    function: Callable[[Item], Any], items: Sequence[Item], places: int
) -> Iterator[tuple[int, Ended]]:
    """Yields the calls that the present process makes, by the place of the item.

    An error ends them, and is raised when the call is made again.
    """
    while place := os.read(places, NUMBER.size):
        (number,) = NUMBER.unpack(place)
        said = io.StringIO()
        try:
            with redirect_stderr(said):
                result = function(items[number])
        except Exception:
            return
        yield number, Ended(result, said.getvalue())


@contextmanager
def all_objects_kept() -> Iterator[None]:
    """A context without searches for unused objects, for a command that uses what it reads.

    The journals of all papers are many objects. Each search takes time, and it changes the memory
    that the process shares with its copies. Later searches, such as the one when the process ends,
    leave these objects out.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def new_objects_searched() -> Iterator[None]:
    """A context with searches for unused objects among new ones, also in `all_objects_kept`.

    Runs may make many objects; those from before the context are left out.
    """
    before = gc.isenabled()
    gc.freeze()
    gc.enable()
    try:
        yield
    finally:
        if not before:
            gc.disable()


@contextmanager
def copies(count: int, act: Callable[[Connection], Any]) -> Iterator[Sequence[Connection]]:
    """A context with copies of the process: each one calls `act` with the pipe for its results.

    The context has the other ends of the pipes. There are fewer copies than `count` where the
    system gives no more. At the end of the context, or after an error or an interrupt, no copy
    runs.
    """
    parent, started, pipes = os.getpid(), [], []
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        with shielded(signal.SIGTERM), suppress(OSError):  # fewer copies than asked for are enough
            for _ in range(count):
                number, pipe = _begun(act, parent)
                started.append(number)
                pipes.append(pipe)
        yield pipes
    finally:
        for pipe in pipes:
            pipe.close()
        for number in started:
            with suppress(ProcessLookupError, ChildProcessError):  # where SIGCHLD is ignored
                os.kill(number, signal.SIGKILL)
                os.waitpid(number, 0)


def _begun(act: Callable[[Connection], Any], parent: int) -> tuple[int, Connection]:
    """The number of a new copy of the present process, and the end of a pipe with its results.

    Raises:
        OSError: the system gives no more files or processes.
    """
    reading, writing = Pipe(duplex=False)
    try:
        number = os.fork()
    except OSError:
        reading.close()
        writing.close()
        raise
    if not number:
        _act(act, writing, parent)
    writing.close()
    return number, reading


def _act(act: Callable[[Connection], Any], writing: Connection, parent: int) -> NoReturn:
    """Calls `act` in the present process, which is a copy, and ends the process."""
    try:
        gc.freeze()  # a search for unused objects would touch, and thus copy, all memory
        end_with(parent)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        act(writing)
        sys.stdout.flush()  # what a method has printed
    finally:
        os._exit(0)  # without what the parent process does when it ends


def _send(
    calls: Callable[[], Iterator[tuple[int, Ended]]], known: Sequence[object], pipe: Connection
) -> None:
    """Makes calls and writes them to a pipe.

    A call becomes bytes as soon as it has ended, and not while the parent process waits.
    """
    content = io.BytesIO()
    writer = Writer(content, known)
    try:
        for call in calls():
            writer.dump(call)
    finally:
        pipe.send_bytes(content.getbuffer())


def _received(pipe: Connection, known: Sequence[object]) -> dict[int, Ended]:
    """The calls that a copy has sent, by the place of the item; a killed process has sent none."""
    found = {}
    with suppress(EOFError, pickle.UnpicklingError):  # the end, or a result that cannot be sent
        reader = Reader(io.BytesIO(pipe.recv_bytes()), known)
        while True:
            place, one = reader.load()
            found[place] = one
    return found


class Writer(pickle.Pickler):
    """Writes results, and of known objects only their places."""

    def __init__(self, file: IO[bytes], known: Sequence[object]) -> None:
        super().__init__(file, protocol=5)
        self._places = {id(one): place for place, one in enumerate(known)}

    def persistent_id(self, one: object) -> int | None:
        """The place of a known object."""
        return self._places.get(id(one))


class Reader(pickle.Unpickler):
    """Reads results of a copy of the present process."""

    def __init__(self, file: IO[bytes], known: Sequence[object]) -> None:
        super().__init__(file)
        self._known = known

    def persistent_load(self, place: int) -> object:
        """The known object at a place."""
        return self._known[place]
