"""What all predicates of claims have in common: the scores at each point, and their differences."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.conversion import ONE_OR_MORE
from dpfair_cli.verdicts.claims.point_results import (
    NotTested,
    PointResult,
    SeedDeviation,
    StandardError,
    error_of_difference,
    standard_error,
)
from dpfair_cli.verdicts.claims.runs import Runs
from dpfair_cli.verdicts.means import as_list, mean

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
    def decide(self, runs: Runs, axes: Sequence[str]) -> list[PointResult]:
        """The result of the predicate at each point of the runs.

        Raises:
            NotTested: a method has no runs, or a line cannot be drawn through its scores.
        """

    def needed(self, points: int) -> int:
        """The number of points at which the predicate must hold."""
        return {"every": points, "most": points // 2 + 1, "some": 1}[self.over]


def runs_by_point(
    runs: Runs, method: str, metric: str, axes: Sequence[str]
) -> Iterator[tuple[str, Runs]]:
    """Yields each point with the runs of a method that have the score.

    Raises:
        NotTested: no run of the method has the score.
    """
    found = runs.of(method, metric)
    if not len(found):
        raise NotTested(f"the journal has no rows of {method}")
    yield from found.points(axes)


def scores_by_point(runs: Runs, method: str, metric: str, axes: Sequence[str]) -> dict[str, Scores]:
    """The scores of a method at each point of the axes, one score per seed."""
    return {
        point: Scores(found.seeds, found.numbers(metric))
        for point, found in runs_by_point(runs, method, metric, axes)
    }


def difference_of(
    ours: Scores, theirs: Scores | float, deviation: SeedDeviation
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
