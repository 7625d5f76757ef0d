"""Published cells as points of a picture: cells of the artefact, and of artefacts with equal runs.

A cell of a table is also a point of a figure if the run of the cell has the same algorithm, data
set and parameters as a run of the figure. The parameters in `published_apart` of the figure's spec
may differ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from dpfair_cli.contracts.specs import PublishedPoint, Run, Spec
from dpfair_cli.verdicts.cells.published import PublishedCell
from dpfair_cli.verdicts.means import is_equal


def published_points(
    spec: Spec,
    lenders: Sequence[Spec],
    published: Sequence[PublishedCell],
    *,
    standins: Mapping[str, str],
) -> tuple[PublishedPoint, ...]:
    """The published cells that the picture of a spec can show, as points, one for each place.

    `lenders` are the specs of the other artefacts whose cells may be shown. If two cells have one
    place, the first cell is shown. Cells of a replica are left out.
    """
    if not spec.layout.placement.x:
        return ()
    points: dict[tuple[Any, ...], PublishedPoint] = {}
    for source in (spec, *lenders):
        for cell in published:
            if cell.artefact == source.name and standins.get(cell.dataset) != "REPLICA":
                for point in _points(cell, source, spec):
                    points.setdefault(point[:4], point)
    return tuple(points.values())


def _points(cell: PublishedCell, source: Spec, spec: Spec) -> Iterator[PublishedPoint]:
    """Yields the points of one published cell of the artefact `source` in the picture of `spec`."""
    placement, values = spec.layout.placement, cell.parameters
    runs = [run for run in _default_runs(source, cell) if _have_values(_settings(run), values)]
    if len(runs) != 1:  # the cell fits several runs or none
        return
    x = values.get(placement.x, _settings(runs[0]).get(placement.at))
    apart = {*placement.apart, placement.at} - {placement.x}
    for score, wanted in placement.scores.items():
        axis = source.task.study.axis
        told_apart = axis in ("", placement.x, *wanted) or axis not in values
        if x is None or not told_apart or not _is_named(cell, wanted):
            continue
        for ours in _default_runs(spec, cell):
            if _is_same_experiment(ours, runs[0], apart=apart):
                yield PublishedPoint(cell.dataset, ours.label, score, x, cell.mean, cell.std)


def _default_runs(spec: Spec, cell: PublishedCell) -> list[Run]:
    """The runs that a published cell refers to: first seed, default variant of the method."""
    names = spec.published_labels
    runs = [
        run
        for run in spec.first_runs()
        if (run.dataset.name, names[run.label]) == (cell.dataset, cell.method)
    ]
    labels = [run.label for run in runs]
    default = cell.method if cell.method in labels else (labels or [""])[0]
    return [run for run in runs if run.label == default]


def _settings(run: Run) -> dict[str, Any]:
    """The parameters of a run: options of the data set, and parameters of the algorithm."""
    return {**run.dataset.options, **run.method.params}


def _have_values(settings: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Whether a run's settings have all `values`; a name that the settings lack always fits."""
    return all(
        is_equal(settings[name], value) for name, value in values.items() if name in settings
    )


def _is_named(cell: PublishedCell, wanted: Mapping[str, str]) -> bool:
    """Whether a published cell has all the values in `wanted`, such as the score `metric`."""
    values = {**cell.parameters, "metric": cell.metric}
    return all(is_equal(values.get(name), value) for name, value in wanted.items())


def _is_same_experiment(ours: Run, theirs: Run, *, apart: Collection[str]) -> bool:
    """Whether two runs have the same algorithm and equal parameters, except those in `apart`."""
    one, other = _settings(ours), _settings(theirs)
    names = {*one, *other} - set(apart)
    return ours.method.name == theirs.method.name and all(
        is_equal(one.get(name), other.get(name)) for name in names
    )
