"""The predicates of claims: statements about mean scores that are written in claims.yaml.

    {compare: [RFM, ">", FM], metric: accuracy, margin: 0.02}
    {trend: {of: RFM, along: delta, direction: rises}, metric: accuracy}
    {slope: {of: h_priv, along: epsilon, near: -1, within: 0.25}, metric: equalized_odds_gap}
    {extreme: {of: DPNE, along: dimension, at: 100, which: highest}, metric: accuracy}
    {steeper: {of: PFLR, than: PFLR*, along: epsilon, direction: rises}, metric: accuracy}
    {nearer: {of: DPSGD-F, to: SGD, than: [DPSGD, Naive]}, metric: average_loss}
    {spread: ["PDFC, age", "PDFC, race"], metric: accuracy, margin: 0.02}
    {share: {of: theorem, least: 0.99, trials: 100}, metric: distance_within}
    {either: [{compare: [A, "<", B], metric: gap}, {compare: [A, "<", 0.1], metric: gap}]}

- `compare` compares a method with a method or a number ("~": at most `margin` apart). `times: 0.1`
  multiplies the right side by 0.1 ("a tenth of"). `across: DATASET` takes the right side from that
  data set, at the same values of the axes.
- `trend` is the rise of the least-squares line through the scores over the places of an axis.
- `slope` is the slope of this line on log-log axes.
- `extreme` compares the mean at one place of an axis with the mean at each other place: the first
  must be the highest, or the lowest.
- `steeper` compares the rises of two methods, as `trend` measures them.
- `nearer` compares the distances of methods from another method, seed by seed.
- `spread` is the largest minus the smallest mean of the methods.
- `share` is a share of successes over all runs, with `trials` trials in each run. The exact
  binomial test decides whether the probability of a success is at least `least`.
- `either` is an "or": at least one of its predicates must hold.

`where` selects the runs with the given values. The predicate is decided at each point of these
runs: a data set with one value of each axis that `along` does not name. `over` says at how many
points the predicate must hold: `every` one (the default), `most` (more than half) or `some`.

At a point, a predicate gives an estimate and its standard error over the seeds. If both sides have
the same seeds, the estimate is a mean of differences, one per seed. One-sided tests with Student's
t give two p-values: one against the statement, and one against its opposite. `p_values.py` says how
the p-values of several points are combined.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from typing import Annotated, Literal

import numpy as np
import scipy  # which imports `scipy.special` when it is used

from dpfair_cli.verdicts.claims.axis_predicates import Extreme, Slope, Steeper, Trend
from dpfair_cli.verdicts.claims.point_results import (
    ROUNDING,
    PointResult,
    SeedDeviation,
    by_student,
    largest_deviation,
    student_test,
)
from dpfair_cli.verdicts.claims.predicate import (
    Names,
    Predicate,
    Scores,
    difference_of,
    scores_by_point,
)
from dpfair_cli.verdicts.claims.runs import Runs
from dpfair_cli.verdicts.claims.verdict import PValues, at_least

Operator = Literal[">", "<", ">=", "<=", "~"]
SLACK: dict[
    str, Callable[[float, float], float]
] = {  # operator -> slack of a comparison, from the difference of the means and the margin
    ">": lambda difference, margin: difference - margin - ROUNDING,
    "<": lambda difference, margin: -difference - margin - ROUNDING,
    ">=": lambda difference, margin: difference + margin + ROUNDING,
    "<=": lambda difference, margin: margin - difference + ROUNDING,
    "~": lambda difference, margin: margin - abs(difference) + ROUNDING,
}


@dataclass(frozen=True, kw_only=True)
class Compare(Predicate):
    """A comparison of the mean score of a method with another method or a number."""

    compare: tuple[str, Operator, str | float]
    """The left side, the relation, and the right side."""

    margin: float = 0.0
    """By how much the left side must be ahead; with "~", the largest allowed distance."""

    times: float = 1.0
    """The factor of the right side."""

    across: str = ""
    """The data set of the right side; empty if both sides have the same data set."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that the predicate compares; a side that is a number is left out."""
        return tuple(side for side in self.compare[::2] if isinstance(side, str))

    @property
    def other_datasets(self) -> tuple[str, ...]:
        """The data set of the predicate's right side, if the predicate names one."""
        return (self.across,) if self.across else ()

    def decide(self, runs: Runs, axes: Sequence[str]) -> list[PointResult]:
        """The result of the comparison at each point with runs of both sides."""
        left, _, right = self.compare
        left_runs, right_runs = self._sides(runs)
        ours = scores_by_point(left_runs, left, self.metric, axes)
        samples = [scores.values for scores in ours.values()]
        theirs: Mapping[str, Scores | float]
        if isinstance(right, str):
            found = scores_by_point(right_runs, right, self.metric, axes)
            theirs = {point: scores.times(self.times) for point, scores in found.items()}
            samples += [scores.values * self.times for scores in found.values()]
        else:
            theirs = dict.fromkeys(ours, right)
        largest = largest_deviation(samples)
        return [
            self._result(point, ours[point], theirs[point], largest)
            for point in ours
            if point in theirs
        ]

    def _sides(self, runs: Runs) -> tuple[Runs, Runs]:
        """The runs of the left and the right side of a comparison.

        Right-side runs from another data set get the name of the left data set.
        """
        if not self.across:
            return runs, runs
        dataset = self.where["dataset"]
        return runs.having({"dataset": dataset}), runs.on(self.across, named=dataset)

    def _result(
        self, point: str, ours: Scores, theirs: Scores | float, deviation: SeedDeviation
    ) -> PointResult:
        left, operator, right = self.compare
        difference, error = difference_of(ours, theirs, deviation)
        name = right if self.times == 1 else f"{self.times:g} times {right}"
        against = f"{name} {theirs.mean:.4f}" if isinstance(theirs, Scores) else f"{right:g}"
        text = f"{point}: {left} {ours.mean:.4f} {operator} {against}"
        opposite = self.margin + abs(difference) if operator == "~" else math.inf
        return by_student(text, SLACK[operator](difference, self.margin), error, opposite)


