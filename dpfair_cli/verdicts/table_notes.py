"""What is said below a table of scores: constant baselines, equal methods, unmeasured scores.

Baselines are compared on the same held-out records.
"""

from __future__ import annotations

import math
from itertools import chain, combinations

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.means import key_columns, repeat_along_axes, shown_scores, with_columns
from dpfair_cli.verdicts.wording import label

COLUMN = "than a constant"
BETTER, NO_BETTER = "better", "no better"
ERRORS = 2.0  # the mean difference over seeds must exceed 0 by this many standard errors


def compare_with_baselines(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The lines of a table, each with whether a score is clearly above its constant baseline.

    A score is clearly above if the mean of score minus baseline over the runs is more than two
    standard errors above 0; for one run, if the difference is above 0.
    """
    keys = key_columns(spec)
    scores = chain.from_iterable(spec.layout.baselines.items())
    whole = repeat_along_axes(with_columns(rows, spec, scores), spec)
    lines = [
        {
            **dict(zip(keys, key, strict=True)),
            COLUMN: BETTER if _exceeds(group, spec) else NO_BETTER,
        }
        for key, group in whole.groupby(keys, dropna=False, sort=False)
    ]
    return pd.DataFrame(lines, columns=[*keys, COLUMN])


def _exceeds(group: pd.DataFrame, spec: Spec) -> bool:
    differences = [
        group[score] - group[baseline] for score, baseline in spec.layout.baselines.items()
    ]
    return any(_is_clear(difference.dropna()) for difference in differences)


def _is_clear(difference: pd.Series[float]) -> bool:
    error = difference.std() / math.sqrt(len(difference)) if len(difference) > 1 else 0.0
    return bool(difference.mean() > ERRORS * error)


def describe_baselines(compared: pd.DataFrame) -> str:
    """A sentence that counts the lines no better than a constant baseline; empty without any."""
    worse = int((compared[COLUMN] == NO_BETTER).sum())
    words = "at most two standard errors above the majority class on the same records"
    lines = f"{worse} of {len(compared)} lines are no better than a constant"
    return f"{lines}: {words}." if worse else ""


def describe_equal_methods(rows: pd.DataFrame, spec: Spec) -> str:
    """A sentence that names methods with equal scores in every run; empty if there are none.

    Runs are compared at the same data set, point and seed. `rows` has a row for each run.
    """
    whole = repeat_along_axes(with_columns(rows, spec, shown_scores(spec)), spec)
    scores = [score for score in shown_scores(spec) if score in whole]
    places = ["dataset", "seed", *spec.layout.axes]
    by_method = {
        str(method): own.set_index(places)[scores].sort_index()
        for method, own in whole.groupby("method", sort=False)
    }
    pairs = [
        f"{one} and {other}"
        for one, other in combinations(by_method, 2)
        if by_method[one].equals(by_method[other])
    ]
    return f"The same scores in every run: {'; '.join(pairs)}." if pairs else ""


NOT_MEASURABLE = "not measurable"


def describe_unmeasured(summary: pd.DataFrame, spec: Spec) -> str:
    """A sentence with the numbers of runs that measured a score; empty if all runs measured all.

    `summary` has a line for each point, method and score, with the number of runs that have the
    score (see `means.summarise_scores`).
    """
    made = summary.groupby(key_columns(spec), dropna=False, sort=False)["runs"].transform("max")
    lacking = summary[summary["runs"] < made].assign(made=made)
    parts = []
    for metric, lines in lacking.groupby("metric", sort=False):
        least, most = int(lines["runs"].min()), int(lines["runs"].max())
        found = f"{least}" if least == most else f"{least} to {most}"
        parts.append(f"{label(str(metric), spec)} in {found} of {int(lines['made'].max())} runs")
    if not parts:
        return ""
    why = "in the others a group has no record that the score needs"
    return f"Measured: {', '.join(parts)}; {why}."
