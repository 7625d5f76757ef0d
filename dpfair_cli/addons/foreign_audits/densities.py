"""An audit by the density of outcomes, for functions that map their noise one-to-one to outcomes.

An example is objective perturbation: a noise vector b is added to the gradient of a strictly convex
objective, and the minimiser w is published. The audit sees only the function. For an outcome w of
one data set with noise v, it computes the noise v' with which the neighbour has the same outcome,
by Newton's method. The densities of w for the two data sets then have the ratio

    p(v) |det J'(v')| / (p(v') |det J(v)|),

where p is the density of the noise, and J and J' are the derivatives of the outcome by the noise.
They are computed from differences of outcomes; two step sizes give an estimate of the error, which
is subtracted from the logarithm of the ratio. With delta = 0, a ratio above exp(epsilon) refutes
the claim. With delta above 0, the audit draws many outcomes of the worst pair, and a
Clopper-Pearson interval of the probability of a large ratio gives a lower bound of epsilon.

The map has to be one-to-one. It is if the symmetric part of J is positive definite everywhere, or
negative definite everywhere (then (v - u)'(w(v) - w(u)) has one sign for all u and v). For the
minimiser of a strictly convex objective, J is minus the inverse of the second derivative. The audit
tests this wherever it computes J, and refuses a function for which it is false.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from dpfair_cli.addons.foreign_audits.drawn_noise import (
    NoiseVector,
    NotOneToOneError,
    Run,
    noise_vector,
)
from dpfair_cli.addons.foreign_audits.outcomes import CONFIDENCE, ClaimedPrivacy, pair_in_words
from dpfair_cli.auditing.finding import HOLDS, ROUNDING
from dpfair_cli.auditing.lower_bounds import clopper_pearson_lower
from dpfair_cli.contracts.arrays import Floats

STEP = 5e-2  # of a difference of outcomes, relative to the length of the noise
# steps of Newton's method, and its last step relative to the noise: the best that a function can
# reach, and the largest for a function that computes its outcome roughly
NEWTON, NEAR, ROUGH = 30, 1e-10, 1e-4
FOLLOWED = 1e-2  # largest error of a log ratio; a function with larger ones is refused
FAR = (1.0, 4.0)  # lengths of noise that is tried, relative to drawn noise
TURNS, DRAWN, OTHER_NOISE = 4, 2, 2  # of TURNS turns, the first DRAWN take a new pair
SPREAD = 0.5  # of changed noise
SHOWN = 6  # numbers of an outcome that are written out
FEWEST, MOST = 40, 2000  # outcomes that are counted, with delta above 0
# parts of normal noise from which outcomes are drawn, with delta above 0: their number, the least
# probability of one divided by delta, and the outcomes that choose one of them
TAILS, LEAST_TAIL, FEW = 5, 10.0, 12

Pair = tuple[Any, Any]


@dataclass(frozen=True, eq=False)
class DensityFinding:
    """The result of an audit by the density of outcomes."""

    method: str  # the name of the function
    claim: ClaimedPrivacy  # the claimed privacy
    found: float  # the largest epsilon that was found; with delta above 0, a lower bound of epsilon
    pair: Pair  # the neighbouring inputs
    outcome: Floats  # the outcome whose densities differ most
    ratio: float  # the logarithm of the ratio of the densities of this outcome for the two inputs
    outcomes: int  # the number of outcomes whose densities were compared

    @property
    def holds(self) -> bool:
        """Whether the epsilon that was found is at most the claimed one."""
        return self.found <= self.claim.amount * (1 + ROUNDING)

    @property
    def amount(self) -> str:
        """The epsilon that was found, with the confidence of a bound, in words."""
        if not self.claim.delta:
            return f"epsilon {self.found:.4g}"
        return f"epsilon of at least {self.found:.4g} with {CONFIDENCE:.1%} confidence"

    @property
    def in_words(self) -> str:
        """What was found, with the number of outcomes."""
        return f"{self.amount} by the density of {self.outcomes} outcomes"

    @property
    def outcome_in_words(self) -> str:
        """The outcome whose densities differ most, and the ratio of its densities, in words."""
        numbers = ", ".join(f"{number:.4g}" for number in self.outcome[:SHOWN])
        more = ", ..." if len(self.outcome) > SHOWN else ""
        return (
            f"[{numbers}{more}], whose density for the first input is exp({self.ratio:.4g}) times "
            "that for the second"
        )

    def lines(self) -> list[tuple[str, str]]:
        """The lines about the result, as (name, text)."""
        return [
            ("claimed", str(self.claim)),
            ("found", f"{self.amount}, by the density of {self.outcomes} outcomes"),
            ("pair", pair_in_words(*self.pair)),
            ("outcome", self.outcome_in_words),
            ("unchecked", "neighbours and outcomes that were not tried; the law of the noise"),
            ("verdict", HOLDS if self.holds else "refuted: neighbours cost more than the claim"),
        ]

    def plain(self) -> dict[str, Any]:
        """The result as mappings and lists."""
        return {
            "method": self.method,
            "claimed": self.claim.amount,
            "delta": self.claim.delta,
            "found": self.found,
            "pair": pair_in_words(*self.pair),
            "outcome": self.outcome.tolist(),
            "ratio": self.ratio,
            "outcomes": self.outcomes,
            "holds": self.holds,
        }


@dataclass(frozen=True, eq=False)
class _Compared:
    """An outcome whose densities for two neighbours were compared."""

    loss: float  # the log ratio of the densities of the outcome, minus its error
    pair: Pair  # the neighbours; the outcome is more probable for the first
    vectors: tuple[Floats, Floats]  # noise vectors with which the two neighbours have the outcome
    outcome: Floats  # the numbers of the outcome


def audit_densities(
    name: str,
    run: Run,
    pairs: Iterator[Pair],
    altered: Callable[[Pair, np.random.Generator], Pair],
    *,
    claim: ClaimedPrivacy,
    seconds: float,
    seed: int = 0,
) -> DensityFinding:
    """The result of an audit of `run(input, rng)` by the density of its outcomes.

    Args:
        name: The name of the function.
        run: The function.
        pairs: Pairs of neighbouring inputs.
        altered: Returns a pair that is like a given one.
        claim: The claimed epsilon and delta.
        seconds: The time after which the audit ends.
        seed: The seed of the audit.

    Raises:
        NotOneToOneError: the outcome is not known to be a one-to-one map of noise.
    """
    rng, began = np.random.default_rng(seed), time.monotonic()
    half = seconds / 2 if claim.delta else seconds
    first = next(pairs)
    noise = noise_vector(run, first[0], rng)
    best, tried = _searched(noise, first, pairs, altered, began + half, rng)
    found = best.loss
    if claim.delta:
        found, more = _bound(noise, best, claim, began + seconds, rng)
        tried += more
    return DensityFinding(name, claim, max(found, 0.0), best.pair, best.outcome, best.loss, tried)


def _searched(
    noise: NoiseVector,
    first: Pair,
    pairs: Iterator[Pair],
    altered: Callable[[Pair, np.random.Generator], Pair],
    end: float,
    rng: np.random.Generator,
) -> tuple[_Compared, int]:
    """The outcome with the largest ratio of densities, and the number of compared outcomes.

    The search is a random one from the best outcome so far: new pairs, other noise for the best
    pair, and pairs like the best one, in turn until the time is over.
    """
    compared = list(_of_pair(noise, first, rng))
    best, tried, turn = max(compared, key=lambda one: one.loss), len(compared), 0
    while time.monotonic() < end:
        turn += 1
        place = turn % TURNS
        if place < DRAWN:
            pair = next(pairs, None)
            if pair is None:
                return best, tried
            compared = list(_of_pair(noise, pair, rng))
        elif place == OTHER_NOISE:
            vector = best.vectors[0]
            spread = np.abs(vector).mean() * _changes(len(vector), rng)
            compared = [_compared(noise, best.pair, vector + spread)]
        else:
            compared = [_compared(noise, altered(best.pair, rng), best.vectors[0])]
        tried += len(compared)
        best = max([best, *compared], key=lambda one: one.loss)
    return best, tried


# random numbers of the audit itself are drawn by functions that see no data


def _changes(count: int, rng: np.random.Generator) -> Floats:
    """Random relative changes of noise, (count,)."""
    return SPREAD * rng.normal(size=count)


def _far(tail: float, rng: np.random.Generator) -> float:
    """A normal number, given that it is in the upper part of this probability."""
    return float(-ndtri(tail * rng.random()))


def _of_pair(noise: NoiseVector, pair: Pair, rng: np.random.Generator) -> Iterator[_Compared]:
    """Yields comparisons of outcomes of a pair: of drawn noise, and of noise along its change."""
    drawn = _compared(noise, pair, noise.drawn(pair[0], rng))
    yield drawn
    change = drawn.vectors[1] - drawn.vectors[0]
    length = float(np.linalg.norm(drawn.vectors[0]))
    if not np.abs(change).max() > 0:
        return
    signs = change / np.linalg.norm(change) if noise.is_round else np.sign(change)
    signs = signs / np.linalg.norm(signs)
    for far in FAR:
        for side in (1, -1):
            yield _compared(noise, drawn.pair, side * far * length * signs)


def _compared(noise: NoiseVector, pair: Pair, vector: Floats) -> _Compared:
    """The comparison of the densities of the outcome of the first input with a noise vector.

    Raises:
        NotOneToOneError: the map of noise to outcomes is not one-to-one at this outcome.
    """
    left, right = pair
    outcome = noise.outcome(left, vector)
    here, error, slopes = _log_volume(noise, left, vector)
    other, distance = _noise_of(noise, right, outcome, vector, slopes)
    there, more, other_slopes = _log_volume(noise, right, other)
    if _side(slopes) != _side(other_slopes):
        raise NotOneToOneError("the outcome moves with the noise of one input, not of the other")
    error += more + distance
    if not error <= FOLLOWED:
        raise NotOneToOneError("the outcome is not a smooth function of the noise")
    loss = noise.log_density(vector) - noise.log_density(other) + there - here
    if loss < 0:
        pair, vectors = (right, left), (other, vector)
    else:
        vectors = (vector, other)
    return _Compared(abs(loss) - error, pair, vectors, outcome)


def _log_volume(noise: NoiseVector, one: Any, vector: Floats) -> tuple[float, float, Floats]:
    """The log volume log |det J| at a noise vector, an estimate of its error, and J (k, k).

    The derivatives J of the outcome are computed from differences by h and by 2 h, whose error
    of order h^2 cancels out.
    """
    k, h = len(vector), STEP * max(float(np.abs(vector).max()), STEP)
    steps = h * np.eye(k)

    def differences(times: int) -> Floats:
        """The derivatives by central differences of `times` h, (numbers of the outcome, k)."""
        columns = [
            noise.outcome(one, vector + times * step) - noise.outcome(one, vector - times * step)
            for step in steps
        ]
        return np.array(columns).T / (2 * times * h)

    fine, coarse = differences(1), differences(2)
    slopes = (4 * fine - coarse) / 3
    _side(slopes)
    volume, plain = (float(np.linalg.slogdet(each)[1]) for each in (slopes, fine))
    return volume, abs(volume - plain), slopes


def _side(slopes: Floats) -> bool:
    """Whether the symmetric part of the derivatives is positive, not negative, definite.

    Raises:
        NotOneToOneError: it is neither.
    """
    curves = np.linalg.eigvalsh((slopes + slopes.T) / 2)
    if curves.min() > 0 or curves.max() < 0:
        return bool(curves.min() > 0)
    raise NotOneToOneError("the outcome is not a monotone function of the noise")


def _noise_of(
    noise: NoiseVector, one: Any, outcome: Floats, start: Floats, slopes: Floats
) -> tuple[Floats, float]:
    """The noise vector with which the input `one` has the given outcome, by Newton's method.

    The second result is an estimate of the error of its log density, from the last step. The
    derivatives `slopes` are those of a neighbour, or of an earlier step.

    Raises:
        NotOneToOneError: no noise vector is found.
    """
    vector, before = start, np.inf
    for _ in range(NEWTON):
        step = np.linalg.solve(slopes, noise.outcome(one, vector) - outcome)
        vector, length = vector - step, float(np.abs(step).max())
        unit, slow = max(float(np.abs(vector).max()), 1.0), length > before / 4
        if length <= NEAR * unit or (slow and length <= ROUGH * unit):
            error = abs(noise.log_density(vector) - noise.log_density(vector + step))
            return vector, error
        if slow:  # the derivatives are too far away
            slopes = _log_volume(noise, one, vector)[2]
        before = length
    raise NotOneToOneError("no noise gives the neighbour the same outcome")


def _bound(
    noise: NoiseVector, best: _Compared, claim: ClaimedPrivacy, end: float, rng: np.random.Generator
) -> tuple[float, int]:
    """A lower bound of epsilon at the claimed delta from drawn outcomes, and their number.

    A first part of the outcomes chooses a part of the noise, of known probability p, and a log
    ratio t. New outcomes with noise of this part are counted. If more than a share q of them has
    log ratios of at least t, delta is at least p q (1 - exp(epsilon - t)).
    """
    change = best.vectors[1] - best.vectors[0]
    tails = np.geomspace(1, LEAST_TAIL * claim.delta, TAILS) if noise.is_normal else np.ones(1)
    chosen, highest = (1.0, np.inf), -np.inf
    for tail in tails.tolist():
        losses = [_drawn_loss(noise, best.pair, change, tail, rng) for _ in range(FEW)]
        for least in filter(np.isfinite, losses):
            found = _epsilon_above(losses, least, tail, claim.delta)
            if found > highest:
                chosen, highest = (tail, least), found
    if not np.isfinite(highest):
        return 0.0, FEW * len(tails)
    tail, least = chosen
    losses = []  # new ones: those that chose would flatter the bound
    while len(losses) < FEWEST or (time.monotonic() < end and len(losses) < MOST):
        losses.append(_drawn_loss(noise, best.pair, change, tail, rng))
    return _epsilon_above(losses, least, tail, claim.delta), FEW * len(tails) + len(losses)


def _drawn_loss(
    noise: NoiseVector, pair: Pair, change: Floats, tail: float, rng: np.random.Generator
) -> float:
    """The log ratio of densities, or -inf if it is negative, for drawn noise of the first input.

    If `tail` is below 1, the noise is normal and is drawn from the half-space, of this probability,
    of noise that is far away in the direction of `change`.
    """
    vector = noise.drawn(pair[0], rng)
    if tail < 1:
        along = change / np.linalg.norm(change)
        vector = vector + (_far(tail, rng) - vector @ along) * along
    compared = _compared(noise, pair, vector)
    return compared.loss if compared.pair[0] is pair[0] else -np.inf


def _epsilon_above(losses: Sequence[float], least: float, tail: float, delta: float) -> float:
    """The lower bound of epsilon from the number of log ratios of at least `least`; 0 if none.

    `tail` is the probability of the noise from which the outcomes were drawn.
    """
    count = sum(loss >= least for loss in losses)
    share = tail * clopper_pearson_lower(count, len(losses), CONFIDENCE)
    return least + float(np.log1p(-delta / share)) if share > delta else 0.0
