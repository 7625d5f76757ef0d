"""Lower bounds of epsilon with 95 % confidence, from outputs of a method.

`likelihood_ratio_bound` fits one of two neighbours many times and guesses each time which one was
fitted. The guess uses the likelihood ratio of the outputs, which follows from the recorded queries
and the laws of the noise; no test is stronger (Neyman and Pearson). `one_run_bound` uses a model
that was trained once. A coin decided for each canary, a planted record, whether the canary was
included. The bound follows from the number of coins that are guessed correctly from the model
(Steinke, Nasr and Jagielski 2023, Theorem 5.2).
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
LARGEST = 50.0  # the largest possible bound
ORDERS = 1 + np.geomspace(1e-3, 100, 60)  # orders alpha of Renyi divergences
# Decimals of a log likelihood ratio that are kept. The last bits distinguish 0 + noise from
# 1 + noise for NumPy's Laplace, which is a leak of floating-point numbers and not of the mechanism
# (secure noise, which releases use, does not have it).
DECIMALS = 9


@dataclass(frozen=True)
class LowerBound:
    """A lower bound of epsilon with 95 % confidence."""

    epsilon: float
    """The bound."""
    trials: int
    """The number of fits or canaries behind the bound."""


def likelihood_ratio_bound(
    fit: Callable[..., Any],
    left: Any,
    right: Any,
    *,
    delta: float,
    trials: int,
    rng: np.random.Generator,
) -> LowerBound:
    """A lower bound of epsilon from guesses about which of two neighbours was fitted.

    Half of `trials` choose the threshold of the likelihood ratio, and the other half are counted.
    There is no bound for a fit with random batches, because the likelihood would be an average over
    all batches.

    Raises:
        ValueError: the fit releases something computed from a random batch, or by a mechanism whose
            density is unknown.
    """
    games = [(left, right), (right, left)] * (trials // 2)
    ratios = np.reshape([_log_ratio(fit, *pair, rng) for pair in games], (-1, 2))
    # log p_left / p_right of outputs of left (row 0) and right (row 1), (2, trials / 2)
    sides = np.stack([ratios[:, 0], -ratios[:, 1]])
    half = len(ratios) // 2
    best, epsilon = -1.0, 0.0
    for game in (sides, -sides[::-1]):  # guess left, guess right
        choosing, counted = game[:, :half], game[:, half:]
        for threshold in np.unique(choosing[0]):
            chosen = _shown(choosing, threshold, delta)
            if chosen > best:
                best, epsilon = chosen, _shown(counted, threshold, delta)
    return LowerBound(epsilon, 2 * len(ratios))


def _shown(ratios: Floats, threshold: float, delta: float) -> float:
    """The lower bound of epsilon from guesses by the log likelihood ratio of the outputs.

    `ratios` (2, n) are the log likelihood ratios of the outputs of fits to the first and to the
    second neighbour. At or above `threshold` the guess is the first neighbour.
    """
    right, wrong = (ratios >= threshold).sum(axis=1).tolist()
    return clopper_pearson_epsilon(right, wrong, ratios.shape[1], delta)


def clopper_pearson_epsilon(
    right: int, wrong: int, count: int, delta: float, confidence: float = CONFIDENCE
) -> float:
    """A lower bound of epsilon with this `confidence`, from numbers of right and wrong guesses.

    `right` are true positives and `wrong` are false positives, out of `count` trials each.
    """
    lowest, highest = _clopper_pearson_rates(right, wrong, count, confidence)
    return max(0.0, float(np.log(max(lowest - delta, 1e-300) / highest)))


def clopper_pearson_rho(right: int, wrong: int, count: int, confidence: float) -> float:
    """A lower bound of rho of zero-concentrated DP, from numbers of right and wrong guesses.

    A rho-private mechanism has Renyi divergences of at most rho alpha, and the divergence between
    the two probabilities of an event is no larger (data processing). The arguments are those of
    `clopper_pearson_epsilon`.
    """
    p, q = _clopper_pearson_rates(right, wrong, count, confidence)
    if p <= q:
        return 0.0
    terms = [
        np.log(one) * ORDERS + np.log(other) * (1 - ORDERS)
        for one, other in ((p, q), (1 - p, 1 - q))
    ]
    return float((np.logaddexp(*terms) / (ORDERS - 1) / ORDERS).max())


def _clopper_pearson_rates(
    right: int, wrong: int, count: int, confidence: float
) -> tuple[float, float]:
    """A lower bound of the rate of `right`, and an upper bound of that of `wrong`, out of `count`.

    Both hold together with this `confidence`.
    """
    level = (1 - confidence) / 2  # for each of the two rates
    lowest = stats.beta.ppf(level, right, count - right + 1) if right else 0.0
    highest = stats.beta.ppf(1 - level, wrong + 1, count - wrong) if wrong < count else 1.0
    return float(lowest), float(highest)


def clopper_pearson_lower(count: int, total: int, confidence: float) -> float:
    """A lower bound of a probability, from `count` occurrences in `total` trials."""
    return float(stats.beta.ppf(1 - confidence, count, total - count + 1)) if count else 0.0


def one_run_bound(included: Mask, scores: Floats, *, guesses: int, delta: float) -> LowerBound:
    """A lower bound of epsilon from guesses about which canary records were in the data.

    Canaries with the highest scores are guessed as included, those with the lowest as excluded. The
    others are not guessed.

    Args:
        included: The coins of the canaries, (m,).
        scores: The score of each canary under the model, (m,).
        guesses: The number of canaries that are guessed.
        delta: The delta of the guarantee.
    """
    order = np.argsort(scores, kind="stable")
    out, into = order[: guesses // 2], order[len(order) - (guesses - guesses // 2) :]
    correct = int((~included[out]).sum() + included[into].sum())

    def chance(epsilon: float) -> float:
        return one_run_p_value(correct, guesses, len(included), epsilon, delta) - (1 - CONFIDENCE)

    if chance(0.0) > 0:
        return LowerBound(0.0, len(included))
    if chance(LARGEST) < 0:
        return LowerBound(LARGEST, len(included))
    return LowerBound(float(brentq(chance, 0.0, LARGEST)), len(included))


def one_run_p_value(
    correct: int, guesses: int, canaries: int, epsilon: float, delta: float
) -> float:
    """An upper bound of the probability of `correct` or more correct guesses about canary records.

    The bound holds if the training is (epsilon, delta)-DP for one canary. `guesses` of the canaries
    are guessed. For delta = 0, the number of correct guesses is at most binomial with probability
    e^epsilon / (e^epsilon + 1). For delta > 0, the bound is larger by 2 canaries delta max_i P(v -
    i <= binomial < v) / i, where v is `correct`.
    """
    probability = 1 / (1 + np.exp(-epsilon))
    counts = np.arange(1, correct + 1)
    chance = float(stats.binom.sf(correct - 1, guesses, probability))
    within = stats.binom.sf(correct - 1 - counts, guesses, probability) - chance
    return min(1.0, chance + 2 * canaries * delta * float((within / counts).max(initial=0.0)))


def _log_ratio(fit: Callable[..., Any], first: Any, second: Any, rng: np.random.Generator) -> float:
    """The log likelihood ratio of the outputs of a fit of `first`.

    The ratio compares the likelihood of these outputs for `first` with that for `second`.
    """
    seed = int(rng.integers(2**63))
    with record() as tape:
        fit(first, rng=np.random.default_rng(seed))
    with replay(tape) as again:
        fit(second, rng=np.random.default_rng(seed))
    if any(entry.draw.sampling_rate < 1 for entry in tape):
        raise ValueError("the likelihood ratio of a fit with random batches cannot be computed")
    ratio = sum(
        log_density(one, one.output) - log_density(two, one.output)
        for one, two in zip(tape, again, strict=True)
    )
    return round(ratio, DECIMALS)


def log_density(entry: Release, output: Any) -> float:
    """The log density, up to a constant, of `output` as the output of a release.

    For a mechanism that chooses an index, the result is the log probability.

    Raises:
        ValueError: the density of the mechanism is unknown.
    """
    if entry.mechanism not in _LOG_DENSITIES:
        raise ValueError(
            f"the audit does not know the probability density of the mechanism {entry.mechanism}"
        )
    return float(_LOG_DENSITIES[entry.mechanism](entry, output)) if entry.scale else 0.0


def _of_threshold(entry: Release, output: Any) -> float:
    left, right = threshold_interval(entry, int(output))
    return float(np.log(max(right - left, 1e-300)))


def _of_l1(entry: Release, output: Any) -> Any:
    return -np.abs(output - entry.value).sum() / entry.scale


def _of_gaussian(entry: Release, output: Any) -> Any:
    return -((output - entry.value) ** 2).sum() / (2 * entry.scale**2)


def _of_rows(entry: Release, output: Any) -> Any:
    return -np.linalg.norm(output - entry.value, axis=-1).sum() / entry.scale


def _of_choice(entry: Release, output: Any) -> Any:
    return special.log_softmax(entry.value / entry.scale)[int(output)]


def _of_response(entry: Release, output: Any) -> Any:
    """The log probability of the reported levels, up to a constant: -1 / scale for each change."""
    return -(np.argmax(entry.value, axis=-1) != output).sum() / entry.scale


def _of_bounded_laplace(entry: Release, output: Any) -> float:
    return bounded_laplace.log_density(output, entry.value, entry.scale)


def _of_known_choice(entry: Release, output: Any) -> float:
    return float(entry.value[int(output)])


_LOG_DENSITIES: dict[str, Callable[[Release, Any], Any]] = {
    "laplace": _of_l1,
    "gaussian": _of_gaussian,
    "row_laplace": _of_rows,
    "exponential": _of_choice,
    "above_threshold": _of_threshold,
    "randomised_response": _of_response,
    "geometric": _of_l1,
    "bounded_laplace": _of_bounded_laplace,
    "choice": _of_known_choice,
}
