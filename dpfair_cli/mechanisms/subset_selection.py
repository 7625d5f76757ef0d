"""Subset selection: each record reports a set of levels that holds its own level more often.

Let k be the number of levels and e = exp(epsilon). The size s of a report is drawn first, with
chances that are the same for all levels. With probability s * e / (s * e + k - s) the report is the
own level and s - 1 of the other levels, otherwise it is s of the other levels; all such sets have
equal probability. There are C(k - 1, s - 1) = C(k, s) * s / k sets of the first kind and
C(k - 1, s) = C(k, s) * (k - s) / k of the second. A set therefore has probability c * e if it holds
the own level and c if not, with c = k / (C(k, s) * (s * e + k - s)), which is the same for all
levels. The ratio for two levels is 1, e or 1 / e: given its size, the report is
epsilon-differentially private, and the size itself does not depend on the level.

**Bits** (`unary_sizes`). Let a report hold the own level with probability p and each other level
with probability q < p, all independently. A set of s levels has probability
p * q^(s - 1) * (1 - q)^(k - s) if it holds the own level, and otherwise
(1 - p) * q^s * (1 - q)^(k - 1 - s). The ratio p (1 - q) / (q (1 - p)) is the same for all sets, so
that these bits are subset selection with the logarithm of the ratio as epsilon.

Source: Wang et al. 2016 and Ye and Barg 2018 (subset selection); Wang, Blocki, Li and Jha 2017
(protocols whose reports are sets).
"""

from __future__ import annotations

from decimal import Decimal
from math import exp

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.mechanisms.budget import require_epsilon, require_sensitivity
from dpfair_cli.mechanisms.discrete import happen
from dpfair_cli.mechanisms.ledger import release
from dpfair_cli.mechanisms.noise import SLACK
from dpfair_cli.mechanisms.secure import SecureGenerator

PLACES = 2**53  # of a number that is drawn from [0, 1)


def subset_selection(
    indicators: ArrayLike,
    *,
    size_chances: ArrayLike,
    hamming_sensitivity: float,
    epsilon: float,
    rng: np.random.Generator,
) -> Floats:
    """A column of 0 and 1 for each level: the set of levels that each record reports.

    Args:
        indicators: The rows of the records, (n, k), each with its largest number at the level of
            the record; or one row (k,). Only the level of a row is used.
        size_chances: The probabilities of reports with 0 to k levels, (k + 1,); public.
        hamming_sensitivity: The largest number of rows whose levels differ between neighbours.
        epsilon: The privacy loss.
        rng: The source of the noise.

    >>> from numpy.random import default_rng
    >>> from math import inf
    >>> rows = [[0, 0, 1], [1, 0, 0]]
    >>> one = [0, 1, 0, 0]
    >>> subset_selection(
    ...     rows, size_chances=one, hamming_sensitivity=1, epsilon=inf, rng=default_rng(0)
    ... )
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    require_epsilon(epsilon)
    require_sensitivity(hamming_sensitivity)
    rows = np.asarray(indicators, dtype=float)
    k = rows.shape[-1]
    levels = rows.reshape(-1, k).argmax(axis=1)  # (n,): a row has one level, whatever it holds
    n = len(levels)
    scale = hamming_sensitivity / epsilon
    if isinstance(rng, SecureGenerator):
        scale *= 1 + SLACK  # more than the rounding errors of the parts of a budget
    # the sizes do not depend on the levels, so that no rounding error of a size is a loss
    below = np.cumsum(size_chances)[:-1]  # (k,)
    uniform = rng.integers(PLACES, size=n) / PLACES
    sizes = np.asarray(np.searchsorted(below, uniform, side="right"), dtype=np.int64)  # (n,)
    own = _own(sizes, k, scale, rng)
    # a random order of the other levels, exact: NumPy rejects what is uneven
    order = rng.permuted(np.tile(np.arange(k - 1), (n, 1)), axis=1)  # (n, k - 1)
    others = order < (sizes - own)[:, None]
    # the own level stands first, and the others follow in cyclic order
    turned = np.column_stack([own, others])
    places = (np.arange(k) - levels[:, None]) % k
    reported = np.take_along_axis(turned, places, axis=1).reshape(rows.shape).astype(float)
    return release(  # type: ignore[no-any-return]
        "subset_selection",
        np.eye(k)[levels].reshape(rows.shape),  # the level alone, not the numbers that chose it
        reported,
        sensitivity=hamming_sensitivity,
        scale=scale,
    )


def unary_sizes(k: int, *, own: float, other: float) -> Floats:
    """The chances of sizes 0 to k if levels are reported independently, (k + 1,).

    Args:
        k: The number of levels.
        own: The probability of the own level.
        other: The probability of each other level.
    """
    j = np.arange(k)
    ways = special.gammaln(k) - special.gammaln(j + 1) - special.gammaln(k - j)
    others = np.exp(ways + special.xlogy(j, other) + special.xlog1py(k - 1 - j, -other))  # (k,)
    return own * np.append(0.0, others) + (1 - own) * np.append(others, 0.0)


def _own(sizes: Ints, k: int, scale: float, source: np.random.Generator) -> Mask:
    """Which reports hold the own level, (n,).

    The probability is s / (s + (k - s) exp(-1 / scale)) for a report of s of k levels, exactly with
    a `SecureGenerator`.
    """
    away = exp(-1 / scale) if scale else 0.0
    chances = sizes / np.maximum(sizes + (k - sizes) * away, 1e-300)  # 0 for an empty report
    if not isinstance(source, SecureGenerator) or not scale:
        return np.asarray(source.random(len(sizes)) < chances)

    def exact(record: int) -> Decimal:
        s = int(sizes[record])
        return s / (s + (k - s) * (-1 / Decimal(scale)).exp())

    return happen(chances, exact, source)
