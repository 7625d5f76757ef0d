"""Tests the claims of an artefact on its runs; significance levels decide later.

The levels of a paper follow from the p-values of all its claims. So a part of a claim is tested
once, and its verdict and reason are asked for at any levels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.contracts.theorem_evidence import TheoremEvidence
from dpfair_cli.verdicts.claims.claim import ClaimPart
from dpfair_cli.verdicts.claims.point_results import NotTested, PointResult
from dpfair_cli.verdicts.claims.predicate import Predicate
from dpfair_cli.verdicts.claims.predicates import AnyPredicate, Either
from dpfair_cli.verdicts.claims.runs import Runs, runs_of
from dpfair_cli.verdicts.claims.verdict import (
    WORST_FIRST,
    ClaimLevels,
    ClaimVerdict,
    PValues,
    at_least,
    every,
)
from dpfair_cli.verdicts.means import as_list, repeat_along_axes
from dpfair_cli.verdicts.wording import describe_parameters, describe_standins, label

DIGITS = 9  # decimals of p-values and slacks that count; the rest is rounding


@dataclass(frozen=True, eq=False)
class PredicateTest:
    """The results of a predicate at all its points."""

    score: str
    """The printed name of the score."""

    results: Sequence[PointResult]
    """The result at each point; at least one."""

    needed: int
    """The number of points at which the predicate must hold."""

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
        weakest = min(self.results, key=lambda result: self._order(result, levels))
        return f"{self.score}: holds at {held} of {points}; weakest point {weakest}"

    def _verdict_at(self, result: PointResult, levels: ClaimLevels) -> ClaimVerdict:
        """The verdict of the predicate at one of its points."""
        found = result.p_values
        return levels.verdict(found._replace(fails=min(1.0, len(self.results) * found.fails)))

    def _order(self, result: PointResult, levels: ClaimLevels) -> tuple[int, float, float]:
        """The sort key of the points: worst verdict first, then most narrowly decided."""
        rank = WORST_FIRST.index(self._verdict_at(result, levels))
        return rank, -round(result.p_values.holds, DIGITS), round(result.slack, DIGITS)


@dataclass(frozen=True, eq=False)
class EitherTest:
    """The tests of predicates of which one must hold."""

    tests: Sequence[PredicateTest]
    """The tests of the predicates."""

    @cached_property
    def p_values(self) -> PValues:
        """The p-values of the statement that at least one of the predicates is true."""
        return at_least(1, [test.p_values for test in self.tests])

    def reason(self, levels: ClaimLevels) -> str:
        """The reasons of all predicates."""
        return "either " + ", or ".join(test.reason(levels) for test in self.tests)


@dataclass(frozen=True)
class TheoremTest:
    """The evidence for a theorem."""

    text: str
    """The evidence in words."""

    p_values: PValues
    """The p-values of the theorem, which are 0 or 1."""

    def reason(self, levels: ClaimLevels) -> str:
        """The evidence in words, whatever the levels."""
        return self.text


@dataclass(frozen=True, eq=False)
class PartTest:
    """The tests of a part of a claim."""

    part: ClaimPart
    """The part of the claim."""

    datasets: tuple[str, ...]
    """The data sets that the part is about."""

    tests: Sequence[PredicateTest | EitherTest | TheoremTest] = ()
    """The tests of its predicates, or of its theorems; empty if the part was not tested."""

    untested: str = ""
    """The reason why the part was not tested; empty if it was."""

    standins: tuple[str, ...] = ()
    """The replaced data sets that the part is about, in words."""

    @cached_property
    def p_values(self) -> PValues | None:
        """The p-values of the part and of its opposite; None if it gets no verdict from tests."""
        if not self.tests or self.part.undecided:
            return None
        found = every([test.p_values for test in self.tests])
        return found._replace(fails=min(1.0, found.fails * self.part.tested_parts))

    def verdict(self, levels: ClaimLevels) -> ClaimVerdict:
        """The verdict on the part."""
        if self.part.undecided:
            return ClaimVerdict.UNDECIDED
        if self.p_values:
            return levels.verdict(self.p_values)
        return ClaimVerdict.NOT_TESTABLE if self.part.not_testable else ClaimVerdict.NOT_TESTED

    def reason(self, levels: ClaimLevels) -> str:
        """The numbers that decide the verdict, or the reason why the part was not tested."""
        reasons = [test.reason(levels) for test in self.tests]
        if self.part.undecided:
            counted = f"; counted: {'; '.join(reasons)}" if reasons else ""
            return f"{self.part.undecided}{counted}"
        if not self.p_values:
            return self.untested
        if self.part.holds and not self.p_values.is_certain:
            reasons.append(f"p {min(self.p_values):.2g}")
        return "; ".join([*reasons, *self.standins])


@dataclass(frozen=True, eq=False)
class _Facts:
    """All facts that decide the claims about an artefact."""

    runs: Runs
    """The runs, repeated along axes."""

    spec: Spec
    """The artefact."""

    standins: Mapping[str, str]
    """Data sets that are not the paper's, with "REPLICA" or "SUBSTITUTE"."""

    theorems: Mapping[str, TheoremEvidence]
    """The evidence for theorems, by name."""


