"""What a proof, a brute-force search or an audit says about a theorem of a paper."""

from __future__ import annotations

from dataclasses import dataclass

# the keys of COMPUTATIONS of auditing/theorems.py: claims name them, and SciPy is slow to import
COMPUTED = (
    "L1 sensitivity of the objective",
    "L1 sensitivity of the fair objective",
    "L2 sensitivity of the objective",
    "L2 sensitivity of the fair objective",
    "Laplace noise of two sizes",
    "Gaussian noise of two sizes",
    "Gaussian noise of two sizes, one coefficient",
    "extended calibration of Gaussian noise",
    "classical calibration of Gaussian noise",
    "Frobenius norm of the walk matrix",
    "score of a node",
    "score of the number of nodes",
    "sensitivity of a covariance",
    "skipped steps",
    "price of the noisy counts",
)


@dataclass(frozen=True)
class TheoremEvidence:
    """The evidence for or against a theorem, such as "Algorithm 5 is differentially private"."""

    tried: str
    """What was tried to refute the theorem, and the result, in words."""

    proof: str = ""
    """The file with a proof; empty without a proof."""

    counterexample: str = ""
    """The numbers of a counterexample, in words; empty without a counterexample."""
