"""Does a method keep its promise? Record every release of a fit and replay it on neighbouring data.

Each release has a declared sensitivity and a noise scale. The claim is refuted if, on any pair of
neighbours that is tried, (a) the declared sensitivities cost more than epsilon at the delta that
the method states, by an accountant that no method uses, (b) a query moves by more than its declared
sensitivity, or the moves cost more than epsilon, (c) with the same outputs handed out again
anything else differs: the result and what it answers, what is printed, whether the fit is refused,
the noise, or (d) the noise is not what it is said to be. The worst pair is then made worse, value
by value. A pass proves nothing; a failure refutes.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.auditing.losses import privacy_loss
from dpfair_cli.auditing.lower_bounds import LowerBound, likelihood_ratio_bound
from dpfair_cli.auditing.membership import MembershipCheck
from dpfair_cli.auditing.noise import NoiseCheck
from dpfair_cli.auditing.repeating import fitted_again, problems_of_repeated_fits
from dpfair_cli.auditing.replaying import PairFinding, replay_on_neighbour
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds import Data

ROUNDING = 1e-6  # of an epsilon: noise is calibrated, and the epsilon of it found, to so many parts
MOVED = 1e-6  # of a move, in parts of its sensitivity: networks compute with 32 bits
SEARCH = 4  # one in so many pairs is a step of the search for worse neighbours
WORST = 3  # pairs whose moves are composed exactly


@dataclass(frozen=True)
class Finding:
    """What an audit found.

    Epsilons as claimed, by the declared sensitivities and by the moves; the largest move of a query
    over its sensitivity; what depends on the data without noise; what is wrong with the noise; how
    many pairs were tried; the epsilon that fits of the worst pair show with 95 % confidence, where
    that was asked for and can be told; and the mechanisms whose noise was not looked at.
    """

    method: str
    claimed: float
    delta: float
    accounted: float
    found: float
    largest_move: float
    leaks: tuple[str, ...]
    noise: tuple[str, ...]
    pairs: int
    shown: LowerBound | None = None
    unknown: tuple[str, ...] = ()

    @property
    def problems(self) -> list[str]:
        """Everything that breaks the claim, in words; none if it holds as far as tried."""
        limit = self.claimed * (1 + ROUNDING)
        broken = {
            f"the declared sensitivities cost epsilon {self.accounted:.4g}": not self.accounted
            <= limit,
            f"neighbours cost epsilon {self.found:.4g}": not self.found <= limit,
            f"a query moves by {self.largest_move:.4g} of its sensitivity": not self.largest_move
            <= 1 + MOVED,
        }
        if self.shown:
            broken[f"outputs show epsilon {self.shown.epsilon:.4g}"] = (
                not self.shown.epsilon <= limit
            )
        leaks = [f"{leak} depends on the data without noise" for leak in self.leaks]
        return [*(words for words, is_so in broken.items() if is_so), *leaks, *self.noise]

    @property
    def only_leaks(self) -> bool:
        """Whether nothing but leaks breaks the claim."""
        return len(self.problems) == len(self.leaks)

    @property
    def holds(self) -> bool:
        """Nothing found that breaks the claim."""
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
    """Audit a private method on random, adversarial and searched neighbours of samples of `data`.

    What a neighbour is says the method's `Neighbours:` line: replace-one, one protected attribute,
    one edge, or add-or-remove-one (a replaced record that is in no batch: whatever is read outside
    the batches shows as a leak). After `seconds` no further pair is begun; `tick` is called after
    each. With `trials`, the worst pair is fitted so many times more, for a lower bound of epsilon.

    Raises:
        ValueError: every fit was refused.
    """
    algorithm = catalog.algorithm(method)
    guarantee = algorithm.guarantee
    return audit_fit(
        method, algorithm.fit, data, relation=guarantee.neighbours, params=params, stated_delta=guarantee.stated_delta,
        neighbours=neighbours, seconds=seconds, trials=trials, seed=seed, tick=tick,
    )  # fmt: skip


def audit_fit(
    method: str,
    fit: Callable[..., Any],
    data: Data,
    *,
    relation: Neighbours,
    params: Mapping[str, Any],
    stated_delta: Callable[[Mapping[str, Any], int], float] = lambda params, n: params.get(
        "delta", 0.0
    ),
    neighbours: int,
    seconds: float = inf,
    trials: int = 0,
    seed: int = 0,
    tick: Callable[[], Any] = lambda: None,
) -> Finding:
    """Audit `fit(data, **params, rng=...)`, which claims `params["epsilon"]` for neighbours of this
    relation.

    Raises:
        ValueError: every fit was refused.
    """
    search_rng, pair_rng, seeds = np.random.default_rng(seed).spawn(3)
    pairs = _Pairs(fit, relation, params, stated_delta, seeds)
    drawn = data.neighbours(relation, count=neighbours, rng=pair_rng)
    began = time.monotonic()
    for k in range(neighbours):
        if k and time.monotonic() - began > seconds:
            break
        if k % SEARCH == SEARCH - 1 and pairs.worst:
            left, right = pairs.worst
            pairs.replay(*left.altered(right, relation, rng=search_rng))
        else:
            pairs.replay(*next(drawn))
        tick()
    return pairs.finding(method, trials)


class _Pairs:
    """Every pair that was replayed, the worst of them, and the noise that was seen."""

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
        self.tried: list[tuple[PairFinding, float]] = []  # with the delta that the method states
        self.fitted: deque[tuple[Callable[..., Any], Data]] = deque(
            maxlen=12
        )  # the last fits, and data of all sizes
        self.noise, self.membership = NoiseCheck(), MembershipCheck()
        self.worst: tuple[Any, Any] | None = None
        self.worst_score = -inf

    def replay(self, left: Data, right: Data) -> None:
        """Try one more pair; it is the worst if its queries move the furthest."""
        fit = partial(self.fit, **with_small_batches(self.params, len(left)))
        absentees = (
            left.differing_rows(right).tolist()
            if self.relation is Neighbours.ADD_OR_REMOVE_ONE
            else ()
        )
        seed = int(self.seeds.integers(2**63))
        found = replay_on_neighbour(fit, left, right, absentees=absentees, seed=seed)
        self.tried.append((found, self.stated_delta(self.params, len(left))))
        self.fitted.append((fit, left))
        self.noise.see(found.tape)
        self.membership.see(found.tape, found.changes)
        score = max(found.largest_move, sum(found.moves))
        if score >= self.worst_score and not found.refused:
            self.worst, self.worst_score = (left, right), score

    def finding(self, method: str, trials: int) -> Finding:
        """What all of them show together, and so many trials on the worst.

        Raises:
            ValueError: every fit was refused.
        """
        asked = [(found, delta) for found, delta in self.tried if not found.refused]
        if not asked:
            raise ValueError(next(found.refused for found, _ in self.tried))
        leaks = dict.fromkeys(leak for found, _ in self.tried for leak in found.leaks)
        return Finding(
            method,
            claimed=self.params["epsilon"],
            delta=min(delta for _, delta in asked),
            accounted=max(_accounted(asked)),
            found=max(
                privacy_loss(found.tape, found.changes, delta) for found, delta in _furthest(asked)
            ),
            largest_move=max(found.largest_move for found, _ in asked),
            leaks=tuple(leaks),
            noise=(
                *self._problems_of_repeated_fits(),
                *self.noise.problems(),
                *self.membership.problems(),
            ),
            pairs=len(self.tried),
            shown=self._shown(trials, min(delta for _, delta in asked)) if trials else None,
            unknown=tuple(sorted(self.noise.unknown)),
        )

    def _problems_of_repeated_fits(self) -> list[str]:
        """Of the worst pair; where too little noise was seen, as many fits as there were pairs are
        made again.
        """
        if not self.worst:
            return []
        fit = partial(self.fit, **with_small_batches(self.params, len(self.worst[0])))
        steps = (
            2 if self.relation is Neighbours.ADD_OR_REMOVE_ONE else 1
        )  # one record is taken away, another one added
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
        """What fits of the worst pair show; nothing where batches are random, or what is released
        is.

        Nor where one of the pair is one record less: the fits are of both as they are.
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


def _accounted(asked: list[tuple[PairFinding, float]]) -> Iterator[float]:
    """The epsilon of the declared sensitivities of each pair; most of them are the same and
    composed once.
    """
    return (
        privacy_loss(found.tape, [entry.sensitivity for entry in found.tape], delta)
        for found, delta in asked
    )


def _furthest(asked: list[tuple[PairFinding, float]]) -> list[tuple[PairFinding, float]]:
    """The pairs whose queries move the furthest in units of their noise, in the sum and in one
    query.
    """
    by_sum = sorted(asked, key=lambda pair: sum(pair[0].moves))[-WORST:]
    by_one = sorted(asked, key=lambda pair: max(pair[0].moves, default=0.0))[-WORST:]
    return by_sum + by_one


def with_small_batches(params: Mapping[str, Any], size: int) -> dict[str, Any]:
    """The parameters with batches of at most a quarter of a sample, for the methods that draw any."""
    batches = (
        {"batch_size": min(params["batch_size"], -(-size // 4))} if "batch_size" in params else {}
    )
    return {**params, **batches}
