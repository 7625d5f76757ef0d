"""Outcomes of replays of the models of a library, one for each test and seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import dpfair_cli.plugin as dp
from dpfair_cli.kinds import fingerprint

Model = Literal["AIM", "PrivBayes", "all"]
TESTS = 9  # neighbours of each model


@dataclass(frozen=True, eq=False)
class Replays:
    """Replays with the same options of the library.

    Attributes:
        lines: The lines of replays.csv.
    """

    lines: tuple[Mapping[str, str], ...]

    def __len__(self) -> int:
        return len(self.lines)

    def take(self, rows: dp.Ints) -> Replays:
        """The replays whose indices are `rows`."""
        return replace(self, lines=tuple(self.lines[row] for row in rows))

    def fingerprint(self) -> str:
        """The SHA-256 digest of all lines."""
        return fingerprint([sorted(line.items()) for line in self.lines])

    def counts(self) -> dict[str, Any]:
        """The numbers of replays and of tests."""
        return {"rows": len(self), "columns": len({line["neighbours"] for line in self.lines})}
