"""Progress of a command: a bar in a terminal, otherwise plain lines at intervals."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

from tqdm import tqdm

from dpfair_cli.contracts.training_context import TrainingState

if hasattr(os, "register_at_fork"):  # a killed copy would keep a common lock of all bars for ever
    os.register_at_fork(after_in_child=lambda: tqdm.set_lock(threading.RLock()))

SECONDS = 2.0  # a progress bar appears after this time
LINE_SECONDS = 30.0  # least time between two plain lines


class Lines:
    """A progress display as plain lines, used if stderr is not a terminal.

    At most one line is written every LINE_SECONDS.
    """

    def __init__(
        self, *, total: int, desc: str = "", unit: str = "it", initial: int = 0, **_: Any
    ) -> None:
        self.n, self.total, self.start_t = initial, total, time.time()
        self._words, self._unit, self._initial, self._said = desc, unit, initial, self.start_t
        self._numbers = ""

    def update(self, count: float = 1) -> None:
        """Advances the progress by `count`."""
        self.n += int(count)
        now = time.time()
        # a first line without progress would say nothing
        if now - self._said >= LINE_SECONDS and self.n > self._initial:
            self._said = now
            minutes = (self.total - self.n) * (now - self.start_t) / (self.n - self._initial) / 60
            rest = f", about {minutes:.0f} minutes more" if minutes >= 1 else ""
            done = f"{self.n} of {self.total} {self._unit}s{self._numbers}{rest}"
            self.write(f"{self._words}: {done}" if self._words else done)

    def set_postfix(self, numbers: Mapping[str, float], **_: Any) -> None:
        """Sets numbers, by name, that are shown at the end of the next lines."""
        self._numbers = "".join(f", {name} {value:.3g}" for name, value in numbers.items())

    def write(self, words: str, file: Any = None) -> None:
        """Writes the text `words` as a line."""
        tqdm.write(words, file=file or sys.stderr)


def bar(**look: Any) -> Any:
    """A context with a progress bar of tqdm, or with plain lines if stderr is not a terminal."""
    return tqdm(**look) if on_terminal() else nullcontext(Lines(**look))


@contextmanager
def clock(words: str) -> Iterator[None]:
    """Shows the seconds that have passed while one long step runs, without a known end.

    A terminal shows a line that changes every second; without a terminal, a line is written every
    LINE_SECONDS.
    """
    done = threading.Event()
    # the main thread computes; a daemon does not keep the process
    ticking = threading.Thread(target=_tick, args=(words, done), daemon=True)
    ticking.start()
    try:
        yield
    finally:
        done.set()
        ticking.join()


def _tick(words: str, done: threading.Event) -> None:
    """Shows the seconds until `done` is set."""
    start, live = time.monotonic(), on_terminal()
    while not done.wait(1.0 if live else LINE_SECONDS):
        seconds = f"{words}: {time.monotonic() - start:.0f} s"
        sys.stderr.write(f"\r{seconds}" if live else f"{seconds}\n")
        sys.stderr.flush()
    if live:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


def advance(shown: Any, count: int, way_out: str = "") -> None:
    """Advances the progress bar `shown` by `count`.

    At 5 %, the remaining time is printed if it exceeds a minute, followed by `way_out`.
    """
    before, soon = shown.n, shown.total / 20
    shown.update(count)
    if not shown.n > before:
        return
    seconds = (shown.total - shown.n) * (time.time() - shown.start_t) / shown.n
    if before < soon <= shown.n and seconds > 60:
        estimate = f"about {seconds / 60:.0f} more minutes"
        shown.write(f"{estimate}; {way_out}" if way_out else estimate, file=sys.stderr)


def on_terminal() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr.isatty()


class EpochBar:
    """A progress bar over the epochs of training runs; `words` is the title of the bar."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __call__(
        self, states: Iterator[TrainingState], *, epochs: int, done: int
    ) -> Iterator[TrainingState]:
        """Yields the same states of a training run, and advances a progress bar over its epochs.

        An epoch counts as finished when the next state is requested.
        """
        look = {"unit": "epoch", "delay": SECONDS, "mininterval": 0, "miniters": 1, "leave": False}
        with bar(desc=self.words, total=epochs, initial=done, **look) as shown:
            for state in states:
                yield state
                shown.set_postfix(state.numbers, refresh=False)
                shown.update(state.epoch - shown.n)
