"""Rows -> means: what tables, figures and verdicts are made of, and how all of them name things.

Rows hold one run a line: dataset, method, algorithm, seed, a column per parameter (empty where a method has none) and
a column per score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Spec

COUNTABLE = 1e8  # whole numbers below are written out


def axes(spec: Spec) -> list[str]:
    """The parameters that tell the points of an artefact apart, besides data set and method."""
    return list(spec.layout.axes)


def metrics(spec: Spec) -> list[str]:
    """The scores that an artefact shows: those of its source first, those that guard the reader last."""
    return list(dict.fromkeys(spec.layout.scores))


def ordered(spec: Spec) -> list[str]:
    """The columns that name a line, in the layout's order."""
    named = spec.layout.columns if not spec.layout.picture else ()
    return list(dict.fromkeys([*named, "dataset", *axes(spec), "method"]))


def names(spec: Spec) -> list[str]:
    """Data sets and methods in the spec's order."""
    return [part.name for part in spec.datasets] + [part.method for part in spec.algorithms]


def with_axes(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The rows with a column for every axis, once per point: two settings under one name would be averaged unseen."""
    rows = rows.assign(**{axis: float("nan") for axis in axes(spec) if axis not in rows})
    twice = rows[rows.duplicated(["dataset", "method", *axes(spec), "seed"])]
    if len(twice):
        first = twice.iloc[0]
        raise DpfairError(
            f"{spec.artefact}: {first['method']} on {first['dataset']} has several runs with seed {first['seed']} "
            f"at one point of the layout; give each setting its own `method`"
        )
    return rows


def repeat(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """A method without an axis (no privacy has no epsilon) stands at every point of that axis on its data set."""
    rows = with_axes(rows, spec)
    for axis in axes(spec):
        bound, free = rows[rows[axis].notna()], rows[rows[axis].isna()]
        points = bound[["dataset", axis]].drop_duplicates()
        free = free.drop(columns=axis).merge(points, on="dataset", how="left")
        rows = pd.concat([part for part in (bound, free) if len(part)] or [rows], ignore_index=True)
    return rows


def matches(rows: pd.DataFrame, where: Mapping[str, Any]) -> pd.Series[bool]:
    """Which rows have these values (one of a list); a parameter that a row does not have fits every value."""
    keep = pd.Series(True, index=rows.index)
    for name in set(where) & set(rows):
        values = where[name] if isinstance(where[name], list) else [where[name]]
        keep &= np.logical_or.reduce([equals(rows[name], value) for value in values]) | rows[name].isna()
    return keep


def equals(column: pd.Series[Any], value: Any) -> pd.Series[bool]:
    """Where a column has the value; numbers to six digits, as papers print 10^-1.5."""
    if isinstance(value, str):
        return column == value
    return pd.Series(np.isclose(pd.to_numeric(column, errors="coerce"), value, rtol=1e-6, atol=0), index=column.index)


def planned(spec: Spec) -> pd.DataFrame:
    """A line without scores for every setting of a spec, so that one that failed leaves a gap and is not forgotten."""
    lines = [
        {"dataset": dataset.name, "method": part.method, "algorithm": part.name, "seed": -1}
        | {axis: {**dataset.params, **part.params}.get(axis) for axis in axes(spec) if axis != spec.curve}
        for dataset in spec.datasets
        for part in spec.algorithms
        if not part.datasets or dataset.name in part.datasets
    ]
    return pd.DataFrame(lines)


def summarise(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """One line per data set, method, point and score: mean, deviation (ddof 1) and runs (0 if none), in order."""
    keys = ["dataset", "method", "algorithm", *axes(spec)]
    scores = [metric for metric in metrics(spec) if metric in rows]
    whole = repeat(pd.concat([rows, planned(spec)], ignore_index=True), spec)
    long = whole.melt(id_vars=keys, value_vars=scores, var_name="metric")
    groups = long.groupby([*keys, "metric"], dropna=False, sort=False)["value"]
    summary = groups.agg(mean="mean", std="std", runs="count").reset_index()
    order = {name: i for i, name in enumerate(dict.fromkeys([*names(spec), *scores]))}
    ranked = summary.sort_values(
        ["dataset", *axes(spec), "method", "metric"],
        key=lambda column: column.map(order) if column.isin(order).all() else column,
        kind="stable",
    )
    return ranked.reset_index(drop=True)


def count_seeds(rows: pd.DataFrame) -> str:
    """How many runs stand behind a number, in words."""
    runs = sorted(set(rows.groupby(["dataset", "method"])["seed"].nunique()))
    if not runs:
        return "no runs"
    return f"{runs[0]} seed{'s' * (runs[0] != 1)}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]} seeds"


def averaged(what: str, runs: str) -> str:
    """`what` (a mean, say) over so many `runs`, or that there is one run only."""
    return "One seed" if runs == "1 seed" else f"{what} over {runs}"


def heading(spec: Spec, notes: Sequence[str]) -> str:
    """Source and title; a note that begins with a word in capitals ("REPLICA: ...") puts that word behind them."""
    marks = dict.fromkeys(note.split(":")[0] for note in notes if note.split(":")[0].isupper())
    return f"{spec.source}: {spec.title}" + (f" [{', '.join(marks)}]" if marks else "")


def label(name: str, spec: Spec) -> str:
    """What the reader sees for a data set, a method, a parameter or a score."""
    return spec.labels.get(name, name.replace("_", " "))


def number(value: Any) -> str:
    """A parameter for the reader."""
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return ""
    return f"{value:.0f}" if abs(value) < COUNTABLE and value == round(value) else f"{value:.4g}"


def plus_minus(mean: float, std: float, *, whole: bool = False) -> str:
    """Four decimals, none from 1,000 on and of counts (`whole`); nothing for no number, no deviation without one."""
    if pd.isna(mean):
        return ""
    form = ",.0f" if whole or abs(mean) >= 1000 else ".4f"
    return f"{mean:{form}}" if pd.isna(std) else f"{mean:{form}} ± {std:{form}}"


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The lines of a frame."""
    return [{str(name): value for name, value in line.items()} for line in frame.to_dict("records")]


def settings(spec: Spec) -> str:
    """The parameters that no axis shows and that are one for all methods that have them, in words."""
    values: dict[str, list[Any]] = {}
    for part in spec.algorithms:
        for name, value in part.params.items():
            values.setdefault(name, []).append(value)
    one = {name: found[0] for name, found in values.items() if len(set(found)) == 1 and name not in axes(spec)}
    words = [f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in one.items()]
    return f"Parameters, where a method has them: {', '.join(words)}." if words else ""
