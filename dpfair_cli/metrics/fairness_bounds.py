"""How far noise on a model's weights can move its accuracies, hence its fairness: the bounds of
mangold2023.

The weights move by at most d with probability 1 - zeta (Theorem 1). The margin rho of a record is
L-Lipschitz in the weights, so its decision can only change where r = |rho(h_ref)| / L <= d,
whichever of the two models is h_ref. The accuracy of a cell k' thus moves by at most P(r <= d |
D_k'), and, for any t >= 0,

    P(r <= d) <= d E(1 / r)               (Markov on 1 / r: `linear`, Theorem 2 of the slides with
    E(1 / r) in chi_k)
    P(r <= d) <= exp(t d) E(exp(-t r))    (Chernoff on -r: `chernoff`; any t is valid, so a grid is
    searched)

F_k moves by at most the sum of |C_k^k'| times the bound of cell k'. For binary logistic regression
rho = (2y - 1) w'z and L = |z|: r is the distance of z / |z| from the boundary times |w|. The slides
print one more L in front of chi_k, which already holds it; without it the bound is proved as above,
and with it (L >= 1) it holds a fortiori.

E(1 / r) is infinite for a distribution with a density on the boundary: `linear` is finite on a
sample only, and grows with it.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from dpfair_cli.contracts.arrays import Floats

# factors t d of the search: 0 is the bound 1; small distances want t d near 1, large ones less
SEARCH = np.concatenate([[0.0], np.logspace(-3, 1.5, 30)])


def distance_bound(sigma: float, p: int, zeta: float) -> float:
    """2 sigma sqrt(p log(2 / zeta)): the norm of p normal deviates of deviation sigma, but for
    probability zeta.

    It is the root of Theorem 1's 32 p Lambda^2 log(1.25 / delta) log(2 / zeta) / (mu n epsilon)^2,
    as sigma^2 is 8 Lambda^2 log(1.25 / delta) / (mu n epsilon)^2. Proof: with x = |noise|^2 /
    sigma^2 and E exp(x / 4) = 2^(p / 2), P(x >= 4 p log(2 / zeta)) <= 2^(p / 2) (zeta / 2)^p <=
    zeta. A projection on a convex set that holds h* only shortens it.
    """
    return 2 * sigma * sqrt(p * log(2 / zeta))


def linear(r: Floats, distance: float) -> Floats:
    """D E(1 / r) over the first axis: (n,) gives a number, (n, m) gives (m,); infinite where r is
    0.
    """
    with np.errstate(divide="ignore"):
        return np.asarray(distance * (1 / r).mean(axis=0)) if distance else np.zeros(r.shape[1:])


def chernoff(r: Floats, distance: float) -> float:
    """The least exp(t d) E(exp(-t r)) of the search, for r (n,)."""
    if not distance:
        return float((r <= 0).mean())
    scaled = r / distance
    return float(min(np.exp(factor - factor * scaled).mean() for factor in SEARCH))


def total(C: Floats, cells: Floats) -> Floats:
    """Sum over cells of |C_k^k'| times their bounds: (cells,) gives (K,), (cells, m) gives (K, m)."""
    weights = np.abs(C)
    # a cell that has no weight in F_k says nothing of it, even if its bound is infinite
    parts = np.where(
        weights.reshape(*weights.shape, *(1,) * (cells.ndim - 1)) > 0, cells[None], 0.0
    )
    return np.asarray(np.einsum("kc,kc...->k...", weights, parts))
