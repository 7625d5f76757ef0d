"""Batches of private training, each with a record of how it was sampled.

The number of records n, the sampling rate and the number of steps are public. A mechanism gets the
batch that a value was computed from, as in `gaussian(..., draw=batch.draw)`; the accounting of
audits needs this argument. A fit samples all batches in one loop, so that the step number
identifies the batch of a release.
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
_samples = count(1)  # a number for each batch of the process
# of this thread alone, as two audits may run at once
_absent: ContextVar[tuple[int, ...]] = ContextVar("absent", default=())


@dataclass(frozen=True)
class Draw:
    """The sampling scheme of the batch of one step, counted from 1."""

    step: int
    sampling_rate: float  # the expected share of the records that are in the batch
    sampling: Sampling | Literal["without_replacement"] = "poisson"
    """How the batch was chosen; the privacy loss of a step depends on it."""
    sample: int = field(default=0, compare=False)
    """A number that identifies the batch among all batches of the process."""


ALL_RECORDS = Draw(0, 1.0)  # no batch: a query on all records


@dataclass(frozen=True, eq=False)
class Batch:
    """The rows of the batch of one training step, and the sampling scheme of the batch."""

    rows: Ints  # row numbers, (size,)
    draw: Draw


@checked
def poisson_batches(
    n: int, *, sampling_rate: Share, steps: int, rng: np.random.Generator
) -> Iterator[Batch]:
    """Poisson batches: each of n records enters each batch independently with the same probability.

    There are `steps` batches, of which any may be empty. `sampling_rate` is in (0, 1].

    Source: Abadi et al. 2016, Section 3.1.

    >>> from numpy.random import default_rng
    >>> rng = default_rng(0)
    >>> [len(batch.rows) for batch in poisson_batches(5, sampling_rate=1.0, steps=3, rng=rng)]
    [5, 5, 5]
    """
    for step in range(1, steps + 1):
        # a binomial size, then a uniform subset: the same law as n coins, without n draws
        rows = rng.choice(n, rng.binomial(n, sampling_rate), replace=False, shuffle=False)
        yield Batch(_present(rows), Draw(step, sampling_rate, sample=next(_samples)))


def shuffled_batches(
    n: int, *, batch_size: int, steps: int, rng: np.random.Generator
) -> Iterator[Batch]:
    """Batches of `batch_size` rows from passes over the data, each in a new random order.

    The last batch of a pass has the remaining rows. The sampling rate in `draw` is 1 / (batches per
    pass) and is not a probability (see mechanisms/accounting/accountant.py).

    Raises:
        ValueError: the batch size is not between 1 and n, the number of records.

    >>> from numpy.random import default_rng
    >>> rng = default_rng(0)
    >>> [len(batch.rows) for batch in shuffled_batches(5, batch_size=2, steps=4, rng=rng)]
    [2, 2, 1, 2]
    """
    if not 1 <= batch_size <= n:
        raise ValueError(
            f"batch_size must be from 1 to {n}, the number of records, got {batch_size}"
        )
    # not batch_size / n: a last batch that is not full counts too
    rate = 1 / math.ceil(n / batch_size)
    for step, rows in enumerate(islice(_passes(n, batch_size, rng), steps), start=1):
        yield Batch(_present(rows), Draw(step, rate, "shuffled", next(_samples)))


def _passes(n: int, batch_size: int, rng: np.random.Generator) -> Iterator[Ints]:
    """The rows of the batches of endless passes over n records, shuffled anew for each pass."""
    while True:
        order = rng.permutation(n)  # a new order for each pass, as the accounting of passes assumes
        for start in range(0, n, batch_size):
            yield order[start : start + batch_size]


def subsample(n: int, *, size: int, rng: np.random.Generator) -> Batch:
    """A random subsample of `size` of n records; all records in their order if size is n.

    The records are drawn without replacement. Several releases from one subsample count as one
    release in the amplification by sampling.
    """
    # the whole sample draws nothing, so that seeds repeat fits that are not sampled
    rows = rng.choice(n, size, replace=False) if size < n else np.arange(n)
    return Batch(_present(rows), Draw(1, size / n, "without_replacement", next(_samples)))


@contextmanager
def absent(*rows: int) -> Iterator[None]:
    """A context in which the rows `rows` are removed from every batch.

    A fit in it is a fit to the neighbour without these records, with the same n and batches
    otherwise.
    """
    token = _absent.set(rows)
    try:
        yield
    finally:
        _absent.reset(token)


def _present(rows: Ints) -> Ints:
    absentees = _absent.get()
    # after the draw: the other rows stay as they are
    return rows[~np.isin(rows, absentees)] if absentees else rows
