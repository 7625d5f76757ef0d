"""The audit of a privacy guarantee: releases of a fit are recorded and replayed on neighbours.

Each release has a declared sensitivity and a noise scale. The guarantee is refuted if one of these
statements is true for a pair of neighbours that is tried:

(a) The declared sensitivities cost more than epsilon at the delta that the method states. This is
    computed by an accountant that no method uses.
(b) A query changes by more than its declared sensitivity, or the changes cost more than epsilon.
(c) The fit of the neighbour gets the recorded outputs, and anything else differs: the result or its
    predictions, the printed text, whether the fit is refused, or the noise.
(d) The noise does not have its stated law and scale.

Some pairs are constructed from the proofs of sensitivities (extremes.py). The audit also changes
values of the worst pair one by one, in search of a pair whose queries change more, and replays
improbable outputs on the worst pair (histories.py). An audit that finds nothing proves nothing.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from math import ceil, inf
from typing import Any

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.auditing.attainable import REACHED, Attainable, attainable
from dpfair_cli.auditing.extremes import extreme_pairs
from dpfair_cli.auditing.histories import COURSES, Course, one_sided
from dpfair_cli.auditing.losses import privacy_loss
from dpfair_cli.auditing.lower_bounds import LowerBound, likelihood_ratio_bound
from dpfair_cli.auditing.membership import MembershipCheck
from dpfair_cli.auditing.noise import NoiseCheck
from dpfair_cli.auditing.repeating import fitted_again, problems_of_repeated_fits
from dpfair_cli.auditing.replaying import PairFinding, replay_history, replay_on_neighbour
from dpfair_cli.contracts.guarantees import Neighbours, delta_parameter
from dpfair_cli.kinds import Data
from dpfair_cli.mechanisms.ledger import Release

ROUNDING = 1e-6  # relative error of epsilon in calibrations and in the audit's accountant
MOVED = 1e-6  # relative error of the change of a query: networks compute with 32 bits
TURNS = 4  # of the pairs, one in TURNS is constructed, and one is a step of the search
CONSTRUCTED, SEARCHED = 1, 3  # which of them
IMPROBABLE = 2  # one in IMPROBABLE steps of the search tries other outputs, not other data
WORST = 3  # number of pairs whose changes are composed exactly
FITS_KEPT = 12  # recent fits that can be repeated, with data of all sizes


@dataclass(frozen=True)
class Finding:
    """The result of the audit of a method."""

    method: str
    """The name of the method."""
    claimed: float
    """The claimed epsilon."""
    delta: float
    """The delta that the method states."""
    accounted: float
    """The epsilon of the declared sensitivities."""
    found: float
    """The epsilon of the changes of the queries."""
    largest_move: float
    """The largest change of a query divided by its sensitivity."""
    leaks: tuple[str, ...]
    """The observable things that depend on the data without noise."""
    noise: tuple[str, ...]
    """The messages about wrong noise."""
    pairs: int
    """The number of pairs of neighbours that were tried."""
    shown: LowerBound | None = None
    """The lower bound of epsilon from fits of the worst pair; None if not computed."""
    unknown: tuple[str, ...] = ()
    """Mechanisms whose noise was not checked."""
    moves: Mapping[str, float] = field(default_factory=dict)
    """The largest move of each kind of query: mechanism and shape of the value."""
    attainable: Attainable = REACHED
    """An upper bound of the largest move, and why it is below 1."""

    @property
    def problems(self) -> list[str]:
        """The messages about everything that contradicts the method's privacy guarantee."""
        limit, broken = self.claimed * (1 + ROUNDING), []
        if not self.accounted <= limit:  # `not <=`: NaN breaks the guarantee too
            broken.append(f"the declared sensitivities cost epsilon {self.accounted:.4g}")
        if not self.found <= limit:
            broken.append(f"neighbours cost epsilon {self.found:.4g}")
        if not self.largest_move <= 1 + MOVED:
            broken.append(f"a query moves by {self.largest_move:.4g} of its sensitivity")
        if self.shown and not self.shown.epsilon <= limit:
            broken.append(f"outputs show epsilon {self.shown.epsilon:.4g}")
        leaks = [f"{leak} depends on the data without noise" for leak in self.leaks]
        return [*broken, *leaks, *self.noise]

    @property
    def tightness(self) -> float:
        """The largest move divided by its upper bound.

        A sensitivity that is too small by a factor above 1 / `tightness`, relative to the smallest
        that holds, would have been refuted.
        """
        return self.largest_move / self.attainable.share

    @property
    def only_leaks(self) -> bool:
        """Whether leaks are all that contradicts the privacy guarantee.

        A leak is something that a fit shows and that depends on the data without noise.
        """
        return len(self.problems) == len(self.leaks)

    @property
    def holds(self) -> bool:
        """Whether the audit found no contradiction of the guarantee."""
        return not self.problems


