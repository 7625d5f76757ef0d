"""Every variant of every method beside the default one: how many distinct published cells come out
under each.

Nothing is picked in the dark: where a method has several variants, the spec says what the default
one was chosen by.
"""

from __future__ import annotations

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.levels import Level

COLUMNS = ["method", "variant", "chosen_by", *map(str, Level), "nearest", "cells"]


def count_variants(cells: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """One line for each variant of each method with several: the cells at each level, and those it
    is nearest to.

    `cells` are those of `compare_cells`. `chosen_by` says of the default variant, whose `variant`
    is empty, what it was chosen by; a variant that was not run for a cell does not count it, so
    that `cells` may differ.
    """
    several = cells[(cells["nearest_variant"] != "") & cells["verdict"].isin(list(Level))]
    chosen = {method: part.chosen_by for method, part in spec.methods_by_label.items()}
    lines = []
    for key, group in several.groupby(["published_method", "method"], sort=False):
        published, method = map(str, key)
        counts = _counts(group)
        variant = _variant(published, method)
        words = (published, variant, "" if variant else chosen.get(method, ""))
        lines.append((*words, *counts, _times_nearest(group), sum(counts)))
    return pd.DataFrame(lines, columns=COLUMNS)


def _variant(published: str, method: str) -> str:
    """The name of a variant alone; empty for the default one."""
    return method.removeprefix(published).removeprefix(", ")


def _counts(group: pd.DataFrame) -> list[int]:
    return [int((group["verdict"] == level).sum()) for level in Level]


def _times_nearest(group: pd.DataFrame) -> int:
    return int((group["method"] == group["nearest_variant"]).sum())
