"""What is publicly known about a raw table: its columns, their ranges and levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

EVEN_BINS = 4  # of a number for which nobody named bins
# said with every domain file, whatever the records are: whether and how often it happened is
# private
OUTSIDE_RULE = (
    "values outside the domain were mapped by its rule (dpfair info csv), if there were any"
)


@dataclass(frozen=True)
class Numeric:
    """An attribute with a public range [low, high]; methods that standardise it use `centre` and
    `spread`.

    `bins`, (first, last) of each, are for methods that take categories alone; unless given, there
    are EVEN_BINS.
    """

    low: float
    high: float
    centre: float = 0.0
    spread: float = 0.0  # 0: the range itself, as [0, 1]
    bins: tuple[tuple[float, float], ...] = ()

    @property
    def all_bins(self) -> tuple[tuple[float, float], ...]:
        """The bins that were given, or even ones: in a wide range between whole ends each has whole
        ends of its own.
        """
        if self.bins:
            return self.bins
        size = self.high - self.low
        if (
            size < EVEN_BINS
            or not float(self.low).is_integer()
            or not float(self.high).is_integer()
        ):
            firsts = [self.low + k * size / EVEN_BINS for k in range(EVEN_BINS)]
            return tuple(zip(firsts, [*firsts[1:], self.high], strict=True))
        firsts = sorted({int(self.low + k * (size + 1) // EVEN_BINS) for k in range(EVEN_BINS)})
        return tuple(
            zip(firsts, [*(first - 1 for first in firsts[1:]), int(self.high)], strict=True)
        )


@dataclass(frozen=True)
class Categorical:
    """An attribute with public levels, in a documented order."""

    levels: tuple[str, ...]


Kind = Numeric | Categorical  # of a column


@dataclass(frozen=True)
class Schema:
    """The public knowledge about a raw table (a data set's DOMAIN): attributes in order, label and
    protected column.

    `one_hot` of a Categorical drops its first level; `label` is 1 where the column equals
    `positive`; the group is the index of the value in `groups`. `labels` are the public names of
    label 0 and 1; empty: the values in the table. `bounds` says whether all this is known without
    the table, or was read from it.
    """

    attributes: Mapping[str, Numeric | Categorical]
    label: str
    positive: str
    protected: str
    groups: tuple[str, ...]
    bounds: Literal["public", "data"] = "public"
    labels: tuple[str, ...] = ()
