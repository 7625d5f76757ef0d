"""Published cells as points of a picture: those of its own artefact, and of others where the
experiment is the same.

A cell of a table belongs to a line of a figure when the run that it is compared with there is a run
of the figure: the same algorithm on the same data set with the same parameters, but for those that
the figure's spec sets apart.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import pandas as pd

from dpfair_cli.contracts.layouts import PublishedPoint
from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.verdicts.means import to_records
from dpfair_cli.verdicts.published import parameter_columns

SAME = 1e-6  # relative difference of equal numbers: papers print 10^-1.5


def published_points(
    spec: Spec, lenders: Sequence[Spec], published: pd.DataFrame, *, standins: Mapping[str, str]
) -> tuple[PublishedPoint, ...]:
    """The published cells that the picture of a spec can show, each place once; none of a replica.

    `lenders` are the specs of the artefacts that its placement names; of two cells in one place the
    first one's counts.
    """
    points = [
        point
        for source in ([spec, *lenders] if spec.layout.placement.x else [])
        for cell in to_records(published[published["artefact"] == source.name])
        if standins.get(cell["dataset"]) != "REPLICA"
        for point in _points(cell, parameter_columns(published), source, spec)
    ]
    return tuple({point[:4]: point for point in reversed(points)}.values())[::-1]


def _points(
    cell: Mapping[str, Any], columns: Sequence[str], source: Spec, spec: Spec
) -> Iterator[PublishedPoint]:
    """The points of one published cell of `source` in the picture of `spec`."""
    placement = spec.layout.placement
    values = {name: cell[name] for name in columns if pd.notna(cell[name])}
    runs = [run for run in _default_runs(source, cell) if _have_values(_settings(run), values)]
    if len(runs) != 1:  # the cell says too little, or nothing that is run
        return
    x = values.get(placement.x, _settings(runs[0]).get(placement.at))
    for score, wanted in placement.scores.items():
        told_apart = (
            source.task.study.axis in ("", placement.x, *wanted)
            or source.task.study.axis not in values
        )
        if (
            x is None
            or not told_apart
            or not _is_named({**values, "metric": cell["metric"]}, wanted)
        ):
            continue
        for ours in _default_runs(spec, cell):
            if _is_same_experiment(
                ours, runs[0], apart={*placement.apart, placement.at} - {placement.x}
            ):
                yield PublishedPoint(
                    cell["dataset"], ours.label, score, x, cell["mean"], cell["std"]
                )


def _default_runs(spec: Spec, cell: Mapping[str, Any]) -> list[Run]:
    """The runs of a spec with the first seed on the data set of a cell under the default variant of
    its method.
    """
    of_cell = (cell["dataset"], cell["method"])
    runs = [run for run in spec.runs() if run.seed == 0]
    runs = [run for run in runs if (run.dataset.name, spec.published_labels[run.label]) == of_cell]
    methods = [run.label for run in runs]
    default = cell["method"] if cell["method"] in methods else (methods or [""])[0]
    return [run for run in runs if run.label == default]


def _settings(run: Run) -> dict[str, Any]:
    """The parameters of a run: those of the data set and of the algorithm."""
    return {**run.dataset.options, **run.method.params}


def _have_values(settings: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Whether settings have these values; a parameter that they lack fits any."""
    return all(_equal(settings[name], value) for name, value in values.items() if name in settings)


def _is_named(values: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    """Whether a cell has all the values that are wanted."""
    return all(_equal(values.get(name), value) for name, value in wanted.items())


def _is_same_experiment(ours: Run, theirs: Run, *, apart: Collection[str]) -> bool:
    """Whether two runs are of one algorithm with the same parameters, but for those set apart."""
    one, other = _settings(ours), _settings(theirs)
    names = {*one, *other} - set(apart)
    return ours.method.name == theirs.method.name and all(
        _equal(one.get(k), other.get(k)) for k in names
    )


def _equal(one: Any, other: Any) -> bool:
    """Whether two values are equal, numbers to six digits."""
    if isinstance(one, Real) and isinstance(other, Real):
        return math.isclose(one, other, rel_tol=SAME)
    return bool(one == other)
