"""Computes means of scores from rows: the numbers in tables, figures and verdicts.

Each row is one run: dataset, method, algorithm, seed, a column per parameter (empty if the method
does not have the parameter) and a column per score. A point is a data set with one value for each
axis of the layout.

Cells, claims and references ask thousands of questions about the same few columns. A `Column`
therefore remembers its answers, and a selection of `Runs` is their positions: no row is copied.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Spec

NUMBERS = (float, int, Real)  # the first two are found in less time than any other Real
SAME = 1e-6  # largest relative difference of equal numbers


def shown_scores(spec: Spec) -> list[str]:
    """The names of the scores that an artefact shows, in the order of the table or figure."""
    return list(dict.fromkeys(spec.layout.scores))


def key_columns(spec: Spec) -> list[str]:
    """The columns that identify a line of an artefact's table, in the order of the table."""
    first = spec.layout.columns if not spec.layout.picture else ()
    return list(dict.fromkeys([*first, "dataset", *spec.layout.axes, "method"]))


def with_columns(rows: pd.DataFrame, spec: Spec, scores: Iterable[str]) -> pd.DataFrame:
    """The rows of runs with the columns that tell runs apart, and with `scores`, as far as known.

    What is computed from them takes less time and memory than with all parameters.
    """
    names = ["dataset", "method", "algorithm", *spec.layout.axes, "seed", *scores]
    return rows[[name for name in dict.fromkeys(names) if name in rows]]


def with_axis_columns(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The rows of runs, with a column for every axis (such as epsilon); added columns are empty.

    Raises:
        DpfairError: a method has two runs with one seed at one point, so that runs with different
            parameters would be averaged.
    """
    rows = rows.assign(**{axis: float("nan") for axis in spec.layout.axes if axis not in rows})
    twice = rows.duplicated(["dataset", "method", *spec.layout.axes, "seed"])
    if twice.any():
        first = rows[twice].iloc[0]
        named = f"{spec.artefact}: {first['method']} on {first['dataset']}"
        raise DpfairError(
            f"{named} has several runs with seed {first['seed']} at one point of the table "
            "or figure. These runs differ in a parameter that is no axis of the table or figure: "
            "in the spec, list each value of this parameter under its own `method`"
        )
    return rows


def repeat_along_axes(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The rows of runs; a method that lacks the parameter of an axis gets rows at each value."""
    rows = with_axis_columns(rows, spec).reset_index(drop=True)
    for axis in spec.layout.axes:
        if rows[axis].notna().all():
            continue
        bound, free = rows[rows[axis].notna()], rows[rows[axis].isna()]
        points = bound[["dataset", axis]].drop_duplicates()
        # by data set, because an axis can have other values on each
        free = free.drop(columns=axis).merge(points, on="dataset", how="left")
        rows = pd.concat([part for part in (bound, free) if len(part)] or [rows], ignore_index=True)
    return rows


def mean(scores: Floats) -> float:
    """The mean of the scores of runs, (runs,)."""
    found: float = scores.mean()
    return found


def standard_deviation(scores: Floats) -> float:
    """The standard deviation (ddof 1) of the scores of runs, (runs,); NaN for fewer than two.

    Its bits are those of `scores.std(ddof=1)`, which takes twice as long for the few runs of a
    cell.
    """
    if len(scores) < 2:
        return math.nan
    apart = scores - np.add.reduce(scores) / len(scores)
    found: float = np.sqrt(np.add.reduce(apart * apart) / (len(scores) - 1))
    return found


def equals_value(column: pd.Series[Any], value: Any) -> NDArray[np.bool_]:
    """Whether each entry of a column equals the value to six digits, (entries,)."""
    if isinstance(value, str):
        return np.asarray(column == value, dtype=bool)
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)
    return np.asarray(np.isclose(numbers, value, rtol=SAME, atol=0))