def audit(
    method: str,
    data: Data,
    *,
    params: Mapping[str, Any],
    neighbours: int = 200,
    seconds: float = inf,
    trials: int = 0,
    seed: int = 0,
    tick: Callable[[], Any] = lambda: None,
) -> Finding:
    """The result of auditing a method on random, adversarial and searched neighbours.

    The neighbours are pairs of samples of `data`, as the method declares: replace-one, one
    protected attribute, one edge, or add-or-remove-one. For add-or-remove-one, a record is kept out
    of all batches, so that code that reads the record outside the batches shows as a leak.

    Args:
        method: The name of a private method.
        data: The data to sample from.
        params: Parameters of the method; the others have their defaults.
        neighbours: The number of pairs that are tried.
        seconds: After this time no further pair is tried.
        trials: The number of fits of the worst pair for a lower bound of epsilon; 0 for no bound.
        seed: The seed of the audit.
        tick: Called after each pair.

    Raises:
        ValueError: every fit was refused.
    """
    algorithm = catalog.algorithm(method)
    guarantee = algorithm.guarantee
    found = audit_fit(
        method,
        algorithm.fit,
        data,
        relation=guarantee.neighbours,
        params=params,
        stated_delta=guarantee.stated_delta,
        neighbours=neighbours,
        seconds=seconds,
        trials=trials,
        seed=seed,
        tick=tick,
    )
    return replace(found, attainable=attainable(method, params, data))


def audit_fit(
    method: str,
    fit: Callable[..., Any],
    data: Data,
    *,
    relation: Neighbours,
    params: Mapping[str, Any],
    stated_delta: Callable[[Mapping[str, Any], int], float] = delta_parameter,
    neighbours: int,
    seconds: float = inf,
    trials: int = 0,
    seed: int = 0,
    tick: Callable[[], Any] = lambda: None,
) -> Finding:
    """The result of an audit of `fit(data, **params, rng=...)`, which claims `params["epsilon"]`.

    Args:
        method: The name of the method.
        fit: The function that fits the method.
        data: The data to sample from.
        relation: The neighbouring relation.
        params: All parameters of the method.
        stated_delta: The delta that is claimed for parameters and a number of records.
        neighbours: The number of pairs that are tried.
        seconds: After this time no further pair is tried.
        trials: The number of fits of the worst pair for a lower bound of epsilon; 0 for no bound.
        seed: The seed of the audit.
        tick: Called after each pair.

    Raises:
        ValueError: every fit was refused.
    """
    search_rng, pair_rng, seeds, extreme_rng = np.random.default_rng(seed).spawn(4)
    pairs = _Pairs(fit, relation, params, stated_delta, seeds)
    drawn = data.neighbours(relation, count=neighbours, rng=pair_rng)
    extreme = extreme_pairs(data, relation, rng=extreme_rng)
    began = time.monotonic()
    for k in range(neighbours):
        if k and time.monotonic() - began > seconds:
            break
        turn, times = k % TURNS, k // TURNS
        constructed = next(extreme, None) if turn == CONSTRUCTED else None
        if turn == SEARCHED and times % IMPROBABLE == IMPROBABLE - 1 and pairs.adaptive:
            pairs.replay_improbable()
        elif turn == SEARCHED and pairs.worst:
            left, right = pairs.worst
            pairs.replay(*left.altered(right, relation, rng=search_rng))
        else:
            pairs.replay(*(constructed or next(drawn)))
        tick()
    return pairs.finding(method, trials)


