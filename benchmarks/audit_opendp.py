"""Mechanisms of OpenDP that are audited by their outcomes, with the claim that OpenDP computes.

`mechanisms()` has a function of one input, its claim, pairs of neighbouring inputs, and what is
known of the mechanism.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import opendp.prelude as dp

from dpfair_cli.auditing.outcomes import Claim

warnings.simplefilter("ignore")
dp.enable_features("contrib", "honest-but-curious", "floating-point")

NUMBER = dp.atom_domain(T=int), dp.absolute_distance(T=int)
SCORES = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
OF_SCORES = [([0, 0], [1, -1]), ([0, 0, 0], [1, 1, -1]), ([0, -1, -1], [1, -2, -2])]
ROWS = np.zeros((10, 3))
OF_ROWS = [(ROWS, np.vstack([[[2.0, 0, 0]], ROWS[1:]]))]
ISSUE = "https://github.com/opendp/opendp/issues/2911"


class Audited(NamedTuple):
    """A mechanism and its claim."""

    call: Callable[[Any], Any]
    claim: Claim
    pairs: Sequence[tuple[Any, Any]]
    why: str


def pure(measurement: Any, pairs: Sequence[Any], why: str) -> Audited:
    """A mechanism with the epsilon that its privacy map gives for the distance 1."""
    return Audited(lambda value: measurement(value), Claim(float(measurement.map(1))), pairs, why)


def concentrated(measurement: Any, pairs: Sequence[Any], why: str) -> Audited:
    """A mechanism with the rho that its privacy map gives for the distance 1."""
    claim = Claim(float(measurement.map(1)), name="rho")
    return Audited(lambda value: measurement(value), claim, pairs, why)


def principal_component(X: Any) -> Any:
    """The first component of 10 rows of norm at most 2."""
    from opendp.extras.sklearn.decomposition import PCA

    settings = {"row_norm": 2.0, "n_samples": 10, "n_features": 3, "n_components": 1}
    return PCA(epsilon=1.0, **settings).fit(X).components_


def mechanisms() -> dict[str, Audited]:
    """The mechanisms by name."""
    zcdp, best = dp.zero_concentrated_divergence(), dp.max_divergence()
    flip = "permute-and-flip costs 2 / scale; the privacy map says so"
    gumbel = (
        f"[issue 2911]({ISSUE}) reports permute-and-flip at the cost of the exponential mechanism, "
        "epsilon^2 / 8; in this build, choices have the frequencies of the exponential mechanism"
    )
    return {
        "make_laplace": pure(dp.m.make_laplace(*NUMBER, scale=1.0), [(0, 1)], "discrete Laplace"),
        "make_gaussian": concentrated(
            dp.m.make_gaussian(*NUMBER, scale=1.0), [(0, 1)], "discrete Gaussian"
        ),
        "make_randomized_response_bool": Audited(
            (answer := dp.m.make_randomized_response_bool(prob=0.75)),
            Claim(float(answer.map(1))),
            [(True, False)],
            "the log of 0.75 / 0.25",
        ),
        "make_noisy_max, max divergence": pure(
            dp.m.make_noisy_max(*SCORES, best, scale=1.0), OF_SCORES, flip
        ),
        "make_noisy_max, zero-concentrated": concentrated(
            dp.m.make_noisy_max(*SCORES, zcdp, scale=1.0), OF_SCORES, gumbel
        ),
        "make_noisy_top_k, k = 2, max divergence": pure(
            dp.m.make_noisy_top_k(*SCORES, best, k=2, scale=1.0), OF_SCORES, "two choices"
        ),
        "make_noisy_top_k, k = 2, zero-concentrated": concentrated(
            dp.m.make_noisy_top_k(*SCORES, zcdp, k=2, scale=1.0), OF_SCORES, gumbel
        ),
        "make_report_noisy_max_gumbel": pure(
            dp.m.make_report_noisy_max_gumbel(*SCORES, scale=1.0), OF_SCORES, flip
        ),
        "sklearn.decomposition.PCA": Audited(
            principal_component, Claim(1.0), OF_ROWS, "one row of ten is replaced"
        ),
    }
