"""Judges the claims of an artefact: each claim holds, fails, is undecided or is not tested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.contracts.theorem_evidence import TheoremEvidence
from dpfair_cli.verdicts.claims.claim import ClaimPart
from dpfair_cli.verdicts.claims.levels import Levels
from dpfair_cli.verdicts.claims.p_values import PValues, at_least, every
from dpfair_cli.verdicts.claims.point_results import NotTested, PointResult
from dpfair_cli.verdicts.claims.predicate import Predicate
from dpfair_cli.verdicts.claims.verdict import WORST_FIRST, ClaimVerdict
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.means import as_list, has_values, repeat_along_axes
from dpfair_cli.verdicts.wording import describe_parameters, describe_standins, label

DIGITS = 9  # decimals of p-values and slacks that count; the rest is rounding


@dataclass(frozen=True)
class Grounds:
    """The grounds of verdicts on claims, besides the runs of the artefact."""

    levels: Levels = field(default_factory=Levels)
    """The levels at which p-values decide."""

    theorems: Mapping[str, TheoremEvidence] = field(default_factory=dict)
    """The evidence for theorems, by name."""


@dataclass(frozen=True, eq=False)
class JudgedClaim:
    """A part of a claim with its verdict by our rows."""

    part: ClaimPart
    """The part of the claim."""

    verdict: ClaimVerdict
    """The verdict of all predicates together."""

    reason: str
    """The numbers that decide the verdict, or the reason why the part was not tested."""

    datasets: tuple[str, ...]
    """The data sets that the part is about."""

    deviation: Deviation | None = None
    """The deviation that explains the failure, if there is one."""

    p_values: PValues | None = None
    """The p-values of the part and of its opposite; None if the part was not tested."""

    @property
    def kind(self) -> str:
        """The kind of the deviation that explains the claim; empty without a deviation."""
        return self.deviation.kind if self.deviation else ""

    @property
    def cause(self) -> str:
        """The cause from the deviation that explains the claim; empty without a deviation."""
        return self.deviation.cause if self.deviation else ""

    @property
    def full_verdict(self) -> str:
        """The verdict on the claim with the kind of its deviation, such as "fails (open)"."""
        return f"{self.verdict} ({self.kind})" if self.kind else str(self.verdict)

    @property
    def is_unexplained(self) -> bool:
        """Whether `dpfair check` fails because of this part of a claim.

        A part that we added to the claim may fail.
        """
        fails = self.verdict is ClaimVerdict.FAILS and not self.part.ours
        return fails and self.deviation is None


NO_GROUNDS = Grounds()


@dataclass(frozen=True, eq=False)
class _Facts:
    """All facts that decide the claims about an artefact."""

    runs: pd.DataFrame
    """The runs, one a line, repeated along axes."""

    spec: Spec
    """The artefact."""

    standins: Mapping[str, str]
    """Data sets that are not the paper's, with "REPLICA" or "SUBSTITUTE"."""

    grounds: Grounds
    """The levels, and the evidence for theorems."""


def judge_claims(
    parts: Sequence[ClaimPart],
    rows: pd.DataFrame,
    spec: Spec,
    standins: Mapping[str, str],
    grounds: Grounds = NO_GROUNDS,
) -> list[JudgedClaim]:
    """The verdict on each part of the claims about an artefact, from `rows`, one per run."""
    if not parts:
        return []
    runs = repeat_along_axes(_columns_of(parts, rows, spec), spec)
    facts = _Facts(runs, spec, standins, grounds)
    return [_judge(part, facts) for part in parts]


def check_names(parts: Sequence[ClaimPart], spec: Spec) -> None:
    """Raises an error if a claim names a method, data set or score that the spec lacks.

    Raises:
        DpfairError: a name is unknown; the message names the claim and the nearest known name.
    """
    known = {
        "method": set(spec.methods_by_label),
        "data set": {part.name for part in spec.datasets},
        "score": set(spec.task.score_ranges),
    }
    for part in parts:
        for predicate in part.holds:
            named = {
                "method": predicate.methods,
                "data set": predicate.datasets,
                "score": (predicate.metric,),
            }
            for noun, words in named.items():
                unknown = [word for word in words if word not in known[noun]]
                if unknown:
                    why = f"unknown {noun} {unknown[0]!r} in {spec.name}"
                    hint = nearest(unknown[0], known[noun])
                    raise DpfairError(f"claims.yaml, {part.id}: {why}: {hint}")


