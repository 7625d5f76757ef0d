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
  multiplies the right side by 0.1 ("a tenth of").
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
t give two p-values: one against the statement, and one against its opposite. `verdict.py` says how
the p-values of several points are combined.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, permutations
from typing import Annotated, Any, Literal

import numpy as np
import scipy  # which imports `scipy.special` when it is used

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.conversion import ONE_OR_MORE, convert, field_types, from_mapping
from dpfair_cli.contracts.errors import nearest
from dpfair_cli.verdicts.claims.point_results import (
    ROUNDING,
    Curve,
    NotTested,
    PointResult,
    ScoredRuns,
    Scores,
    by_student,
    difference_of,
    differences,
    largest_deviation,
    least_squares_slopes,
    means_of,
    student_test,
)
from dpfair_cli.verdicts.claims.verdict import PValues, at_least
from dpfair_cli.verdicts.means import as_list, is_equal
from dpfair_cli.verdicts.wording import describe_parameters, format_number

Names = Annotated[tuple[str, ...], ONE_OR_MORE]
Direction = Literal["rises", "falls"]
SIGNS = {"rises": 1, "falls": -1}  # the sign of a rise
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


class _Statement(ABC):
    """What a predicate says about means of its score, with the keys that it has in claims.yaml."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that the statement names under one of the keys that are meant for them."""
        named = (as_list(getattr(self, key, ())) for key in ("of", "to", "than", "spread"))
        return tuple(chain.from_iterable(named))

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes, such as epsilon, along which the statement compares scores."""
        return tuple(filter(None, [getattr(self, "along", "")]))

    @abstractmethod
    def results(self, scores: ScoredRuns) -> Iterator[PointResult]:
        """Yields the result of the statement at each point of the runs.

        Raises:
            NotTested: a method has no runs, or a line cannot be drawn through its scores.
        """


@dataclass(frozen=True)
class Compare(_Statement):
    """A comparison of the mean score of a method with another method or a number.

    Attributes:
        compare: The left side, the relation, and the right side.
        margin: By how much the left side must be ahead; with "~", the largest allowed distance.
        times: The factor of the right side.
    """

    compare: tuple[str, Operator, str | float]
    margin: float = 0.0
    times: float = 1.0

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that the predicate compares; a side that is a number is left out."""
        return tuple(side for side in self.compare[::2] if isinstance(side, str))

    def results(self, scores: ScoredRuns) -> Iterator[PointResult]:
        """Yields the result of the comparison at each point with runs of both sides."""
        left, operator, right = self.compare
        ours = scores.by_point(left)
        theirs: Mapping[str, Scores | float]
        if isinstance(right, str):
            theirs = {p: one.times(self.times) for p, one in scores.by_point(right).items()}
        else:
            theirs = dict.fromkeys(ours, right)
        name = right if self.times == 1 else f"{self.times:g} times {right}"
        for point, (own, other), difference, error in differences(ours, theirs):
            against = f"{name} {other.mean:.4f}" if isinstance(other, Scores) else f"{right:g}"
            opposite = self.margin + abs(difference) if operator == "~" else math.inf
            slack = SLACK[operator](difference, self.margin)
            text = f"{point}: {left} {own.mean:.4f} {operator} {against}"
            yield by_student(text, slack, error, opposite)


