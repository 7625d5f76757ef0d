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
improbable outputs on the worst pair (replaying.py). An audit that finds nothing proves nothing.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import ceil, inf
from typing import Any, TypedDict, Unpack

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.auditing.attainable import attainable
from dpfair_cli.auditing.extremes import extreme_pairs
from dpfair_cli.auditing.finding import Finding
from dpfair_cli.auditing.losses import privacy_loss
from dpfair_cli.auditing.lower_bounds import LowerBound, likelihood_ratio_bound
from dpfair_cli.auditing.noise import MembershipCheck, NoiseCheck
from dpfair_cli.auditing.repeating import fitted_again, problems_of_repeated_fits
from dpfair_cli.auditing.replaying import (
    COURSES,
    Course,
    PairFinding,
    one_sided,
    replay_history,
    replay_on_neighbour,
)
from dpfair_cli.contracts.guarantees import Neighbours, delta_parameter
from dpfair_cli.kinds import Data
from dpfair_cli.mechanisms.ledger import Release

TURNS = 4  # of the pairs, one in TURNS is constructed, and one is a step of the search
CONSTRUCTED, SEARCHED = 1, 3  # which of them
IMPROBABLE = 2  # one in IMPROBABLE steps of the search tries other outputs, not other data
WORST = 3  # number of pairs whose changes are composed exactly
FITS_KEPT = 12  # recent data that can be fitted again, of all sizes

Fit = Callable[..., Any]
Tried = tuple[PairFinding, float]  # with the delta that is stated for the size of the data


class Amounts(TypedDict, total=False):
    """How much an audit tries."""

    neighbours: int  # the number of pairs that are tried
    seconds: float  # after this time no further pair is tried
    trials: int  # the number of fits of the worst pair for a lower bound of epsilon; 0 for no bound
    seed: int  # the seed of the audit
    tick: Callable[[], Any]  # called after each pair


