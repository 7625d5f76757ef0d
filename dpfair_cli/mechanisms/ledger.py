"""The function through which every mechanism releases its output, and the recording of releases.

`record` collects the releases of a fit. In a second fit, to neighbouring data, `replay` gives every
mechanism the recorded output in place of a new output. An audit uses both fits in two ways: it
compares the change of every query with the declared sensitivity, and any difference between the two
results shows that the fit uses the data without noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpfair_cli.mechanisms.batches import ALL_RECORDS, Draw

Listener = Callable[["Release"], Any]
# context variables: an audit hears only the releases of its own thread and block
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_used: ContextVar[Usage | None] = ContextVar("used", default=None)


@dataclass
class Usage:
    """The mechanisms that released an output, and how their batches were sampled."""

    mechanisms: set[str] = field(default_factory=set)
    samplings: set[str] = field(default_factory=set)
    """The sampling schemes of the batches; empty if all queries were on all records."""


@dataclass(frozen=True)
class Release:
    """One noisy output of a mechanism, with its private query and its noise."""

    mechanism: str  # the name of the function that added the noise, such as "laplace"
    value: Any  # the private value of the query
    output: Any  # the public, noisy output
    sensitivity: float  # the declared sensitivity of the query
    scale: float  # the Laplace scale or the Gaussian standard deviation of the noise
    draw: Draw = ALL_RECORDS  # how the batch that the value was computed from was sampled


def release(
    mechanism: str,
    value: Any,
    output: Any,
    *,
    sensitivity: float,
    scale: float,
    draw: Draw = ALL_RECORDS,
) -> Any:
    """The public output of a mechanism.

    The result is `output`, or the recorded output inside the context `replay`. The arguments are
    the fields of a Release.
    """
    # both are None unless a block asks, and cost nothing then
    listener, used = _listener.get(), _used.get()
    if used is not None:
        used.mechanisms.add(mechanism)
        if draw != ALL_RECORDS:  # without the number of the sample, which is not compared
            used.samplings.add(draw.sampling)
    entry = Release(mechanism, value, output, sensitivity, scale, draw)
    return output if listener is None else listener(entry)


@contextmanager
def mechanisms_used() -> Iterator[Usage]:
    """A context that collects which mechanisms release an output, and from which batches."""
    found = Usage()
    token = _used.set(found)
    try:
        yield found
    finally:
        _used.reset(token)


@contextmanager
def record() -> Iterator[list[Release]]:
    """A context that collects all releases made inside the block."""
    tape: list[Release] = []

    def listen(entry: Release) -> Any:
        # copies, because a fit may go on to change the arrays in place
        tape.append(replace(entry, value=np.copy(entry.value), output=np.copy(entry.output)))
        return entry.output

    yield from _listening(listen, tape)


@contextmanager
def replay(tape: list[Release]) -> Iterator[list[Release]]:
    """A context in which the k-th release returns the k-th output of `tape`.

    The context collects the releases with their new queries.

    Raises:
        ValueError: the block makes more releases than `tape` has, or a release has another
            mechanism or another shape of the value. The sequence of releases then depends on the
            data. The releases up to this one are collected.
    """
    again: list[Release] = []

    def listen(entry: Release) -> Any:
        step = len(again)
        # before the check, so that an audit can show the release that differs
        again.append(replace(entry, value=np.copy(entry.value)))
        if step >= len(tape) or kind(tape[step]) != kind(entry):
            raise ValueError(
                f"release {step + 1} ({entry.mechanism}) of the fit to neighbouring data has no "
                "counterpart in the first fit: number, order, mechanisms and shapes of releases "
                "must not depend on the data"
            )
        # [()] makes an array without axes a number; a number of Python stays one
        output = np.copy(tape[step].output)[()]
        return type(entry.output)(output) if isinstance(entry.output, (int, float)) else output

    yield from _listening(listen, again)


def kind(entry: Release) -> tuple[str, tuple[int, ...]]:
    """The name of the mechanism that made a release, and the shape of the value of its query."""
    return entry.mechanism, np.shape(entry.value)


def _listening(listen: Listener, entries: list[Release]) -> Iterator[list[Release]]:
    # a block within a block hears first, and gives back the outer one
    token = _listener.set(listen)
    try:
        yield entries
    finally:
        _listener.reset(token)
