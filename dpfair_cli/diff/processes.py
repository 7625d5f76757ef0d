"""Independent work on all processors, where starting a process costs nothing: a fork has what was
imported and read.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

FEWEST = 8  # pieces of work that are worth a second process

Result = TypeVar("Result")

_work: list[Callable[[str], object]] = []  # what the forks find here need not be sent to them


def map_on_forks(work: Callable[[str], Result], pieces: Sequence[str]) -> list[Result]:
    """The result of each piece, in their order; the same as without forks, which are for Linux and
    many pieces only.

    Where a fork dies, the work is done here.
    """
    processors = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    if processors < 2 or len(pieces) < FEWEST:
        return [work(piece) for piece in pieces]
    _work.append(work)
    try:
        with ProcessPoolExecutor(processors, multiprocessing.get_context("fork")) as forks:
            return list(forks.map(_piece, pieces))  # type: ignore[arg-type]
    except BrokenProcessPool:
        return [work(piece) for piece in pieces]
    finally:
        _work.clear()


def _piece(piece: str) -> object:
    return _work[-1](piece)