def audit(
    method: str, data: Data, *, params: Mapping[str, Any], **amounts: Unpack[Amounts]
) -> Finding:
    """The result of auditing a private method on random, adversarial and searched neighbours.

    The neighbours are pairs of samples of `data`, as the method declares: replace-one, one
    protected attribute, one edge, or add-or-remove-one. For add-or-remove-one, a record is kept out
    of all batches, so that code that reads the record outside the batches shows as a leak.

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
        **amounts,
    )
    return replace(found, attainable=attainable(method, params, data))


def audit_fit(
    method: str,
    fit: Fit,
    data: Data,
    *,
    relation: Neighbours,
    params: Mapping[str, Any],
    stated_delta: Callable[[Mapping[str, Any], int], float] = delta_parameter,
    neighbours: int = 200,
    seconds: float = inf,
    trials: int = 0,
    seed: int = 0,
    tick: Callable[[], Any] = lambda: None,
) -> Finding:
    """The result of an audit of `fit(data, **params, rng=...)`, which claims `params["epsilon"]`.

    `stated_delta` gives the delta that is claimed for parameters and a number of records. The other
    arguments are as for `audit`.

    Raises:
        ValueError: every fit was refused.
    """
    # a generator for each purpose: one more step of the search draws no other pairs
    search_rng, pair_rng, seeds, extreme_rng = np.random.default_rng(seed).spawn(4)
    pairs = _Pairs(fit, relation, params, stated_delta, seeds)
    drawn = data.neighbours(relation, count=neighbours, rng=pair_rng)
    extreme = extreme_pairs(data, relation, rng=extreme_rng)
    began = time.monotonic()
    for k in range(neighbours):
        if k and time.monotonic() - began > seconds:  # one pair is always tried
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
        fit: Fit,
        relation: Neighbours,
        params: Mapping[str, Any],
        stated_delta: Callable[[Mapping[str, Any], int], float],
        seeds: np.random.Generator,
    ) -> None:
        self.fit, self.relation, self.params = fit, relation, params
        self.stated_delta, self.seeds = stated_delta, seeds
        self.tried: list[Tried] = []
        self.fitted: deque[Data] = deque(maxlen=FITS_KEPT)
        self.noise, self.membership = NoiseCheck(), MembershipCheck()
        self.worst: tuple[Any, Any] | None = None
        self.worst_score = -inf
        self.worst_tape: Sequence[Release] = ()
        self.by_course: dict[Course, float] = {}  # largest move of the last history

    def replay(self, left: Data, right: Data) -> None:
        """Audits two neighbours; they become the worst pair if their queries change most."""
        found = replay_on_neighbour(self._fit_of(left), left, right, **self._replay_of(left, right))
        self._keep(found, left)
        self.fitted.append(left)
        self.noise.see(found.tape)
        self.membership.see(found.tape, found.changes)
        score = max(found.largest_move, sum(found.moves))
        # of equal pairs the latest, which the search changes next
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
        history, amounts = one_sided(self.worst_tape, course), self._replay_of(left, right)
        found = replay_history(self._fit_of(left), left, right, history, **amounts)
        self.by_course[course] = found.largest_move if found else 0.0
        if found:
            self._keep(found, left)

    def _keep(self, found: PairFinding, left: Data) -> None:
        self.tried.append((found, self.stated_delta(self.params, len(left))))

    def _fit_of(self, data: Data) -> Fit:
        """The fit with all parameters, and batches that are small enough for the data."""
        return partial(self.fit, **with_small_batches(self.params, len(data)))

    def _replay_of(self, left: Data, right: Data) -> dict[str, Any]:
        """The rows that are in no batch of the fit of `right`, and the seed of both fits."""
        is_removed = self.relation is Neighbours.ADD_OR_REMOVE_ONE
        absentees = left.differing_rows(right).tolist() if is_removed else []
        return {"absentees": absentees, "seed": int(self.seeds.integers(2**63))}

    def finding(self, method: str, trials: int) -> Finding:
        """The result over all pairs, with a lower bound from `trials` fits of the worst pair.

        Raises:
            ValueError: every fit was refused.
        """
        asked = [(found, delta) for found, delta in self.tried if not found.refused]
        if not asked:
            raise ValueError(next(found.refused for found, _ in self.tried))
        leaks = chain.from_iterable(found.leaks for found, _ in self.tried)
        # the strictest: a delta may depend on the number of records
        delta = min(delta for _, delta in asked)
        declared = [privacy_loss(one.tape, one.sensitivities, stated) for one, stated in asked]
        changed = [privacy_loss(one.tape, one.changes, stated) for one, stated in _furthest(asked)]
        # the repeated fits come first: they add to the noise that is tested
        noise = [*self._problems_of_repeated_fits(), *self.noise.problems()]
        return Finding(
            method,
            claimed=self.params["epsilon"],
            delta=delta,
            accounted=max(declared),
            found=max(changed),
            largest_move=max(found.largest_move for found, _ in asked),
            leaks=tuple(dict.fromkeys(leaks)),
            noise=(*noise, *self.membership.problems()),
            pairs=len(self.tried),
            shown=self._shown(trials, delta) if trials else None,
            unknown=tuple(sorted(self.noise.unknown)),
            moves=_largest_of_each(found for found, _ in asked),
        )

    def _problems_of_repeated_fits(self) -> list[str]:
        """The messages about repeated fits of the worst pair.

        If too little noise was observed, the fits of all pairs are repeated to observe more.
        """
        if not self.worst:
            return []
        # replacing a record = removing one and adding one
        steps = 2 if self.relation is Neighbours.ADD_OR_REMOVE_ONE else 1
        epsilon, look = steps * self.params["epsilon"], self.noise.see
        found = problems_of_repeated_fits(
            self._fit_of(self.worst[0]), *self.worst, epsilon=epsilon, rng=self.seeds, look=look
        )
        for k in range(len(self.tried)):
            if self.noise.enough:
                break
            data = self.fitted[k % len(self.fitted)]
            fitted_again(self._fit_of(data), data, self.seeds, look)
        return found

    def _shown(self, trials: int, delta: float) -> LowerBound | None:
        """The lower bound of epsilon from fits of the worst pair.

        The result is None if batches or the number of releases are random, or if the neighbours
        differ in size.
        """
        if not self.worst or self.relation is Neighbours.ADD_OR_REMOVE_ONE:
            return None
        fit = self._fit_of(self.worst[0])
        try:
            return likelihood_ratio_bound(
                fit, *self.worst, delta=delta, trials=trials, rng=self.seeds
            )
        except ValueError:
            return None


def _largest_of_each(found: Iterable[PairFinding]) -> dict[str, float]:
    """The largest change divided by the sensitivity of each kind of query."""
    largest: dict[str, float] = {}
    for name, move in chain.from_iterable(pair.named_moves for pair in found):
        largest[name] = max(largest.get(name, 0.0), move)
    return largest


def _furthest(asked: list[Tried]) -> list[Tried]:
    """The pairs of neighbours with the largest change in total or in one query.

    Changes are in units of the noise of each query. Composing the changes exactly is slow, so that
    only WORST pairs of each kind are composed.
    """
    by_sum = sorted(asked, key=lambda pair: sum(pair[0].moves))[-WORST:]
    by_one = sorted(asked, key=lambda pair: max(pair[0].moves, default=0.0))[-WORST:]
    return by_sum + by_one


def with_small_batches(params: Mapping[str, Any], size: int) -> dict[str, Any]:
    """The parameters, with a batch size of at most a quarter of `size` records."""
    small = dict(params)
    if "batch_size" in small:
        small["batch_size"] = min(small["batch_size"], ceil(size / 4))
    return small