class AtLeastTwo:
    """The constraint of a parameter that it must have at least two values."""

    def problem(self, values: Sequence[str]) -> str:
        """The mistake in the values of a parameter, in words; empty if there is no mistake."""
        return "" if len(values) > 1 else "must name at least two methods"


@dataclass(frozen=True, kw_only=True)
class SpreadOfMeans(Predicate):
    """The largest minus the smallest mean of methods exceeds a margin."""

    spread: Annotated[tuple[str, ...], AtLeastTwo()]
    """The methods."""

    margin: float = 0.0
    """By how much the largest mean must exceed the smallest."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods whose largest and smallest mean the predicate compares."""
        return self.spread

    def decide(self, runs: Runs, axes: Sequence[str]) -> list[PointResult]:
        """The result at each point with runs of all methods: largest minus smallest mean."""
        scores = [scores_by_point(runs, name, self.metric, axes) for name in self.spread]
        common = [point for point in scores[0] if all(point in others for others in scores)]
        samples = {point: [by_point[point] for by_point in scores] for point in common}
        every = chain.from_iterable(samples.values())
        largest = largest_deviation(scores.values for scores in every)
        return [self._result(point, samples[point], largest) for point in common]

    def _result(
        self, point: str, samples: Sequence[Scores], deviation: SeedDeviation
    ) -> PointResult:
        """The result at a point: some method exceeds some other method by more than the margin."""
        pairs = [difference_of(*pair, deviation) for pair in permutations(samples, 2)]
        tests = [student_test(gap - self.margin - ROUNDING, error) for gap, error in pairs]
        means = [sample.mean for sample in samples]
        gap, error = max(pairs)
        text = f"{point}: from {min(means):.4f} to {max(means):.4f}"
        return PointResult(text, gap - self.margin - ROUNDING, at_least(1, tests), error)


