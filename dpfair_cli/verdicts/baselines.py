"""Comparison with constant baselines, on the same held-out records."""

from __future__ import annotations

import math
from itertools import chain

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.means import key_columns, repeat_along_axes, with_columns

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
