"""What a proof, a brute-force search or an audit says about a theorem of a paper."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TheoremEvidence:
    """The evidence for or against a theorem, such as "Algorithm 5 is differentially private"."""

    tried: str
    """What was tried to refute the theorem, and the result, in words."""

    proof: str = ""
    """The file with a proof; empty without a proof."""

    counterexample: str = ""
    """The numbers of a counterexample, in words; empty without a counterexample."""