class _Pairs:
    """The audited pairs of neighbouring data sets, the worst pair, and the observed noise.

    The worst pair is the one whose queries change most.
    """

    def __init__(
        self,
        fit: Callable[..., Any],
        relation: Neighbours,
        params: Mapping[str, Any],
        stated_delta: Callable[[Mapping[str, Any], int], float],
        seeds: np.random.Generator,
    ) -> None:
        self.fit, self.relation, self.params = fit, relation, params
        self.stated_delta, self.seeds = stated_delta, seeds
        self.tried: list[tuple[PairFinding, float]] = []  # with the stated delta
        self.fitted: deque[tuple[Callable[..., Any], Data]] = deque(maxlen=FITS_KEPT)
        self.noise, self.membership = NoiseCheck(), MembershipCheck()
        self.worst: tuple[Any, Any] | None = None
        self.worst_score = -inf
        self.worst_tape: Sequence[Release] = ()
        self.by_course: dict[Course, float] = {}  # largest move of the last history

    def replay(self, left: Data, right: Data) -> None:
        """Audits the neighbouring data sets `left` and `right`.

        If their queries change more than those of all earlier pairs, `left` and `right` become the
        worst pair.
        """
        fit = partial(self.fit, **with_small_batches(self.params, len(left)))
        absentees = self._absentees(left, right)
        seed = int(self.seeds.integers(2**63))
        found = replay_on_neighbour(fit, left, right, absentees=absentees, seed=seed)
        self.tried.append((found, self.stated_delta(self.params, len(left))))
        self.fitted.append((fit, left))
        self.noise.see(found.tape)
        self.membership.see(found.tape, found.changes)
        score = max(found.largest_move, sum(found.moves))
        if score >= self.worst_score and not found.refused:
            self.worst, self.worst_score = (left, right), score
            self.worst_tape = found.tape

    @property
    def adaptive(self) -> bool:
        """Whether a query of the worst pair can depend on the output of an earlier release."""
        return len(self.worst_tape) > 1

    def replay_improbable(self) -> None:
        """Audits the worst pair again, on an improbable history of outputs.

        Each of the COURSES is tried once, and then the one with the largest move. The noise of this
        history and its batches are not observations of the noise.
        """
        if not self.worst:
            return
        untried = [course for course in COURSES if course not in self.by_course]
        course = untried[0] if untried else max(self.by_course, key=self.by_course.__getitem__)
        left, right = reversed(self.worst) if course.swapped else self.worst
        found = replay_history(
            partial(self.fit, **with_small_batches(self.params, len(left))),
            left,
            right,
            one_sided(self.worst_tape, course),
            absentees=self._absentees(left, right),
            seed=int(self.seeds.integers(2**63)),
        )
        self.by_course[course] = found.largest_move if found else 0.0
        if found:
            self.tried.append((found, self.stated_delta(self.params, len(left))))

    def _absentees(self, left: Data, right: Data) -> list[int]:
        """The rows that are in no batch of the fit of `right`."""
        if self.relation is not Neighbours.ADD_OR_REMOVE_ONE:
            return []
        rows: list[int] = left.differing_rows(right).tolist()
        return rows

    def finding(self, method: str, trials: int) -> Finding:
        """The result of the audit over all pairs of neighbouring data sets.

        The lower bound of epsilon is computed from `trials` fits of the pair whose queries change
        most.

        Raises:
            ValueError: every fit was refused.
        """
        asked = [(found, delta) for found, delta in self.tried if not found.refused]
        if not asked:
            raise ValueError(next(found.refused for found, _ in self.tried))
        leaks = chain.from_iterable(found.leaks for found, _ in self.tried)
        delta = min(delta for _, delta in asked)
        noise = [*self._problems_of_repeated_fits(), *self.noise.problems()]
        costs = [privacy_loss(pair.tape, pair.changes, stated) for pair, stated in _furthest(asked)]
        return Finding(
            method,
            claimed=self.params["epsilon"],
            delta=delta,
            accounted=max(_accounted(asked)),
            found=max(costs),
            largest_move=max(found.largest_move for found, _ in asked),
            leaks=tuple(dict.fromkeys(leaks)),
            noise=(*noise, *self.membership.problems()),
            pairs=len(self.tried),
            shown=self._shown(trials, delta) if trials else None,
            unknown=tuple(sorted(self.noise.unknown)),
            moves=_largest_of_each([found for found, _ in asked]),
        )

    def _problems_of_repeated_fits(self) -> list[str]:
        """The messages about repeated fits of the pair of neighbours whose queries change most.

        If too little noise was observed, the fits of all pairs are repeated to observe more.
        """
        if not self.worst:
            return []
        fit = partial(self.fit, **with_small_batches(self.params, len(self.worst[0])))
        # replacing a record = removing one and adding one
        steps = 2 if self.relation is Neighbours.ADD_OR_REMOVE_ONE else 1
        epsilon, look = steps * self.params["epsilon"], self.noise.see
        found = problems_of_repeated_fits(
            fit, *self.worst, epsilon=epsilon, rng=self.seeds, look=look
        )
        for k in range(len(self.tried)):
            if self.noise.enough:
                break
            fitted_again(*self.fitted[k % len(self.fitted)], self.seeds, look)
        return found

    def _shown(self, trials: int, delta: float) -> LowerBound | None:
        """The lower bound of epsilon from fits of the pair of neighbours whose queries change most.

        The result is None if batches or the number of releases are random, or if the neighbours
        differ in size.
        """
        if not self.worst or self.relation is Neighbours.ADD_OR_REMOVE_ONE:
            return None
        fit = partial(self.fit, **with_small_batches(self.params, len(self.worst[0])))
        try:
            return likelihood_ratio_bound(
                fit, *self.worst, delta=delta, trials=trials, rng=self.seeds
            )
        except ValueError:
            return None


