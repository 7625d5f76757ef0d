"""The one place where private values become public: every mechanism releases through here.

`record` writes down what a fit releases. `replay` runs the fit again on other data and hands out
the recorded outputs, so that (a) each query can be compared with its declared sensitivity and (b)
whatever still differs in the result was read from the data without noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpfair_cli.mechanisms.batches import EVERYBODY, Draw

Listener = Callable[["Release"], Any]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_used: ContextVar[set[str] | None] = ContextVar("used", default=None)


@dataclass(frozen=True)
class Release:
    """One noisy answer: private value, public output, declared sensitivity, scale of the noise, and
    to which batch.
    """

    mechanism: str
    value: Any
    output: Any
    sensitivity: float
    scale: float
    draw: Draw = EVERYBODY


def release(
    mechanism: str,
    value: Any,
    output: Any,
    *,
    sensitivity: float,
    scale: float,
    draw: Draw = EVERYBODY,
) -> Any:
    """Publish `output`, the noisy `value`; a recording or a replay sees it pass."""
    listener, used = _listener.get(), _used.get()
    if used is not None:
        used.add(mechanism)
    entry = Release(mechanism, value, output, sensitivity, scale, draw)
    return output if listener is None else listener(entry)


@contextmanager
def mechanisms_used() -> Iterator[set[str]]:
    """Collect the names of the mechanisms that release anything inside the block, recorded or
    replayed or neither.
    """
    found: set[str] = set()
    token = _used.set(found)
    try:
        yield found
    finally:
        _used.reset(token)


@contextmanager
def record() -> Iterator[list[Release]]:
    """Collect every release made inside the block."""
    tape: list[Release] = []

    def listen(entry: Release) -> Any:
        tape.append(replace(entry, value=np.copy(entry.value), output=np.copy(entry.output)))
        return entry.output

    yield from _listening(listen, tape)


@contextmanager
def replay(tape: list[Release]) -> Iterator[list[Release]]:
    """Answer the k-th release inside the block with the k-th output of `tape`; collect the values
    asked for.

    Raises:
        ValueError: the block releases more often than the tape, from another mechanism or a query
            of another shape:
            what is released then depends on the data. What was asked for is collected all the same.
    """
    again: list[Release] = []

    def listen(entry: Release) -> Any:
        step = len(again)
        again.append(replace(entry, value=np.copy(entry.value)))
        if step >= len(tape) or kind(tape[step]) != kind(entry):
            raise ValueError(
                f"release {step + 1} ({entry.mechanism}) is not on the tape: releases depend on the data"
            )
        output = np.copy(tape[step].output)[()]
        return type(entry.output)(output) if isinstance(entry.output, (int, float)) else output

    yield from _listening(listen, again)


def kind(entry: Release) -> tuple[str, tuple[int, ...]]:
    """The mechanism of a release and the shape of its value."""
    return entry.mechanism, np.shape(entry.value)


def _listening(listen: Listener, entries: list[Release]) -> Iterator[list[Release]]:
    token = _listener.set(listen)
    try:
        yield entries
    finally:
        _listener.reset(token)
