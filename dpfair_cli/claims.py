"""A claim of a paper is a list of predicates over our rows, all of which must hold; a predicate is data, not code.

    {compare: [RFM, ">", FM], metric: accuracy, where: {epsilon: 0.01}, over: every, margin: 0.02, test: welch}
    {trend: {of: RFM, along: delta, direction: rises, tolerance: 0.01}, metric: accuracy}
    {slope: {of: h_priv, along: epsilon, near: -1, within: 0.25}, metric: equalized_odds_gap}
    {spread: ["PDFC, age", "PDFC, race"], metric: accuracy, over: most, margin: 0.02, test: anova}

`compare` sets a method against a method or a number ("~" is near: at most `margin` away), `trend` follows the means
along an axis, `slope` is how steep they are on log-log axes (least squares), `spread` is the largest minus the smallest
mean. A predicate is decided at every point (data set and remaining axes) that `where` leaves, and must hold at `every`
one (the default), at `most` (more than half) or `some`.
With `times: 0.1` the right side of `compare` is multiplied by 0.1 ("a tenth of"). With `across: DATASET` the right side
of `compare` is taken from that data set, at the same remaining axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import linear_regression
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts import DpfairError, Floats
from dpfair_cli.spec import Spec
from dpfair_cli.summary import axes, label, matches, number, repeat

Predicate = Mapping[str, Any]
Cases = dict[str, Floats]  # point -> a score over the seeds

KEYS = {"metric", "where", "over", "margin", "test", "p", "across", "times"}
TREND = {"of", "along", "direction", "tolerance"}
SLOPE = {"of", "along", "near", "within"}
P_VALUE = 0.05
TREND_TOLERANCE = 0.01  # a step back that is still no turn
ROUNDING, DIGITS = 1e-12, 12
SLACK: dict[str, Callable[[float, float], float]] = {
    ">": lambda gap, margin: gap - margin - ROUNDING,
    "<": lambda gap, margin: -gap - margin - ROUNDING,
    ">=": lambda gap, margin: gap + margin + ROUNDING,
    "<=": lambda gap, margin: margin - gap + ROUNDING,
    "~": lambda gap, margin: margin - abs(gap) + ROUNDING,
}
ENOUGH: dict[str, Callable[[int, int], bool]] = {
    "every": lambda held, points: held == points,
    "most": lambda held, points: 2 * held > points,
    "some": lambda held, points: held > 0,
}


class NotTested(Exception):  # noqa: N818 - it is a verdict
    """Why a claim cannot be decided on these rows."""


@dataclass(frozen=True)
class Point:
    """A predicate at one point: it holds where `slack` is positive and the test, if one was asked for, agrees."""

    says: str
    slack: float
    significant: bool = True

    @property
    def holds(self) -> bool:
        """Whether it does."""
        return self.slack > 0 and self.significant


def evaluate(
    claims: Sequence[Mapping[str, Any]], rows: pd.DataFrame, spec: Spec, standins: Mapping[str, str]
) -> pd.DataFrame:
    """id, claim, verdict (holds, fails, not tested) and the reason with its numbers, one line a claim."""
    runs = repeat(rows, spec)
    lines = [(claim["id"], claim["claim"], *decide(claim, runs, spec, standins)) for claim in claims]
    return pd.DataFrame(lines, columns=["id", "claim", "verdict", "reason"], dtype=object)


def decide(claim: Mapping[str, Any], runs: pd.DataFrame, spec: Spec, standins: Mapping[str, str]) -> tuple[str, str]:
    """Verdict and reason of one claim."""
    try:
        parts = [judge(predicate, runs, spec, standins) for predicate in claim["holds"]]
    except NotTested as reason:
        return "not tested", str(reason)
    except (KeyError, TypeError, ValueError, DpfairError) as mistake:
        raise DpfairError(f"claims.yaml, {claim['id']}: {mistake}") from mistake
    words = [f"{word}: {name}" for name, word in standins.items() if name in set(runs["dataset"])]
    return "holds" if all(held for held, _ in parts) else "fails", "; ".join([*(why for _, why in parts), *words])


def judge(predicate: Predicate, runs: pd.DataFrame, spec: Spec, standins: Mapping[str, str]) -> tuple[bool, str]:
    """Whether a predicate holds, and the count and the narrowest point behind it."""
    kind = door(predicate)
    found = chosen(predicate, runs, spec, standins)
    kinds = {"compare": compare, "trend": trend, "slope": slope, "spread": spread}
    points = kinds[kind](predicate, found, spec)
    if not points:
        raise NotTested("no point has all its methods")
    held = sum(point.holds for point in points)
    narrowest = min(points, key=lambda point: (point.holds, round(point.slack, DIGITS)))  # of equal ones, the first
    return ENOUGH[predicate.get("over", "every")](held, len(points)), (
        f"{label(predicate['metric'], spec)}: {held} of {len(points)}, tightest {narrowest.says}"
    )


def door(predicate: Predicate) -> str:
    """The kind of a predicate, once every word in it is a known one."""
    kinds = [kind for kind in ("compare", "trend", "slope", "spread") if kind in predicate]
    unknown = set(predicate) - KEYS - set(kinds) | set(predicate.get("trend", {})) - TREND
    unknown |= set(predicate.get("slope", {})) - SLOPE
    if len(kinds) != 1 or unknown or "metric" not in predicate:
        raise DpfairError(f"not a predicate: {dict(predicate)} (unknown: {sorted(unknown)})")
    return kinds[0]


def chosen(predicate: Predicate, runs: pd.DataFrame, spec: Spec, standins: Mapping[str, str]) -> pd.DataFrame:
    """The runs that `where` leaves; nothing is decided on a replica, or when a part of what it names was not run."""
    where = predicate.get("where", {})
    wanted = {axis: listed(where[axis]) for axis in axes(spec) if axis in where}
    wanted["dataset"] = listed(where.get("dataset", [part.name for part in spec.datasets]))
    replicas = [name for name in wanted["dataset"] if standins.get(name) == "REPLICA"]
    absent = [f"{key} {number(v)}" for key, vs in wanted.items() for v in vs if not matches(runs, {key: v}).any()]
    if replicas or absent or predicate["metric"] not in runs:
        raise NotTested(f"REPLICA rows of {', '.join(replicas)}" if replicas else f"no rows of {', '.join(absent)}")
    return runs[matches(runs, {**where, "dataset": wanted["dataset"] + listed(predicate.get("across", []))})]


def listed(value: Any) -> list[Any]:
    """One value or several, as several."""
    return value if isinstance(value, list) else [value]


def cases(runs: pd.DataFrame, method: str, metric: str, keys: list[str]) -> Cases:
    """The scores of a method at each point, named as a reader would."""
    part = runs[(runs["method"] == method) & runs[metric].notna()]
    if not len(part):
        raise NotTested(f"no rows of {method}")
    return {place(keys, key): group[metric].to_numpy() for key, group in part.groupby(keys, dropna=False)}


def place(keys: list[str], key: Sequence[Any]) -> str:
    """A point in words: "adult, epsilon 0.1"."""
    return ", ".join(v if name == "dataset" else f"{name} {number(v)}" for name, v in zip(keys, key, strict=True))


def compare(predicate: Predicate, runs: pd.DataFrame, spec: Spec) -> list[Point]:
    """A method against a method or a number, at each point that has both."""
    left, _, right = predicate["compare"]
    keys, metric = ["dataset", *axes(spec)], predicate["metric"]
    ours = cases(runs[here(runs, predicate)], left, metric, keys)
    there = elsewhere(runs, predicate)
    theirs = cases(there, right, metric, keys) if isinstance(right, str) else dict.fromkeys(ours, np.array([right]))
    return [versus(predicate, point, ours[point], theirs[point]) for point in ours if point in theirs]


def here(runs: pd.DataFrame, predicate: Predicate) -> pd.Series[bool]:
    """The rows of the left side: all, or those of the data set that `where` names beside `across`."""
    return matches(runs, {"dataset": predicate["where"]["dataset"]} if "across" in predicate else {})


def elsewhere(runs: pd.DataFrame, predicate: Predicate) -> pd.DataFrame:
    """The rows of the right side: the same, or those `across`, under the name of the left side's data set."""
    if "across" not in predicate:
        return runs
    other = runs[runs["dataset"] == predicate["across"]]
    renamed: pd.DataFrame = other.assign(dataset=predicate["where"]["dataset"])
    return renamed


