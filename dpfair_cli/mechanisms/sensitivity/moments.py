"""L1 sensitivity of means and second moments (lower triangle of the matrix) of numerical records.

Neighbours: replace-one, n records y of p variables.

Published (xu2021, Theorem 6): p (p + 1) / (2 (n - 1)) for the covariance of any normal variables,
deduced from "x is standard normal, so sum_i x_i^2 = p" for every record x. Without a bound on the
records no sensitivity is finite. The formula is correct, with n in place of n - 1, for second
moments y y' / n of records with |y_i| <= 1 about a public centre:

Write a_i = |y_i - y'_i| / 2 and b_i = |y_i + y'_i| / 2, so that a_i + b_i = max(|y_i|, |y'_i|) <=
1. An entry changes by |y_i y_j - y'_i y'_j| <= 2 (a_i b_j + b_i a_j), and the entries i <= j
together by at most 2 ((sum a)(sum b) + sum a_i b_i) <= p^2 / 2 + p / 2, largest at a = b = 1/2;
reached by y = (1, ..., 1), y' = 0.

A covariance needs the means too. Released together, they add 2 sum a_i, and the maximum is at
a = 1/2 + 1 / (2 (p + 1)): p (p + 1) / 2 + p + p / (2 (p + 1)), reached by y = (1, ..., 1) and y' =
-(1, ..., 1) / (p + 1). (A covariance about the data's own mean changes by up to 2 p (p + 1) / n,
four times as much: all other records are at one corner.)
"""

from __future__ import annotations


def l1_moments(p: int, n: int) -> float:
    """L1 sensitivity of the means and the second moments i <= j of n records with |y_i| <= 1."""
    return (p * (p + 1) / 2 + p + p / (2 * (p + 1))) / n


def l1_covariance_published(p: int, n: int) -> float:
    """The L1 sensitivity that xu2021, Theorem 6, states for the covariance of n unbounded records.

    Raises:
        ValueError: fewer than two records have no covariance.
    """
    if n < 2:
        raise ValueError(f"a covariance must have at least two records, got {n}")
    return p * (p + 1) / (2 * (n - 1))
