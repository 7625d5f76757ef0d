"""What a verdict is worth: how often the same rule passes a method beside the published value of another one.

And what a reading is worth as an explanation: where a cell differs, how often one of the other readings passes beside
its own published value, and how often beside that of another method. The more readings, the more of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import NamedTuple

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.comparison import comparison
from dpfair_cli.verdicts.levels import DIGITS, WIDEST, Level
from dpfair_cli.verdicts.means import to_records

COLUMNS = ["cell", "beside", "is_far", "passes"]
READING_COLUMNS = ["cell", "beside", "is_own", "passes"]


class Share(NamedTuple):
    """How many of some pairings pass."""

    passed: int
    pairings: int

    def __str__(self) -> str:
        """Such as "3 of 60 (5 %)"."""
        return f"{self.passed} of {self.pairings}" + (
            f" ({100 * self.passed / self.pairings:.0f} %)" if self.pairings else ""
        )


def pair_wrongly(cells: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """One line for each compared cell and published value of another method in the same place.

    `cells` are those of `compare_cells`. `cell` is what ours is, `beside` the method whose value it is set against,
    `is_far` whether the two published values differ by more than what can pass, `passes` whether ours passes.
    """
    lines = [
        _pairing(ours, other, spec)
        for place in _places(cells)
        for ours, other in permutations(place, 2)
        if ours["published_method"] != other["published_method"] and ours["verdict"] in list(Level)
    ]
    return pd.DataFrame(lines, columns=COLUMNS)


def share_of_wrong_pairings(pairings: pd.DataFrame, *, far_only: bool) -> Share:
    """How many of the pairings pass; `far_only` leaves those whose published values can be told apart."""
    chosen = pairings[pairings["is_far"].astype(bool)] if far_only else pairings
    return _share(chosen)


def pair_readings(cells: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """One line for each cell that differs and has other readings, and each published value in its place, its own too.

    `cells` are those of `compare_cells`; one alone in its place is left out, so that a right and a wrong pairing are
    taken from the same cells. `is_own` says that the published value is the cell's own, `passes` whether some other
    reading passes beside it.
    """
    others = cells[~cells["is_default"].astype(bool) & cells["verdict"].isin(list(Level))]
    readings = {str(cell): to_records(group) for cell, group in others.groupby("cell", sort=False)}
    lines = [
        (str(ours["cell"]), str(beside["published_method"]), beside is ours, _some_passes(found, beside, spec))
        for place in _places(cells)
        if len({line["published_method"] for line in place}) > 1
        for ours, beside in product(place, repeat=2)
        if ours["verdict"] == Level.DIFFERS and (found := readings.get(str(ours["cell"])))
        if beside is ours or beside["published_method"] != ours["published_method"]
    ]
    return pd.DataFrame(lines, columns=READING_COLUMNS)


def share_of_readings(pairings: pd.DataFrame, *, own: bool) -> Share:
    """How many of the pairings of `pair_readings` pass, of those with their own published value or of the others."""
    chosen = pairings[pairings["is_own"].astype(bool) == own]
    return _share(chosen)


def _share(pairings: pd.DataFrame) -> Share:
    return Share(int(pairings["passes"].sum()), len(pairings))


def _places(cells: pd.DataFrame) -> Iterator[list[dict[str, object]]]:
    """The default lines of each place: of the same data set, score and setting, whatever the method."""
    default = cells[cells["is_default"].astype(bool)]
    after = default.columns.get_loc("published_method")
    place = [name for name in default.columns[:after] if name != "method"]
    for _, group in default.groupby(place, dropna=False, sort=False):
        yield to_records(group)


def _some_passes(readings: list[dict[str, object]], beside: dict[str, object], spec: Spec) -> bool:
    """Whether one of the readings of a cell passes beside a published value."""
    return any(comparison(reading | _published(beside), spec).level.passes for reading in readings)


def _pairing(ours: dict[str, object], other: dict[str, object], spec: Spec) -> tuple[str, str, bool, bool]:
    """Ours beside the published value of another method."""
    right, wrong = comparison(ours, spec), comparison(ours | _published(other), spec)
    apart = round(abs(right.published.mean - wrong.published.mean), DIGITS)
    is_far = apart > WIDEST * min(right.scale, wrong.scale)
    return str(ours["cell"]), str(other["published_method"]), is_far, wrong.level.passes


def _published(line: dict[str, object]) -> dict[str, object]:
    """What a line has of the paper."""
    return {name: line[name] for name in ("published_mean", "published_std")}
