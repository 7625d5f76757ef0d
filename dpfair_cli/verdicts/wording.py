"""Names, numbers and remarks as they are written in verdicts, tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dpfair_cli.contracts.specs import Spec

LARGEST_WRITTEN_OUT = 1e8  # whole numbers below it are written without an exponent


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


def describe_standins(standins: Mapping[str, str]) -> tuple[str, ...]:
    """A text for each data set that replaces the paper's own, such as "REPLICA: adult"."""
    return tuple(f"{word}: {dataset}" for dataset, word in standins.items())
