"""Renyi differential privacy of Gaussian noise on a Poisson sample, and two conversions to epsilon.

Neighbours: add-or-remove-one. Each record enters the batch independently with probability q, and
noise with a standard deviation of s sensitivities is added to the sum over the batch. The
divergence of (1 - q) N(0, s^2) + q N(1, s^2) from N(0, s^2) bounds the divergences for adding and
for removing a record (Mironov, Talwar and Zhang 2019, Theorems 4 and 5). Divergences of one order
add up over releases.

Source: Abadi et al. 2016 and xu2021, Theorem 4 (the moments accountant, which has integer orders
and the classic conversion); Mironov 2017, Proposition 3 (classic conversion); Canonne, Kamath and
Steinke 2020, Proposition 12 (improved conversion).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

import numpy as np
from scipy.special import gammaln, logsumexp

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.parameters import Delta, checked

Conversion = Literal["improved", "classic"]

INTEGER_ORDERS = tuple(float(order) for order in range(2, 65))
ORDERS = (*(1 + k / 10 for k in range(1, 100)), *INTEGER_ORDERS[9:], 128.0, 256.0, 512.0, 1024.0)


def renyi_divergences(
    noise_multiplier: float, sampling_rate: float, orders: Iterable[float] = ORDERS
) -> Floats:
    """The Renyi divergence of one release at each of `orders`, all above 1; (number of orders,).

    >>> renyi_divergences(noise_multiplier=1.0, sampling_rate=1.0, orders=[2.0, 4.0])  # order / 2
    array([1., 2.])
    """
    return np.array([_divergence(order, sampling_rate, noise_multiplier) for order in orders])


@checked
def renyi_epsilon(
    divergences: Floats, delta: Delta, *, orders: Iterable[float], conversion: Conversion
) -> float:
    """The least epsilon that the total `divergences` at `orders` guarantee at `delta`.

    `divergences` (orders,) are the sums of the releases' Renyi divergences; all orders are above 1.

    >>> import numpy as np
    >>> round(renyi_epsilon(np.array([1.0]), 1e-5, orders=[2.0], conversion="classic"), 3)
    12.513
    """
    order = np.array(list(orders))
    price = -math.log(delta) / (order - 1)  # what the conversion to delta costs at each order
    if conversion == "improved":
        price += np.log1p(-1 / order) - np.log(order) / (order - 1)
    return max(float(np.min(divergences + price)), 0.0)


def _divergence(order: float, q: float, s: float) -> float:
    if q == 1:  # without sampling the divergence has a closed form
        return order / (2 * s**2)
    moment = _binomial if order == int(order) else _quadrature
    return moment(order, q, s) / (order - 1)


def _binomial(order: float, q: float, s: float) -> float:
    """Log E[((1 - q) + q exp((2z - 1) / (2 s^2)))^order] for z ~ N(0, s^2) and an integer order."""
    k = np.arange(order + 1)
    # logarithms: the binomials of order 1024 overflow
    choices = gammaln(order + 1) - gammaln(k + 1) - gammaln(order - k + 1)
    terms = choices + k * math.log(q) + (order - k) * math.log1p(-q) + k * (k - 1) / (2 * s**2)
    return float(logsumexp(terms))


def _quadrature(order: float, q: float, s: float) -> float:
    """The logarithm of `_binomial` for any order above 1, with a relative error of 2 exp(-40).

    The integral is computed by the trapezoidal rule. The integrand has no singularity in the strip
    |Im z| < pi s^2 and grows at |Im z| = y by at most the factor exp(y^2 / (2 s^2)). The error with
    step h is therefore at most 2 exp(y^2 / (2 s^2) - 2 pi y / h) (Trefethen and Weideman 2014,
    Theorem 5.1).
    """
    y = min(math.pi * s**2, math.sqrt(80) * s)
    h = 2 * math.pi * y / (40 + y**2 / (2 * s**2))
    z = np.arange(-12 * s, order + 12 * s, h)  # the integrand's two bumps are at 0 and at `order`
    ratio = np.logaddexp(math.log1p(-q), math.log(q) + (2 * z - 1) / (2 * s**2))
    density = -(z**2) / (2 * s**2) - math.log(s * math.sqrt(2 * math.pi))
    return float(logsumexp(density + order * ratio) + math.log(h))
