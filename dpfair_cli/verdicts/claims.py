"""A claim of a paper: a list of predicates over our rows (see `predicates.py`), all of which must hold.

`where` leaves the runs with the values that it names. A predicate must hold at `every` point that is left (the
default), at `most` (more than half) or at `some`, as `over` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.means import as_list, has_values, repeat_along_axes
from dpfair_cli.verdicts.predicates import KINDS, Kind, NotTested, Predicate
from dpfair_cli.verdicts.wording import describe_parameters, describe_standins, label

Claim = Mapping[str, Any]
DIGITS = 12  # of a slack; the others are rounding
COMMON_KEYS = {"metric", "where", "over", "margin", "test", "p", "across", "times"}
QUANTIFIERS: dict[str, Callable[[int, int], bool]] = {  # enough of the points, from how many hold and how many are
    "every": lambda held, points: held == points,
    "most": lambda held, points: 2 * held > points,
    "some": lambda held, points: held > 0,
}


def decide_claims(claims: Sequence[Claim], rows: pd.DataFrame, spec: Spec, standins: Mapping[str, str]) -> pd.DataFrame:
    """id, claim, verdict (holds, fails, not tested) and the reason with its numbers, one line a claim."""
    runs = repeat_along_axes(rows, spec)
    lines = [(claim["id"], claim["claim"], *_decide_claim(claim, runs, spec, standins)) for claim in claims]
    return pd.DataFrame(lines, columns=["id", "claim", "verdict", "reason"], dtype=object)


def kind_of(predicate: Predicate) -> Kind:
    """The kind of a predicate.

    Raises:
        DpfairError: the predicate has no kind or several, lacks its metric, or has an unknown key.
    """
    names = [name for name in KINDS if name in predicate]
    unknown = set(predicate) - COMMON_KEYS - set(names)
    for name in names:
        unknown |= set(predicate[name]) - KINDS[name].keys if KINDS[name].keys else set()
    if len(names) != 1 or unknown or "metric" not in predicate:
        raise DpfairError(f"not a predicate: {dict(predicate)} (unknown: {sorted(unknown)})")
    return KINDS[names[0]]


def _decide_claim(claim: Claim, runs: pd.DataFrame, spec: Spec, standins: Mapping[str, str]) -> tuple[str, str]:
    """Verdict and reason of one claim."""
    try:
        decided = [_decide_predicate(predicate, runs, spec, standins) for predicate in claim["holds"]]
    except NotTested as reason:
        return "not tested", str(reason)
    except (KeyError, TypeError, ValueError, DpfairError) as mistake:
        raise DpfairError(f"claims.yaml, {claim['id']}: {mistake}") from mistake
    used = {dataset: word for dataset, word in standins.items() if dataset in set(runs["dataset"])}
    verdict = "holds" if all(holds for holds, _ in decided) else "fails"
    return verdict, "; ".join([*(reason for _, reason in decided), *describe_standins(used)])


def _decide_predicate(
    predicate: Predicate, runs: pd.DataFrame, spec: Spec, standins: Mapping[str, str]
) -> tuple[bool, str]:
    """Whether a predicate holds at enough points, and the reason: their number and the one decided most narrowly."""
    decide = kind_of(predicate).decide
    results = decide(predicate, _select_runs(predicate, runs, spec, standins), spec.layout.axes)
    if not results:
        raise NotTested("no point has all its methods")
    held = sum(result.holds for result in results)
    tightest = min(results, key=lambda result: (result.holds, round(result.slack, DIGITS)))  # of equal ones, the first
    return QUANTIFIERS[predicate.get("over", "every")](held, len(results)), (
        f"{label(predicate['metric'], spec)}: {held} of {len(results)}, tightest {tightest.text}"
    )


def _select_runs(predicate: Predicate, runs: pd.DataFrame, spec: Spec, standins: Mapping[str, str]) -> pd.DataFrame:
    """The runs that `where` leaves, and those of `across`.

    Raises:
        NotTested: `where` names a replica or something that was not run, or no run has the score.
    """
    where = predicate.get("where", {})
    datasets = as_list(where.get("dataset", [part.name for part in spec.datasets]))
    replicas = [name for name in datasets if standins.get(name) == "REPLICA"]
    if replicas:
        raise NotTested(f"REPLICA rows of {', '.join(replicas)}")
    named = [(axis, value) for axis in spec.layout.axes if axis in where for value in as_list(where[axis])]
    named += [("dataset", name) for name in datasets]
    absent = [describe_parameters({key: value}) for key, value in named if not has_values(runs, {key: value}).any()]
    absent += [] if predicate["metric"] in runs else [label(predicate["metric"], spec)]
    if absent:
        raise NotTested(f"no rows of {', '.join(absent)}")
    return runs[has_values(runs, {**where, "dataset": datasets + as_list(predicate.get("across", []))})]