def _columns_of(parts: Sequence[ClaimPart], rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The columns of `rows` that the claims need; categories become plain objects, for speed."""
    names = ["dataset", "method", "seed", *spec.layout.axes]
    for part in parts:
        for predicate in part.holds:
            names += [predicate.metric, *predicate.where, *predicate.axes]
    known = [name for name in dict.fromkeys(names) if name in rows]
    return rows[known].astype({"dataset": object, "method": object})


def _judge(part: ClaimPart, facts: _Facts) -> JudgedClaim:
    """The verdict on one part of a claim."""
    datasets = () if part.theorem else _datasets_of(part, facts.runs, facts.spec)
    if part.not_testable:
        return JudgedClaim(part, ClaimVerdict.NOT_TESTABLE, part.not_testable, datasets)
    try:
        found, reasons = _test(part, facts)
    except NotTested as why:
        return JudgedClaim(part, ClaimVerdict.NOT_TESTED, str(why), datasets)
    except (KeyError, TypeError, ValueError) as mistake:
        raise DpfairError(f"claims.yaml, {part.id}: {mistake}") from mistake
    found = found._replace(fails=min(1.0, found.fails * part.tested_parts))
    if part.holds and not found.is_certain:
        reasons.append(f"p {min(found):.2g}")
    used = {name: word for name, word in facts.standins.items() if name in datasets}
    reason = "; ".join([*reasons, *describe_standins(used)])
    verdict = facts.grounds.levels.verdict(found)
    return JudgedClaim(part, verdict, reason, datasets, p_values=found)


def _test(part: ClaimPart, facts: _Facts) -> tuple[PValues, list[str]]:
    """The p-values of one part of a claim, and the numbers behind the p-values in words.

    Raises:
        NotTested: no run, or no evidence, tests the part.
    """
    found = [_test_theorem(name, facts.grounds.theorems) for name in part.theorem]
    found += [_test_predicate(predicate, facts) for predicate in part.holds]
    return every([p_values for p_values, _ in found]), [reason for _, reason in found]


def _test_theorem(name: str, theorems: Mapping[str, TheoremEvidence]) -> tuple[PValues, str]:
    """The p-values of a theorem, which are 0 or 1, and the evidence in words.

    Raises:
        NotTested: there is no evidence, because no audit was made.
    """
    if name not in theorems:
        raise NotTested(f"no audit of {name}: run `dpfair audit --all` first")
    evidence = theorems[name]
    if evidence.counterexample:
        return PValues(1.0, 0.0), f"{name}: counterexample: {evidence.counterexample}"
    if evidence.proof:
        return PValues(0.0, 1.0), f"{name}: proof in {evidence.proof}; {evidence.tried}"
    return PValues(1.0, 1.0), f"{name}: no proof here; {evidence.tried}"


def _datasets_of(part: ClaimPart, runs: pd.DataFrame, spec: Spec) -> tuple[str, ...]:
    """The data sets that the predicates of a part of a claim name; all if one names none."""
    ran = {*runs["dataset"]}
    every = [one.name for one in spec.datasets if one.name in ran or part.not_testable]
    named = [as_list(one.where.get("dataset", every)) for one in part.holds] or [every]
    return tuple(name for name in dict.fromkeys(every) if any(name in names for names in named))


def _test_predicate(predicate: Predicate, facts: _Facts) -> tuple[PValues, str]:
    """The p-values of a predicate over all its points, and the reason.

    The reason counts the points and shows the weakest one: that with the worst verdict or, among
    those, the least clear one.
    """
    spec, levels = facts.spec, facts.grounds.levels
    results = predicate.decide(_select_runs(predicate, facts), spec.layout.axes)
    if not results:
        raise NotTested("no point has runs of all methods of the claim")
    if spec.task.study.exact:
        results = [result.exact for result in results]
    counts = Counter(_verdict_at(result, len(results), levels) for result in results)
    held, open_ = counts[ClaimVerdict.HOLDS], counts[ClaimVerdict.UNDECIDED]
    undecided = f" ({open_} undecided)" if open_ else ""
    points = f"{len(results)} point{'s' * (len(results) > 1)}{undecided}"
    weakest = min(results, key=lambda result: _order(result, len(results), levels))
    reason = f"holds at {held} of {points}; weakest point {weakest}"
    found = at_least(predicate.needed(len(results)), [result.p_values for result in results])
    return found, f"{label(predicate.metric, spec)}: {reason}"


def _verdict_at(result: PointResult, points: int, levels: Levels) -> ClaimVerdict:
    """The verdict of a predicate at one of its points."""
    found = result.p_values
    return levels.verdict(found._replace(fails=min(1.0, points * found.fails)))


def _order(result: PointResult, points: int, levels: Levels) -> tuple[int, float, float]:
    """The sort key of a predicate's points: worst verdict first, then most narrowly decided."""
    rank = WORST_FIRST.index(_verdict_at(result, points, levels))
    return rank, -round(result.p_values.holds, DIGITS), round(result.slack, DIGITS)


def _select_runs(predicate: Predicate, facts: _Facts) -> pd.DataFrame:
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
    named = [(axis, value) for axis in axes for value in as_list(where[axis])]
    named += [("dataset", name) for name in datasets]
    absent = [
        describe_parameters({key: value})
        for key, value in named
        if not has_values(runs, {key: value}).any()
    ]
    absent += [] if predicate.metric in runs else [label(predicate.metric, spec)]
    if absent:
        raise NotTested(f"the journal has no rows of {', '.join(absent)}")
    wanted = {**where, "dataset": [*datasets, *predicate.other_datasets]}
    return runs[has_values(runs, wanted)]
