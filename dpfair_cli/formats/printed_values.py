"""Reads the values that a work prints, from the file published.csv in the folder of the work."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

import numpy as np

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons, PrintedSide

FILE = "published.csv"
NOT_SETTINGS = {"artefact", "dataset", "method", "metric", "mean", "std", "printed", "place"}


@dataclass(frozen=True)
class PrintedValue:
    """A value that a work prints."""

    dataset: str
    """The name of the data set."""
    method: str
    """The name of the method."""
    metric: str
    """The name of the score."""
    settings: tuple[tuple[str, str], ...]
    """The parameters and their printed values, such as ("epsilon", "1")."""
    mean: float
    """The mean."""
    std: float
    """The standard deviation; NaN if none is printed."""

    def with_setting(self, name: str) -> str:
        """The printed value of the parameter `name`; empty if the value has no such parameter."""
        return dict(self.settings).get(name, "")


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

    def has(self, value: PrintedValue) -> bool:
        """Whether a value is selected."""
        if self.metrics and value.metric not in self.metrics:
            return False
        return not self.only_setting or value.with_setting(self.only_setting) == self.only_value


ALL_VALUES = Selection()


def read_printed_values(folder: Path, selection: Selection) -> list[PrintedValue]:
    """The selected values in the file published.csv of `folder`, in the order of the file.

    Raises:
        DpfairError: the file is missing, or has no such value.
    """
    file = folder / FILE
    if not file.is_file():
        raise DpfairError(f"{file} does not exist: write the printed values of the work into it")
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["artefact"] == selection.artefact]
    chosen = [value for value in map(_value, rows) if selection.has(value)]
    if not chosen:
        raise DpfairError(f"{file} has no value with {selection}: check the names")
    if selection.signs == "dropped":
        return [replace(value, mean=abs(value.mean)) for value in chosen]
    return chosen


def _value(line: dict[str, str]) -> PrintedValue:
    settings = [(name, text) for name, text in line.items() if name not in NOT_SETTINGS and text]
    deviation = float(line["std"]) if line["std"] else math.nan
    identity = (line["dataset"], line["method"], line["metric"])
    return PrintedValue(*identity, tuple(settings), float(line["mean"]), deviation)


def paired(
    values: Sequence[PrintedValue],
    *,
    first: Callable[[PrintedValue], bool],
    second: Callable[[PrintedValue], bool],
    place: Callable[[PrintedValue], object],
) -> list[tuple[PrintedValue, PrintedValue]]:
    """The pairs of a `first` and a `second` value with the same `place`, in the file's order.

    Raises:
        DpfairError: there is no pair, or two first values have the same place.
    """
    chosen = [value for value in values if first(value)]
    places = {place(value): value for value in chosen}
    if len(places) < len(chosen):
        raise DpfairError("two printed values have the same place: choose one artefact or score")
    pairs = [(places[place(v)], v) for v in values if second(v) and place(v) in places]
    if not pairs:
        raise DpfairError("no two printed values belong together: check the names of the methods")
    return pairs


def comparisons(
    pairs: Iterable[tuple[PrintedValue, PrintedValue]], *, runs: int, second_runs: int
) -> PrintedComparisons:
    """The comparisons of pairs of printed values.

    The first means are over `runs` runs, and the second ones over `second_runs`.
    """
    one, two = zip(*pairs, strict=True)
    names = tuple(_name(value) for value in two)
    metrics = tuple(value.metric for value in two)
    return PrintedComparisons(names, metrics, _side(one, runs), _side(two, second_runs))


def _name(value: PrintedValue) -> str:
    settings = [f"{name} {text}" for name, text in value.settings]
    return ", ".join([value.dataset, value.metric, *settings])


def _side(values: Sequence[PrintedValue], runs: int) -> PrintedSide:
    mean = np.array([value.mean for value in values])
    std = np.array([value.std for value in values])
    return PrintedSide(mean, std, np.full(len(values), runs, dtype=np.int64))


def digest(folder: Path) -> str:
    """A digest of the file published.csv of `folder`; of nothing if the file is missing."""
    file = folder / FILE
    return sha256(file.read_bytes() if file.is_file() else b"").hexdigest()[:16]
