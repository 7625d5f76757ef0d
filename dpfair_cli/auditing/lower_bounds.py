"""How much privacy outputs show to be lost: lower bounds of epsilon that hold with 95 % confidence.

`likelihood_ratio_bound` plays the game of differential privacy on one pair of neighbours, many
times: fit one of the two, and guess which it was by the likelihood ratio of the outputs, which the
recorded queries and the laws of the noise give (Neyman and Pearson: no test is stronger).
`one_run_bound` trains once, with canaries that were each put in or left out by a coin, and counts
how many coins the model gives away (Steinke, Nasr and Jagielski 2023, Theorem 5.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats
from scipy.optimize import brentq

from dpfair_cli.auditing import bounded_laplace
from dpfair_cli.auditing.noise import threshold_interval
from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.mechanisms.ledger import Release, record, replay

CONFIDENCE = 0.95
LARGEST = 50.0  # epsilon that is looked for
# Decimals of a log likelihood ratio that count: its last bits tell 0 + noise from 1 + noise for
# NumPy's Laplace, which is the leak of floating-point numbers and not of the mechanism (the noise
# of what leaves the tool is free of it).
DECIMALS = 9


@dataclass(frozen=True)
class LowerBound:
    """An epsilon that was shown with 95 % confidence, and from how many fits or canaries."""

    epsilon: float
    trials: int


def likelihood_ratio_bound(
    fit: Callable[..., Any],
    left: Any,
    right: Any,
    *,
    delta: float,
    trials: int,
    rng: np.random.Generator,
) -> LowerBound:
    """The epsilon that guessing which of two neighbours was fitted shows; half of `trials` choose
    the threshold.

    Random batches would have to be averaged over: a fit that draws any has no such bound.

    Raises:
        ValueError: the fit releases something on a random batch, or by a mechanism whose density is
            not known.
    """
    pairs = (left, right), (right, left)
    ratios = np.array([[_log_ratio(fit, *pair, rng) for pair in pairs] for _ in range(trials // 2)])
    sides = np.stack(
        [ratios[:, 0], -ratios[:, 1]]
    )  # log p_left / p_right of outputs of the left, and of the right
    half = len(ratios) // 2
    games = [
        (sides[:, :half], sides[:, half:]),
        (-sides[::-1, :half], -sides[::-1, half:]),
    ]  # guess left, guess right
    _, shown, threshold = max(
        ((choosing, shown, cut) for choosing, shown in games for cut in np.unique(choosing[0])),
        key=lambda guess: _shown(guess[0], guess[2], delta),
    )
    return LowerBound(_shown(shown, threshold, delta), 2 * len(ratios))


def _shown(ratios: Floats, threshold: float, delta: float) -> float:
    """What guessing "the first" at or above a threshold shows, of log likelihood ratios of outputs
    (2, n) of both.
    """
    right, wrong = (ratios >= threshold).sum(axis=1).tolist()
    return clopper_pearson_epsilon(right, wrong, ratios.shape[1], delta)


def clopper_pearson_epsilon(right: int, wrong: int, count: int, delta: float) -> float:
    """The epsilon that `right` true and `wrong` false positives out of `count` each show, with 95 %
    confidence.
    """
    level = (1 - CONFIDENCE) / 2  # for each of the two rates
    lowest = stats.beta.ppf(level, right, count - right + 1) if right else 0.0
    highest = stats.beta.ppf(1 - level, wrong + 1, count - wrong) if wrong < count else 1.0
    return max(0.0, float(np.log(max(lowest - delta, 1e-300) / highest)))


def one_run_bound(included: Mask, scores: Floats, *, guesses: int, delta: float) -> LowerBound:
    """The epsilon that guessing the coins of canaries (m,) from their scores (m,) shows, `guesses`
    of them.

    The highest scores are guessed in and the lowest out; the rest are no guesses.
    """
    order = np.argsort(scores, kind="stable")
    out, into = order[: guesses // 2], order[len(order) - (guesses - guesses // 2) :]
    correct = int((~included[out]).sum() + included[into].sum())

    def chance(epsilon: float) -> float:
        return one_run_p_value(correct, guesses, len(included), epsilon, delta) - (1 - CONFIDENCE)

    if chance(0.0) > 0:
        return LowerBound(0.0, len(included))
    return LowerBound(
        LARGEST if chance(LARGEST) < 0 else float(brentq(chance, 0.0, LARGEST)), len(included)
    )


def one_run_p_value(
    correct: int, guesses: int, canaries: int, epsilon: float, delta: float
) -> float:
    """An upper bound of the chance of so many correct guesses, or more, under (epsilon, delta)-DP
    for one canary.

    Without delta the correct guesses are at most binomial with probability e^epsilon / (e^epsilon +
    1); delta adds 2 canaries delta max_i P(v - i <= binomial < v) / i, v the number that was
    correct.
    """
    probability = 1 / (1 + np.exp(-epsilon))
    counts = np.arange(1, correct + 1)
    chance = float(stats.binom.sf(correct - 1, guesses, probability))
    within = stats.binom.sf(correct - 1 - counts, guesses, probability) - chance
    return min(1.0, chance + 2 * canaries * delta * float((within / counts).max(initial=0.0)))


def _log_ratio(fit: Callable[..., Any], first: Any, second: Any, rng: np.random.Generator) -> float:
    """Log of the density of the outputs of a fit of `first`, over that under `second`."""
    seed = int(rng.integers(2**63))
    with record() as tape:
        fit(first, rng=np.random.default_rng(seed))
    with replay(tape) as again:
        fit(second, rng=np.random.default_rng(seed))
    if any(entry.draw.sampling_rate < 1 for entry in tape):
        raise ValueError("outputs of random batches have no likelihood ratio that is easy to tell")
    ratio = sum(
        log_density(one, one.output) - log_density(two, one.output)
        for one, two in zip(tape, again, strict=True)
    )
    return round(ratio, DECIMALS)


def log_density(entry: Release, output: Any) -> float:
    """The log density, up to a constant, or the log probability of an output of a release with
    noise.

    Raises:
        ValueError: the density of the mechanism is not known.
    """
    if entry.mechanism not in _LOG_DENSITIES:
        raise ValueError(f"the density of {entry.mechanism} is not known")
    return float(_LOG_DENSITIES[entry.mechanism](entry, output)) if entry.scale else 0.0


def _of_threshold(entry: Release, output: Any) -> float:
    left, right = threshold_interval(entry, int(output))
    return float(np.log(max(right - left, 1e-300)))


_LOG_DENSITIES: dict[str, Callable[[Release, Any], Any]] = {
    "laplace": lambda entry, output: -np.abs(output - entry.value).sum() / entry.scale,
    "gaussian": lambda entry, output: -((output - entry.value) ** 2).sum() / (2 * entry.scale**2),
    "row_laplace": lambda entry, output: (
        -np.linalg.norm(output - entry.value, axis=-1).sum() / entry.scale
    ),
    "exponential": lambda entry, output: special.log_softmax(entry.value / entry.scale)[
        int(output)
    ],
    "above_threshold": _of_threshold,
    "geometric": lambda entry, output: -np.abs(output - entry.value).sum() / entry.scale,
    "bounded_laplace": lambda entry, output: bounded_laplace.log_density(
        output, entry.value, entry.scale
    ),
}