@dataclass(frozen=True)
class SpreadOfMeans(_Statement):
    """The largest minus the smallest mean of methods exceeds a margin.

    Attributes:
        spread: The methods.
        margin: By how much the largest mean must exceed the smallest.
    """

    spread: tuple[str, ...]
    margin: float = 0.0

    def __post_init__(self) -> None:
        """Raises an error for a single method."""
        if len(self.spread) < 2:
            raise ValueError(f"spread must name at least two methods, got {list(self.spread)}")

    def results(self, scores: ScoredRuns) -> Iterator[PointResult]:
        """Yields the result at each point with runs of all methods: largest minus smallest mean."""
        found = [scores.by_point(name) for name in self.spread]
        samples = {}
        for point in found[0]:
            here = [by_point[point] for by_point in found if point in by_point]
            if len(here) == len(found):  # a point where a method has no runs says nothing
                samples[point] = here
        every = chain.from_iterable(samples.values())
        largest = largest_deviation(one.values for one in every)
        for point, here in samples.items():
            pairs = [difference_of(*pair, largest) for pair in permutations(here, 2)]
            tests = [student_test(gap - self.margin - ROUNDING, error) for gap, error in pairs]
            means = [sample.mean for sample in here]
            gap, error = max(pairs)
            text = f"{point}: from {min(means):.4f} to {max(means):.4f}"
            # at_least(1) pays for the choice of the two extremes among all ordered pairs
            yield PointResult(text, gap - self.margin - ROUNDING, at_least(1, tests), error)


@dataclass(frozen=True)
class _OfCurves(_Statement):
    """A statement about the scores of methods along an axis.

    Attributes:
        of: The methods.
        along: The axis, such as epsilon.
    """

    of: Names
    along: str


@dataclass(frozen=True)
class Trend(_OfCurves):
    """The scores of each method along an axis rise or fall.

    Attributes:
        direction: Whether the scores must rise or fall.
    """

    direction: Direction

    def results(self, scores: ScoredRuns) -> Iterator[PointResult]:
        """Yields the result for each curve: the rise of a line from first to last place."""
        curves = scores.curves(self.of, self.along)
        for name, rise, error in means_of({name: one.rises for name, one in curves.items()}):
            text = f"{name} {curves[name].words}; fitted rise {rise:+.4f}"
            yield by_student(text, SIGNS[self.direction] * rise - ROUNDING, error)


@dataclass(frozen=True)
class Slope(_OfCurves):
    """The scores of each method along an axis follow a power of the axis, such as 1 / epsilon.

    Attributes:
        near: The expected slope.
        within: The largest allowed distance from the expected slope.
        limit: Whether the slope may be far below the expected slope ("upper") or not.
    """

    near: float
    within: float
    limit: Literal["both", "upper"] = "both"

    def results(self, scores: ScoredRuns) -> Iterator[PointResult]:
        """Yields the result for each curve: the slope of a line on log-log scales."""
        curves = scores.curves(self.of, self.along)
        slopes = {name: _log_slopes(name, curve) for name, curve in curves.items()}
        for name, slope, error in means_of(slopes):
            first, last = (format_number(curves[name].places[k]) for k in (0, -1))
            text = f"{name} {slope:+.3f} from {self.along} {first} to {last}"
            excess = slope - self.near
            if self.limit == "upper":
                yield by_student(text, self.within - excess + ROUNDING, error)
            else:
                slack = self.within - abs(excess) + ROUNDING
                yield by_student(text, slack, error, self.within + abs(excess))


def _log_slopes(name: str, curve: Curve) -> Floats:
    """The slope of log score against log axis value for each seed of a curve, (seeds,)."""
    if not (curve.scores > 0).all():
        raise NotTested(f"all scores of {name} must be positive for a slope on logarithmic axes")
    places = np.array(curve.places, dtype=float)
    return least_squares_slopes(np.log(places), np.log(curve.scores))


@dataclass(frozen=True)
class Extreme(_OfCurves):
    """The score of each method is highest, or lowest, at one place of an axis.

    Attributes:
        at: The place.
        which: Whether the scores are highest or lowest at the place.
    """

    at: str | float
    which: Literal["highest", "lowest"]

    def results(self, scores: ScoredRuns) -> Iterator[PointResult]:
        """Yields the result for each curve and each place other than the claimed one.

        It is the score at the claimed place minus that at the other, for each seed.
        """
        sign = 1 if self.which == "highest" else -1
        # against each other place, and not against the best of them, which chance would choose
        for name, curve in scores.curves(self.of, self.along).items():
            claimed = [k for k, place in enumerate(curve.places) if is_equal(place, self.at)]
            if not claimed:
                raise NotTested(f"{name} has no runs at {self.along} {self.at}")
            others = [k for k in range(len(curve.places)) if k not in claimed]
            own = curve.scores[:, claimed[0]]
            gains = {k: sign * (own - curve.scores[:, k]) for k in others}
            for k, gain, error in means_of(gains):
                places = ({self.along: place} for place in (self.at, curve.places[k]))
                text = f"{name} {curve.words}; {' against '.join(map(describe_parameters, places))}"
                yield by_student(text, gain - ROUNDING, error)


