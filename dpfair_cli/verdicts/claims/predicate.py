"""What all predicates of claims have in common: the scores at each point, and their differences."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.conversion import ONE_OR_MORE
from dpfair_cli.verdicts.claims.point_results import (
    Deviation,
    NotTested,
    PointResult,
    StandardError,
    error_of_difference,
    standard_error,
)
from dpfair_cli.verdicts.means import as_list, mean
from dpfair_cli.verdicts.wording import describe_point

Positions = NDArray[np.intp]  # positions of runs
Names = Annotated[tuple[str, ...], ONE_OR_MORE]


class Scores(NamedTuple):
    """The scores of runs, one per seed."""

    seeds: Ints
    values: Floats

    @property
    def mean(self) -> float:
        """The mean of the scores over the seeds."""
        return mean(self.values)

    def times(self, factor: float) -> Scores:
        """The scores multiplied by a factor."""
        return Scores(self.seeds, factor * self.values)


@dataclass(frozen=True, kw_only=True)
class Predicate(ABC):
    """A statement about means of a score."""

    metric: str
    """The score."""

    where: Mapping[str, Any] = field(default_factory=dict)
    """The values that the runs must have; a list stands for any of its values."""

    over: Literal["every", "most", "some"] = "every"
    """At how many points the predicate must hold."""

    @property
    @abstractmethod
    def methods(self) -> tuple[str, ...]:
        """The methods that the predicate names."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes, such as epsilon, along which the predicate compares scores."""
        return ()

    @property
    def other_datasets(self) -> tuple[str, ...]:
        """The data sets that the predicate uses and does not name under its key `where`."""
        return ()

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets that the predicate names."""
        return (*as_list(self.where.get("dataset", [])), *self.other_datasets)

    @abstractmethod
    def decide(self, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
        """The result of the predicate at each point of the runs.

        Raises:
            NotTested: a method has no runs, or a line cannot be drawn through its scores.
        """

    def needed(self, points: int) -> int:
        """The number of points at which the predicate must hold."""
        return {"every": points, "most": points // 2 + 1, "some": 1}[self.over]


def runs_by_point(
    runs: pd.DataFrame, method: str, metric: str, axes: Sequence[str]
) -> Iterator[tuple[str, pd.DataFrame, Positions]]:
    """Yields each point with the runs of a method that have the score, and the point's positions.

    The positions are those of the point's runs among these runs.
    """
    found = runs[(runs["method"] == method) & runs[metric].notna()]
    if not len(found):
        raise NotTested(f"the journal has no rows of {method}")
    groups = found.groupby(["dataset", *axes], dropna=False).ngroup().to_numpy()
    parts = np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])
    columns = {axis: found[axis].to_numpy(dtype=object) for axis in axes}
    datasets = found["dataset"].to_numpy(dtype=object)
    for part in parts:
        first = part[0]
        values = {axis: column[first] for axis, column in columns.items()}
        yield describe_point(str(datasets[first]), values), found, part


def scores_by_point(
    runs: pd.DataFrame, method: str, metric: str, axes: Sequence[str]
) -> dict[str, Scores]:
    """The scores of a method at each point of the axes, one score per seed."""
    points = runs_by_point(runs, method, metric, axes)
    return {
        point: Scores(found["seed"].to_numpy()[part], found[metric].to_numpy(dtype=float)[part])
        for point, found, part in points
    }


def difference_of(
    ours: Scores, theirs: Scores | float, deviation: Deviation
) -> tuple[float, StandardError]:
    """The difference of two means, and its standard error.

    Scores of equal seeds are paired if both sides have the same seeds. `deviation` is the largest
    standard deviation that is known.
    """
    if not isinstance(theirs, Scores):
        return float(ours.mean) - theirs, standard_error(ours.values, deviation)
    difference = float(ours.mean - theirs.mean)
    if np.array_equal(np.sort(ours.seeds), np.sort(theirs.seeds)):
        one, other = (side.values[np.argsort(side.seeds)] for side in (ours, theirs))
        doubled = deviation._replace(value=math.sqrt(2) * deviation.value)
        return difference, standard_error(one - other, doubled)
    return difference, error_of_difference(
        standard_error(ours.values, deviation), standard_error(theirs.values, deviation)
    )
