"""Judges the claims of an artefact: each claim holds, fails, is undecided or is not tested.

The levels of a paper follow from the p-values of all its claims. So a part of a claim is tested
once, and its verdict and reason are asked for at any levels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from operator import attrgetter
from typing import Any

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import TheoremEvidence
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.claims.claim import ClaimPart
from dpfair_cli.verdicts.claims.point_results import NotTested, PointResult, ScoredRuns
from dpfair_cli.verdicts.claims.predicates import Predicate
from dpfair_cli.verdicts.claims.verdict import (
    WORST_FIRST,
    ClaimLevels,
    ClaimVerdict,
    PValues,
    at_least,
    every,
)
from dpfair_cli.verdicts.deviations.deviation import Deviation, DeviationKind, Explained
from dpfair_cli.verdicts.means import Runs, as_list, repeat_along_axes, runs_of, with_columns
from dpfair_cli.verdicts.wording import describe_parameters, describe_standins, label

DIGITS = 9  # decimals of p-values and slacks that count; the rest is rounding
SINGLE = ClaimLevels()  # of a single test
NO_TEST = "no error rate: decided by signs, not by a test"  # no value varies over the seeds


@dataclass(frozen=True, eq=False)
class PredicateTest:
    """The results of a predicate at all its points, of which `needed` must hold."""

    score: str  # the printed name
    results: Sequence[PointResult]  # at least one
    needed: int

    @cached_property
    def p_values(self) -> PValues:
        """The p-values of the predicate over all its points."""
        return at_least(self.needed, [result.p_values for result in self.results])

    def reason(self, levels: ClaimLevels) -> str:
        """The number of points at which the predicate holds, and the weakest point.

        This is the point with the worst verdict or, among those, the least clear one.
        """
        counts = Counter(self._verdict_at(result, levels) for result in self.results)
        held, open_ = counts[ClaimVerdict.HOLDS], counts[ClaimVerdict.UNDECIDED]
        undecided = f" ({open_} undecided)" if open_ else ""
        points = f"{len(self.results)} point{'s' * (len(self.results) > 1)}{undecided}"
        weakest = min(self.results, key=partial(self._order, levels))
        return f"{self.score}: holds at {held} of {points}; weakest point {weakest}"

    def _verdict_at(self, result: PointResult, levels: ClaimLevels) -> ClaimVerdict:
        """The verdict of the predicate at one of its points."""
        found = result.p_values
        # Bonferroni: one of many points is violated by chance sooner than a single one
        return levels.verdict(found._replace(fails=min(1.0, len(self.results) * found.fails)))

    def _order(self, levels: ClaimLevels, result: PointResult) -> tuple[int, float, float]:
        """The sort key of the points: worst verdict first, then most narrowly decided."""
        rank = WORST_FIRST.index(self._verdict_at(result, levels))
        return rank, -round(result.p_values.holds, DIGITS), round(result.slack, DIGITS)


@dataclass(frozen=True, eq=False)
class JudgedClaim(Explained):
    """A part of a claim with its verdict by our rows."""

    part: ClaimPart
    datasets: tuple[str, ...] = ()  # that the part is about
    # of alternatives of which one must hold, mostly a single one; empty if the part was not tested
    tests: Sequence[Sequence[PredicateTest | PointResult]] = ()
    untested: str = ""  # why the part was not tested; empty if it was
    standins: tuple[str, ...] = ()  # the replaced data sets that the part is about, in words
    levels: ClaimLevels = SINGLE
    deviation: Deviation | None = None  # which explains the failure

    @cached_property
    def p_values(self) -> PValues | None:
        """The p-values of the part and of its opposite; None if it gets no verdict from tests."""
        if not self.tests or self.part.undecided:
            return None
        each = (map(attrgetter("p_values"), alternatives) for alternatives in self.tests)
        found = every([at_least(1, list(p_values)) for p_values in each])
        # Bonferroni: the claim fails if one of its parts does
        return found._replace(fails=min(1.0, found.fails * self.part.tested_parts))

    @cached_property
    def verdict(self) -> ClaimVerdict:
        """The verdict of all predicates together."""
        if self.deviation and self.deviation.kind is DeviationKind.PROTOCOL:
            return ClaimVerdict.OTHER_PROTOCOL
        if self.part.undecided:
            return ClaimVerdict.UNDECIDED
        if self.p_values:
            return self.levels.verdict(self.p_values)
        return ClaimVerdict.NOT_TESTABLE if self.part.not_testable else ClaimVerdict.NOT_TESTED

    @cached_property
    def reason(self) -> str:
        """The numbers that decide the verdict, or the reason why the part was not tested."""
        reasons = []
        for alternatives in self.tests:
            either = "either " if len(alternatives) > 1 else ""
            words = (test.reason(self.levels) for test in alternatives)
            reasons.append(either + ", or ".join(words))
        if self.part.undecided:
            counted = f"; counted: {'; '.join(reasons)}" if reasons else ""
            return f"{self.part.undecided}{counted}"
        if not self.p_values:
            return self.untested
        if self.part.holds:
            # a theorem has a proof or a counterexample, which no chance is involved in
            certain = self.p_values.is_certain
            reasons.append(NO_TEST if certain else f"p {min(self.p_values):.2g}")
        return "; ".join([*reasons, *self.standins])

    @property
    def is_unexplained(self) -> bool:
        """Whether `dpfair check` fails because of this part; a part that we added may fail."""
        fails = self.verdict is ClaimVerdict.FAILS and not self.part.ours
        return fails and self.deviation is None


def judge_claims(
    parts: Sequence[ClaimPart],
    rows: pd.DataFrame,
    spec: Spec,
    standins: Mapping[str, str],
    theorems: Mapping[str, TheoremEvidence],
) -> list[JudgedClaim]:
    """The verdict on each part of the claims about an artefact, at the levels of single tests.

    Args:
        parts: The parts of the claims.
        rows: The runs of the artefact, one row per run.
        spec: The artefact.
        standins: Data sets that are not the paper's, with "REPLICA" or "SUBSTITUTE".
        theorems: The evidence for theorems, by name.

    Raises:
        DpfairError: a predicate names something that the runs lack.
    """
    if not parts:
        return []
    names: list[str] = []
    for predicate in chain.from_iterable(part.predicates for part in parts):
        names += [predicate.metric, *predicate.where, *predicate.statement.axes]
    # a baseline without epsilon is at every epsilon, so that it can be compared there
    whole = repeat_along_axes(with_columns(rows, spec, names), spec)
    runs = runs_of(whole.astype({"dataset": object, "method": object}))  # categories are slow
    return [_judge(part, runs, spec, standins, theorems) for part in parts]


def _judge(
    part: ClaimPart,
    runs: Runs,
    spec: Spec,
    standins: Mapping[str, str],
    theorems: Mapping[str, TheoremEvidence],
) -> JudgedClaim:
    """The verdict on one part of a claim; `runs` are repeated along axes."""
    datasets = () if part.theorem else _datasets_of(part, runs, spec)
    if part.not_testable:
        return JudgedClaim(part, datasets, untested=part.not_testable)
    try:
        found: list[Sequence[PredicateTest | PointResult]] = []
        found += [[_test_theorem(name, theorems)] for name in part.theorem]
        for alternatives in (*part.holds, *part.counts):
            found.append([_test_predicate(one, runs, spec, standins) for one in alternatives])
    except NotTested as why:
        return JudgedClaim(part, datasets, untested=str(why))
    # what a predicate names and the runs lack, such as a column, is known here only
    except (KeyError, TypeError, ValueError) as mistake:
        raise DpfairError(f"claims.yaml, {part.id}: {mistake}") from mistake
    used = {name: word for name, word in standins.items() if name in datasets}
    return JudgedClaim(part, datasets, found, standins=describe_standins(used))


def _test_theorem(name: str, theorems: Mapping[str, TheoremEvidence]) -> PointResult:
    """The evidence for a theorem, which no chance is involved in.

    Raises:
        NotTested: there is no evidence, because no audit was made.
    """
    if name not in theorems:
        raise NotTested(f"no audit of {name}: run `dpfair audit --all` first")
    evidence = theorems[name]
    if evidence.counterexample:
        text = f"{name}: counterexample: {evidence.counterexample}"
        return PointResult(text, -1.0, PValues(1.0, 0.0))
    if evidence.proof:
        text = f"{name}: proof in {evidence.proof}; {evidence.tried}"
        return PointResult(text, 1.0, PValues(0.0, 1.0))
    return PointResult(f"{name}: no proof here; {evidence.tried}", 0.0, PValues(1.0, 1.0))


def _datasets_of(part: ClaimPart, runs: Runs, spec: Spec) -> tuple[str, ...]:
    """The data sets that the predicates of a part of a claim name; all if one names none."""
    ran = {*runs.values("dataset")}
    known = [one.name for one in spec.datasets if one.name in ran or part.not_testable]
    named = [as_list(one.where.get("dataset", known)) for one in part.predicates] or [known]
    used = set(chain.from_iterable(named))
    return tuple(name for name in dict.fromkeys(known) if name in used)


def _test_predicate(
    predicate: Predicate, runs: Runs, spec: Spec, standins: Mapping[str, str]
) -> PredicateTest:
    """The results of a predicate at all its points.

    Raises:
        NotTested: no run, or no point with runs of all its methods, tests the predicate.
    """
    selected = _select_runs(predicate, runs, spec, standins)
    scored = ScoredRuns(selected, predicate.metric, spec.layout.axes)
    results = list(predicate.statement.results(scored))
    if not results:
        raise NotTested("no point has runs of all methods of the claim")
    # such as a computation, which every seed repeats
    if spec.task.study.exact:
        results = [result.exact for result in results]
    needed = predicate.needed(len(results))
    return PredicateTest(label(predicate.metric, spec), results, needed)


def _select_runs(predicate: Predicate, runs: Runs, spec: Spec, standins: Mapping[str, str]) -> Runs:
    """The runs that a predicate of claims.yaml selects with its key `where`.

    Raises:
        NotTested: `where` names a replica or a value without runs, or no run has the score.
    """
    where = predicate.where
    datasets = as_list(where.get("dataset", [part.name for part in spec.datasets]))
    # a replica must never decide a sentence of a paper
    replicas = [name for name in datasets if standins.get(name) == "REPLICA"]
    if replicas:
        raise NotTested(
            f"the runs on {', '.join(replicas)} used synthetic data in place of missing files: get "
            f"the real data with `dpfair fetch-data {' '.join(replicas)}`, and make the runs again"
        )
    named: list[tuple[str, Any]] = []
    for axis in spec.layout.axes:
        named += [(axis, value) for value in as_list(where.get(axis, []))]
    named += [("dataset", name) for name in datasets]
    absent = [
        describe_parameters({key: value})
        for key, value in named
        if not len(runs.having({key: value}))
    ]
    absent += [] if predicate.metric in runs else [label(predicate.metric, spec)]
    if absent:
        raise NotTested(f"the journal has no rows of {', '.join(absent)}")
    return runs.having({**where, "dataset": datasets})
