"""Fair whitened descent: noisy descent on whitened inputs with constraints on the rates of groups.

Source: ours; dp_whitened_descent with the rate constraints of Yaghini et al. 2025 (arXiv
    2505.22703), Algorithm 1.
Differs: From Yaghini et al.: every step reads all records in place of a sample, inputs are whitened
    by a private second moment, and the histogram has Gaussian noise in place of Laplace noise, so
    that all releases are accounted as one. From dp_whitened_descent: a share of the budget pays for
    the histograms.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Delta, Epsilon, Fraction, checked
from dpfair_cli.contracts.results import Classifier
from dpfair_cli.kinds.partitioned_records import PartitionedRecords, total
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.accounting.gaussian_shares import shared_multipliers
from dpfair_cli.mechanisms.batches import subsample
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.mechanisms.sensitivity.second_moment import l2_second_moment
from dpfair_cli.models.regression.additive import AdditiveDesign, Inputs
from dpfair_cli.models.regression.rate_constraints import DEFAULT_CONSTRAINTS, RateConstraints
from dpfair_cli.models.regression.whitened_descent import (
    WhitenedDescent,
    WhitenedRecords,
    second_moment,
)
from dpfair_cli.models.regression.whitening import symmetric, whitening

LONGER_DESCENT = WhitenedDescent(steps=40)  # multipliers need time to find their level


@checked
def fit(
    records: Records | PartitionedRecords,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-6,
    inputs: Inputs = "additive",
    constraints: RateConstraints = DEFAULT_CONSTRAINTS,
    histogram_share: Fraction = 0.1,
    descent: WhitenedDescent = LONGER_DESCENT,
    rng: np.random.Generator,
) -> Classifier:
    """The classifier with the mean weights of the second half of the steps.

    Args:
        inputs: Whether the score is "linear" in each number, or "additive": a sum of piecewise
            linear functions.
        histogram_share: The share of the budget, as a part of 1 / m^2, for the histograms.

    Raises:
        ValueError: the shares of second moment and histograms leave nothing for the gradients.
    """
    n, groups = len(records), len(records.domain.groups)
    design = AdditiveDesign(records.domain, inputs)
    p, A, steps, C = design.size, design.attributes, descent.steps, descent.clip_norm
    rest = 1 - descent.moment_share - histogram_share
    if rest <= 0:
        raise ValueError(
            "`moment_share` and `histogram_share` must add up to less than 1, got "
            f"{descent.moment_share:g} and {histogram_share:g}"
        )
    shares = descent.moment_share, histogram_share, rest
    m_moment, m_histograms, m_gradients = shared_multipliers(epsilon, delta, *shares)
    present = subsample(n, size=n, rng=rng).rows  # all, but for a record that an audit takes away
    records = records if len(present) == n else records.take(present)
    release = partial(gaussian, rng=rng)

    # bound: |z|^2 <= A; query: (p (p + 1) / 2,)
    triangle = total(records, partial(second_moment, design=design))
    # release
    delta_2 = l2_second_moment(A)
    noisy = release(triangle, l2_sensitivity=delta_2, sigma=m_moment * delta_2)
    # post-process: noise moves the eigenvalues by about sigma sqrt(p)
    smallest = max(m_moment * delta_2 * math.sqrt(p), 1.0) / n
    whitened = WhitenedRecords(records, design, whitening(symmetric(noisy, p) / n, smallest))

    sigma_1, sigma_2 = m_histograms * math.sqrt(steps), m_gradients * math.sqrt(steps) * C
    rate, multipliers = descent.rate(sigma_2, n, p), constraints.start(groups)
    w, iterates = np.zeros(p), []
    for _ in range(steps):
        # bound: a record is in one cell; query: (groups, 2, 2)
        counts = whitened.histogram(w, group_count=groups)
        # release
        histogram = release(counts, l2_sensitivity=1.0, sigma=sigma_1)
        # post-process
        pulls = n * constraints.pulls(multipliers, histogram, sigma_1)
        multipliers = constraints.ascended(multipliers, histogram, sigma_1)
        # bound: |g_i| <= C; query: (p,)
        g = whitened.gradient(w, pulls=pulls, clip_norm=C)
        # release
        noisy = release(g, l2_sensitivity=C, sigma=sigma_2)
        # post-process
        w = w - rate * noisy / n
        iterates.append(w)
    return design.classifier(whitened.P @ np.mean(iterates[steps // 2 :], axis=0))


ALGORITHM = Algorithm(
    fit,
    version=2,
    source=(
        "ours; dp_whitened_descent with the rate constraints of Yaghini et al. 2025 (arXiv "
        "2505.22703), Algorithm 1"
    ),
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="all iterates",
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        remark="protected attribute included",
        public="the number of records and the list of groups",
        status=Status.PROVED,
        proof=("mechanisms/sensitivity/second_moment.py, mechanisms/accounting/gaussian_shares.py"),
    ),
    uses_groups=True,
)
