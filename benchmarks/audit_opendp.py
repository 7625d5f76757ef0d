"""Mechanisms of OpenDP that are audited by their outcomes, with the claim that OpenDP computes.

With polars installed, the only mechanism is `group_by with_keys`.
"""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
import opendp.prelude as dp

from benchmarks.audited import Audited
from dpfair_cli.addons.foreign_audits.outcomes import ClaimedPrivacy

warnings.simplefilter("ignore")
dp.enable_features("contrib", "honest-but-curious", "floating-point")

NUMBER = dp.atom_domain(T=int), dp.absolute_distance(T=int)
SCORES = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
OF_SCORES = [([0, 0], [1, -1]), ([0, 0, 0], [1, 1, -1]), ([0, -1, -1], [1, -2, -2])]
ROWS = np.zeros((10, 3))
OF_ROWS = [(ROWS, np.vstack([[[2.0, 0, 0]], ROWS[1:]]))]
ISSUE = "https://github.com/opendp/opendp/issues/2911"
FLIP = "permute-and-flip costs 2 / scale; the privacy map says so"
GUMBEL = (
    f"[issue 2911]({ISSUE}) reports permute-and-flip at the cost of the exponential mechanism, "
    "epsilon^2 / 8; in this build, choices have the frequencies of the exponential mechanism"
)
KEYS = (
    "Counts of records by a key, with four public keys. Before the fix, all keys without a record "
    "get the same noise, so that the first record of a key shows as a different count: the outcome "
    "is the number of different counts among the keys b, c and d."
)


def of_number(measurement: Any, name: str, why: str) -> Audited:
    """A mechanism on an integer, with the cost that its privacy map gives for the distance 1."""
    claim = ClaimedPrivacy(float(measurement.map(1)), name=name)
    return Audited(measurement, claim, [(0, 1)], "integers at distance 1", why)


def of_scores(measurement: Any, name: str, why: str) -> Audited:
    """A choice by scores, with the cost that its privacy map gives for the distance 1."""
    claim = ClaimedPrivacy(float(measurement.map(1)), name=name)
    return Audited(measurement, claim, OF_SCORES, "scores at L-infinity distance 1", why)


def answer() -> Audited:
    """Randomised response."""
    measurement = dp.m.make_randomized_response_bool(prob=0.75)
    claim, pairs = ClaimedPrivacy(float(measurement.map(1))), [(True, False)]
    return Audited(measurement, claim, pairs, "any two answers", "the log of 0.75 / 0.25")


def principal_component(X: Any) -> Any:
    """The first component of 10 rows of norm at most 2."""
    from opendp.extras.sklearn.decomposition import PCA

    settings = {"row_norm": 2.0, "n_samples": 10, "n_features": 3, "n_components": 1}
    return PCA(epsilon=1.0, **settings).fit(X).components_


def counts_by_key() -> Audited:
    """The number of different counts among three of four public keys."""
    import polars

    def frame(keys: list[str]) -> Any:
        return polars.LazyFrame({"key": polars.Series(keys, dtype=polars.String)})

    domain = dp.lazyframe_domain([dp.series_domain("key", dp.atom_domain(T=str))])
    counts = frame(["a"]).group_by("key").agg(dp.len())
    joined = counts.join(frame(["a", "b", "c", "d"]), how="right", on=["key"])
    distance, measure = dp.symmetric_distance(), dp.max_divergence()
    measurement = dp.m.make_private_lazyframe(domain, distance, measure, joined, 1.0)

    def different(keys: list[str]) -> int:
        released = measurement(frame(keys)).collect().sort("key")
        return len(set(released["len"].to_list()[1:]))

    pairs = [(["a"] * 5, [*["a"] * 5, "b"])]
    claim = ClaimedPrivacy(float(measurement.map(1)))
    return Audited(different, claim, pairs, "one record is added or removed", KEYS)


def mechanisms() -> dict[str, Audited]:
    """The mechanisms by name."""
    if find_spec("polars"):
        return {"group_by with_keys": counts_by_key()}
    zcdp, best = dp.zero_concentrated_divergence(), dp.max_divergence()
    max_best = dp.m.make_noisy_max(*SCORES, best, scale=1.0)
    max_zcdp = dp.m.make_noisy_max(*SCORES, zcdp, scale=1.0)
    two_best = dp.m.make_noisy_top_k(*SCORES, best, k=2, scale=1.0)
    two_zcdp = dp.m.make_noisy_top_k(*SCORES, zcdp, k=2, scale=1.0)
    gumbel = dp.m.make_report_noisy_max_gumbel(*SCORES, scale=1.0)
    laplace = dp.m.make_laplace(*NUMBER, scale=1.0)
    gaussian = dp.m.make_gaussian(*NUMBER, scale=1.0)
    return {
        "make_laplace": of_number(laplace, "epsilon", "discrete Laplace"),
        "make_gaussian": of_number(gaussian, "rho", "discrete Gaussian"),
        "make_randomized_response_bool": answer(),
        "make_noisy_max, max divergence": of_scores(max_best, "epsilon", FLIP),
        "make_noisy_max, zero-concentrated": of_scores(max_zcdp, "rho", GUMBEL),
        "make_noisy_top_k, k = 2, max divergence": of_scores(two_best, "epsilon", "two choices"),
        "make_noisy_top_k, k = 2, zero-concentrated": of_scores(two_zcdp, "rho", GUMBEL),
        "make_report_noisy_max_gumbel": of_scores(gumbel, "epsilon", FLIP),
        "sklearn.decomposition.PCA": Audited(
            principal_component, ClaimedPrivacy(1.0), OF_ROWS, "one row is replaced", "ten rows"
        ),
    }
