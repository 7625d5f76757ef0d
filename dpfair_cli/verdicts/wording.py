"""Names, numbers and remarks as they are written in verdicts, tables and figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from typing import Any

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.means import key_columns, repeat_along_axes, shown_scores, with_columns

LARGEST_WRITTEN_OUT = 1e8  # whole numbers below it are written without an exponent
COLUMN = "than a constant"
BETTER, NO_BETTER = "better", "no better"
ERRORS = 2.0  # the mean difference over seeds must exceed 0 by this many standard errors
NOT_MEASURABLE = "not measurable"


def heading(spec: Spec, notes: Sequence[str]) -> str:
    """The heading of an artefact: source, title, and the capital words of notes ("REPLICA")."""
    marks = dict.fromkeys(note.split(":")[0] for note in notes if note.split(":")[0].isupper())
    return f"{spec.source}: {spec.title}" + (f" [{', '.join(marks)}]" if marks else "")


def label(name: str, spec: Spec) -> str:
    """The printed name of a data set, a method, a parameter or a score."""
    return spec.labels.get(name, name.replace("_", " "))


def format_number(value: Any) -> str:
    """The value of a parameter as text; empty for a missing value."""
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return ""
    return (
        f"{value:.0f}"
        if abs(value) < LARGEST_WRITTEN_OUT and value == round(value)
        else f"{value:.4g}"
    )


def format_mean(mean: float, std: float, *, whole: bool = False) -> str:
    """The text "mean ± standard deviation" with four decimals.

    There are no decimals from 1,000 on or for counts (`whole`). The text is empty for a missing
    mean, and the mean alone for a missing deviation.
    """
    if pd.isna(mean):
        return ""
    form = ",.0f" if whole or abs(mean) >= 1000 else ".4f"
    return f"{mean:{form}}" if pd.isna(std) else f"{mean:{form}} ± {std:{form}}"


def describe_parameters(values: Mapping[str, Any]) -> str:
    """Parameters with their values, such as "epsilon 0.1, delta 0.01"."""
    return ", ".join(f"{name} {format_number(value)}" for name, value in values.items())


def describe_point(dataset: str, parameters: Mapping[str, Any]) -> str:
    """A point of an artefact, such as "adult, epsilon 0.1"."""
    return ", ".join(filter(None, (dataset, describe_parameters(parameters))))


def describe_seeds(rows: pd.DataFrame) -> str:
    """The number of seeds of each data set and method, such as "10 seeds" or "2 to 10 seeds"."""
    runs = sorted(set(rows.groupby(["dataset", "method"])["seed"].nunique()))
    match runs:
        case []:
            return "no runs"
        case [number]:
            return f"{number} seed{'s' * (number != 1)}"
    return f"{runs[0]} to {runs[-1]} seeds"


def describe_average(statistic: str, seeds: str) -> str:
    """A statistic over seeds, such as "Mean over 10 seeds"; for one seed, says so."""
    return "One seed" if seeds == "1 seed" else f"{statistic} over {seeds}"


def describe_shared_parameters(spec: Spec) -> str:
    """The parameters with an equal value in all methods of a spec that have them, as a sentence."""
    values: dict[str, set[Any]] = {}
    for part in spec.methods:
        for name, value in part.params.items():
            values.setdefault(name, set()).add(value)
    words = []
    for name, found in values.items():
        if len(found) == 1 and name not in spec.layout.axes:
            (value,) = found
            words.append(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}")
    return f"Parameters, where a method has them: {', '.join(words)}." if words else ""


def describe_standins(standins: Mapping[str, str]) -> tuple[str, ...]:
    """A text for each data set that replaces the paper's own, such as "REPLICA: adult"."""
    return tuple(f"{word}: {dataset}" for dataset, word in standins.items())


def compare_with_baselines(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The lines of a table, each with whether a score is clearly above its constant baseline.

    A score is clearly above if the mean of score minus baseline over the runs is more than two
    standard errors above 0; for one run, if the difference is above 0.
    """
    keys = key_columns(spec)
    scores = chain.from_iterable(spec.layout.baselines.items())
    whole = repeat_along_axes(with_columns(rows, spec, scores), spec)
    lines = []
    for key, group in whole.groupby(keys, dropna=False, sort=False):
        word = BETTER if _exceeds(group, spec) else NO_BETTER
        lines.append({**dict(zip(keys, key, strict=True)), COLUMN: word})
    return pd.DataFrame(lines, columns=[*keys, COLUMN])


def _exceeds(group: pd.DataFrame, spec: Spec) -> bool:
    """Whether a score of some runs is clearly above its baseline."""
    for score, baseline in spec.layout.baselines.items():
        difference = (group[score] - group[baseline]).dropna()
        error = difference.std() / math.sqrt(len(difference)) if len(difference) > 1 else 0.0
        if difference.mean() > ERRORS * error:
            return True
    return False


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
