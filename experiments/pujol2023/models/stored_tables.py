"""Adult as the authors code it, and the synthetic tables that they stored.

A synthetic table has an epsilon, the list of admissible attributes for which it was made, and a
number from 0 to 9.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import dpfair_cli.plugin as dp
from dpfair_cli.kinds import fingerprint

TABLES = 10  # synthetic tables of each kind
LEVELS = {  # of each attribute, by the authors' file adult-domain.json
    "age": 85,
    "workclass": 9,
    "fnlwgt": 100,
    "education-num": 16,
    "marital-status": 7,
    "occupation": 15,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "capital-gain": 100,
    "capital-loss": 100,
    "hours-per-week": 99,
    "native-country": 42,
    "income>50K": 2,
}
Synthesiser = Literal[
    "MST", "fair MST (greedy)", "fair MST (exponential)", "PrivBayes", "fair PrivBayes (greedy)"
]
Admissible = Literal["seven", "two"]
ADMISSIBLE: dict[Admissible, tuple[str, ...]] = {
    "seven": (
        *("workclass", "fnlwgt", "education-num", "occupation"),
        *("capital-gain", "capital-loss", "hours-per-week"),
    ),
    "two": ("education-num", "occupation"),
}


@dataclass(frozen=True, eq=False)
class StoredTables:
    """The original table, and the synthetic tables of one epsilon.

    Attributes:
        original: The codes of the original records, (n, 14).
        read: Returns the codes of a synthetic table, (m, 14), by its synthesiser, its list and its
            number.
        number: The number of the synthetic tables that a fit reads.
    """

    original: dp.Ints
    read: Callable[[Synthesiser, Admissible, int], dp.Ints]
    number: int = 0

    def __len__(self) -> int:
        return len(self.original)

    def take(self, rows: dp.Ints) -> StoredTables:
        """The tables with the original records whose indices are `rows`, in the order of `rows`."""
        return replace(self, original=self.original[rows])

    def fingerprint(self) -> str:
        """The SHA-256 digest of the original codes and of the number."""
        return fingerprint(self.number, self.original)

    def counts(self) -> dict[str, Any]:
        """The numbers of original records and of attributes."""
        return {"rows": len(self.original), "columns": self.original.shape[1]}

    def synthetic(self, synthesiser: Synthesiser, admissible: Admissible) -> dp.Ints:
        """The codes of the synthetic table of this number, (m, 14)."""
        return self.read(synthesiser, admissible, self.number)
