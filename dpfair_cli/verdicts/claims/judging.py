"""Judges the claims of an artefact: each claim holds, fails, is undecided or is not tested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.claims.claim import ClaimPart
from dpfair_cli.verdicts.claims.point_results import NotTested, PointResult
from dpfair_cli.verdicts.claims.predicates import Predicate
from dpfair_cli.verdicts.claims.verdict import WORST_FIRST, ClaimVerdict, worst
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.means import as_list, has_values, repeat_along_axes
from dpfair_cli.verdicts.wording import describe_parameters, describe_standins, label

DIGITS = 12  # decimals of a slack that count; the rest is rounding
UNTESTED = (ClaimVerdict.NOT_TESTABLE, ClaimVerdict.NOT_TESTED)


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


def judge_claims(
    parts: Sequence[ClaimPart], rows: pd.DataFrame, spec: Spec, standins: Mapping[str, str]
) -> list[JudgedClaim]:
    """The verdict on each part of the claims about an artefact, from `rows`, one per run."""
    if not parts:
        return []
    runs = repeat_along_axes(_columns_of(parts, rows, spec), spec)
    return [_judge(part, runs, spec, standins) for part in parts]


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


def _judge(
    part: ClaimPart, runs: pd.DataFrame, spec: Spec, standins: Mapping[str, str]
) -> JudgedClaim:
    """The verdict on one part of a claim."""
    datasets = _datasets_of(part, runs, spec)
    verdict, reason = _decide(part, runs, spec, standins)
    if verdict not in UNTESTED:
        used = {name: word for name, word in standins.items() if name in datasets}
        reason = "; ".join([reason, *describe_standins(used)])
    return JudgedClaim(part, verdict, reason, datasets)


def _decide(
    part: ClaimPart, runs: pd.DataFrame, spec: Spec, standins: Mapping[str, str]
) -> tuple[ClaimVerdict, str]:
    """The verdict on one part of a claim by `runs`, and the reason."""
    if part.not_testable:
        return ClaimVerdict.NOT_TESTABLE, part.not_testable
    try:
        decided = [_decide_predicate(one, runs, spec, standins) for one in part.holds]
    except NotTested as reason:
        return ClaimVerdict.NOT_TESTED, str(reason)
    except (KeyError, TypeError, ValueError) as mistake:
        raise DpfairError(f"claims.yaml, {part.id}: {mistake}") from mistake
    return worst(verdict for verdict, _ in decided), "; ".join(reason for _, reason in decided)


def _datasets_of(part: ClaimPart, runs: pd.DataFrame, spec: Spec) -> tuple[str, ...]:
    """The data sets that the predicates of a part of a claim name; all if one names none."""
    ran = {*runs["dataset"]}
    every = [one.name for one in spec.datasets if one.name in ran or part.not_testable]
    named = [as_list(one.where.get("dataset", every)) for one in part.holds] or [every]
    return tuple(name for name in dict.fromkeys(every) if any(name in names for names in named))


def _decide_predicate(
    predicate: Predicate, runs: pd.DataFrame, spec: Spec, standins: Mapping[str, str]
) -> tuple[ClaimVerdict, str]:
    """The verdict on a predicate over all its points, and the reason.

    The reason counts the points and shows the most narrowly decided point.
    """
    results = predicate.decide(_select_runs(predicate, runs, spec, standins), spec.layout.axes)
    if not results:
        raise NotTested("no point has runs of all methods of the claim")
    if spec.task.study.exact:
        results = [replace(result, error=0.0) for result in results]
    counts = Counter(result.verdict(len(results)) for result in results)
    held, open_ = counts[ClaimVerdict.HOLDS], counts[ClaimVerdict.UNDECIDED]
    undecided = f" ({open_} undecided)" if open_ else ""
    tightest = min(results, key=lambda result: _order(result, len(results)))
    reason = f"{held} of {len(results)}{undecided}, tightest {tightest}"
    return _together(predicate.over, counts), f"{label(predicate.metric, spec)}: {reason}"


def _order(result: PointResult, points: int) -> tuple[int, float]:
    """The sort key of a predicate's points: worst verdict first, then most narrowly decided."""
    return WORST_FIRST.index(result.verdict(points)), round(result.slack, DIGITS)


def _together(over: str, counts: Counter[ClaimVerdict]) -> ClaimVerdict:
    """The verdict on a predicate from the `counts` of verdicts at its points.

    `over` says whether the predicate must hold at every point, at most points or at some.
    """
    if over == "every":
        return worst(counts)
    least = counts.total() / 2 if over == "most" else 0
    if counts[ClaimVerdict.HOLDS] > least:
        return ClaimVerdict.HOLDS
    possible = counts[ClaimVerdict.HOLDS] + counts[ClaimVerdict.UNDECIDED]
    return ClaimVerdict.UNDECIDED if possible > least else ClaimVerdict.FAILS


def _select_runs(
    predicate: Predicate, runs: pd.DataFrame, spec: Spec, standins: Mapping[str, str]
) -> pd.DataFrame:
    """The runs that a predicate of claims.yaml selects with its keys `where` and `across`.

    Raises:
        NotTested: `where` names a replica or a value without runs, or no run has the score.
    """
    where = predicate.where
    datasets = as_list(where.get("dataset", [part.name for part in spec.datasets]))
    replicas = [name for name in datasets if standins.get(name) == "REPLICA"]
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
