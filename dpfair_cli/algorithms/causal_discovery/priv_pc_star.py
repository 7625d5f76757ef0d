"""PrivPC*: the PC algorithm for numbers, on a covariance matrix with Laplace noise.

Source: xu2021, Section 4.5, Theorem 6.
Differs: Theorem 6 does not bound the records, and without a bound the sensitivity is infinite.
    `bound` "published" is the mechanism of Theorem 6: the sample covariance of unbounded records
    with noise of scale p (p + 1) / (2 (n - 1) epsilon), for n records of p variables. The guarantee
    of this variant is conditional: no record may move the covariance further than Theorem 6 says.
    `bound` "half" is the same mechanism with half of this noise, which refutes the guarantee.
    `bound` "clipped" clips every number to [-clip, clip] and releases means and second moments with
    the sensitivity proved in mechanisms/sensitivity/moments.py. `clip` is public and in the units
    of the data. The default 3 is three standard deviations of the standard normal distribution that
    the dissertation assumes. A noisy matrix need not be a covariance matrix. `repair` "eigenvalues"
    raises smaller eigenvalues to 1e-6 of the largest eigenvalue. With "none" an undefined partial
    correlation counts as 0, as in the R package pcalg, and the edge is removed.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, Fraction, PositiveFinite, checked
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.moments import l1_covariance_published, l1_moments
from dpfair_cli.models.causal_discovery import observed
from dpfair_cli.models.causal_discovery.causal_graph import CausalGraph
from dpfair_cli.models.causal_discovery.independence import CountingTest, FisherZ
from dpfair_cli.models.causal_discovery.orientation import orient
from dpfair_cli.models.causal_discovery.skeleton import find_skeleton

Bound = Literal["clipped", "published", "half"]
PARTS = {"published": 1, "half": 2}  # the sensitivity of Theorem 6 is divided by this number
Repair = Literal["eigenvalues", "none"]


@checked
def fit(
    observations: Observations,
    *,
    epsilon: Epsilon = 1.0,
    significance: Fraction = 0.01,
    bound: Bound = "clipped",
    clip: PositiveFinite = 3.0,
    repair: Repair = "eigenvalues",
    rng: np.random.Generator,
) -> CausalGraph:
    """The causal graph of numerical observations, from Fisher's z tests on a noisy covariance.

    Args:
        significance: The significance level of the independence tests.
        bound: How records are bounded: numbers are "clipped", or not at all, as in Theorem 6.
        clip: The absolute value to which every number is clipped, in the units of the data.
        repair: Whether small eigenvalues of the noisy covariance matrix are raised.

    Raises:
        ValueError: the variables are categories.
    """
    if observations.categorical:
        raise ValueError(
            "priv_pc_star must be fitted to numerical variables, got categorical ones: use priv_pc"
        )
    values = np.asarray(observations.values, dtype=float)
    covariance = (
        _clipped_covariance(values, clip, epsilon, rng)
        if bound == "clipped"
        else _published_covariance(values, PARTS[bound], epsilon, rng)
    )
    correlation = (
        observed.repaired_correlation(covariance)
        if repair == "eigenvalues"
        else observed.rescaled(covariance)
    )
    test = CountingTest(FisherZ(correlation, len(observations)))
    found = find_skeleton(len(observations.names), test, significance=significance)
    return orient(
        found.adjacent, found.separators, observations.names, tests=test.tests, reads=test.reads
    )


def _clipped_covariance(
    values: Floats, clip: float, epsilon: float, rng: np.random.Generator
) -> Floats:
    """The noisy covariance (p, p) of values (n, p) in [-clip, clip], in units of `clip`."""
    n, p = values.shape
    # bound: |y_i| <= 1
    y = np.clip(values, -clip, clip) / clip
    # query: (p + p (p + 1) / 2,)
    moments = np.concatenate([y.mean(axis=0), observed.lower_triangle(y.T @ y / n)])
    # release
    noisy = laplace(moments, l1_sensitivity=l1_moments(p, n), epsilon=epsilon, rng=rng)
    # post-process
    means, seconds = noisy[:p], observed.symmetric(noisy[p:], p)
    return np.asarray(seconds - np.outer(means, means))


def _published_covariance(
    values: Floats, parts: int, epsilon: float, rng: np.random.Generator
) -> Floats:
    """The noisy covariance (p, p) as the paper computes it: the values (n, p) are not clipped.

    The noise has the sensitivity of Theorem 6 divided by `parts`.
    """
    n, p = values.shape
    sensitivity = l1_covariance_published(p, n) / parts
    triangle = observed.lower_triangle(np.atleast_2d(np.cov(values, rowvar=False)))
    return observed.symmetric(
        laplace(triangle, l1_sensitivity=sensitivity, epsilon=epsilon, rng=rng), p
    )


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Section 4.5, Theorem 6",
    guarantee=Guarantee(
        released="the noisy moments and the graph made from them",
        neighbours=Neighbours.REPLACE_ONE,
        public="the number of records",
        status=Status.PROVED,
        conditions="no record moves the sample covariance further than Theorem 6 says",
        proof="mechanisms/sensitivity/moments.py",
        variants={
            ("bound", "published"): Status.CONDITIONAL,
            ("bound", "half"): Status.REFUTED,
        },
    ),
)
