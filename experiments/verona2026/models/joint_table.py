"""The joint distribution of all variables as one table, fitted to noisy tables of pairs.

A table of a few hundred thousand cells is small enough to hold every cell, so that no junction tree
is needed. Sums over variables share their work: the variable with the most levels is summed out
first, and the smaller tables serve all pairs without it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.synthesis.tree_records import as_records

Axes = tuple[int, ...]  # the numbers of one or two variables, in increasing order
GROWN, SHRUNK = 1.5, 0.5  # the factor of the step after a step that lowered the loss, or did not


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


@dataclass(frozen=True)
class NoisyTable:
    """A noisy table of counts, or the mean of several ones."""

    counts: dp.Floats
    precision: float  # proportional to 1 / variance of a cell


class NoisyTables:
    """Noisy tables of one or two variables, and a joint distribution that is near all of them."""

    def __init__(self, levels: tuple[int, ...], candidates: tuple[Axes, ...]) -> None:
        self._candidates = Sums(levels, candidates)
        self._measured: dict[Axes, NoisyTable] = {}
        self._logs = np.zeros(levels)  # the logarithms of the probabilities, up to a constant

    def add(self, axes: Axes, noisy: dp.Floats, *, precision: float) -> None:
        """Adds a noisy table, or averages it with one of the same variables by precision."""
        old = self._measured.get(axes)
        if old:
            total = old.precision + precision
            noisy = (old.precision * old.counts + precision * noisy) / total
            precision = total
        self._measured[axes] = NoisyTable(noisy, precision)

    @property
    def probabilities(self) -> dp.Floats:
        """The joint distribution, with one axis for each variable."""
        return _softmax(self._logs)

    @property
    def total(self) -> float:
        """The number of records, from the sums of all tables, weighted by their precisions."""
        tables = self._measured.values()
        sums = np.array([own.counts.sum() for own in tables])
        precisions = np.array([own.precision / own.counts.size for own in tables])
        return max(float(sums @ precisions / precisions.sum()), 1.0)

    def tables(self) -> dict[Axes, dp.Floats]:
        """The expected counts of each candidate."""
        found = self._candidates.down(self.probabilities)
        return {axes: self.total * table for axes, table in found.items()}

    def fit(self, steps: int) -> None:
        """Moves the distribution by entropic mirror descent towards the noisy tables.

        The loss is the sum of all squared differences of counts, times the precision of the table.
        """
        sums, total = Sums(self._logs.shape, tuple(self._measured)), self.total

        def evaluated(logs: dp.Floats) -> tuple[float, dp.Floats]:
            """The loss, and its gradient by the probabilities."""
            loss, slopes = 0.0, {}
            for axes, table in sums.down(_softmax(logs)).items():
                own = self._measured[axes]
                error = total * table - own.counts
                loss += own.precision * float((error**2).sum()) / 2
                slopes[axes] = own.precision * total * error
            return loss, sums.up(slopes)

        loss, gradient = evaluated(self._logs)
        # the loss is smooth with this constant, by the L1 norm of the probabilities
        step = 1 / (total**2 * sum(own.precision for own in self._measured.values()))
        for _ in range(steps):
            tried = self._logs - step * gradient
            found = evaluated(tried)
            if found[0] <= loss:
                self._logs, (loss, gradient), step = tried, found, GROWN * step
            else:
                step *= SHRUNK


def counts(values: dp.Ints | dp.Floats, axes: Axes, levels: tuple[int, ...]) -> dp.Floats:
    """The number of records in each cell of the table of some variables."""
    shape = [levels[axis] for axis in axes]
    cells = np.ravel_multi_index(tuple(values[:, list(axes)].T.astype(np.int64)), shape)
    return np.bincount(cells, minlength=math.prod(shape)).reshape(shape).astype(float)


def _softmax(logs: dp.Floats) -> dp.Floats:
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
        return as_records(Observations(values, tuple(self.domain.values), shape), self.domain)
