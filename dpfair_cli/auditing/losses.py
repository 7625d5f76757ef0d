"""How far each query moved, and the epsilon that the moves cost together."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any

import numpy as np

from dpfair_cli.auditing import bounded_laplace
from dpfair_cli.auditing.saddle_point import Losses, joint_epsilon
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.above_threshold import amplified
from dpfair_cli.mechanisms.batches import Draw
from dpfair_cli.mechanisms.ledger import Release

NORMS: dict[str, Callable[[Floats], Any]] = {  # in which a mechanism's sensitivity is meant
    "laplace": lambda move: np.abs(move).sum(),
    "row_laplace": lambda move: np.linalg.norm(move, axis=-1).sum(),
    "gaussian": lambda move: np.linalg.norm(np.ravel(move)),
    "above_threshold": lambda move: np.abs(move).max(),
    "exponential": lambda move: (
        np.ptp(move) / 2
    ),  # scores may move together: their differences count
    # mechanisms of other libraries
    "geometric": lambda move: np.abs(move).sum(),
    "bounded_laplace": lambda move: np.abs(move).max(),  # of log densities times the scale
    "bingham": lambda move: (
        np.ptp(np.linalg.eigvalsh(move)) / 2
    ),  # the score of a unit vector x is x'Ax
}
OF_SCORES = ("exponential", "bingham")
DIGITS = 12  # to which two epsilons are one


def privacy_loss(tape: Sequence[Release], changes: Sequence[float], delta: float) -> float:
    """The epsilon at `delta` that these changes of the queries cost together, whatever was paid for
    them.

    It is |change| / scale for Laplace noise (L1, or the sum of the rows' L2 norms) and the sparse
    vector technique, and twice that for the exponential mechanism (one score may rise while the
    others fall), where it is an upper bound. Releases on one random part of the records are
    amplified once, together.
    """
    pairs = list(zip(tape, changes, strict=True))
    pure = [
        (entry.draw, _epsilon(entry, change))
        for entry, change in pairs
        if entry.mechanism != "gaussian"
    ]
    normal = [
        (entry.draw, ratio(change, entry.scale))
        for entry, change in pairs
        if entry.mechanism == "gaussian"
    ]
    counted = Counter(round(epsilon, DIGITS) for epsilon in _pure_epsilons(pure) if epsilon)
    plain, sampled = _gaussian_ratios(normal)
    return joint_epsilon(Losses(tuple(sorted(counted.items())), plain, sampled), delta)


def query_change(before: Release, after: Release) -> float:
    """How far a query moved, in the norm in which its mechanism's sensitivity is meant; infinite if
    it is no number.
    """
    move = _moving(before) - _moving(after)
    if not move.size:
        return 0.0
    return float(NORMS[before.mechanism](move)) if np.isfinite(move).all() else inf


def _moving(entry: Release) -> Floats:
    """What counts of a query: its value, or the log densities that follow from it."""
    value = np.asarray(entry.value, dtype=float)
    return (
        bounded_laplace.log_densities(value, entry.scale)
        if entry.mechanism == "bounded_laplace"
        else value
    )


def _epsilon(entry: Release, change: float) -> float:
    """Of one release that is not Gaussian."""
    return ratio(2 * change if entry.mechanism in OF_SCORES else change, entry.scale)


def ratio(change: float, scale: float) -> float:
    """How many scales a change is; infinitely many if either is no number of at least 0."""
    if not (0 <= change < inf and scale >= 0):
        return inf
    return change / scale if scale else (inf if change else 0.0)


def _pure_epsilons(releases: Iterable[tuple[Draw, float]]) -> list[float]:
    """The epsilon of each pure release; those on one part of the records count as one release on
    it.
    """
    alone: list[float] = []
    on_part: dict[tuple[int, float], float] = defaultdict(
        float
    )  # (sample, rate) -> epsilon on the part
    for draw, epsilon in releases:
        if draw.sampling_rate == 1:
            alone.append(epsilon)
        else:
            on_part[draw.sample, draw.sampling_rate] += (
                amplified(epsilon, draw.sampling_rate) if epsilon else 0.0
            )
    return [*alone, *(_on_all(epsilon, rate) for (_, rate), epsilon in on_part.items())]


def _on_all(epsilon: float, rate: float) -> float:
    """What a release on a random part costs everybody, if it costs those who are in it `epsilon`."""
    return float(np.logaddexp(math.log1p(-rate), math.log(rate) + epsilon))


def _gaussian_ratios(
    moves: Iterable[tuple[Draw, float]],
) -> tuple[float, tuple[tuple[float, float, int], ...]]:
    """Of Gaussian releases that one record moves by so many deviations: the ratio of one plain,
    (rate, ratio, times).

    Releases of one sample are a joint release. What the record moves in a Poisson batch that missed
    it cannot be seen: all count as the worst. A shuffled batch, or everybody, hides nothing, but of
    the batches of a pass one counts.
    """
    squares: dict[tuple[int, Draw], float] = defaultdict(float)
    for draw, move in moves:
        hidden = draw.sampling == "poisson" and draw.sampling_rate < 1
        squares[draw.sample, _unnumbered(draw) if hidden else draw] += move**2
    plain: dict[tuple[str, int], float] = {}  # pass -> square
    sampled: dict[float, list[float]] = defaultdict(list)  # sampling rate -> squares
    for (_, draw), square in squares.items():
        if draw.sampling == "poisson" and draw.sampling_rate < 1:
            sampled[draw.sampling_rate].append(square)
        else:
            a_pass = draw.sampling, pass_of(draw)
            plain[a_pass] = max(plain.get(a_pass, 0), square)
    worst = tuple((rate, math.sqrt(max(found)), len(found)) for rate, found in sampled.items())
    return math.sqrt(sum(plain.values())), worst


def _unnumbered(draw: Draw) -> Draw:
    """The draw without the step that it is said to belong to: a sample that serves two steps is one
    sample.
    """
    return Draw(0, draw.sampling_rate, draw.sampling)


def pass_of(draw: Draw) -> int:
    """The pass over the data in which a step lies; a rate is rounded, a pass is whole."""
    return math.ceil(draw.step * draw.sampling_rate - 1e-9)
