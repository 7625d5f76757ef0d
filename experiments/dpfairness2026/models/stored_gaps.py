"""Gaps that the authors stored: one for each method and seed, at one epsilon."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import dpfair_cli.plugin as dp
from dpfair_cli.kinds import fingerprint

Learner = Literal["logistic regression", "XGBoost"]
Gap = Literal["demographic parity", "equalized odds"]
Intervention = Literal[
    "no intervention", "reweighing", "exponentiated gradient", "threshold optimizer"
]
METHODS: tuple[Intervention, ...] = (
    "no intervention",
    "reweighing",
    "exponentiated gradient",
    "threshold optimizer",
)


@dataclass(frozen=True, eq=False)
class StoredGaps:
    """The gaps of one learner at one epsilon.

    Attributes:
        kind: The fairness notion whose gaps these are.
        private: The gaps of the runs on synthetic data, (seeds, 4), in the order of METHODS.
        clean: The gaps of the runs on the records themselves, (4,).
    """

    kind: Gap
    private: dp.Floats
    clean: dp.Floats

    def __len__(self) -> int:
        return len(self.private)

    def take(self, rows: dp.Ints) -> StoredGaps:
        """The gaps of the seeds whose indices are `rows`."""
        return replace(self, private=self.private[rows])

    def fingerprint(self) -> str:
        """The SHA-256 digest of all gaps."""
        return fingerprint(self.kind, self.private, self.clean)

    def counts(self) -> dict[str, Any]:
        """The numbers of seeds and of methods."""
        return {"rows": len(self), "columns": self.private.shape[1]}