@dataclass(frozen=True)
class Distances:
    """The statement that one method is nearer to a reference than other methods."""

    of: str
    """The nearer method."""

    to: str
    """The reference."""

    than: Names
    """The other methods."""


@dataclass(frozen=True, kw_only=True)
class Nearer(Predicate):
    """The scores of a method are nearer to those of a reference than other methods' scores."""

    nearer: Distances
    """The method, the reference and the other methods."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that the predicate names."""
        return self.nearer.of, self.nearer.to, *self.nearer.than

    def decide(self, runs: Runs, axes: Sequence[str]) -> list[PointResult]:
        """The result at each point with runs of the three methods, for each other method."""
        asked = self.nearer
        own, reference = (
            scores_by_point(runs, name, self.metric, axes) for name in (asked.of, asked.to)
        )
        results = []
        for name in asked.than:
            other = scores_by_point(runs, name, self.metric, axes)
            common = [point for point in own if point in reference and point in other]
            ours = {point: _distances(own[point], reference[point]) for point in common}
            theirs = {point: _distances(other[point], reference[point]) for point in common}
            largest = largest_deviation(one.values for one in [*ours.values(), *theirs.values()])
            results += [
                self._result(point, name, ours[point], theirs[point], largest) for point in common
            ]
        return results

    def _result(
        self, point: str, name: str, ours: Scores, theirs: Scores, deviation: SeedDeviation
    ) -> PointResult:
        difference, error = difference_of(theirs, ours, deviation)
        asked = self.nearer
        text = f"{asked.of} {ours.mean:.4f} and {name} {theirs.mean:.4f} from {asked.to}"
        return by_student(f"{point}: {text}", difference - ROUNDING, error)


@dataclass(frozen=True)
class Successes:
    """The statement that a trial succeeds with at least some probability."""

    of: Names
    """The methods."""

    least: float
    """The smallest allowed probability of a success."""

    trials: int = 1
    """The number of independent trials of which each score is the share of successes."""


@dataclass(frozen=True, kw_only=True)
class Share(Predicate):
    """A score is a share of successes, and the probability of a success is large enough."""

    share: Successes
    """The methods, the probability and the number of trials in a run."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods whose share of successes the predicate tests."""
        return self.share.of

    def decide(self, runs: Runs, axes: Sequence[str]) -> list[PointResult]:
        """The result of the exact binomial test at each point of each method."""
        results = []
        for method in self.share.of:
            scores = scores_by_point(runs, method, self.metric, axes)
            results += [self._result(f"{point}: {method}", scores[point]) for point in scores]
        return results

    def _result(self, name: str, scores: Scores) -> PointResult:
        trials = len(scores.values) * self.share.trials
        successes = round(scores.mean * trials)
        least = self.share.least
        tests = PValues(
            holds=float(scipy.special.bdtrc(successes - 1, trials, least)) if successes else 1.0,
            fails=float(scipy.special.bdtr(successes, trials, least)),
        )
        text = f"{name} {successes} of {trials} are at least {least:g}"
        return PointResult(text, scores.mean - least + ROUNDING, tests)


def _distances(scores: Scores, reference: Scores) -> Scores:
    """The distance of each score from the score of a reference with the same seed.

    If the reference lacks the seed, the distance from the mean of the reference is taken.
    """
    known = dict(zip(reference.seeds.tolist(), reference.values, strict=True))
    centres = [known.get(seed, reference.mean) for seed in scores.seeds.tolist()]
    return Scores(scores.seeds, np.abs(scores.values - np.array(centres)))


OnePredicate = Compare | Trend | Slope | SpreadOfMeans | Extreme | Share | Steeper | Nearer


@dataclass(frozen=True, kw_only=True)
class Either:
    """At least one of several predicates holds, as for the word "or" of a sentence."""

    either: tuple[OnePredicate, ...]
    """The predicates; one of them suffices."""

    def __post_init__(self) -> None:
        """Raises an error for fewer than two predicates."""
        if len(self.either) < 2:
            raise ValueError("either must have at least two predicates")


AnyPredicate = OnePredicate | Either
