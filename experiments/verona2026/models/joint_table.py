"""The joint distribution of all variables as one table, fitted to noisy tables of pairs.

A table of a few hundred thousand cells is small enough to hold every cell, so that no junction tree
is needed. Sums over variables share their work: the variable with the most levels is summed out
first, and the smaller tables serve all pairs without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.synthesis.tree_records import as_records

Axes = tuple[int, ...]  # the numbers of one or two variables, in increasing order
GROWN, SHRUNK = 1.5, 0.5  # the factor of the step after a step that lowered the loss, or did not


@dataclass(frozen=True)
class Measured:
    """A noisy table of counts, or the mean of several ones."""

    counts: dp.Floats
    precision: float  # proportional to 1 / variance of a cell

    def joined(self, other: Measured | None) -> Measured:
        """The mean of two tables of the same variables, weighted by their precisions."""
        if other is None:
            return self
        total = self.precision + other.precision
        counts = self.precision * self.counts + other.precision * other.counts
        return Measured(counts / total, total)


@dataclass(frozen=True)
class Sums:
    """How tables of several variables are summed out of the joint table, and spread over it."""

    shape: tuple[int, ...]  # the number of levels of each variable
    tables: tuple[Axes, ...]  # the variables of each table

    @cached_property
    def _steps(self) -> dict[frozenset[int], tuple[frozenset[int], int]]:
        """The larger table and the variable that is summed out, of each smaller one, in order."""
        whole = frozenset(range(len(self.shape)))
        steps: dict[frozenset[int], tuple[frozenset[int], int]] = {}
        for axes in self.tables:
            kept = whole
            for axis in sorted(whole - set(axes), key=lambda axis: (-self.shape[axis], axis)):
                steps[kept - {axis}] = kept, axis
                kept -= {axis}
        return steps

    def down(self, joint: dp.Floats) -> dict[Axes, dp.Floats]:
        """The table of each of the `tables`, from the joint table."""
        found = {frozenset(range(len(self.shape))): joint}
        for part, (larger, axis) in self._steps.items():
            found[part] = found[larger].sum(axis=axis, keepdims=True)
        return {
            axes: found[frozenset(axes)].reshape([self.shape[axis] for axis in axes])
            for axes in self.tables
        }

    def up(self, tables: Mapping[Axes, dp.Floats]) -> dp.Floats:
        """The sum of all tables in each cell of the joint table."""
        whole = frozenset(range(len(self.shape)))
        found: dict[frozenset[int], dp.Floats] = {}
        for axes, table in tables.items():
            spread = [n if axis in axes else 1 for axis, n in enumerate(self.shape)]
            found[frozenset(axes)] = table.reshape(spread)
        for part, (larger, _) in reversed(self._steps.items()):
            if part in found:
                found[larger] = found[larger] + found[part] if larger in found else found[part]
        return np.broadcast_to(found[whole], self.shape)


def fitted(
    start: dp.Floats, measured: Mapping[Axes, Measured], *, total: float, steps: int
) -> dp.Floats:
    """The logarithms of a joint distribution whose tables, times `total`, are near the measured.

    Args:
        start: The logarithms from which the descent starts, in the shape of the joint table.
        measured: The noisy tables.
        total: The number of records.
        steps: The number of steps of entropic mirror descent.
    """
    sums = Sums(start.shape, tuple(measured))

    def evaluated(logs: dp.Floats) -> tuple[float, dp.Floats]:
        """The loss, and its gradient by the probabilities."""
        errors = {axes: total * table for axes, table in sums.down(shares(logs)).items()}
        loss, slopes = 0.0, {}
        for axes, own in measured.items():
            error = errors[axes] - own.counts
            loss += own.precision * float((error**2).sum()) / 2
            slopes[axes] = own.precision * total * error
        return loss, sums.up(slopes)

    logs = start
    loss, gradient = evaluated(logs)
    # the loss is smooth with this constant, by the L1 norm of the probabilities
    step = 1 / (total**2 * sum(own.precision for own in measured.values()))
    for _ in range(steps):
        tried = logs - step * gradient
        found = evaluated(tried)
        if found[0] <= loss:
            logs, (loss, gradient), step = tried, found, GROWN * step
        else:
            step *= SHRUNK
    return logs


def shares(logs: dp.Floats) -> dp.Floats:
    """The probabilities with these logarithms, up to a constant."""
    found = np.exp(logs - logs.max())
    return np.asarray(found / found.sum())


@dataclass(frozen=True, eq=False)
class JointRecords(dp.NotSaved):
    """A joint distribution of the attributes, the group and the label of records."""

    probabilities: dp.Floats  # of each cell, with one axis for each variable
    domain: dp.Domain  # the columns of the training records

    def sample(self, n: int, *, rng: np.random.Generator) -> dp.Records:
        """A sample of n new records."""
        shape = self.probabilities.shape
        cells = rng.choice(self.probabilities.size, size=n, p=self.probabilities.ravel())
        values = np.column_stack(np.unravel_index(cells, shape))
        names: Sequence[str] = tuple(self.domain.values)
        return as_records(Observations(values, tuple(names), shape), self.domain)
