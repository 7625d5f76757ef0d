"""Published cells against ours: each published cell is compared with every reading of its method.

A reading is one of our methods whose `published` name in the spec is the cell's method; the default reading is the one
of the same name, else the spec's first. A reading agrees when
|ours - published| <= 0.02 + 2 sqrt(s_published^2 / R_published + s_ours^2 / R_ours).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.means import has_values, to_records, with_axis_columns
from dpfair_cli.verdicts.published import parameter_columns
from dpfair_cli.verdicts.wording import describe_parameters, label

TOLERANCE = 0.02  # of rates and accuracies, in their own unit
DIGITS = 12  # of a difference; the others are rounding
RELATIVE_TOLERANCE = 0.1  # of scores that are no rates, in parts of the published value
TIMES = ("seconds",)  # of another machine: `make bench` prints them, no result holds them

Line = dict[str, Any]  # a line of the comparison


def compare_cells(
    rows: pd.DataFrame, spec: Spec, published: pd.DataFrame, *, standins: Mapping[str, str]
) -> pd.DataFrame:
    """One line for each published cell of the artefact and reading of its method; no reading leaves one line too.

    Columns: dataset, method (the reading), parameters, metric, published_method, mean, std, runs, published_mean,
    published_std, tolerance, verdict, is_default (the default reading), nearest_reading (empty if there is but one),
    cell (its description) and cause (empty here). Cells of a replica, and times, are not compared.
    """
    published = published[published["artefact"] == spec.name]
    keys = list(dict.fromkeys([*spec.layout.axes, *parameter_columns(published)]))
    published_methods = {part.method: part.published or part.method for part in spec.algorithms}
    runs = with_axis_columns(rows, spec)
    runs = runs.assign(published_method=runs["method"].map(published_methods))
    lines = [line for cell in to_records(published) for line in _compare_cell(cell, runs, keys, spec, standins)]
    numbers = ["mean", "std", "runs", "published_mean", "published_std", "tolerance"]
    words = ["verdict", "is_default", "nearest_reading", "cell", "cause"]
    return pd.DataFrame(lines, columns=["dataset", "method", *keys, "metric", "published_method", *numbers, *words])


def tolerance(line: Mapping[str, Any], spec: Spec) -> float:
    """The largest difference that still agrees; a deviation that is not known counts as 0."""
    relative = line["metric"] in spec.unbounded
    fixed = RELATIVE_TOLERANCE * abs(line["published_mean"]) if relative else TOLERANCE
    variances = ((line["published_std"], spec.published_runs), (line["std"], line["runs"]))
    return fixed + 2 * math.sqrt(sum(std**2 / runs for std, runs in variances if pd.notna(std)))


def count_nearest_readings(cells: pd.DataFrame) -> pd.DataFrame:
    """The number of published cells that come nearest to each reading of a method, where it has several."""
    several = cells[cells["is_default"].astype(bool) & (cells["nearest_reading"] != "")]
    groups = several.groupby(["dataset", "published_method", "metric", "nearest_reading"])
    return groups.size().reset_index(name="cells")


def _compare_cell(
    cell: Line, runs: pd.DataFrame, keys: Sequence[str], spec: Spec, standins: Mapping[str, str]
) -> list[Line]:
    """The lines of one published cell: one for each reading, or one without a mean if there is none."""
    dataset, method, metric = cell["dataset"], cell["method"], cell["metric"]
    parameters = {key: cell[key] for key in keys if pd.notna(cell.get(key))}
    words = ", ".join(filter(None, (dataset, method, describe_parameters(parameters), label(metric, spec))))
    line = {"dataset": dataset, "method": method, **parameters, "metric": metric, "published_method": method}
    line |= {"published_mean": cell["mean"], "published_std": cell["std"]}
    line |= {"is_default": True, "nearest_reading": "", "cell": words, "cause": ""}
    if standins.get(dataset) == "REPLICA" or metric in TIMES:
        return [line | {"verdict": "not compared"}]
    ours = runs[has_values(runs, {"dataset": dataset, "published_method": method, **parameters})]
    ours = ours[ours[metric].notna()] if metric in ours else ours[:0]
    if not len(ours):
        return [line | {"verdict": "missing"}]
    return _decide_readings([line | reading for reading in _mean_per_method(ours, keys, metric)], spec)


def _mean_per_method(runs: pd.DataFrame, keys: Sequence[str], metric: str) -> list[Line]:
    """Mean, standard deviation, number of runs and parameters of each method, in the order of the runs."""
    if runs.duplicated(["method", "seed"]).any():
        raise DpfairError(f"a published cell fits several settings of {runs['method'].iloc[0]}: pin its parameters")
    return [
        {"method": method, "mean": part[metric].mean(), "std": part[metric].std(), "runs": len(part)}
        | {key: part[key].iloc[0] for key in keys if key in part and part[key].notna().any()}
        for method, part in runs.groupby("method", sort=False)
    ]


def _decide_readings(readings: Sequence[Line], spec: Spec) -> list[Line]:
    """The readings of one published cell, the default one first, with verdicts and the nearest of them."""
    default_first = sorted(readings, key=lambda line: line["method"] != line["published_method"])
    nearest = min(default_first, key=_difference)["method"] if len(readings) > 1 else ""
    return [
        _decide_reading(line, spec) | {"is_default": i == 0, "nearest_reading": nearest}
        for i, line in enumerate(default_first)
    ]


def _decide_reading(line: Line, spec: Spec) -> Line:
    """A line with its tolerance and its verdict."""
    largest = tolerance(line, spec)
    return line | {
        "tolerance": largest,
        "verdict": "agrees" if _difference(line) <= round(largest, DIGITS) else "differs",
    }


def _difference(line: Line) -> float:
    """The absolute difference of our mean and the published one."""
    return round(float(abs(line["mean"] - line["published_mean"])), DIGITS)