def _largest_of_each(found: Sequence[PairFinding]) -> dict[str, float]:
    """The largest change divided by the sensitivity of each kind of query."""
    largest: dict[str, float] = {}
    for name, move in chain.from_iterable(pair.named_moves for pair in found):
        largest[name] = max(largest.get(name, 0.0), move)
    return largest


def _accounted(asked: list[tuple[PairFinding, float]]) -> Iterator[float]:
    """Yields, for each pair of neighbours, the epsilon that the declared sensitivities cost.

    Each item of `asked` is the result of a pair and the delta at which epsilon is computed.
    """
    for found, delta in asked:
        yield privacy_loss(found.tape, [entry.sensitivity for entry in found.tape], delta)


def _furthest(asked: list[tuple[PairFinding, float]]) -> list[tuple[PairFinding, float]]:
    """The pairs of neighbours whose queries change most, in units of the noise of each query.

    These are the pairs with the largest change in total or in one query. Each item of `asked` is
    the result of a pair and the delta at which epsilon is computed.
    """
    by_sum = sorted(asked, key=lambda pair: sum(pair[0].moves))[-WORST:]
    by_one = sorted(asked, key=lambda pair: max(pair[0].moves, default=0.0))[-WORST:]
    return by_sum + by_one


def with_small_batches(params: Mapping[str, Any], size: int) -> dict[str, Any]:
    """The parameters `params`, with a batch size of at most a quarter of the records.

    `size` is the number of records.
    """
    small = dict(params)
    if "batch_size" in small:
        small["batch_size"] = min(small["batch_size"], ceil(size / 4))
    return small
