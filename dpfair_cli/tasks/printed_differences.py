"""Printed values of a work, judged by one statistical rule without a run.

A rule decides about each comparison of a first with a second printed value. A difference is the
second value minus the first. A correction for several tests is over all comparisons; the scores
are about those whose score is in `counted`, or about all:

    comparisons         number of comparisons
    lower_means         number of comparisons with a negative difference
    higher_means        number of comparisons with a positive difference
    lower, higher       number of second values that the rule decides to be lower, higher
    equivalent          number of values that the rule decides to be equal up to its margin
    undecided           number of comparisons about which the rule decides nothing
    lower_share         lower divided by comparisons; the same for the other decisions
    sign_p              p-value of the exact two-sided sign test of all counted differences
    smallest_p          smallest p-value of the rule
    mean_difference     mean of the differences
    largest_difference  the difference with the largest absolute value
    power               mean probability of the decision "equivalent" if the true difference is 0
    power_reached       number of comparisons in which this probability is at least 0.8
    runs_needed         median number of runs of each side for which this probability is 0.8

The curves over the comparisons are the difference and the ends of its interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # which imports `scipy.stats` when it is used

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.declarations import BoundFit, Study
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons
from dpfair_cli.models.printed.decisions import Decisions

AXIS = "comparison"
INTERVAL = ("difference", "interval_low", "interval_high")
DECISIONS = ("lower", "higher", "equivalent", "undecided")
SHARES = tuple(f"{name}_share" for name in DECISIONS)
COUNTS = ("comparisons", "lower_means", "higher_means", *DECISIONS)
DIFFERENCES = ("mean_difference", "largest_difference")
OTHERS = ("sign_p", "smallest_p", "power", "power_reached", "runs_needed")
SCORES = (AXIS, *INTERVAL, *COUNTS, *SHARES, *DIFFERENCES, *OTHERS)
HIGH_POWER = 0.8  # the usual power of a planned study


@dataclass(frozen=True, eq=False)
class ComparisonCase:
    """The comparisons that a rule judges, and those that are counted."""

    train: PrintedComparisons
    """The comparisons that the rule judges."""
    counted: Ints
    """The indices of the comparisons that are counted."""


@checked
def split(
    comparisons: PrintedComparisons,
    *,
    counted: tuple[str, ...] = (),
    rng: np.random.Generator,
) -> ComparisonCase:
    """All comparisons; those whose score is in `counted`, or all, are counted. `rng` is not used.

    Raises:
        ValueError: no comparison has a score in `counted`.
    """
    chosen = [not counted or metric in counted for metric in comparisons.metrics]
    if not any(chosen):
        raise ValueError(f"no comparison has a score in `counted`, got {counted}")
    return ComparisonCase(comparisons, np.flatnonzero(chosen))


def study(fit: BoundFit, case: ComparisonCase, *, rng: np.random.Generator) -> Outcome:
    """The decisions of the rule with their counts, and the differences with their intervals."""
    decisions = fit(case.train, rng=rng)
    difference = decisions.difference[case.counted]
    half_width = decisions.half_width[case.counted]
    curves = {
        AXIS: [case.train.names[k] for k in case.counted],
        "difference": difference.tolist(),
        "interval_low": (difference - half_width).tolist(),
        "interval_high": (difference + half_width).tolist(),
    }
    return Outcome(decisions, scores(decisions, case.counted), curves=curves)


def scores(decisions: Decisions, counted: Ints) -> dict[str, float]:
    """The scores of the decisions about the comparisons with the indices `counted`, by name."""
    difference = decisions.difference[counted]
    n = float(len(counted))
    found = {
        "comparisons": n,
        "lower_means": float((difference < 0).sum()),
        "higher_means": float((difference > 0).sum()),
    }
    for name in DECISIONS:
        found[name] = float(getattr(decisions, name)[counted].sum())
        found[f"{name}_share"] = found[name] / n
    return found | {
        "sign_p": _sign_p(difference),
        "smallest_p": float(decisions.p[counted].min()),
        "mean_difference": float(difference.mean()),
        "largest_difference": float(difference[np.argmax(np.abs(difference))]),
        **_planning(decisions.power[counted], decisions.runs_needed[counted]),
    }


def _sign_p(difference: Floats) -> float:
    """The p-value of the exact two-sided sign test; 1 if no value differs."""
    lower, higher = int((difference < 0).sum()), int((difference > 0).sum())
    return float(scipy.stats.binomtest(lower, lower + higher).pvalue) if lower + higher else 1.0


def _planning(power: Floats, runs_needed: Floats) -> dict[str, float]:
    """The scores of the power; NaN for a rule without power."""
    if np.isnan(power).all():
        return dict.fromkeys(("power", "power_reached", "runs_needed"), float("nan"))
    return {
        "power": float(np.nanmean(power)),
        "power_reached": float((power >= HIGH_POWER).sum()),
        "runs_needed": float(np.nanmedian(runs_needed)),
    }


TASK = Study(
    split=split,
    study=study,
    scores=SCORES,
    unbounded=(*COUNTS, "power_reached", "runs_needed"),
    ranges={
        **dict.fromkeys((*COUNTS, "power_reached", "runs_needed"), (0.0, float("inf"))),
        **dict.fromkeys(SHARES, (0.0, 1.0)),
        **dict.fromkeys(("sign_p", "smallest_p", "power"), (0.0, 1.0)),
        **dict.fromkeys((*DIFFERENCES, *INTERVAL), (-float("inf"), float("inf"))),
    },
    result=Decisions,
    axis=AXIS,
    exact=True,
)
