"""Bounds of the change of accuracies and fairness by noise on a model's weights (mangold2023).

The weights change by at most d with probability 1 - zeta (Theorem 1). The margin rho of a record is
L-Lipschitz in the weights, so its decision can only change where r = |rho(h_ref)| / L <= d,
whichever of the two models is h_ref. The accuracy of a cell k' thus changes by at most
P(r <= d | D_k'), and, for any t >= 0:

    P(r <= d) <= d E(1 / r)               (Markov on 1 / r: `linear`)
    P(r <= d) <= exp(t d) E(exp(-t r))    (Chernoff on -r: `chernoff`, over a grid of t)

The linear one is Theorem 2 of the slides, whose chi_k contains E(1 / r). F_k changes by at most the
sum of |C_k^k'| times the bound of cell k'. For binary logistic regression rho = (2y - 1) w'z and
L = |z|: r is the distance of z / |z| from the boundary times |w|.
The slides print one more L in front of chi_k, which already contains it; without it the bound is
proved as above, and with it (L >= 1) it holds a fortiori.

E(1 / r) is infinite for a distribution with a density on the boundary: `linear` is finite on a
sample only, and grows with it.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from dpfair_cli.contracts.arrays import Floats

# grid of t d: 0 gives the bound 1; for small distances the best is near 1, for large ones less
SEARCH = np.concatenate([[0.0], np.logspace(-3, 1.5, 30)])


def distance_bound(sigma: float, p: int, zeta: float) -> float:
    """An upper bound of the norm of p normal deviates of standard deviation sigma.

    2 sigma sqrt(p log(2 / zeta)) holds with probability 1 - zeta. It is the root of Theorem 1's
    32 p Lambda^2 log(1.25 / delta) log(2 / zeta) / (mu n epsilon)^2, as sigma^2 is 8 Lambda^2
    log(1.25 / delta) / (mu n epsilon)^2. Proof: with x = |noise|^2 / sigma^2 and E exp(x / 4) =
    2^(p / 2), P(x >= 4 p log(2 / zeta)) <= 2^(p / 2) (zeta / 2)^p <= zeta. A projection on a convex
    set that contains h* only shortens it.
    """
    return 2 * sigma * sqrt(p * log(2 / zeta))


def linear(r: Floats, distance: float) -> Floats:
    """The bound d E(1 / r), with the mean over the first axis of r; infinite where r is 0.

    `r` (n,) gives a number, and (n, m) gives (m,).
    """
    with np.errstate(divide="ignore"):
        return np.asarray(distance * (1 / r).mean(axis=0)) if distance else np.zeros(r.shape[1:])


def chernoff(r: Floats, distance: float) -> float:
    """The least exp(t d) E(exp(-t r)) over the grid of t, for r (n,)."""
    if not distance:
        return float((r <= 0).mean())
    scaled = r / distance
    return float(min(np.exp(factor - factor * scaled).mean() for factor in SEARCH))


def total(C: Floats, cells: Floats) -> Floats:
    """Sum over cells of |C_k^k'| times their bounds.

    `cells` (cells,) gives (K,), and (cells, m) gives (K, m).
    """
    weights = np.abs(C)
    # a cell without weight in F_k does not count, even if its bound is infinite
    counted = np.expand_dims(weights, axis=tuple(range(2, cells.ndim + 1))) > 0
    parts = np.where(counted, cells[None], 0.0)
    return np.asarray(np.einsum("kc,kc...->k...", weights, parts))
