"""Changes of queries between neighbours, and the epsilon of all changes together."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import inf

import numpy as np

from dpfair_cli.auditing.laws import LAWS
from dpfair_cli.auditing.saddle_point import Losses, joint_epsilon
from dpfair_cli.mechanisms.above_threshold import amplified
from dpfair_cli.mechanisms.batches import Draw
from dpfair_cli.mechanisms.ledger import Release

ABOVE = np.geomspace(1e-4, 1e8, 200_001)  # orders minus 1
DIGITS = 12  # decimals of epsilons and digits of ratios: equal ones are composed only once


def privacy_loss(tape: Sequence[Release], changes: Sequence[float], delta: float) -> float:
    """The epsilon, at `delta`, of all releases of a fit whose queries change by `changes`.

    One release with Laplace noise costs |change| / scale (in the L1 norm, or the sum of the L2
    norms of the rows), and so does the sparse vector technique. The exponential mechanism costs at
    most twice as much, because one score can rise while the others fall. Releases on one subsample
    of the records are added up before amplification by subsampling is applied. If a choice by the
    exponential mechanism is among the releases, the bound by concentrated privacy counts if it is
    smaller.
    """
    pure: list[tuple[Draw, float]] = []
    normal: list[tuple[Draw, float]] = []
    rho, has_choice = 0.0, False
    for entry, change in zip(tape, changes, strict=True):
        if entry.mechanism == "gaussian":
            loss = ratio(change, entry.scale)
            normal.append((entry.draw, loss))
        else:
            change = 2 * change if LAWS[entry.mechanism].of_scores else change
            loss = ratio(change, entry.scale)
            pure.append((entry.draw, loss))
        # the loss of a choice varies by epsilon only, in place of twice epsilon
        rho += loss**2 / (8 if entry.mechanism == "exponential" else 2)
        has_choice |= entry.mechanism == "exponential"
    counted = Counter(round(epsilon, DIGITS) for epsilon in _pure_epsilons(pure) if epsilon)
    plain, sampled = _gaussian_ratios(normal)
    joint = joint_epsilon(Losses(tuple(sorted(counted.items())), plain, sampled), delta)
    return min(joint, concentrated_epsilon(rho, delta)) if has_choice and delta else joint


def concentrated_epsilon(rho: float, delta: float) -> float:
    """The epsilon, at `delta`, of rho-zero-concentrated privacy.

    Gaussian noise has rho = ratio^2 / 2, an epsilon-private mechanism epsilon^2 / 2, and the
    exponential mechanism epsilon^2 / 8 (Cesar and Rogers 2021); sampling can only lower them. The
    conversion is a minimum over the orders of Renyi divergences (Canonne et al. 2020, Corollary
    13). Each order gives a bound, so that a grid of orders does, too.

    >>> round(concentrated_epsilon(0.05613, 1e-9), 3)
    2.0
    """
    above = ABOVE  # the orders minus 1
    failing = (1 + above) * np.log1p(1 / above) + np.log(above) + math.log(delta)
    return max(float(((1 + above) * rho - failing / above).min()), 0.0)


def query_change(before: Release, after: Release) -> float:
    """The change of a query in the norm of its mechanism's sensitivity; infinite if undefined."""
    law = LAWS[before.mechanism]
    move = law.moving(before) - law.moving(after)
    if not move.size:
        return 0.0
    return float(law.norm(move)) if np.isfinite(move).all() else inf


def ratio(change: float, scale: float) -> float:
    """A change divided by a scale; infinite if either is negative or not a number."""
    if not (0 <= change < inf and scale >= 0):
        return inf
    if scale == 0:
        return inf if change else 0.0
    return change / scale


def _pure_epsilons(releases: Iterable[tuple[Draw, float]]) -> list[float]:
    """The epsilons of the releases whose delta is 0; releases on one subsample become one release.

    Each item of `releases` is (sampling of the records, epsilon on the sampled records). A release
    that costs e on a random subsample, a share `rate` of the records, costs
    log(1 - rate + rate exp(e)) on all records.
    """
    alone: list[float] = []
    on_part: dict[tuple[int, float], float] = defaultdict(float)  # (sample, rate) -> epsilon
    for draw, epsilon in releases:
        rate = draw.sampling_rate
        if rate == 1:
            alone.append(epsilon)
        else:
            on_part[draw.sample, rate] += amplified(epsilon, rate) if epsilon else 0.0
    for (_, rate), epsilon in on_part.items():
        alone.append(float(np.logaddexp(math.log1p(-rate), math.log(rate) + epsilon)))
    return alone


def _gaussian_ratios(
    moves: Iterable[tuple[Draw, float]],
) -> tuple[float, tuple[tuple[float, float, int], ...]]:
    """Change / scale of all unsampled Gaussian releases, and (rate, ratio, times) of the sampled.

    Each item of `moves` is (sampling of the records, change / scale of one release). All unsampled
    releases are combined into one, and so are releases on one batch. A query on a Poisson batch
    without the differing record does not change, so each Poisson batch counts with the largest
    change of any. Shuffled batches count without sampling, and only the batch with the largest
    change in each pass over the data counts.
    """
    squares: dict[tuple[int, Draw], float] = defaultdict(float)
    for draw, move in moves:
        hidden = draw.sampling == "poisson" and draw.sampling_rate < 1
        # without the step number, so that equal samplings compare equal
        kind = Draw(0, draw.sampling_rate, draw.sampling) if hidden else draw
        squares[draw.sample, kind] += move**2
    plain: dict[tuple[str, int], float] = {}  # pass -> square
    sampled: dict[float, list[float]] = defaultdict(list)  # sampling rate -> squares
    for (_, draw), square in squares.items():
        if draw.sampling == "poisson" and draw.sampling_rate < 1:
            sampled[draw.sampling_rate].append(square)
        else:
            a_pass = draw.sampling, pass_of(draw)
            plain[a_pass] = max(plain.get(a_pass, 0), square)
    worst = tuple((rate, _rounded(max(found)), len(found)) for rate, found in sampled.items())
    return _rounded(sum(plain.values())), worst


def _rounded(square: float) -> float:
    """The root of a sum of squares, rounded so that equal sums give the same epsilon only once."""
    return float(f"{math.sqrt(square):.{DIGITS}g}")


def pass_of(draw: Draw) -> int:
    """The number of the pass over the data that contains a step."""
    # a rate such as 1/3 has a rounding error
    return math.ceil(draw.step * draw.sampling_rate - 1e-9)
