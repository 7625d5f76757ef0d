"""The predicates of claims: data, not code, each decided at every point (data set and remaining axes) of the runs.

    {compare: [RFM, ">", FM], metric: accuracy, margin: 0.02, test: welch}
    {trend: {of: RFM, along: delta, direction: rises, tolerance: 0.01}, metric: accuracy}
    {slope: {of: h_priv, along: epsilon, near: -1, within: 0.25}, metric: equalized_odds_gap}
    {spread: ["PDFC, age", "PDFC, race"], metric: accuracy, margin: 0.02, test: anova}

`compare` sets a method against a method or a number ("~" is near: at most `margin` away), `trend` follows the means
along an axis, `slope` is how steep they are on log-log axes (least squares), `spread` is the largest minus the smallest
mean. With `times: 0.1` the right side of `compare` is multiplied by 0.1 ("a tenth of"). With `across: DATASET` the
right side of `compare` is taken from that data set, at the same remaining axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import linear_regression
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.verdicts.means import as_list, has_values
from dpfair_cli.verdicts.wording import describe_point, format_number

Predicate = Mapping[str, Any]

P_VALUE = 0.05
TREND_TOLERANCE = 0.01  # a step back that is still no turn
ROUNDING = 1e-12  # of a mean: what is equal to the last bit or two is equal
SLACK: dict[str, Callable[[float, float], float]] = {  # of a comparison, from the difference of its means and a margin
    ">": lambda difference, margin: difference - margin - ROUNDING,
    "<": lambda difference, margin: -difference - margin - ROUNDING,
    ">=": lambda difference, margin: difference + margin + ROUNDING,
    "<=": lambda difference, margin: margin - difference + ROUNDING,
    "~": lambda difference, margin: margin - abs(difference) + ROUNDING,
}


class NotTested(Exception):  # noqa: N818 - it is a verdict
    """Why a claim cannot be decided on these rows."""


@dataclass(frozen=True)
class PointResult:
    """A predicate at one point: it holds where `slack` is positive and the test, if one was asked for, agrees."""

    text: str
    slack: float
    significant: bool = True

    @property
    def holds(self) -> bool:
        """Whether the predicate holds at this point."""
        return self.slack > 0 and self.significant


def compare(predicate: Predicate, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
    """A method against a method or a number, at each point that has both."""
    left, _, right = predicate["compare"]
    left_runs, right_runs = _sides(predicate, runs)
    ours = _scores_by_point(left_runs, left, predicate["metric"], axes)
    if isinstance(right, str):
        theirs = _scores_by_point(right_runs, right, predicate["metric"], axes)
    else:
        theirs = dict.fromkeys(ours, np.array([right]))
    return [_compare_means(predicate, point, ours[point], theirs[point]) for point in ours if point in theirs]


def trend(predicate: Predicate, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
    """The means of each method along an axis: they rise, fall or stay constant."""
    asked = predicate["trend"]
    return [_decide_trend(name, means, asked) for name, means in _curves(asked, predicate["metric"], runs, axes)]


def slope(predicate: Predicate, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
    """The slope of the means of each method along an axis, both on log scales."""
    asked = predicate["slope"]
    return [_decide_slope(name, means, asked) for name, means in _curves(asked, predicate["metric"], runs, axes)]


def spread(predicate: Predicate, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
    """The largest minus the smallest mean among the methods, at each point that has them all."""
    scores = [_scores_by_point(runs, method, predicate["metric"], axes) for method in predicate["spread"]]
    common = [point for point in scores[0] if all(point in others for others in scores)]
    return [_decide_spread(predicate, point, [by_point[point] for by_point in scores]) for point in common]


class Kind(NamedTuple):
    """A kind of predicate: what decides it at every point, and the keys of its own mapping if it has one."""

    decide: Callable[[Predicate, pd.DataFrame, Sequence[str]], list[PointResult]]
    keys: frozenset[str] = frozenset()


KINDS = {
    "compare": Kind(compare),
    "trend": Kind(trend, frozenset({"of", "along", "direction", "tolerance"})),
    "slope": Kind(slope, frozenset({"of", "along", "near", "within"})),
    "spread": Kind(spread),
}


def p_value(test: str, samples: Sequence[Floats]) -> float:
    """Two-sided p-value of equal means; it is 0 or 1 for samples that do not vary, which are equal or are not."""
    from scipy import stats  # slow to import, and most claims need none

    if all(np.ptp(sample) == 0 for sample in samples):
        return float(len({sample[0] for sample in samples}) == 1)
    tests = {"welch": lambda: stats.ttest_ind(*samples, equal_var=False), "anova": lambda: stats.f_oneway(*samples)}
    return float(tests[test]().pvalue)


def _runs_by_point(runs: pd.DataFrame, method: str, metric: str, axes: Sequence[str]) -> dict[str, pd.DataFrame]:
    """The runs of a method that have the score, at each point; a point is described as a reader would."""
    found = runs[(runs["method"] == method) & runs[metric].notna()]
    if not len(found):
        raise NotTested(f"no rows of {method}")
    groups = found.groupby(["dataset", *axes], dropna=False)
    return {describe_point(str(key[0]), dict(zip(axes, key[1:], strict=True))): group for key, group in groups}


def _scores_by_point(runs: pd.DataFrame, method: str, metric: str, axes: Sequence[str]) -> dict[str, Floats]:
    """The scores of a method over its seeds, at each point."""
    return {point: group[metric].to_numpy() for point, group in _runs_by_point(runs, method, metric, axes).items()}


def _curves(
    asked: Mapping[str, Any], metric: str, runs: pd.DataFrame, axes: Sequence[str]
) -> Iterator[tuple[str, pd.Series[float]]]:
    """The means of each method along an axis, at every point of the other axes."""
    others = [axis for axis in axes if axis != asked["along"]]
    for method in as_list(asked["of"]):
        for point, group in _runs_by_point(runs, method, metric, others).items():
            yield f"{point}: {method}", group.groupby(asked["along"])[metric].mean()


def _sides(predicate: Predicate, runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The runs of both sides of a comparison; those `across` go under the name of the left side's data set."""
    if "across" not in predicate:
        return runs, runs
    dataset = predicate["where"]["dataset"]
    across = runs[runs["dataset"] == predicate["across"]]
    return runs[has_values(runs, {"dataset": dataset})], across.assign(dataset=dataset)


