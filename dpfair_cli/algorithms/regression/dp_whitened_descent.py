"""Whitened descent: noisy full-batch gradient descent on inputs that a noisy second moment whitens.

Source: ours; noisy gradient descent (Bassily, Smith and Thakurta 2014) on inputs that are whitened
    by a noisy second moment (Dwork, Talwar, Thakurta and Zhang 2014, Algorithm 1).
Differs: The average of the second half of the iterates is released. The learning rate is smaller
    where noise would exceed a public bound. With the `inputs` "additive" every number becomes a
    piecewise linear function of it between public knots (models/regression/additive.py).
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Delta, Epsilon, checked
from dpfair_cli.contracts.results import Classifier
from dpfair_cli.kinds.partitioned_records import PartitionedRecords, total
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.accounting.gaussian_shares import shared_multipliers
from dpfair_cli.mechanisms.batches import subsample
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.mechanisms.sensitivity.second_moment import l2_second_moment
from dpfair_cli.models.regression.additive import AdditiveDesign, Inputs
from dpfair_cli.models.regression.whitened_descent import (
    DEFAULT_DESCENT,
    WhitenedDescent,
    WhitenedRecords,
    second_moment,
)
from dpfair_cli.models.regression.whitening import symmetric, whitening


@checked
def fit(
    records: Records | PartitionedRecords,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-6,
    inputs: Inputs = "additive",
    descent: WhitenedDescent = DEFAULT_DESCENT,
    rng: np.random.Generator,
) -> Classifier:
    """The classifier with the mean weights of the second half of the steps.

    Args:
        inputs: Whether the score is "linear" in each number, or "additive": a sum of piecewise
            linear functions. With more than 1,000 inputs, the score is always linear.
    """
    n, design = len(records), AdditiveDesign(records.domain, inputs)
    p, A, steps, C = design.size, design.attributes, descent.steps, descent.clip_norm
    share = descent.moment_share
    m_moment, m_steps = shared_multipliers(epsilon, delta, share, 1 - share)
    present = subsample(n, size=n, rng=rng).rows  # all, but for a record that an audit takes away
    records = records if len(present) == n else records.take(present)

    # bound: |z|^2 <= A; query: (p (p + 1) / 2,)
    triangle = total(records, partial(second_moment, design=design))
    # release
    delta_2 = l2_second_moment(A)
    sigma = m_moment * delta_2
    noisy = gaussian(triangle, l2_sensitivity=delta_2, sigma=sigma, rng=rng)
    # post-process: noise moves the eigenvalues by about sigma sqrt(p)
    P = whitening(symmetric(noisy, p) / n, max(sigma * math.sqrt(p), 1.0) / n)

    whitened = WhitenedRecords(records, design, P)
    sigma = m_steps * math.sqrt(steps) * C
    rate = descent.rate(sigma, n, p)
    no_pulls = np.zeros((len(records.domain.groups), 2))  # no group is treated apart
    w, iterates = np.zeros(p), []
    for _ in range(steps):
        # bound: |g_i| <= C; query: (p,)
        g = whitened.gradient(w, pulls=no_pulls, clip_norm=C)
        # release
        noisy = gaussian(g, l2_sensitivity=C, sigma=sigma, rng=rng)
        # post-process
        w = w - rate * noisy / n
        iterates.append(w)
    return design.classifier(P @ np.mean(iterates[steps // 2 :], axis=0))


ALGORITHM = Algorithm(
    fit,
    version=2,
    source=(
        "ours; noisy gradient descent (Bassily, Smith and Thakurta 2014) on inputs that are "
        "whitened by a noisy second moment (Dwork, Talwar, Thakurta and Zhang 2014, Algorithm 1)"
    ),
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="all iterates",
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        public="the number of records",
        status=Status.PROVED,
        proof=("mechanisms/sensitivity/second_moment.py, mechanisms/accounting/gaussian_shares.py"),
    ),
)
