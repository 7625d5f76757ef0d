"""A computation that searches for a counterexample of a theorem or of a stated number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dpfair_cli.contracts.guarantees import TheoremEvidence

ROUNDING = 1e-9

Excess = tuple[float, str]
"""The largest value divided by the bound of the theorem, and the case in words."""


def worst(ratios: Mapping[str, Any]) -> Excess:
    """The largest of the ratios, each under its case in words; of equal ones the first."""
    case = max(ratios, key=ratios.__getitem__)
    return float(ratios[case]), case


@dataclass(frozen=True)
class Computation:
    """A brute-force search for a counterexample of a theorem."""

    excess: Callable[[], Excess]  # the search
    cases: str  # the cases that are tried, in words
    proof: str = ""  # the file with a proof; empty without a proof
    measure: str = "times the stated value"  # what the number of the search is

    def evidence(self) -> TheoremEvidence:
        """The evidence of the search."""
        ratio, case = self.excess()
        found = f"{ratio:.4g} {self.measure} for {case}"
        if ratio > 1 + ROUNDING:
            return TheoremEvidence(self.cases, counterexample=found)
        return TheoremEvidence(f"{self.cases}: at most {found}", proof=self.proof)