@dataclass(frozen=True)
class Steeper(_Statement):
    """The scores of one method rise, or fall, more along an axis than those of another.

    Attributes:
        of: The method with the larger rise or fall.
        than: The other method.
        along: The axis along which the scores rise or fall, such as epsilon.
        direction: Whether the scores rise or fall.
    """

    of: str
    than: str
    along: str
    direction: Direction

    def results(self, scores: ScoredRuns) -> Iterator[PointResult]:
        """Yields the result for each pair of curves: the difference of the rises of their lines."""
        ours = self._rises(self.of, scores.curves((self.of,), self.along))
        theirs = self._rises(self.than, scores.curves((self.than,), self.along))
        sign = SIGNS[self.direction]
        for point, (own, other), difference, error in differences(ours, theirs):
            sides = f"{self.of} {sign * own.mean:+.4f}, {self.than} {sign * other.mean:+.4f}"
            yield by_student(f"{point}: fitted rises {sides}", difference - ROUNDING, error)

    def _rises(self, method: str, curves: Mapping[str, Curve]) -> dict[str, Scores]:
        """The rise, or fall, of a method's line for each seed, by point."""
        sign, end = SIGNS[self.direction], f": {method}"
        return {
            name.removesuffix(end): Scores(curve.seeds, sign * curve.rises)
            for name, curve in curves.items()
        }


@dataclass(frozen=True)
class Nearer(_Statement):
    """The scores of a method are nearer to those of a reference than other methods' scores.

    Attributes:
        of: The nearer method.
        to: The reference.
        than: The other methods.
    """

    of: str
    to: str
    than: Names

    def results(self, scores: ScoredRuns) -> Iterator[PointResult]:
        """Yields the result at each point with runs of the three methods, for each other method."""
        own, reference = scores.by_point(self.of), scores.by_point(self.to)
        for name in self.than:
            other = scores.by_point(name)
            common = [point for point in own if point in reference and point in other]
            ours = {point: _distances(own[point], reference[point]) for point in common}
            theirs = {point: _distances(other[point], reference[point]) for point in common}
            for point, (farther, nearer), difference, error in differences(theirs, ours):
                means = f"{nearer.mean:.4f} and {name} {farther.mean:.4f}"
                text = f"{point}: {self.of} {means} from {self.to}"
                yield by_student(text, difference - ROUNDING, error)


def _distances(scores: Scores, reference: Scores) -> Scores:
    """The distance of each score from the score of a reference with the same seed.

    If the reference lacks the seed, the distance from the mean of the reference is taken.
    """
    known = dict(zip(reference.seeds.tolist(), reference.values, strict=True))
    centres = [known.get(seed, reference.mean) for seed in scores.seeds.tolist()]
    # seed by seed, because distances of both signs would cancel in a mean
    return Scores(scores.seeds, np.abs(scores.values - np.array(centres)))


