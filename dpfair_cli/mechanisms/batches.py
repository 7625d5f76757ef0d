"""Batches of private training, drawn here so that what a release says of its batch is how the batch
was drawn.

The number of records n, the sampling rate and the number of steps are public. Noise on what a batch
gives is added by `gaussian(..., draw=batch.draw)`. A fit draws its batches in one loop: their steps
tell the releases apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.parameters import Share, checked

Sampling = Literal["poisson", "shuffled"]
_samples = count(1)  # a number for each sample that was ever drawn
_absent: ContextVar[tuple[int, ...]] = ContextVar("absent", default=())


@dataclass(frozen=True)
class Draw:
    """How the batch of a step, counted from 1, came about; `sample` tells one draw from every other
    of the process.
    """

    step: int
    sampling_rate: float
    sampling: Sampling | Literal["without_replacement"] = "poisson"
    sample: int = field(default=0, compare=False)


EVERYBODY = Draw(0, 1.0)  # no batch: a query to all records


@dataclass(frozen=True, eq=False)
class Batch:
    """The rows (size,) of one step, and how they were drawn."""

    rows: Ints
    draw: Draw


@checked
def poisson_batches(
    n: int, *, sampling_rate: Share, steps: int, rng: np.random.Generator
) -> Iterator[Batch]:
    """Batches that each of n records enters with probability `sampling_rate` by itself; a batch may
    be empty.
    """
    for step in range(
        1, steps + 1
    ):  # a number of records and then which: the same law as n coins, without n draws
        rows = rng.choice(n, rng.binomial(n, sampling_rate), replace=False, shuffle=False)
        yield Batch(_present(rows), Draw(step, sampling_rate, sample=next(_samples)))


def shuffled_batches(
    n: int, *, batch_size: int, steps: int, rng: np.random.Generator
) -> Iterator[Batch]:
    """Batches of `batch_size` from one shuffle after the other; the last one of a pass holds the
    rest.

    The sampling rate is 1 / (batches of a pass); it is no probability, see `accountant`.
    """
    if not 1 <= batch_size <= n:
        raise ValueError(f"batch_size must lie between 1 and the {n} records, got {batch_size}")
    shuffles = (rng.permutation(n) for _ in count())
    batches = (
        order[start : start + batch_size] for order in shuffles for start in range(0, n, batch_size)
    )
    for step, rows in enumerate(islice(batches, steps), start=1):
        yield Batch(
            _present(rows), Draw(step, 1 / math.ceil(n / batch_size), "shuffled", next(_samples))
        )


def random_part(n: int, *, size: int, rng: np.random.Generator) -> Batch:
    """`size` of n records, each set of so many with equal probability; all of them if size is n.

    What is asked of it is amplified once: two questions to one part are a joint one.
    """
    rows = rng.choice(n, size, replace=False) if size < n else np.arange(n)
    return Batch(_present(rows), Draw(1, size / n, "without_replacement", next(_samples)))


@contextmanager
def absent(*rows: int) -> Iterator[None]:
    """Take these records out of every batch drawn inside the block: the neighbour without them, at
    the same n.
    """
    token = _absent.set(rows)
    try:
        yield
    finally:
        _absent.reset(token)


def _present(rows: Ints) -> Ints:
    absentees = _absent.get()
    return rows[~np.isin(rows, absentees)] if absentees else rows
