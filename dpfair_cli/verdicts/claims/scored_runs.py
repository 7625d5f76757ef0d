"""The scores of an artefact's runs as predicates ask for them: by point, and along an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.verdicts.claims.point_results import NotTested, Scores
from dpfair_cli.verdicts.runs import Runs


class Curve(NamedTuple):
    """The scores of a method along an axis, of the seeds that have all of them."""

    places: tuple[Any, ...]  # the values of the axis, in rising order
    seeds: Ints  # (seeds,)
    scores: Floats  # (seeds, places)

    @property
    def words(self) -> str:
        """The mean over the seeds at each place."""
        return " ".join(f"{mean:.4f}" for mean in self.scores.mean(axis=0))

    @property
    def rises(self) -> Floats:
        """The rise of the least-squares line through each seed's scores over places, (seeds,)."""
        last = len(self.places) - 1
        return least_squares_slopes(np.arange(last + 1, dtype=float), self.scores) * last


def least_squares_slopes(x: Floats, scores: Floats) -> Floats:
    """The slope of the least-squares line through each row of scores over `x`, (seeds,).

    `scores` is (seeds, places) and `x` is (places,).
    """
    centred = x - x.mean()
    return np.asarray(scores @ centred / (centred @ centred))


@dataclass(frozen=True, eq=False)
class ScoredRuns:
    """The runs that a predicate selects, and the score that it is about."""

    runs: Runs
    metric: str
    axes: Sequence[str]  # of the artefact; a point has one value of each
    where: Mapping[str, Any]  # what the predicate selects by

    def by_point(self, method: str) -> dict[str, Scores]:
        """The scores of a method at each point, one score per seed.

        Raises:
            NotTested: no run of the method has the score.
        """
        return {
            point: Scores(found.seeds, found.numbers(self.metric))
            for point, found in self._runs_by_point(method, self.axes)
        }

    def curves(self, methods: Iterable[str], along: str) -> dict[str, Curve]:
        """The scores of each method along an axis, by point and method.

        Raises:
            NotTested: a curve has only one point, or no seed has all points of a curve.
        """
        others = [axis for axis in self.axes if axis != along]
        curves = {}
        for method in methods:
            for point, found in self._runs_by_point(method, others):
                name = f"{point}: {method}"
                curves[name] = self._curve(name, found, along)
        return curves

    def sides(self, across: str) -> tuple[ScoredRuns, ScoredRuns]:
        """The runs of the left and the right side of a comparison.

        The right side's runs are from the data set `across`, if it has a name. They then get the
        name of the left data set, so that both sides have the same points.
        """
        if not across:
            return self, self
        dataset = self.where["dataset"]
        left, right = self.runs.having({"dataset": dataset}), self.runs.on(across, named=dataset)
        return replace(self, runs=left), replace(self, runs=right)

    def _runs_by_point(self, method: str, axes: Sequence[str]) -> Iterator[tuple[str, Runs]]:
        found = self.runs.of(method, self.metric)
        if not len(found):
            raise NotTested(f"the journal has no rows of {method}")
        yield from found.points(axes)

    def _curve(self, name: str, runs: Runs, along: str) -> Curve:
        """The scores of the runs of one method along an axis, without seeds that lack some."""
        seeds, row = np.unique(runs.seeds, return_inverse=True)
        _, first, column = np.unique(runs.ranks(along), return_index=True, return_inverse=True)
        if len(first) < 2:
            raise NotTested(f"{name} has one point only")
        if len({*zip(row.tolist(), column.tolist(), strict=True)}) < len(runs):
            raise ValueError(f"{name} has several runs with one seed at one value of {along}")
        scores = np.full((len(seeds), len(first)), math.nan)
        scores[row, column] = runs.numbers(self.metric)
        whole = ~np.isnan(scores).any(axis=1)
        if not whole.any():
            raise NotTested(f"{name} has no seed at all points")
        return Curve(tuple(runs.values(along)[first]), seeds[whole], scores[whole])
