"""Finished runs as a table: a line per run, or per point of its curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.running.rows import Row

Finished = tuple[Run, Row]  # a run with its row of a journal


def run_table(finished: Sequence[Finished], spec: Spec) -> pd.DataFrame:
    """A table with a line per run, or with a line per point of the curves that a spec shows.

    The label of a line is the position of its run.
    """
    runs = _with_shared_texts(pd.DataFrame([_line(run, row) for run, row in finished]))
    if not spec.curve:  # the layout does not show the axis of the curves
        return runs
    curves = [row.get("curves", {}) for _, row in finished]
    whole = runs.loc[runs.index.repeat([_points(one) for one in curves])]
    names = dict.fromkeys(chain.from_iterable(curves))
    return whole.assign(**{name: [*_values(name, curves)] for name in names})


def _line(run: Run, row: Row) -> dict[str, Any]:
    """The line of a run: its names, its seed, all parameters, scores and outputs."""
    names = {"dataset": run.dataset.name, "method": run.label, "algorithm": run.method.name}
    line = {**names, "seed": run.seed, **run.dataset.options, **run.method.params}
    return {**line, **row["scores"], **row.get("outputs", {})}


def _with_shared_texts(table: pd.DataFrame) -> pd.DataFrame:
    """The table with texts of Python, each of which is there once; those of Arrow are slow here."""
    columns = {
        name: pd.factorize(table[name])  # -1 stands for no text
        for name, kind in table.dtypes.items()
        if isinstance(kind, pd.StringDtype)
    }
    texts = {
        name: pd.Series(np.array([*found, np.nan], dtype=object)[places], dtype=object)
        for name, (places, found) in columns.items()
    }
    return table.assign(**texts)


def _points(curves: Mapping[str, Sequence[Any]]) -> int:
    """The number of points of the curves of a run.

    Raises:
        ValueError: the curves have different numbers of points.
    """
    lengths = {len(curve) for curve in curves.values()}
    if len(lengths) > 1:
        raise ValueError(f"curves of one run have {lengths} points")
    return max(lengths, default=0)


def _values(name: str, curves: Sequence[Mapping[str, Sequence[Any]]]) -> Iterator[Any]:
    """Yields the value of a curve at each point of each run; None where a run lacks the curve."""
    for one in curves:
        yield from one.get(name, [None] * _points(one))