def versus(predicate: Predicate, point: str, ours: Floats, theirs: Floats) -> Point:
    """One comparison of two means."""
    left, operator, right = predicate["compare"]
    times = predicate.get("times", 1)
    theirs = times * theirs
    slack = SLACK[operator](ours.mean() - theirs.mean(), predicate.get("margin", 0))
    significant, p = tested(predicate, [ours, theirs])
    right = right if times == 1 else f"{times} times {right}"
    against = f"{right} {theirs.mean():.4f}" if isinstance(right, str) else f"{right}"
    return Point(f"{point}: {left} {ours.mean():.4f} {operator} {against}{p}", slack, significant)


def trend(predicate: Predicate, runs: pd.DataFrame, spec: Spec) -> list[Point]:
    """The means of each method along an axis: rises, falls or stays constant."""
    asked = predicate["trend"]
    return [course(name, means, asked) for name, means in curves(asked, predicate["metric"], runs, spec)]


def slope(predicate: Predicate, runs: pd.DataFrame, spec: Spec) -> list[Point]:
    """How steep the means of each method are along an axis, both on log scales."""
    asked = predicate["slope"]
    return [steepness(name, means, asked) for name, means in curves(asked, predicate["metric"], runs, spec)]


def curves(asked: Mapping[str, Any], metric: str, runs: pd.DataFrame, spec: Spec) -> Iterator[tuple[str, pd.Series]]:
    """The means of each method along an axis, at every point of the others."""
    along = asked["along"]
    keys = ["dataset", *(axis for axis in axes(spec) if axis != along)]
    for method in listed(asked["of"]):
        part = runs[runs["method"] == method]
        for point in cases(runs, method, metric, keys):
            here = part[[place(keys, key) == point for key in part[keys].itertuples(index=False)]]
            yield f"{point}: {method}", here.groupby(along)[metric].mean()


