"""Descent on whitened inputs: its settings, and sums over records that it reads.

Inputs z (p,) of a record become P'z for a matrix P (p, p) that whitens them. A score (P'z)'w is
z'(P w), and a sum of gradients in P'z is P' times the sum in z. Therefore only the length of P'z is
computed for each record, once. The inputs z are made again for every sum, block by block, if there
are too many of them to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import Annotated

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.parameters import Above, Below, Count, PositiveFinite, check_fields
from dpfair_cli.kinds.partitioned_records import PartitionedRecords, total
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.additive import AdditiveDesign
from dpfair_cli.models.regression.group_gradients import (
    RecordInputs,
    clipped_gradient,
    decision_histogram,
)
from dpfair_cli.models.regression.whitening import lower_triangle

MOST_KEPT = 30_000_000  # numbers of the inputs of all records, 240 MB
BLOCK = 4_096  # records whose inputs are made together, which fit into a processor's cache

OfInputs = Callable[[RecordInputs], Floats]
"""A function that is a sum over records."""


@dataclass(frozen=True)
class WhitenedDescent:
    """The settings of noisy gradient descent on whitened inputs."""

    moment_share: Annotated[float, Above(0), Below(1)] = 0.3
    """The share of the budget, as a part of 1 / m^2, for the second moment."""
    steps: Count = 20
    """The number of steps, each on all records."""
    clip_norm: PositiveFinite = 2.0
    """The norm to which the gradient of a record is clipped."""
    learning_rate: PositiveFinite = 8.0
    """The largest learning rate."""
    largest_noise: PositiveFinite = 4.0
    """The learning rate is smaller where the noise of all steps would move the weights further."""

    def __post_init__(self) -> None:
        check_fields(self)

    def rate(self, sigma: float, n: int, p: int) -> float:
        """The learning rate for n records, p inputs and the standard deviation `sigma` of a step.

        The noise of all steps moves the weights by about rate sigma sqrt(steps p) / n.
        """
        noise = sigma * np.sqrt(self.steps * p) / n  # of the learning rate 1
        return min(self.learning_rate, self.largest_noise / noise) if noise else self.learning_rate


DEFAULT_DESCENT = WhitenedDescent()


def second_moment(records: Records, *, design: AdditiveDesign) -> Floats:
    """The lower triangle of the sum of z z' over the records, (p (p + 1) / 2,).

    Inputs are shortened to |z|^2 <= A, the number of attributes of the design.
    """
    moment = np.zeros((design.size, design.size))
    for rows in _blocks(len(records)):
        Z = design.inputs(records.X[rows])
        # a record has at most one level of each attribute, but nothing enforces that
        Z *= np.minimum(1.0, np.sqrt(design.attributes) / np.linalg.norm(Z, axis=1))[:, None]
        moment += Z.T @ Z
    return lower_triangle(moment)


@dataclass(frozen=True, eq=False)
class WhitenedRecords:
    """Records with whitened inputs P'z."""

    records: Records | PartitionedRecords  # the records
    design: AdditiveDesign  # the map from features to inputs
    P: Floats  # the matrix that whitens the inputs, (p, p)

    def gradient(self, w: Floats, *, pulls: Floats, clip_norm: float) -> Floats:
        """The sum of the gradients of the records at w, each clipped to `clip_norm`, (p,)."""
        found = partial(clipped_gradient, w=self.P @ w, pulls=pulls, clip_norm=clip_norm)
        return np.asarray(self.P.T @ self._total(found))

    def histogram(self, w: Floats, *, group_count: int) -> Floats:
        """The number of records with each group, label and decision at w, (groups, 2, 2)."""
        return self._total(partial(decision_histogram, w=self.P @ w, group_count=group_count))

    @cached_property
    def _total(self) -> Callable[[OfInputs], Floats]:
        """Maps a function that is a sum over records to its value for all records together."""
        records = self.records
        if isinstance(records, PartitionedRecords):
            of_part = partial(_sum_of_part, design=self.design, P=self.P)
            return lambda function: total(records, partial(of_part, function=function))
        return InputsInBlocks(records, self.design, self.P).total


def _sum_of_part(
    records: Records, *, design: AdditiveDesign, P: Floats, function: OfInputs
) -> Floats:
    """The value of `function` for all records of a partition."""
    return InputsInBlocks(records, design, P).total(function)


@dataclass(frozen=True, eq=False)
class InputsInBlocks:
    """The inputs z of records in memory, made block by block, with the lengths of P'z."""

    records: Records  # the records
    design: AdditiveDesign  # the map from features to inputs
    P: Floats  # the matrix that whitens the inputs, (p, p)

    def total(self, function: OfInputs) -> Floats:
        """The value of a function that is a sum over records, for all records together."""
        return reduce(np.add, map(function, self._kept or self._made()))

    @cached_property
    def _kept(self) -> list[RecordInputs]:
        """The inputs of all records; empty if they are too many to keep."""
        few = len(self.records) * self.design.size <= MOST_KEPT
        return [*self._made()] if few else []

    def _made(self) -> Iterator[RecordInputs]:
        """Yields the inputs of each block of records; one block for no records."""
        records = self.records
        for rows in _blocks(max(len(records), 1)):
            Z, lengths = self.design.inputs(records.X[rows]), self._lengths[rows]
            yield RecordInputs(Z, records.y[rows], records.protected[rows], lengths)

    @cached_property
    def _lengths(self) -> Floats:
        """The norms of P'z, (n,)."""
        X, P = self.records.X, self.P
        whitened = (self.design.inputs(X[rows]) @ P for rows in _blocks(max(len(X), 1)))
        return np.concatenate([np.linalg.norm(block, axis=1) for block in whitened])


def _blocks(n: int) -> Iterator[slice]:
    """Slices of n rows, in their order."""
    for first in range(0, n, BLOCK):
        yield slice(first, min(first + BLOCK, n))
