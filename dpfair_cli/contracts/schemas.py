"""What is publicly known about a raw table: its columns, their ranges and levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Numeric:
    """An attribute with a public range [low, high]; methods that standardise it use `centre` and `spread`."""

    low: float
    high: float
    centre: float = 0.0
    spread: float = 0.0  # 0: the range itself, as [0, 1]


@dataclass(frozen=True)
class Categorical:
    """An attribute with public levels, in a documented order."""

    levels: tuple[str, ...]


@dataclass(frozen=True)
class Schema:
    """The public knowledge about a raw table (a data set's DOMAIN): attributes in order, label and protected column.

    `one_hot` of a Categorical drops its first level; `label` is 1 where the column equals `positive`; the group is the
    index of the value in `groups`.
    """

    attributes: Mapping[str, Numeric | Categorical]
    label: str
    positive: str
    protected: str
    groups: tuple[str, ...]
    bounds: Literal["public", "data"] = "public"
