"""The best printed trade-offs of accuracy and fairness of two stages of intervention, compared.

The trade-off of a method is sqrt((1 - accuracy)^2 / 2 + gap^2 / 2), as in Angelozzi and Arcolezi
2026: the smaller, the better. The best method of a stage is chosen at every seed and epsilon.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pandas as pd

from dpfair_cli.contracts.parameters import checked
from dpfair_cli.datasets._printed_values import (
    Selection,
    compared,
    paired,
    printed_source,
    read,
    setting,
    settings,
)
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons

AT_EPSILON_2 = Selection(only_setting="epsilon", only_value="2")
SEED = "random_seed"  # the column with the seed of a printed run


@checked
def load(
    folder: Path,
    *,
    work: str = "verona2026",
    selection: Selection = AT_EPSILON_2,
    gap: str = "spd",
    first: tuple[str, ...] = ("reweighing", "disparate-impact remover"),
    second: tuple[str, ...] = ("reject option", "equalized odds"),
) -> PrintedComparisons:
    """The comparisons of the best method in `second` with the best in `first`.

    Args:
        folder: the data folder, which is not used.
        work: the name of the folder of the work in experiments/.
        selection: the values that are compared.
        gap: the score of the fairness gap.
        first: the methods of the first stage.
        second: the methods of the second stage.

    Raises:
        DpfairError: the work has no such values.
    """
    values = read(work, selection)
    place = ["dataset", *settings(values)]
    values = values[setting(values, SEED) != ""]
    tradeoffs = _tradeoffs(values, gap, ["method", *place])
    one, two = (
        _best(tradeoffs[tradeoffs["method"].isin(stage)], place) for stage in (first, second)
    )
    pairs = paired(one, two, place)
    names = tuple(f"seed {seed}" for seed in pairs[SEED])
    return replace(compared(pairs, runs=1, second_runs=1), names=names)


def _tradeoffs(values: pd.DataFrame, gap: str, on: list[str]) -> pd.DataFrame:
    """The trade-off of each method, from its printed accuracy and its printed gap."""
    gaps = values[values["metric"] == gap]
    # an accuracy without a gap has no trade-off, and NaN is refused as no printed mean
    both = values[values["metric"] == "accuracy"].merge(
        gaps[[*on, "mean"]], on=on, how="left", suffixes=("", "_of_gap")
    )
    pairs = zip(both["mean"], both["mean_of_gap"], strict=True)
    scores = [math.hypot(1 - accuracy, gap) / math.sqrt(2) for accuracy, gap in pairs]
    return both.assign(metric="tradeoff", mean=scores)


def _best(tradeoffs: pd.DataFrame, place: list[str]) -> pd.DataFrame:
    """The smallest trade-off at every place, in the order of the file."""
    return tradeoffs.loc[tradeoffs.groupby(place, sort=False)["mean"].idxmin()]


DATASET = printed_source(load, "trade-offs of two stages of a work")