def steepness(name: str, means: pd.Series, asked: Mapping[str, Any]) -> Point:
    """Whether the slope of log mean against log x is within a distance of the one asked for."""
    if len(means) < 2 or not (means > 0).all():
        raise NotTested(f"{name} has no slope on log axes: it needs two points, all positive")
    found = linear_regression(np.log(means.index.to_numpy(dtype=float)), np.log(means.to_numpy())).slope
    says = f"{name} {found:+.3f} from {asked['along']} {number(means.index[0])} to {number(means.index[-1])}"
    return Point(says, asked["within"] - abs(found - asked["near"]) + ROUNDING)


def course(name: str, means: pd.Series, asked: Mapping[str, Any]) -> Point:
    """Whether the last mean lies on the asked side of the first, and no step goes back by more than the tolerance."""
    if len(means) < 2:
        raise NotTested(f"{name} has one point only")
    tolerance = asked.get("tolerance", TREND_TOLERANCE)
    sign = {"rises": 1, "falls": -1, "constant": 0}[asked["direction"]]
    steps, whole = sign * means.diff().iloc[1:], sign * (means.iloc[-1] - means.iloc[0])
    slack = min(steps.min() + tolerance + ROUNDING, whole - ROUNDING) if sign else tolerance - np.ptp(means) + ROUNDING
    return Point(f"{name} {' '.join(f'{mean:.4f}' for mean in means)}", float(slack))


def spread(predicate: Predicate, runs: pd.DataFrame, spec: Spec) -> list[Point]:
    """The largest minus the smallest mean among the methods, at each point that has them all."""
    keys = ["dataset", *axes(spec)]
    found = [cases(runs, method, predicate["metric"], keys) for method in predicate["spread"]]
    common = [point for point in found[0] if all(point in case for case in found)]
    return [apart(predicate, point, [case[point] for case in found]) for point in common]


def apart(predicate: Predicate, point: str, samples: list[Floats]) -> Point:
    """How far the means of several methods lie apart."""
    means = [float(sample.mean()) for sample in samples]
    significant, p = tested(predicate, samples)
    says = f"{point}: from {min(means):.4f} to {max(means):.4f}{p}"
    return Point(says, max(means) - min(means) - predicate.get("margin", 0) - ROUNDING, significant)


def tested(predicate: Predicate, samples: list[Floats]) -> tuple[bool, str]:
    """Whether the samples differ by the test that the predicate asks for (none: yes), and its p-value in words."""
    if "test" not in predicate:
        return True, ""
    if min(map(len, samples)) < 2:
        raise NotTested("a test needs two runs of each method")
    p = p_value(predicate["test"], samples)
    return p < predicate.get("p", P_VALUE), f" ({predicate['test']} p = {p:.2g})"


def p_value(test: str, samples: list[Floats]) -> float:
    """Two-sided p-value of equal means; samples that never vary either are equal or are not."""
    from scipy import stats  # slow to import, and most claims need none

    if all(np.ptp(sample) == 0 for sample in samples):
        return float(len({sample[0] for sample in samples}) == 1)
    tests = {"welch": lambda: stats.ttest_ind(*samples, equal_var=False), "anova": lambda: stats.f_oneway(*samples)}
    return float(tests[test]().pvalue)
