"""Bounds of the change of accuracies and fairness by noise on a model's weights (mangold2023).

The weights change by at most d with probability 1 - zeta (Theorem 1). Let h_ref be the model with
or the model without noise. The margin rho of a record is L-Lipschitz in the weights. The decision
on a record can therefore only change if r = |rho(h_ref)| / L <= d. The accuracy in a cell k' of
records, D_k', thus changes by at most P(r <= d | D_k'). For any t >= 0:

    P(r <= d) <= d E(1 / r)               (Markov on 1 / r: `linear`)
    P(r <= d) <= exp(t d) E(exp(-t r))    (Chernoff on -r: `chernoff`, over a grid of t)

The linear bound is Theorem 2 of the slides, whose factor chi_k contains E(1 / r). A fairness
function F_k (fairness_functions.py) changes by at most the sum over cells of |C_k^k'| times the
bound of cell k'. For binary logistic regression rho = (2y - 1) w'z and L = |z|, and r is the
distance of z / |z| from the decision boundary times |w|. The slides print another factor L in front
of chi_k, although chi_k already contains L. The argument above proves the bound without this
factor; with the factor (L >= 1) the bound is larger and holds too.

E(1 / r) is infinite for a distribution with a positive density on the decision boundary. `linear`
is finite only for a sample, and grows with the size of the sample.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from dpfair_cli.contracts.arrays import Floats

# grid of t d; 0 gives the bound 1, and the best value is near 1 for small d and smaller for large d
SEARCH = np.concatenate([[0.0], np.logspace(-3, 1.5, 30)])


def distance_bound(sigma: float, p: int, zeta: float) -> float:
    """An upper bound of the norm of p normal deviates of standard deviation sigma.

    The bound 2 sigma sqrt(p log(2 / zeta)) holds with probability 1 - zeta. It is the square root
    of the bound in Theorem 1 of mangold2023, 32 p Lambda^2 log(1.25 / delta) log(2 / zeta) / (mu n
    epsilon)^2, since sigma^2 is 8 Lambda^2 log(1.25 / delta) / (mu n epsilon)^2 for a loss with
    Lipschitz constant Lambda and regularisation mu on n records. Proof: Let x = |noise|^2 /
    sigma^2. Then E exp(x / 4) = 2^(p / 2), and P(x >= 4 p log(2 / zeta)) <= 2^(p / 2) (zeta / 2)^p
    <= zeta. A projection of the weights onto a convex set that contains h*, the model without
    noise, makes their distance from h* at most smaller.
    """
    return 2 * sigma * sqrt(p * log(2 / zeta))


def linear(r: Floats, distance: float) -> Floats:
    """The bound d E(1 / r) of the share of records whose decision can change.

    The weights move by at most d, which is `distance`. r, along the first axis, is the distance by
    which the weights must move until the decision on a record changes, and E is the mean over the
    records. For `r` of shape (n,) the result is a number, for (n, m) the shape is (m,). The result
    is infinite if an r is 0.
    """
    with np.errstate(divide="ignore"):
        return np.asarray(distance * (1 / r).mean(axis=0)) if distance else np.zeros(r.shape[1:])


def chernoff(r: Floats, distance: float) -> float:
    """The least bound exp(t d) E(exp(-t r)), over a grid of t, of the share of changed decisions.

    The weights move by at most d, which is `distance`. r (n,) is the distance by which the weights
    must move until the decision on a record changes, and E is the mean over the records.
    """
    if not distance:
        return float((r <= 0).mean())  # on the boundary
    scaled = r / distance
    return float(min(np.exp(factor - factor * scaled).mean() for factor in SEARCH))


def total(C: Floats, cells: Floats) -> Floats:
    """The bound of the change of each fairness function F_k, (K,) or (K, m).

    F_k is a linear function of the accuracies of the cells with the coefficients C_k, row k of C
    (K, cells). `cells` are the bounds of the changes of the accuracies, (cells,) or (cells, m). The
    bound is the sum over cells of |C_k| times `cells`.
    """
    weights = np.abs(C)
    # a cell without weight in F_k does not count, even if its bound is infinite
    counted = np.expand_dims(weights, axis=tuple(range(2, cells.ndim + 1))) > 0
    parts = np.where(counted, cells[None], 0.0)
    return np.asarray(np.einsum("kc,kc...->k...", weights, parts))
