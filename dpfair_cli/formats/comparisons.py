"""A value of a label of numbers that is a comparison, such as >15.

Every number that satisfies the comparison has this value. Whether it does depends on its own cell
alone, so that a domain file with the two values `<=15` and `>15` needs no record of the table.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.models.tabular.outside_values import as_levels, as_number, distinct_texts

SIGNS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
OPPOSITE = {">=": "<", "<=": ">", ">": "<=", "<": ">="}
FORM = re.compile(r"([<>]=?)\s*(\S+)")


@dataclass(frozen=True)
class LabelComparison:
    """A comparison of a number with a limit.

    >>> str(LabelComparison.of("> 15")), LabelComparison.of(">15").labels
    ('>15', ('<=15', '>15'))
    """

    sign: str  # one of SIGNS
    limit: str  # a number as it was written

    @classmethod
    def of(cls, text: str) -> LabelComparison | None:
        """The comparison that a text states; None for another text, such as >50K."""
        found = FORM.fullmatch(text.strip())
        is_one = found and math.isfinite(as_number(found[2]))
        return cls(found[1], found[2]) if found and is_one else None

    def __str__(self) -> str:
        return f"{self.sign}{self.limit}"

    @property
    def opposite(self) -> LabelComparison:
        """The comparison that every other number satisfies."""
        return LabelComparison(OPPOSITE[self.sign], self.limit)

    def holds(self, number: float) -> bool:
        """Whether a number satisfies the comparison; NaN does not."""
        return SIGNS[self.sign](number, float(self.limit))

    @property
    def labels(self) -> tuple[str, str]:
        """The names of label 0 and of the favourable label."""
        return str(self.opposite), str(self)


def as_labels(cells: Sequence[str], labels: Sequence[str]) -> list[str | None]:
    """The label that each cell stands for, by `as_levels` or as a number; None for no label.

    A number stands for the last of `labels` that is a comparison which it satisfies.
    """
    found = as_levels(cells, labels)
    # the last one first: it is the favourable one
    compared = [(label, one) for label in reversed(labels) if (one := LabelComparison.of(label))]
    for place, cell in enumerate(cells):
        if found[place] is None:
            satisfied = (label for label, one in compared if one.holds(as_number(cell)))
            found[place] = next(satisfied, None)
    return found


def hint_of_comparison(texts: Iterable[str]) -> str:
    """The end of a message about a label with more than two values; empty if one is no number."""
    if any(math.isnan(as_number(text)) for text in texts):
        return ""
    return "; for numbers, give a comparison, such as --positive '>15'"


def named_labels(column: pd.Series, labels: Sequence[str]) -> pd.Series | pd.Categorical:
    """A column of labels with each number that satisfies one of `labels` replaced by this label."""
    if not any(map(LabelComparison.of, labels)):
        return column
    cells = distinct_texts(column)  # each different text once
    found = as_labels(cells.texts, labels)
    return cells.replaced([label or text for label, text in zip(found, cells.texts, strict=True)])


def require_both(comparison: LabelComparison, label: str, numbers: Sequence[float]) -> None:
    """Refuses a comparison that all or none of the numbers of a label satisfy.

    Raises:
        DpfairError: the numbers have one value by the comparison.
    """
    holds = {comparison.holds(number) for number in numbers}
    if len(holds) < 2:
        share = "each" if True in holds else "none"
        raise DpfairError(
            f"the values of the label {label!r} are from {min(numbers):g} to {max(numbers):g}, so "
            f"that {share} is {comparison}: give another limit"
        )


def require_numbers(comparison: LabelComparison, label: str, cells: Sequence[str]) -> None:
    """Refuses the cells of a label that the comparison does not divide into two labels.

    Raises:
        DpfairError: a cell is no number, or the comparison holds for all or none of the numbers.
    """
    for cell in cells:
        if math.isnan(as_number(cell)):
            raise DpfairError(
                f"every label {label!r} must be a number for the comparison {comparison}, got "
                f"{cell!r}: correct the cell, or give a value that occurs"
            )
    require_both(comparison, label, list(map(as_number, cells)))
