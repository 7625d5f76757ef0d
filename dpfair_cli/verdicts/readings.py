"""Every reading of every method beside the default one: how many distinct published cells come out under each.

Nothing is picked in the dark: where a method has several readings, the spec says what the default one was chosen by.
"""

from __future__ import annotations

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.levels import Level

COLUMNS = ["method", "reading", "chosen_by", *map(str, Level), "nearest", "cells"]


def count_readings(cells: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """One line for each reading of each method with several: the cells at each level, and those it is nearest to.

    `cells` are those of `compare_cells`. `chosen_by` says of the default reading, whose `reading` is empty, what it was
    chosen by; a reading that was not run for a cell does not count it, so that `cells` may differ.
    """
    several = cells[(cells["nearest_reading"] != "") & cells["verdict"].isin(list(Level))]
    chosen = {method: part.chosen_by for method, part in spec.methods.items()}
    lines = []
    for key, group in several.groupby(["published_method", "method"], sort=False):
        published, method = map(str, key)
        counts = _counts(group)
        reading = _reading(published, method)
        words = (published, reading, "" if reading else chosen.get(method, ""))
        lines.append((*words, *counts, _times_nearest(group), sum(counts)))
    return pd.DataFrame(lines, columns=COLUMNS)


def _reading(published: str, method: str) -> str:
    """The name of a reading alone; empty for the default one."""
    return method.removeprefix(published).removeprefix(", ")


def _counts(group: pd.DataFrame) -> list[int]:
    return [int((group["verdict"] == level).sum()) for level in Level]


def _times_nearest(group: pd.DataFrame) -> int:
    return int((group["method"] == group["nearest_reading"]).sum())