def fits(wanted: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Whether each value is one of those wanted under its name; a list stands for any of it.

    A name without a value restricts nothing.
    """
    for name in wanted.keys() & values.keys():
        if not any(is_equal(values[name], one) for one in as_list(wanted[name])):
            return False
    return True


def is_equal(one: Any, other: Any) -> bool:
    """Whether two values are equal; numbers need equal six digits, because papers round 10^-1.5."""
    if one == other:
        return True
    if isinstance(one, str) or isinstance(other, str):  # which is faster than to ask for a number
        return False
    are_numbers = isinstance(one, NUMBERS) and isinstance(other, NUMBERS)
    return are_numbers and math.isclose(one, other, rel_tol=SAME)


def as_list(value: Any) -> list[Any]:
    """The values of a list or a tuple; for any other value, a list with this value."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


@dataclass(eq=False)
class Column:
    """A column of a table, one entry per row; each question is answered once."""

    _entries: pd.Series[Any]
    _equal: dict[Any, Mask] = field(default_factory=dict, init=False)

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
            column = self.columns[name]
            fits = column.is_empty.copy()  # of all runs, since `equals` remembers its answers
            for value in as_list(values[name]):
                fits |= column.equals(value)
            found = found.at(found.positions[fits[found.positions]])
        return found

    def of(self, method: str, metric: str) -> Runs:
        """The runs of a method that have a score."""
        is_of_method = self.columns["method"].equals(method)
        return self.at(self.positions[is_of_method[self.positions]]).with_score(metric)

    def with_score(self, metric: str) -> Runs:
        """The runs that have a score."""
        return self.at(self.positions[~self.columns[metric].is_empty[self.positions]])

    def points(self, axes: Sequence[str]) -> Iterator[tuple[str, dict[str, Any], Runs]]:
        """Yields each data set with one value of each axis, and its runs, in order."""
        names = ["dataset", *axes]
        ranks = np.stack([self.ranks(name) for name in names])
        # lexsort takes the last key first; it is stable, so that seeds keep their order
        order = np.lexsort(ranks[::-1])
        # a point begins where any rank differs from the one before
        changes = np.any(np.diff(ranks[:, order], axis=1), axis=0)
        for part in np.split(self.positions[order], np.flatnonzero(changes) + 1):
            values = {axis: self.columns[axis].values[part[0]] for axis in axes}
            dataset = str(self.columns["dataset"].values[part[0]])
            yield dataset, values, self.at(part)


def runs_of(rows: pd.DataFrame) -> Runs:
    """All runs of an artefact; `rows` has one line per run, with unique names of columns."""
    columns = {str(name): Column(rows[name]) for name in rows}
    return Runs(columns, np.arange(len(rows)))


STATISTICS = ("mean", "std", "runs")  # of a score over the runs of a line of a table


def summarise_scores(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """One line per data set, method, point and score, in the order of the spec.

    The columns STATISTICS are the mean, its standard deviation (ddof 1), which is NaN for fewer
    than two runs, and the number of runs that have the score. A point of the spec without finished
    runs has lines without means. The scores are those of the layout that some run has.
    """
    keys = ["dataset", "method", "algorithm", *spec.layout.axes]
    scores = [score for score in shown_scores(spec) if score in rows]
    own = with_columns(rows, spec, scores)
    whole = repeat_along_axes(pd.concat([own, _rows_without_scores(spec)], ignore_index=True), spec)
    # dropna=False: a baseline has no epsilon, and is a line all the same
    groups = whole.groupby(keys, dropna=False, sort=False)[scores]
    means = groups.mean()
    lines = means.index.to_frame(index=False)
    names = [*(part.name for part in spec.datasets), *spec.methods_by_label]
    order = {name: i for i, name in enumerate(dict.fromkeys(names))}
    # names in the order of the spec, numbers by size
    ranked = lines.sort_values(
        ["dataset", *spec.layout.axes, "method"],
        key=lambda column: column.map(order) if column.isin(order).all() else column,
        kind="stable",
    )
    statistics = {}
    for name, found in zip(STATISTICS, (means, groups.std(), groups.count()), strict=True):
        # the scores of a line follow each other, as its repetitions below do
        statistics[name] = found.to_numpy()[ranked.index].ravel()
    found = ranked.loc[ranked.index.repeat(len(scores))].reset_index(drop=True)
    return found.assign(metric=np.tile(scores, len(lines)), **statistics)


def to_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The lines of a frame as dictionaries."""
    records: list[dict[str, Any]] = frame.rename(columns=str).to_dict("records")  # type: ignore[assignment]
    return records


def _rows_without_scores(spec: Spec) -> pd.DataFrame:
    """A row without scores for each point and method of a spec; missing runs then leave a gap."""
    axes = [axis for axis in spec.layout.axes if axis != spec.curve]
    lines = []
    for run in spec.first_runs():
        names = {"dataset": run.dataset.name, "method": run.label, "algorithm": run.method.name}
        parameters = {**run.dataset.options, **run.method.params}
        lines.append({**names, "seed": -1, **{axis: parameters.get(axis) for axis in axes}})
    return pd.DataFrame(lines)