def _compare_means(predicate: Predicate, point: str, ours: Floats, theirs: Floats) -> PointResult:
    """One comparison of two means."""
    left, operator, right = predicate["compare"]
    times = predicate.get("times", 1)
    theirs = times * theirs
    slack = SLACK[operator](ours.mean() - theirs.mean(), predicate.get("margin", 0))
    significant, p = _test_difference(predicate, [ours, theirs])
    right = right if times == 1 else f"{times} times {right}"
    against = f"{right} {theirs.mean():.4f}" if isinstance(right, str) else f"{right}"
    return PointResult(f"{point}: {left} {ours.mean():.4f} {operator} {against}{p}", slack, significant)


def _decide_trend(name: str, means: pd.Series[float], asked: Mapping[str, Any]) -> PointResult:
    """Whether the last mean lies on the asked side of the first, and no step goes back by more than the tolerance."""
    if len(means) < 2:
        raise NotTested(f"{name} has one point only")
    tolerance = asked.get("tolerance", TREND_TOLERANCE)
    sign = {"rises": 1, "falls": -1, "constant": 0}[asked["direction"]]
    steps, whole = sign * means.diff().iloc[1:], sign * (means.iloc[-1] - means.iloc[0])
    slack = min(steps.min() + tolerance + ROUNDING, whole - ROUNDING) if sign else tolerance - np.ptp(means) + ROUNDING
    return PointResult(f"{name} {' '.join(f'{mean:.4f}' for mean in means)}", float(slack))


def _decide_slope(name: str, means: pd.Series[float], asked: Mapping[str, Any]) -> PointResult:
    """Whether the slope of log mean against log x is within a distance of the one asked for."""
    if len(means) < 2 or not (means > 0).all():
        raise NotTested(f"{name} has no slope on log axes: it needs two points, all positive")
    found = linear_regression(np.log(means.index.to_numpy(dtype=float)), np.log(means.to_numpy())).slope
    ends = f"from {asked['along']} {format_number(means.index[0])} to {format_number(means.index[-1])}"
    return PointResult(f"{name} {found:+.3f} {ends}", asked["within"] - abs(found - asked["near"]) + ROUNDING)


def _decide_spread(predicate: Predicate, point: str, samples: Sequence[Floats]) -> PointResult:
    """Whether the largest mean exceeds the smallest by more than the margin."""
    means = [float(sample.mean()) for sample in samples]
    significant, p = _test_difference(predicate, samples)
    text = f"{point}: from {min(means):.4f} to {max(means):.4f}{p}"
    return PointResult(text, max(means) - min(means) - predicate.get("margin", 0) - ROUNDING, significant)


def _test_difference(predicate: Predicate, samples: Sequence[Floats]) -> tuple[bool, str]:
    """Whether the means differ by the predicate's significance test, if it has one, and the p-value in words."""
    if "test" not in predicate:
        return True, ""
    if min(map(len, samples)) < 2:
        raise NotTested("a test needs two runs of each method")
    p = p_value(predicate["test"], samples)
    return p < predicate.get("p", P_VALUE), f" ({predicate['test']} p = {p:.2g})"
