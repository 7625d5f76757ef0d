"""Sensitivity of Kendall's statistic z of conditional independence.

Source: the published bound is that of Wang, Pang and Song 2020; the bound with conditioning
    variables is ours.

Neighbours: replace-one, n records, K possible strata (public). In a stratum of m records let S be
the number of concordant minus discordant pairs, and

    z = T / sqrt(W),    T = sum 9 S / (2 m + 5),    W = sum f(m),
    f(m) = 9 m (m - 1) / (4 m + 10).

The sums are over the strata. |T| <= W, since |S| <= m (m - 1) / 2.

One stratum: S changes by at most 2 (n - 1). Therefore z changes by less than 6 / sqrt(n), as
published.

More strata: adding or removing a record changes T by at most 9 m (3 m + 4) / ((2 m + 7) (2 m + 5))
< 27/4 and W by less than 9/4. Replacing a record is a removal and an addition. Let z, T, W be the
values before and z', T', W' the values after the replacement, with W' >= W. Then

    |z' - z| <= (27/2) / sqrt(W') + sqrt(W) (W' - W) / (sqrt(W') (sqrt(W') + sqrt(W)))
             <= (27/2 + 9/8) / sqrt(W'),

and W is at least K f(n / K), since f is convex. (The publication states 6 / sqrt(n) for several
strata too; data with n strata of one record each are a counterexample.)

The two-sided p-value 2 (1 - Phi(|z|)) is steepest at z = 0. If |z| changes by at most s, the
p-value changes by at most erf(s / sqrt(2)).
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from scipy.special import erf

from dpfair_cli.contracts.arrays import Floats

STRATIFIED = 14.625  # 27/2 + 9/8


def weight(records: Floats | float) -> Floats:
    """The weight f of a stratum with `records` records, as a number or an array of any shape.

    If the two variables are independent and have no ties, f is the inverse of the variance of
    Kendall's tau in the stratum.
    """
    return np.asarray(9 * records * (records - 1) / (4 * records + 10))


def kendall_sensitivity(records: int, strata: float) -> float:
    """The sensitivity of |z|, Kendall's statistic; infinite if there are too many strata."""
    if strata == 1:
        return 6 / sqrt(max(records, 1))
    least = strata * weight(records / strata)
    return STRATIFIED / sqrt(least) if least > 0 else inf


def p_value_sensitivity(sensitivity: Floats) -> Floats:
    """The sensitivity of the two-sided p-value of z, from that of |z|."""
    return np.asarray(erf(sensitivity / sqrt(2)))