def test_parts(
    parts: Sequence[ClaimPart],
    rows: pd.DataFrame,
    spec: Spec,
    standins: Mapping[str, str],
    theorems: Mapping[str, TheoremEvidence],
) -> list[PartTest]:
    """The tests of each part of the claims about an artefact, from `rows`, one per run.

    `theorems` is the evidence for theorems, by name.
    """
    if not parts:
        return []
    runs = runs_of(repeat_along_axes(_columns_of(parts, rows, spec), spec))
    facts = _Facts(runs, spec, standins, theorems)
    return [_test(part, facts) for part in parts]


def _columns_of(parts: Sequence[ClaimPart], rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The columns of `rows` that the claims need; categories become plain objects, for speed."""
    names = ["dataset", "method", "seed", *spec.layout.axes]
    for part in parts:
        for predicate in part.predicates:
            names += [predicate.metric, *predicate.where, *predicate.axes]
    known = [name for name in dict.fromkeys(names) if name in rows]
    return rows[known].astype({"dataset": object, "method": object})


def _test(part: ClaimPart, facts: _Facts) -> PartTest:
    """The tests of one part of a claim.

    Raises:
        DpfairError: a predicate names something that the runs lack.
    """
    datasets = () if part.theorem else _datasets_of(part, facts.runs, facts.spec)
    if part.not_testable:
        return PartTest(part, datasets, untested=part.not_testable)
    try:
        found: list[PredicateTest | EitherTest | TheoremTest] = []
        found += [_test_theorem(name, facts.theorems) for name in part.theorem]
        found += [_test_any(one, facts) for one in (*part.holds, *part.counts)]
    except NotTested as why:
        return PartTest(part, datasets, untested=str(why))
    except (KeyError, TypeError, ValueError) as mistake:
        raise DpfairError(f"claims.yaml, {part.id}: {mistake}") from mistake
    used = {name: word for name, word in facts.standins.items() if name in datasets}
    return PartTest(part, datasets, found, standins=describe_standins(used))


def _test_theorem(name: str, theorems: Mapping[str, TheoremEvidence]) -> TheoremTest:
    """The evidence for a theorem.

    Raises:
        NotTested: there is no evidence, because no audit was made.
    """
    if name not in theorems:
        raise NotTested(f"no audit of {name}: run `dpfair audit --all` first")
    evidence = theorems[name]
    if evidence.counterexample:
        text = f"{name}: counterexample: {evidence.counterexample}"
        return TheoremTest(text, PValues(1.0, 0.0))
    if evidence.proof:
        text = f"{name}: proof in {evidence.proof}; {evidence.tried}"
        return TheoremTest(text, PValues(0.0, 1.0))
    return TheoremTest(f"{name}: no proof here; {evidence.tried}", PValues(1.0, 1.0))


def _datasets_of(part: ClaimPart, runs: Runs, spec: Spec) -> tuple[str, ...]:
    """The data sets that the predicates of a part of a claim name; all if one names none."""
    ran = {*runs.values("dataset")}
    known = [one.name for one in spec.datasets if one.name in ran or part.not_testable]
    named = [as_list(one.where.get("dataset", known)) for one in part.predicates] or [known]
    used = set(chain.from_iterable(named))
    return tuple(name for name in dict.fromkeys(known) if name in used)


def _test_any(predicate: AnyPredicate, facts: _Facts) -> PredicateTest | EitherTest:
    """The results of a predicate, or of all predicates of an "or".

    Raises:
        NotTested: as `_test_predicate`.
    """
    if isinstance(predicate, Either):
        return EitherTest([_test_predicate(one, facts) for one in predicate.either])
    return _test_predicate(predicate, facts)


def _test_predicate(predicate: Predicate, facts: _Facts) -> PredicateTest:
    """The results of a predicate at all its points.

    Raises:
        NotTested: no run, or no point with runs of all its methods, tests the predicate.
    """
    spec = facts.spec
    results = predicate.decide(_select_runs(predicate, facts), spec.layout.axes)
    if not results:
        raise NotTested("no point has runs of all methods of the claim")
    if spec.task.study.exact:
        results = [result.exact for result in results]
    needed = predicate.needed(len(results))
    return PredicateTest(label(predicate.metric, spec), results, needed)


def _select_runs(predicate: Predicate, facts: _Facts) -> Runs:
    """The runs that a predicate of claims.yaml selects with its keys `where` and `across`.

    Raises:
        NotTested: `where` names a replica or a value without runs, or no run has the score.
    """
    where, runs, spec = predicate.where, facts.runs, facts.spec
    datasets = as_list(where.get("dataset", [part.name for part in spec.datasets]))
    replicas = [name for name in datasets if facts.standins.get(name) == "REPLICA"]
    if replicas:
        raise NotTested(
            f"the runs on {', '.join(replicas)} used synthetic data in place of missing files: get "
            f"the real data with `dpfair fetch-data {' '.join(replicas)}`, and make the runs again"
        )
    axes = [axis for axis in spec.layout.axes if axis in where]
    named: list[tuple[str, Any]] = []
    for axis in axes:
        named += [(axis, value) for value in as_list(where[axis])]
    named += [("dataset", name) for name in datasets]
    absent = [
        describe_parameters({key: value})
        for key, value in named
        if not len(runs.having({key: value}))
    ]
    absent += [] if predicate.metric in runs else [label(predicate.metric, spec)]
    if absent:
        raise NotTested(f"the journal has no rows of {', '.join(absent)}")
    return runs.having({**where, "dataset": [*datasets, *predicate.other_datasets]})
