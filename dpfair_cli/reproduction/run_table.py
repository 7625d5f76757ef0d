"""Finished runs as a table: a line per run, or per point of its curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.running.rows import Row, under_present_names

Finished = tuple[Run, Row]  # a run with its row of a journal


def run_table(finished: Sequence[Finished], spec: Spec) -> pd.DataFrame:
    """A table with a line per run, or with a line per point of the curves that a spec shows.

    The label of a line is the position of its run.
    """
    renamed = spec.task.study.renamed
    finished = [(run, under_present_names(row, renamed)) for run, row in finished]
    runs = pd.DataFrame([_line(run, row) for run, row in finished])
    _share_texts(runs)
    if not spec.curve:  # the layout does not show the axis of the curves
        return runs
    curves = [row.get("curves", {}) for _, row in finished]
    whole = runs.loc[runs.index.repeat([_points(one) for one in curves])]
    names = dict.fromkeys(chain.from_iterable(curves))
    return whole.assign(**{name: [*_values(name, curves)] for name in names})


def _line(run: Run, row: Row) -> dict[str, Any]:
    """The line of a run: its names, its seed, all parameters, scores and outputs."""
    names = {"dataset": run.dataset.name, "method": run.label, "algorithm": run.method.name}
    parameters = {**run.dataset.options, **run.method.params}
    return {
        **names,
        "seed": run.seed,
        **parameters,
        **row["scores"],
        **row.get("outputs", {}),
    }


def _share_texts(table: pd.DataFrame) -> None:
    """Replaces texts of Arrow, which are slow here, by texts of Python, each made once."""
    for name, kind in table.dtypes.items():
        if isinstance(kind, pd.StringDtype):
            places, texts = pd.factorize(table[name])  # -1 stands for no text
            every = np.array([*texts, np.nan], dtype=object)
            table[name] = pd.Series(every[places], dtype=object)


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
