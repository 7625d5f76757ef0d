"""What a verdict is worth: how often the same rule passes a method beside the published value of another one."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.comparison import comparison
from dpfair_cli.verdicts.levels import DIGITS, WIDEST, Level
from dpfair_cli.verdicts.means import to_records

COLUMNS = ["cell", "beside", "is_far", "passes"]


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
    default = cells[cells["is_default"].astype(bool)]
    after = default.columns.get_loc("published_method")
    place = [name for name in default.columns[:after] if name != "method"]
    lines = [
        _pairing(ours, other, spec)
        for _, group in default.groupby(place, dropna=False, sort=False)
        for ours, other in permutations(to_records(group), 2)
        if ours["published_method"] != other["published_method"] and ours["verdict"] in list(Level)
    ]
    return pd.DataFrame(lines, columns=COLUMNS)


def share_of_wrong_pairings(pairings: pd.DataFrame, *, far_only: bool) -> Share:
    """How many of the pairings pass; `far_only` leaves those whose published values can be told apart."""
    chosen = pairings[pairings["is_far"].astype(bool)] if far_only else pairings
    return Share(int(chosen["passes"].sum()), len(chosen))


def _pairing(ours: dict[str, object], other: dict[str, object], spec: Spec) -> tuple[str, str, bool, bool]:
    """Ours beside the published value of another method."""
    right, wrong = comparison(ours, spec), comparison(ours | _published(other), spec)
    apart = round(abs(right.published.mean - wrong.published.mean), DIGITS)
    is_far = apart > WIDEST * min(right.scale, wrong.scale)
    return str(ours["cell"]), str(other["published_method"]), is_far, wrong.level.passes


def _published(line: dict[str, object]) -> dict[str, object]:
    """What a line has of the paper."""
    return {name: line[name] for name in ("published_mean", "published_std")}
