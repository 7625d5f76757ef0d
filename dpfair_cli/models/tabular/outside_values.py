"""What becomes of a cell that lies outside the public schema: one rule for every cell, so that no
row is refused.

A number is clipped to its range, and what is no number (text, an empty cell, nan) becomes the
middle of the range. A level that is not listed, an empty cell among them, becomes the last one
listed. Each cell is moved by itself: replacing a row changes that row alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.schemas import Categorical, Numeric


def moved_inside(
    frame: pd.DataFrame, attributes: Mapping[str, Numeric | Categorical]
) -> pd.DataFrame:
    """The columns of text that are named in `attributes`, each cell a listed level or a number
    inside its range.
    """
    return pd.DataFrame(
        {name: _inside(frame[name].tolist(), kind) for name, kind in attributes.items()}
    )


def count_outside(frame: pd.DataFrame, attributes: Mapping[str, Numeric | Categorical]) -> int:
    """How many cells of these columns of text are no listed level, or no number inside the range."""
    return sum(_count_outside(frame[name].tolist(), kind) for name, kind in attributes.items())


def _count_outside(cells: list[str], kind: Numeric | Categorical) -> int:
    if isinstance(kind, Categorical):
        known = set(kind.levels)
        return sum(text not in known for text in cells)
    return sum(not kind.low <= as_number(text) <= kind.high for text in cells)


def _inside(cells: list[str], kind: Numeric | Categorical) -> list[str] | Floats:
    return (
        _levels_inside(cells, kind)
        if isinstance(kind, Categorical)
        else _numbers_inside(cells, kind)
    )


def _levels_inside(cells: list[str], kind: Categorical) -> list[str]:
    known = set(kind.levels)
    return [text if text in known else kind.levels[-1] for text in cells]


def _numbers_inside(cells: list[str], kind: Numeric) -> Floats:
    numbers = np.array([as_number(text) for text in cells], dtype=float)  # (n,)
    middle = kind.low + (kind.high - kind.low) / 2
    return np.asarray(
        np.where(np.isnan(numbers), middle, numbers.clip(kind.low, kind.high)) + 0.0
    )  # -0 is 0


def as_number(text: str) -> float:
    """The number that a text stands for as Python reads it; NaN for what is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
