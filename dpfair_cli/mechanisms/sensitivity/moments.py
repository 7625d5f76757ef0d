"""L1 sensitivity of means and second moments (lower triangle of the matrix) of numerical records.

Neighbours: replace-one, n records y of p variables.

xu2021, Theorem 6, states the sensitivity p (p + 1) / (2 (n - 1)) for the covariance of any normal
variables. The proof assumes for every record x that "x is standard normal, so sum_i x_i^2 = p".
Without a bound on the records the sensitivity is infinite. The formula is correct, with n in place
of n - 1, for second moments y y' / n of records with |y_i| <= 1 about a public centre:

Let y be the record before and y' the record after the replacement, a_i = |y_i - y'_i| / 2 and b_i =
|y_i + y'_i| / 2, so that a_i + b_i = max(|y_i|, |y'_i|) <= 1. An entry of n times the matrix
changes by |y_i y_j - y'_i y'_j| <= 2 (a_i b_j + b_i a_j). The entries i <= j together change by at
most 2 ((sum a)(sum b) + sum a_i b_i) <= p^2 / 2 + p / 2. This bound is largest at a = b = 1/2 and
is reached by y = (1, ..., 1), y' = 0.

A covariance needs the means too. If the means are released together with the second moments, 2 sum
a_i is added to the change. The maximum is then at a = 1/2 + 1 / (2 (p + 1)) and has the value
p (p + 1) / 2 + p + p / (2 (p + 1)). It is reached by y = (1, ..., 1) and y' = -(1, ..., 1) /
(p + 1). (A covariance about the mean of the data itself changes by up to 2 p (p + 1) / n, four
times as much, if all other records are at one corner.)
"""

from __future__ import annotations


def l1_moments(p: int, n: int) -> float:
    """The L1 sensitivity of the means and second moments of n records with p values in [-1, 1]."""
    return (p * (p + 1) / 2 + p + p / (2 * (p + 1))) / n


def l1_covariance_published(p: int, n: int) -> float:
    """The L1 sensitivity that xu2021, Theorem 6, states for the covariance of n records."""
    if n < 2:
        raise ValueError(f"the sample covariance needs at least two records, got {n}")
    return p * (p + 1) / (2 * (n - 1))
