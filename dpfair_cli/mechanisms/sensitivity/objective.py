"""Sensitivity of the polynomial coefficients of logistic regression (functional mechanism).

Neighbours: replace-one. A record has features x in [0, 1]^d (`bound` "box"), with `bound` "ball"
also of norm at most 1, a label y and a group s, both in {0, 1}. The coefficients of the objective
are (1/2 - y) x in degree one and x x' / 8 in degree two (here x' is the transpose), summed over
records. The fairness term adds g = sum (s_i - s_bar) x_i, where s_bar is the mean of s over the
data. One record changes s_bar, and therefore every summand of g.

`sensitivity` is "published" (the papers' value, for the box) or "tight" (proved below). Below, x is
the record before and x' the record after the replacement, and a = |x|_1, b = |x'|_1, c = sum min(x,
x'), p = |x|^2, q = |x'|^2, r = x . x'.

L1, box. Degree one changes by at most (a + b) / 2 and degree two by at most (a^2 + b^2 - 2 c^2) /
8, since |uv - u'v'| = uv + u'v' - 2 min(uv, u'v') and min(uv, u'v') >= min(u, u') min(v, v'). With
t = a + b we have c >= t - d and, for t > d, a^2 + b^2 <= d^2 + (t - d)^2; hence at most
t/2 + (d^2 - (t - d)^2) / 8. For d >= 2 this bound is largest at t = d + 2, with the value d^2/8 +
d/2 + 1/2, which is reached by x = (1, ..., 1) and x' with two ones, with different labels.

Noise per degree, box. Laplace noise of scale d / e in degree one and of scale d^2 / 4 / e in degree
two has the privacy loss e times the sum of both changes, each divided by its d or d^2 / 4. With
t = (1 + u) d and u > 0 the bounds above add up to (1 + u) / 2 + (1 - u^2) / 2, which is at most
9/8, for u = 1/2; with t <= d to at most 1. It is reached by x = (1, ..., 1) and x' with d / 2 ones,
with different labels.

L2, box. The square of the change is at most (p + q + 2r)/4 + k (p^2 + q^2 - 2 r^2) with k = 1/64
for all d^2 entries and at most 1/32 for the monomials. With t = p + q we have r >= t - d and, as
above, at most d/4 + 3r/4 + k (d^2 - r^2), largest at r = min(d, 3 / (8k)).

Ball. L1: a, b <= sqrt(d), hence at most sqrt(d) + d/4 (up to twice the largest change found). L2:
p, q, r <= 1 in the same square: at most 1.

The coefficients of products with k of the d weights, box. Each of the k coefficients of degree one
changes by at most 1, each of the 2 k d - k^2 entries of degree two by at most 1/8, and each
coordinate of the fairness term by at most 1 (2 for "drift"). In the ball the bound for all
coefficients is used.

Fairness term. If both records have the same group, s_bar stays the same, and each coordinate of g
changes by at most 1. If s_bar changes by 1/n, the terms of the other records change a coordinate by
at most 1 - 1/n. The term of the replaced record changes the coordinate in the opposite direction,
and the change of the sum is again less than 1. The one-sided sum |s_i - s_bar| x_i ("drift")
changes by at most 2. In the ball the change of g is a difference of two vectors without negative
entries and of norm at most 1, and has norm at most sqrt(2). For "drift" the norms of the two parts
add up to at most 2.
"""

from __future__ import annotations

from math import sqrt
from typing import Literal

Sensitivity = Literal["published", "tight"]
Bound = Literal["box", "ball"]
Layout = Literal["monomials", "entries"]
Fairness = Literal["penalty", "shift", "drift"]


def l1_objective(d: int, *, sensitivity: Sensitivity, bound: Bound) -> float:
    """The L1 sensitivity of the coefficients of the truncated logistic loss with d features.

    The published value is that of ding2020, Lemma 1, and xu2021, Equation 3.13.
    """
    if sensitivity == "published":
        return d**2 / 4 + d
    if bound == "ball":
        return sqrt(d) + d / 4
    return d**2 / 8 + d / 2 + 1 / 2 if d >= 2 else float(d)


def l1_degrees(d: int) -> tuple[float, float]:
    """The summands of the published L1 sensitivity, of degrees one and two, for d features."""
    return float(d), d**2 / 4


