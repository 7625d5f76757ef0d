"""Computes means of scores from rows: the numbers in tables, figures and verdicts.

Each row is one run: dataset, method, algorithm, seed, a column per parameter (empty if the method
does not have the parameter) and a column per score. A point is a data set with one value for each
axis of the layout.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Floats
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
        free = free.drop(columns=axis).merge(points, on="dataset", how="left")
        rows = pd.concat([part for part in (bound, free) if len(part)] or [rows], ignore_index=True)
    return rows


def mean(scores: Floats) -> float:
    """The mean of the scores of runs, (runs,)."""
    found: float = scores.mean()
    return found


def deviation(scores: Floats) -> float:
    """The standard deviation (ddof 1) of the scores of runs, (runs,); NaN for fewer than two.

    Its bits are those of `scores.std(ddof=1)`, which takes twice as long for the few runs of a
    cell.
    """
    if len(scores) < 2:
        return math.nan
    apart = scores - np.add.reduce(scores) / len(scores)
    found: float = np.sqrt(np.add.reduce(apart * apart) / (len(scores) - 1))
    return found


def has_values(rows: pd.DataFrame, values: Mapping[str, Any]) -> pd.Series[bool]:
    """Whether each row has the values, by column; a column that is empty in a row always fits."""
    keep = np.ones(len(rows), dtype=bool)
    for name in values.keys() & set(rows.columns):
        column = rows[name]
        equal = [equals_value(column, value) for value in as_list(values[name])]
        keep &= np.logical_or.reduce([*equal, column.isna().to_numpy()])
    return pd.Series(keep, index=rows.index, dtype=bool)


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


class ScoreMeans(NamedTuple):
    """The means of one score over the runs of each line of a table."""

    mean: Floats  # (lines,); NaN in a line without runs that have the score
    std: Floats  # over runs (ddof 1), (lines,); NaN for fewer than two runs
    runs: NDArray[np.int64]  # that have the score, (lines,)


class Means(NamedTuple):
    """The means of the scores of an artefact."""

    lines: pd.DataFrame  # one per data set, method and point, with the columns that identify it
    scores: Mapping[str, ScoreMeans]  # of each shown score that some run has


def average_scores(rows: pd.DataFrame, spec: Spec) -> Means:
    """The means of the shown scores at each data set, method and point, in the order of the spec.

    A point of the spec without finished runs has a line without means.
    """
    keys = ["dataset", "method", "algorithm", *spec.layout.axes]
    scores = [score for score in shown_scores(spec) if score in rows]
    own = with_columns(rows, spec, scores)
    whole = repeat_along_axes(pd.concat([own, _rows_without_scores(spec)], ignore_index=True), spec)
    groups = whole.groupby(keys, dropna=False, sort=False)[scores]
    mean = groups.mean()
    lines = mean.index.to_frame(index=False)
    names = [*(part.name for part in spec.datasets), *spec.methods_by_label]
    order = {name: i for i, name in enumerate(dict.fromkeys(names))}
    ranked = lines.sort_values(
        ["dataset", *spec.layout.axes, "method"],
        key=lambda column: column.map(order) if column.isin(order).all() else column,
        kind="stable",
    )
    statistics = [one.to_numpy()[ranked.index] for one in (mean, groups.std(), groups.count())]
    found = {}
    for k, score in enumerate(scores):
        found[score] = ScoreMeans(*(one[:, k] for one in statistics))
    return Means(ranked.reset_index(drop=True), found)


def summarise_scores(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """One line per data set, method, point and score: mean, deviation (ddof 1) and runs."""
    lines, scores = average_scores(rows, spec)
    places = np.repeat(np.arange(len(lines)), len(scores))
    statistics = {}
    for name in ScoreMeans._fields:
        statistics[name] = np.ravel([getattr(one, name) for one in scores.values()], order="F")
    found = lines.take(places).reset_index(drop=True)
    return found.assign(metric=np.tile([*scores], len(lines)), **statistics)


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
