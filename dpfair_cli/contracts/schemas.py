"""Public knowledge about a raw table: the columns, and their ranges and levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

EVEN_BINS = 4  # number of bins of a numeric column without given bins; a choice of ours
# shown with every domain file, since it is private whether and how often values were mapped
OUTSIDE_RULE = (
    "values outside the domain were mapped by its rule (dpfair info csv), if there were any"
)


@dataclass(frozen=True)
class Numeric:
    """A column of numbers with a public range [low, high]."""

    low: float  # the smallest number
    high: float  # the largest number
    centre: float = 0.0  # the number that standardisation subtracts
    # the number by which standardisation divides; 0 if the column is not standardised
    spread: float = 0.0
    # (first, last) of each bin, for methods that need categories; empty for EVEN_BINS bins
    bins: tuple[tuple[float, float], ...] = ()

    @property
    def all_bins(self) -> tuple[tuple[float, float], ...]:
        """The bins that the schema gives for a column of numbers, or else bins of equal width.

        For a wide range of integers the ends of the bins of equal width are integers.
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
    """A column of text with public levels."""

    levels: tuple[str, ...]  # all values, in a documented order


ColumnType = Numeric | Categorical


@dataclass(frozen=True)
class Schema:
    """The public knowledge about a raw table (the DOMAIN of a data set)."""

    # the type of each feature, in order; one-hot encoding drops the first level of each
    attributes: Mapping[str, Numeric | Categorical] = field(hash=False)
    label: str  # the column of the label
    positive: str  # the value of the label's column for which the label is 1
    protected: str  # the protected column
    # the values of the protected column; the code of a group is the index of its value
    groups: tuple[str, ...]
    # the origin of ranges and levels, "public" facts or the "data"
    bounds: Literal["public", "data"] = "public"
    # the public names of label 0 and 1; if empty, the values in the table are used
    labels: tuple[str, ...] = ()