DEGREES_LOSS = 9 / 8
"""The privacy loss of noise per degree, of scales `l1_degrees` / e, as a multiple of e."""


def l2_objective(d: int, *, sensitivity: Sensitivity, bound: Bound, layout: Layout) -> float:
    """The L2 sensitivity of the coefficients of the truncated logistic loss with d features.

    The published value is that of ding2020, Lemma 3.
    """
    if sensitivity == "published":
        return sqrt(d**2 / 16 + d)
    if bound == "ball":
        return 1.0
    k = 1 / 64 if layout == "entries" else 1 / 32
    # where the bound of the docstring above is largest
    r = min(d, 3 / (8 * k))
    return sqrt(d / 4 + 3 * r / 4 + k * (d**2 - r**2))


def l1_covariance(d: int, *, sensitivity: Sensitivity, bound: Bound, fairness: Fairness) -> float:
    """The L1 sensitivity of the fairness term of an objective with d features.

    The published value is that of xu2021, Equation 8.5.
    """
    if sensitivity == "published":
        return 2.0 * d
    return _fairness_move(d, bound, fairness) * sqrt(d)


def l1_fair_objective(
    d: int, *, sensitivity: Sensitivity, bound: Bound, fairness: Fairness, alpha: float = 1.0
) -> float:
    """The L1 sensitivity of the truncated loss plus `alpha` times the fairness term.

    Published, for alpha = 1: d^2/4 + 3d (ding2020, Lemma 2; xu2021, Equation 8.3).
    """
    objective = l1_objective(d, sensitivity=sensitivity, bound=bound)
    return objective + alpha * l1_covariance(
        d, sensitivity=sensitivity, bound=bound, fairness=fairness
    )


def l1_part(d: int, k: int, *, bound: Bound, fairness: Fairness, alpha: float = 1.0) -> float:
    """The L1 sensitivity of the coefficients of a fair objective with k of the d weights."""
    if bound == "ball":
        return l1_fair_objective(
            d, sensitivity="tight", bound=bound, fairness=fairness, alpha=alpha
        )
    return k + (2 * k * d - k**2) / 8 + alpha * _coordinate_move(fairness) * k


def l2_part(
    d: int, k: int, *, bound: Bound, layout: Layout, fairness: Fairness, alpha: float = 1.0
) -> float:
    """The L2 sensitivity of the coefficients of a fair objective with k of the d weights."""
    if bound == "ball":
        return l2_fair_objective(
            d, sensitivity="tight", bound=bound, layout=layout, fairness=fairness, alpha=alpha
        )
    # a monomial is the sum of two equal entries, and its square twice that of both
    objective = sqrt(k + (2 * k * d - k**2) * (1 / 64 if layout == "entries" else 1 / 32))
    return objective + alpha * _coordinate_move(fairness) * sqrt(k)


def l2_fair_objective(
    d: int,
    *,
    sensitivity: Sensitivity,
    bound: Bound,
    layout: Layout,
    fairness: Fairness,
    alpha: float = 1.0,
) -> float:
    """The L2 sensitivity of the truncated logistic loss plus `alpha` times the fairness term.

    The published value for alpha = 1 is sqrt(d^2/16 + 9d) (ding2020, Lemma 4). With "shift" and
    "drift" the fairness term is added to the linear coefficients, and the changes of both may have
    the same direction. With "penalty" the fairness term has separate coordinates, and the two
    changes are orthogonal.
    """
    if sensitivity == "published":
        return sqrt(d**2 / 16 + (1 + 2 * alpha) ** 2 * d)
    objective = l2_objective(d, sensitivity=sensitivity, bound=bound, layout=layout)
    covariance = alpha * _fairness_move(d, bound, fairness)
    return sqrt(objective**2 + covariance**2) if fairness == "penalty" else objective + covariance


def _fairness_move(d: int, bound: Bound, fairness: Fairness) -> float:
    """The L2 sensitivity of the fairness term of an objective with d features."""
    if bound == "ball":
        return 2.0 if fairness == "drift" else sqrt(2)
    return _coordinate_move(fairness) * sqrt(d)


def _coordinate_move(fairness: Fairness) -> float:
    """The largest change of one coordinate of the fairness term, for features in [0, 1]."""
    return 2.0 if fairness == "drift" else 1.0
