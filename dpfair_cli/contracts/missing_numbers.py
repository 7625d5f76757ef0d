"""A column of numbers whose missing cells are a level: a record has two attributes for it.

The first attribute is the number, which is the middle of the range if the cell is missing. The
second says whether the cell is missing. Both depend on this one cell and on public facts, so the
tables of neighbours become records of neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dpfair_cli.contracts.schemas import Categorical, ColumnType, Numeric

PRESENT, MISSING = "no", "yes"  # the levels of the second attribute


@dataclass(frozen=True)
class NumberOrMissing(Numeric):
    """A column of numbers with a public range, whose cells can be missing."""

    missing: bool = True  # always True: what tells the column from others as JSON


@dataclass(frozen=True)
class IsMissing(Categorical):
    """Whether a cell of a column of numbers is missing."""

    of: str = ""  # the name of the column


def name_of_second(column: str) -> str:
    """The name of the attribute that says whether a cell of the column is missing.

    >>> name_of_second("age")
    'age is missing'
    """
    return f"{column} is missing"


def as_attributes(columns: Mapping[str, ColumnType]) -> dict[str, ColumnType]:
    """The attributes of records from a table with these columns, of which some become two."""
    found: dict[str, ColumnType] = {}
    for name, kind in columns.items():
        found[name] = kind
        if isinstance(kind, NumberOrMissing):
            found[name_of_second(name)] = IsMissing((PRESENT, MISSING), of=name)
    return found


def as_columns(attributes: Mapping[str, ColumnType]) -> dict[str, ColumnType]:
    """The columns of the table whose records have these attributes."""
    return {name: kind for name, kind in attributes.items() if not isinstance(kind, IsMissing)}
