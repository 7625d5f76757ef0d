"""Progress of a command: a bar in a terminal, otherwise plain lines at intervals."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from math import inf
from typing import Any

from tqdm import tqdm

from dpfair_cli.contracts.training_context import TrainingState
from dpfair_cli.running.plan import EndedRun

if hasattr(os, "register_at_fork"):  # a killed copy would keep a common lock of all bars for ever
    os.register_at_fork(after_in_child=lambda: tqdm.set_lock(threading.RLock()))

SECONDS = 2.0  # a progress bar appears after this time
LINE_SECONDS = 30.0  # least time between two plain lines
MINUTE = 60.0  # seconds; a shorter remaining time is not printed
ALL = "all runs"  # the key of their times


Left = Callable[[float, float], float | None]
"""(steps done, all steps) -> the seconds that the rest takes; None while they are not known."""


def steady(*, initial: float = 0, limit: float = inf) -> Left:
    """The remaining time of equal steps, of which none begins after `limit` seconds.

    The first `initial` steps were done before.
    """
    start = time.time()

    def left(done: float, total: float) -> float | None:
        passed = time.time() - start
        if done <= initial:
            return None
        return min((total - done) * passed / (done - initial), max(limit - passed, 0.0))

    return left


class Pace:
    """The remaining time of runs, of which those of one method may take a thousand times longer.

    A setting whose first run has not ended is expected to take as long as other settings of its
    method, such as other values of epsilon. Nothing is known before each method has run.
    """

    def __init__(self, runs: Iterable[EndedRun]) -> None:
        self._start = 0.0
        self._waiting = Counter(one[:2] for one in runs)
        self._seconds: dict[Any, list[float]] = defaultdict(list)

    def end(self, runs: Iterable[EndedRun]) -> None:
        """Notes runs that have ended, with the time that each took."""
        ended = list(runs)
        if not self._start:  # libraries and data are loaded once, which does not count
            self._start = time.time() - sum(one.seconds for one in ended)
        for one in ended:
            self._waiting[one[:2]] -= 1
            for name in (one.method, one[:2], ALL):
                self._seconds[name].append(one.seconds)

    def left(self, done: float, total: float) -> float | None:
        """The remaining seconds, if runs go on as until now; None while a method has no run."""
        passed, cost = time.time() - self._start, 0.0
        for setting, count in self._waiting.items():
            known = self._seconds.get(setting) or self._seconds.get(setting[0], [])
            if count and not known:
                return None
            cost += count * sum(known) / max(len(known), 1)
        return passed * cost / (sum(self._seconds[ALL]) or inf)


class Lines:
    """A progress display as plain lines, used if stderr is not a terminal.

    At most one line is written every LINE_SECONDS.
    """

    is_estimated = False  # whether the remaining time was printed

    def __init__(
        self,
        *,
        total: int,
        desc: str = "",
        unit: str = "it",
        initial: int = 0,
        left: Left | None = None,
        **_: Any,
    ) -> None:
        self.n, self.total = initial, total
        self._words, self._unit, self._initial, self._said = desc, unit, initial, time.time()
        self._left, self._numbers = left or steady(initial=initial), ""

    @property
    def left(self) -> float | None:
        """The remaining seconds; None while they are not known."""
        return self._left(self.n, self.total)

    def update(self, count: float = 1) -> None:
        """Advances the progress by `count`."""
        self.n += int(count)
        now = time.time()
        # a first line without progress would say nothing
        if now - self._said >= LINE_SECONDS and self.n > self._initial:
            self._said = now
            left = self.left or 0.0
            rest = f", {describe_left(left)}" if left >= MINUTE else ""
            done = f"{self.n} of {self.total} {self._unit}s{self._numbers}{rest}"
            self.write(f"{self._words}: {done}" if self._words else done)

    def set_postfix(self, numbers: Mapping[str, float], **_: Any) -> None:
        """Sets numbers, by name, that are shown at the end of the next lines."""
        self._numbers = "".join(f", {name} {value:.3g}" for name, value in numbers.items())

    def write(self, words: str, file: Any = None) -> None:
        """Writes the text `words` as a line."""
        tqdm.write(words, file=file or sys.stderr)


class TerminalBar(tqdm):  # type: ignore[type-arg]
    """A progress bar of tqdm with our remaining time; tqdm would use that of the last steps."""

    is_estimated = False  # whether the remaining time was printed

    def __init__(self, *, initial: int = 0, left: Left | None = None, **look: Any) -> None:
        self._left = left or steady(initial=initial)
        super().__init__(initial=initial, **look)

    @property
    def left(self) -> float | None:
        """The remaining seconds; None while they are not known."""
        return self._left(self.n, self.total or 0.0)

    @property
    def format_dict(self) -> Any:
        """What tqdm shows; from the rate, it derives the remaining time."""
        left = self.left
        rate = ((self.total or 0.0) - self.n) / left if left else 0.0
        return {**super().format_dict, "rate": rate}


def bar(**look: Any) -> Any:
    """A context with a progress bar of tqdm, or with plain lines if stderr is not a terminal."""
    return TerminalBar(**look) if on_terminal() else nullcontext(Lines(**look))


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


def advance(shown: Any, count: int, way_out: str = "", *, of: str = "") -> None:
    """Advances the progress bar `shown` by `count`.

    Once, after 5 % and when it is known, the remaining time is printed if it exceeds a minute, as
    that of `of` if this is given, and followed by `way_out`.
    """
    shown.update(count)
    if count and shown.n >= shown.total / 20 and not shown.is_estimated:
        left = shown.left
        shown.is_estimated = left is not None
        if left is not None and left > MINUTE:
            estimate = ": ".join(filter(None, [of, describe_left(left)]))
            shown.write(f"{estimate}; {way_out}" if way_out else estimate, file=sys.stderr)


def describe_left(seconds: float) -> str:
    """A remaining time in words, such as "about 80 seconds more" or "about 5 minutes more"."""
    if seconds < 3 * MINUTE:  # a whole number of minutes would be rounded by up to a half
        return f"about {round(seconds, -1):.0f} seconds more"
    return f"about {seconds / MINUTE:.0f} minutes more"


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
