"""Comparisons of values that a work prints, from experiments/<work>/published.csv."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from dpfair_cli import paths
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons, PrintedSide

# every other column of published.csv is a parameter, whose cells are empty where it has no value
NOT_SETTINGS = (
    *("artefact", "dataset", "method", "metric", "mean", "std", "printed", "place"),
    *("mean_first", "std_first"),
)
Signs = Literal["kept", "dropped"]


@dataclass(frozen=True)
class Selection:
    """The values of a work that are compared."""

    artefact: str = "table-not-run"
    """The artefact of the values."""
    metrics: tuple[str, ...] = ()
    """The scores of the values; all scores if empty."""
    only_setting: str = ""
    """A parameter that all values have; any parameters if empty."""
    only_value: str = ""
    """The printed value of this parameter."""
    signs: Signs = "kept"
    """Whether the absolute values of the printed values are compared ("dropped")."""


ALL_VALUES = Selection()


def printed_source(load: Callable[..., PrintedComparisons], what: str) -> DataSource:
    """The declaration of comparisons that `load(folder, *, work, ...)` makes of printed values."""
    return DataSource(
        load=load,
        content=content,
        note=f"made: printed {what}, from published.csv; no person",
        task="printed_differences",
    )


def content(*, work: str, **options: Any) -> str:
    """A digest of the file with the values; of nothing if the file is missing."""
    file = _published(work)
    return sha256(file.read_bytes() if file.is_file() else b"").hexdigest()[:16]


def read(work: str, selection: Selection) -> pd.DataFrame:
    """The selected values of a work in the order of its file, (values, columns of the file).

    Means and deviations are numbers, NaN where no deviation is printed; all other cells are texts.

    Raises:
        DpfairError: the file is missing, or has no such value.
    """
    file = _published(work)
    if not file.is_file():
        raise DpfairError(f"{file} does not exist: write the printed values of the work into it")
    rows = pd.read_csv(file, dtype=str, keep_default_na=False)
    rows = rows[rows["artefact"] == selection.artefact]
    if selection.metrics:
        rows = rows[rows["metric"].isin(selection.metrics)]
    if selection.only_setting:
        rows = rows[setting(rows, selection.only_setting) == selection.only_value]
    if rows.empty:
        raise DpfairError(f"{file} has no value with {selection}: check the names")
    # `float` of each text, since the parser of pandas may round the last digit
    mean = rows["mean"].map(float)
    std = rows["std"].map(lambda text: float(text or "nan"))
    return rows.assign(mean=mean.abs() if selection.signs == "dropped" else mean, std=std)


def settings(values: pd.DataFrame) -> list[str]:
    """The names of the parameters of printed values."""
    return [str(name) for name in values if name not in NOT_SETTINGS]


def setting(values: pd.DataFrame, name: str) -> pd.Series:
    """The cells of a parameter; empty texts if no value has the parameter."""
    empty: pd.Series = pd.Series("", values.index, dtype=object)
    return values.get(name, empty)


def paired(first: pd.DataFrame, second: pd.DataFrame, on: list[str]) -> pd.DataFrame:
    """The second values, each with the mean and the deviation of the first value like it.

    The new columns are `mean_first` and `std_first`. A value is like another if both have equal
    cells in the columns `on`; second values without a first one are left out.

    Raises:
        DpfairError: there is no pair, or two first values have the same place.
    """
    if first.duplicated(on).any():
        raise DpfairError("two printed values have the same place: choose one artefact or score")
    pairs = second.merge(first[[*on, "mean", "std"]], on=on, suffixes=("", "_first"))
    if pairs.empty:
        raise DpfairError("no two printed values belong together: check the names of the methods")
    return pairs


def compared(pairs: pd.DataFrame, *, runs: int, second_runs: int) -> PrintedComparisons:
    """The comparisons of pairs of printed values, which `paired` returns.

    The first means are over `runs` runs, and the second ones over `second_runs`.
    """
    named = pairs[["dataset", "metric", *settings(pairs)]]
    return PrintedComparisons(
        tuple(map(_name, named.to_dict("records"))),
        tuple(pairs["metric"]),
        _side(pairs["mean_first"], pairs["std_first"], runs),
        _side(pairs["mean"], pairs["std"], second_runs),
    )


def _published(work: str) -> Path:
    """The file with the printed values of a work."""
    return paths.folder("experiments") / work / "published.csv"


def _name(value: Mapping[Any, str]) -> str:
    """The name of a comparison: data set, score and parameters of the second value."""
    dataset, metric, *others = value.items()
    return ", ".join([dataset[1], metric[1], *(f"{name} {text}" for name, text in others if text)])


def _side(mean: pd.Series, std: pd.Series, runs: int) -> PrintedSide:
    """The printed values on one side of comparisons, each a mean over `runs` runs."""
    return PrintedSide(mean.to_numpy(), std.to_numpy(), np.full(len(mean), runs, dtype=np.int64))
