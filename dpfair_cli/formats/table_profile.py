"""What a user should see of their own data before anything runs: what was understood, and what
looks odd.
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
    """Facts by name, and questions.

    `stand_in` makes data that do not exist, in the public domain of the user's: on them it is seen
    whether a method takes such data, for which parameters named in `short` have values that end a
    fit soon.
    """

    facts: Mapping[str, str]
    questions: tuple[str, ...]
    stand_in: Callable[[np.random.Generator], Any]
    short: Mapping[str, Any] = field(default_factory=dict)


def in_short(texts: Sequence[str]) -> str:
    """The first of several texts, and how many more there are."""
    more = [f"and {len(texts) - MOST_SHOWN} more"] if len(texts) > MOST_SHOWN else []
    return ", ".join([*texts[:MOST_SHOWN], *more])


def not_used(names: Sequence[str]) -> str:
    """The columns of a file that are left alone; nothing where there are none."""
    return f"; not used: {', '.join(names)}" if names else ""


def describe_outside(count: int, cells: int) -> str:
    """How many cells of a table its domain file does not know: a misspelt level is seen here, or a
    wrong encoding.
    """
    return f"{count:,} of {cells:,} cells are not as the domain file says: moved inside by its rule (dpfair info csv)"


def questions_of_identifiers(
    columns: Mapping[str, Sequence[str]], unnamed: Collection[str]
) -> Iterator[str]:
    """A question for each column of cells that names the rows; `unnamed` are those without a name
    in the heading.
    """
    for name, cells in columns.items():
        words = describe_identifier([as_number(cell) for cell in cells], unnamed=name in unnamed)
        if words:
            yield f"{name} is {words}? it says nothing of a row: leave it out, in the file or by a domain file"