@dataclass(frozen=True)
class Share(_Statement):
    """A score is a share of successes, and the probability of a success is large enough.

    Attributes:
        of: The methods.
        least: The smallest allowed probability of a success.
        trials: The number of independent trials of which each score is the share of successes.
    """

    of: Names
    least: float
    trials: int = 1

    def results(self, scores: ScoredRuns) -> Iterator[PointResult]:
        """Yields the result of the exact binomial test at each point of each method."""
        for method in self.of:
            for point, found in scores.by_point(method).items():
                trials = len(found.values) * self.trials
                successes = round(found.mean * trials)
                # P(at least so many) and P(at most so many) successes, each of chance `least`
                above = scipy.special.bdtrc(successes - 1, trials, self.least) if successes else 1.0
                below = scipy.special.bdtr(successes, trials, self.least)
                text = f"{point}: {method} {successes} of {trials} are at least {self.least:g}"
                slack = found.mean - self.least + ROUNDING
                yield PointResult(text, slack, PValues(float(above), float(below)))


Statement = Compare | Trend | Slope | SpreadOfMeans | Extreme | Share | Steeper | Nearer
KINDS: Mapping[str, type[Statement]] = {
    "compare": Compare,
    "trend": Trend,
    "slope": Slope,
    "spread": SpreadOfMeans,
    "extreme": Extreme,
    "share": Share,
    "steeper": Steeper,
    "nearer": Nearer,
}


@dataclass(frozen=True, kw_only=True)
class Predicate:
    """A statement about means of a score, and the runs that it is about.

    Attributes:
        statement: The statement.
        metric: The score.
        where: The values that the runs must have; a list stands for any of its values.
        over: At how many points the predicate must hold.
    """

    statement: Statement
    metric: str
    where: Mapping[str, Any] = field(default_factory=dict)
    over: Literal["every", "most", "some"] = "every"

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets that the predicate names."""
        return tuple(as_list(self.where.get("dataset", [])))

    def needed(self, points: int) -> int:
        """The number of points at which the predicate must hold."""
        return {"every": points, "most": points // 2 + 1, "some": 1}[self.over]


SHARED = ("metric", "where", "over")  # keys that each predicate may have beside its statement
Alternatives = tuple[Predicate, ...]  # predicates of which one must hold; mostly a single one


def is_flat(kind: str) -> bool:
    """Whether the keys of a statement stand next to `metric`, and not in a mapping of their own."""
    return kind in field_types(KINDS[kind])


def read_alternatives(key: str, given: Any) -> Alternatives:
    """The predicates in an entry of claims.yaml: those of an `either`, or the only one.

    `key` is the key of the entry, such as "holds", for messages.

    Raises:
        ValueError: the entry is not a predicate, or an `either` has fewer than two.
    """
    if not isinstance(given, Mapping) or "either" not in given:
        return (_read_predicate(key, given, (*KINDS, "either")),)
    others = [name for name in given if name != "either"]
    if others:
        raise ValueError(f"unknown key {others[0]!r} next to either: write it in its predicates")
    found = tuple(_read_predicate("either", one, KINDS) for one in as_list(given["either"]))
    if len(found) < 2:
        raise ValueError("either must have at least two predicates")
    return found


def _read_predicate(key: str, given: Any, allowed: Iterable[str]) -> Predicate:
    """The predicate in a mapping; `allowed` are the kinds of statements that it may have."""
    if not isinstance(given, Mapping):
        raise ValueError(f"{key} must be a mapping, got {given!r}")
    kinds = [kind for kind in KINDS if kind in given]
    known = {*SHARED, *(kinds or allowed)}
    for kind in filter(is_flat, kinds or KINDS):
        known |= field_types(KINDS[kind]).keys()
    for name in given:
        if name not in known:
            raise ValueError(f"unknown key {name!r}: {nearest(str(name), known)}")
    if len(kinds) != 1:
        raise ValueError(f"{key} must have one of the keys {', '.join(allowed)}, got {dict(given)}")
    (kind,) = kinds
    shared = {name: given[name] for name in SHARED if name in given}
    own = {name: given[name] for name in given if name not in SHARED}
    form: Any = KINDS[kind]
    statement = from_mapping(form, own) if is_flat(kind) else convert(kind, own[kind], form)
    return from_mapping(Predicate, {**shared, "statement": statement})
