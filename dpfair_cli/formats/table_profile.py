"""The profile of a user's data, shown before anything runs: the interpretation, and questions.

A profile is for the user's eyes: its counts are exact and not private.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpfair_cli.formats.identifiers import describe_identifier
from dpfair_cli.models.tabular.outside_values import as_number

BOUNDS = {"public": "public, as you declare", "data": "read from the data: nothing is private"}
LEAVE_OUT = "leave the column out, in the file or with a domain file"
MOST_SHOWN = 10  # largest number of names in a line


@dataclass(frozen=True)
class TableProfile:
    """The description of the columns of a user's data."""

    facts: Mapping[str, str]
    """The facts about the data as they were read, by name."""
    questions: tuple[str, ...]
    """The questions that the user should answer."""
    stand_in: Callable[[np.random.Generator], Any]
    """A function that draws made-up data in the same domain, on which methods are tried."""
    short: Mapping[str, Any] = field(default_factory=dict)
    """Parameter values with which a fit on the made-up data is fast."""
    records: int = 0
    """The number of records; 0 for data that are not a table of records."""


def in_short(texts: Sequence[str]) -> str:
    """One text with the first MOST_SHOWN of the texts, followed by the number of the others."""
    shown = list(texts[:MOST_SHOWN])
    if len(texts) > MOST_SHOWN:
        shown.append(f"and {len(texts) - MOST_SHOWN} more")
    return ", ".join(shown)


def not_used(names: Sequence[str]) -> str:
    """The end of a line of a profile that lists unused columns; empty if all columns are used."""
    return f"; not used: {', '.join(names)}" if names else ""


def describe_outside(count: int, cells: int) -> str:
    """The number of cells that the domain file does not allow, as text.

    Many such cells are a sign of misspelt levels or a wrong encoding. `count` of the `cells` cells
    are not allowed.
    """
    rule = "they are replaced by its rule (dpfair info csv)"
    return f"{count:,} of {cells:,} cells are not as the domain file says: {rule}"


def questions_of_identifiers(
    columns: Mapping[str, Sequence[str]], unnamed: Collection[str]
) -> Iterator[str]:
    """A question for each column whose cells identify the rows.

    `unnamed` are the columns without a name in the heading.
    """
    for name, cells in columns.items():
        words = describe_identifier([as_number(cell) for cell in cells], unnamed=name in unnamed)
        if words:
            yield f"{name} seems to be {words}, which says nothing about a record: {LEAVE_OUT}"
