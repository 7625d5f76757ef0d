"""The profile of a user's data, shown before anything runs: what was understood, and questions.

A profile is for the user's eyes: its counts are exact and not private.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpfair_cli.formats.identifiers import describe_identifier
from dpfair_cli.models.tabular.outside_values import as_number

BOUNDS = {"public": "public, by your word", "data": "read from the data: nothing is private"}
MOST_SHOWN = 10  # names in a line


@dataclass(frozen=True)
class TableProfile:
    """The description of the columns of a user's data."""

    facts: Mapping[str, str]
    """What was understood, by name."""
    questions: tuple[str, ...]
    """What the user should check."""
    stand_in: Callable[[np.random.Generator], Any]
    """Draws made-up data in the same public domain, on which methods are tried."""
    short: Mapping[str, Any] = field(default_factory=dict)
    """Values of parameters with which a fit of the stand-in ends soon."""


def in_short(texts: Sequence[str]) -> str:
    """The first MOST_SHOWN texts, followed by the number of the others."""
    shown = list(texts[:MOST_SHOWN])
    if len(texts) > MOST_SHOWN:
        shown.append(f"and {len(texts) - MOST_SHOWN} more")
    return ", ".join(shown)


def not_used(names: Sequence[str]) -> str:
    """The end of a line that lists unused columns; empty if all columns are used."""
    return f"; not used: {', '.join(names)}" if names else ""


def describe_outside(count: int, cells: int) -> str:
    """The number of cells outside the domain file, a sign of misspelt levels or encodings."""
    rule = "moved inside by its rule (dpfair info csv)"
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
            cure = "leave it out, in the file or by a domain file"
            yield f"{name} is {words}? it says nothing of a row: {cure}"
