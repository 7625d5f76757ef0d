"""The runs that predicates of claims are decided on: selections from the rows of an artefact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.verdicts.means import as_list, equals_value
from dpfair_cli.verdicts.wording import describe_point


class Column:
    """A column of a table, one entry per row; each question is answered once."""

    def __init__(self, entries: pd.Series[Any]) -> None:
        self._entries = entries
        self._equal: dict[Any, Mask] = {}

    @cached_property
    def values(self) -> NDArray[Any]:
        """The entries as they are, (rows,)."""
        return self._entries.to_numpy(dtype=object)

    @cached_property
    def numbers(self) -> Floats:
        """The entries as numbers; NaN for an empty entry, (rows,)."""
        return self._entries.to_numpy(dtype=float)

    @cached_property
    def is_empty(self) -> Mask:
        """Whether each entry is empty, (rows,)."""
        return np.asarray(self._entries.isna(), dtype=bool)

    @cached_property
    def ranks(self) -> Ints:
        """The rank of each entry among the distinct entries; the last for an empty one, (rows,)."""
        ranks, distinct = pd.factorize(self._entries, sort=True)
        return np.asarray(np.where(ranks < 0, len(distinct), ranks), dtype=np.int64)

    def equals(self, value: Any) -> Mask:
        """Whether each entry equals a value to six digits; an empty one equals none, (rows,)."""
        if value not in self._equal:
            self._equal[value] = equals_value(self._entries, value)
        return self._equal[value]

    def fits(self, value: Any) -> Mask:
        """Whether each entry is empty or equals a value to six digits, (rows,)."""
        return self.equals(value) | self.is_empty


Positions = NDArray[np.intp]  # positions of rows in the columns of an artefact


@dataclass(frozen=True, eq=False)
class Runs:
    """A selection of runs of one artefact."""

    columns: Mapping[str, Column]  # of all runs of the artefact, by name
    positions: Positions  # of the selected runs, (runs,)

    def __len__(self) -> int:
        return len(self.positions)

    def __contains__(self, column: str) -> bool:
        return column in self.columns

    def values(self, column: str) -> NDArray[Any]:
        """The entries of a column, (runs,)."""
        return self.columns[column].values[self.positions]

    def ranks(self, column: str) -> Ints:
        """The rank of each run's entry among all distinct entries of a column, (runs,)."""
        return self.columns[column].ranks[self.positions]

    def numbers(self, column: str) -> Floats:
        """The entries of a column as numbers, (runs,)."""
        return self.columns[column].numbers[self.positions]

    @property
    def seeds(self) -> Ints:
        """The seed of each run, (runs,)."""
        return self.columns["seed"].values[self.positions].astype(np.int64)

    def at(self, positions: Positions) -> Runs:
        """The runs at these positions of the artefact."""
        return replace(self, positions=positions)

    def having(self, values: Mapping[str, Any]) -> Runs:
        """The runs with the values, by column; a list stands for any of its values.

        A run whose entry is empty is kept, and a column that the runs lack restricts nothing.
        """
        found = self
        for name in values.keys() & self.columns.keys():
            fits = self._fits(name, as_list(values[name]))
            found = found.at(found.positions[fits[found.positions]])
        return found

    def _fits(self, column: str, values: Sequence[Any]) -> Mask:
        """Whether each run of the artefact has one of the values, or no value, (rows,)."""
        fits = self.columns[column].is_empty.copy()
        for value in values:
            fits |= self.columns[column].equals(value)
        return fits

    def on(self, dataset: str, *, named: str) -> Runs:
        """The runs on a data set, as if the name of the data set were another one."""
        here = self.columns["dataset"].equals(dataset)[self.positions]
        renamed = Column(pd.Series([named] * len(self.columns["dataset"].values), dtype=object))
        return Runs({**self.columns, "dataset": renamed}, self.positions[here])

    def of(self, method: str, metric: str) -> Runs:
        """The runs of a method that have a score."""
        has_score = ~self.columns[metric].is_empty
        chosen = self.columns["method"].equals(method) & has_score
        return self.at(self.positions[chosen[self.positions]])

    def points(self, axes: Sequence[str]) -> Iterator[tuple[str, Runs]]:
        """Yields each data set with one value of each axis, in words, and its runs, in order."""
        names = ["dataset", *axes]
        ranks = np.stack([self.ranks(name) for name in names])
        order = np.lexsort(ranks[::-1])  # stable, by data set first
        changes = np.any(np.diff(ranks[:, order], axis=1), axis=0)
        for part in np.split(self.positions[order], np.flatnonzero(changes) + 1):
            values = {axis: self.columns[axis].values[part[0]] for axis in axes}
            dataset = str(self.columns["dataset"].values[part[0]])
            yield describe_point(dataset, values), self.at(part)


def runs_of(rows: pd.DataFrame) -> Runs:
    """All runs of an artefact; `rows` has one line per run, with unique names of columns."""
    columns = {str(name): Column(rows[name].reset_index(drop=True)) for name in rows}
    return Runs(columns, np.arange(len(rows)))
