"""An audit of outcomes alone: repeated runs on neighbours, and a lower bound of the privacy loss.

The audit needs no access to the noise. It runs a function many times on both inputs of some pairs
of neighbours. A first part of the runs chooses the pair and an event, such as "the outcome is 3".
New runs then count how often the event occurs for each of the two inputs. Clopper-Pearson intervals
of the two probabilities give the bound, so that the bound has its stated confidence, whatever the
first runs chose.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import inf
from typing import Any

import numpy as np

from dpfair_cli.auditing.finding import HOLDS, power
from dpfair_cli.auditing.lower_bounds import clopper_pearson_rates, epsilon_of
from dpfair_cli.auditing.repeating import numbers_in
from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.kinds.records import Records

CONFIDENCE = 0.999  # of a bound: an assertion runs at every change of a project
MOST = 200_000  # runs of one audit
NUMBERS = 20_000_000  # numbers of the outcomes of one audit that are kept
FEWEST = 10  # runs of each input of a pair in the first part, however slow the function is
TIMED = 3  # runs from which the duration of a run is estimated
PAIRS = 16  # pairs that are tried, where time allows
OUTCOMES = 64  # different outcomes that are looked at one by one
REPEATED = 5  # runs with the same outcome, if there are more different outcomes
TWICE = 2  # the same for few outcomes: an outcome that occurred once may never occur again
KEPT = 500  # numbers of an outcome that are looked at
COLUMNS = 40  # numbers of an outcome that are compared
NEGLIGIBLE = 1e-9  # share of the largest variance that is added to each, in a discriminant
ENOUGH = 10  # outcomes for each weight of a discriminant
LEVELS = np.linspace(0.01, 0.99, 33)  # quantiles that become thresholds
LONGEST = 200  # characters of an input in words
ORDERS = 1 + np.geomspace(1e-3, 100, 60)  # orders alpha of Renyi divergences
SHOWN = 6  # outcomes of an event that are written out

Run = Callable[[Any, np.random.Generator], Any]
"""A function of an input and a random generator."""
Written = Callable[[Floats], str]
"""A function that writes the numbers of an outcome."""


@dataclass(frozen=True)
class ClaimedPrivacy:
    """The privacy that is claimed: (epsilon, delta)-DP, or zero-concentrated DP with `amount`."""

    amount: float  # the claimed epsilon or rho
    delta: float = 0.0  # the claimed delta
    name: str = "epsilon"  # the name of the amount, "epsilon" or "rho"

    def amount_of(self, p: float, q: float) -> float:
        """The least amount of a mechanism with an event of these two probabilities."""
        if self.name == "rho":
            return rho_of(p, q)
        return epsilon_of(p, q, self.delta)

    def lower_bound(self, first: int, second: int, count: int) -> float:
        """A lower bound of the amount, from `count` runs of each input, of which so many show it.

        `first` and `second` are the numbers of runs of the two inputs in which an event occurred.
        """
        return self.amount_of(*clopper_pearson_rates(first, second, count, CONFIDENCE))

    def least_found(self, count: int) -> float:
        """The least amount that half of the audits with `count` runs of each input can find.

        With less, no event is so frequent for one input and so rare for the other that their
        expected numbers refute the claim. Infinite if nothing refutes it.
        """
        least = inf
        for first in np.unique(np.geomspace(1, count - 1, 100).astype(int)).tolist():
            # the numbers for the other input that refute the claim are those below this one
            refuting = bisect_left(
                range(first),
                True,
                key=lambda second: self.lower_bound(first, second, count) <= self.amount,
            )
            if refuting:  # an expected number below one half is 0
                least = min(least, self.amount_of(first / count, max(refuting - 1, 0.5) / count))
        return least

    def __str__(self) -> str:
        return f"{self.name} {self.amount:g}" + (f", delta {self.delta:.4g}" if self.delta else "")


@dataclass(frozen=True, eq=False)
class OutcomeFinding:
    """The result of an audit of outcomes."""

    method: str  # the name of the function
    claim: ClaimedPrivacy  # the claimed privacy
    bound: float  # the lower bound of the claimed amount
    # the neighbouring inputs that were compared; the event is more frequent for the first
    pair: tuple[Any, Any]
    event: str  # the event that was counted, in words
    counts: tuple[int, int]  # the numbers of runs of the two inputs in which the event occurred
    runs: int  # the number of runs of each of the two inputs

    @cached_property
    def least_found(self) -> float:
        """The least amount that half of such audits can find."""
        return self.claim.least_found(self.runs)

    @property
    def holds(self) -> bool:
        """Whether the lower bound is at most the claimed amount."""
        return self.bound <= self.claim.amount

    @property
    def amount(self) -> str:
        """The lower bound of the claimed amount with its confidence, in words."""
        name = self.claim.name
        return f"{name} of at least {self.bound:.4g} with {CONFIDENCE:.1%} confidence"

    @property
    def in_words(self) -> str:
        """What was found, with the number of runs of both inputs."""
        return f"{self.amount} ({2 * self.runs} runs)"

    @property
    def outcome_in_words(self) -> str:
        """The event, and how often it occurred for each input, in words."""
        first, second = self.counts
        return (
            f"{self.event}, in {first} of {self.runs} runs of the first and in {second} of "
            f"{self.runs} runs of the second"
        )

    def lines(self) -> list[tuple[str, str]]:
        """The lines about the result, as (name, text)."""
        bound = f"{self.claim.name} {self.bound:.4g} at least, with {CONFIDENCE:.1%} confidence"
        return [
            ("claimed", str(self.claim)),
            ("shown", f"{bound} (outcomes of {2 * self.runs} runs; the noise cannot be followed)"),
            ("pair", pair_in_words(*self.pair)),
            ("outcome", self.outcome_in_words),
            ("power", power(self.claim.name, self.least_found)),
            ("unchecked", "everything else: this bound is often far below the privacy loss"),
            ("verdict", HOLDS if self.holds else "refuted: the bound exceeds the claim"),
        ]

    def plain(self) -> dict[str, Any]:
        """The result as mappings and lists."""
        return {
            "method": self.method,
            "claimed": self.claim.amount,
            "delta": self.claim.delta,
            "bound": self.bound,
            "least_found": self.least_found,
            "confidence": CONFIDENCE,
            "pair": pair_in_words(*self.pair),
            "outcome": self.event,
            "counts": self.counts,
            "runs": self.runs,
            "holds": self.holds,
        }


@dataclass(frozen=True)
class Event:
    """A set of outcomes."""

    words: str  # the event in words
    occurs: Callable[[Floats], Mask]  # the outcomes (n, k) -> whether the event occurred, (n,)


@dataclass(frozen=True)
class _Choice:
    """A pair of neighbours and an event that the first runs chose."""

    score: float
    pair: tuple[Any, Any]
    event: Event


def audit_outcomes(
    name: str,
    run: Run,
    pairs: Sequence[tuple[Any, Any]],
    *,
    claim: ClaimedPrivacy,
    seconds: float,
    seed: int = 0,
) -> OutcomeFinding:
    """The result of an audit of `run(input, rng)` by its outcomes on pairs of neighbours.

    Args:
        name: The name of the function.
        run: The function.
        pairs: Pairs of neighbouring inputs.
        claim: The claimed privacy.
        seconds: The time after which the audit should end.
        seed: The seed of the generators.

    Raises:
        Exception: the function raised it for the inputs of all pairs.
    """
    rng = np.random.default_rng(seed)
    numbered = _Numbered(run)
    duration, width = _measured(numbered, pairs, rng)
    total = int(min(MOST, NUMBERS / width, max(seconds / duration, 8 * FEWEST)))
    tried = pairs[: max(1, min(PAIRS, total // (8 * FEWEST)))]
    count = total // 8 // len(tried)  # a quarter of the runs, on two inputs
    best = max(
        (_chosen(numbered, pair, count, claim, rng) for pair in tried), key=lambda one: one.score
    )
    # again with more runs: the best of many pairs is in part the luckiest
    best = _chosen(numbered, best.pair, total // 8, claim, rng)
    runs = total // 4  # of each input: half of all runs
    first, second = (
        int(best.event.occurs(_outcomes(numbered, one, runs, rng)).sum()) for one in best.pair
    )
    bound = claim.lower_bound(first, second, runs)
    return OutcomeFinding(name, claim, bound, best.pair, best.event.words, (first, second), runs)


class _Numbered:
    """A function whose outcomes are numbers; texts and exceptions are numbers with a name."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.names: dict[float, str] = {}

    def __call__(self, one: Any, rng: np.random.Generator) -> Floats:
        """The numbers of the outcome of a run of an input."""
        try:
            outcome = self.run(one, rng)
        except Exception as error:  # every exception of a function is observable
            outcome = f"{type(error).__name__}: {error}"
        numbers = numbers_in(outcome)[:KEPT]
        if isinstance(outcome, str):
            self.names[float(numbers[0])] = outcome
        return numbers

    def written(self, numbers: Floats) -> str:
        """The numbers of an outcome in words."""
        if len(numbers) == 1:
            return self.names.get(float(numbers[0]), f"{numbers[0]:g}")
        return f"[{', '.join(f'{number:g}' for number in numbers)}]"


def _measured(
    run: _Numbered, pairs: Sequence[tuple[Any, Any]], rng: np.random.Generator
) -> tuple[float, int]:
    """The seconds of a run, and not of the first one, which may load libraries; and its numbers.

    Raises:
        Exception: the function raised it for the inputs of all pairs.
    """
    errors: list[Exception] = []
    for one in chain.from_iterable(pairs):
        try:
            run.run(one, rng.spawn(1)[0])
        except Exception as error:  # the function may refuse some inputs only
            errors.append(error)
        else:
            began = time.monotonic()
            found = _outcomes(run, one, TIMED, rng)
            return max((time.monotonic() - began) / TIMED, 1e-6), found.shape[1]
    raise errors[0]


def _chosen(
    run: _Numbered,
    pair: tuple[Any, Any],
    count: int,
    claim: ClaimedPrivacy,
    rng: np.random.Generator,
) -> _Choice:
    """The event that tells the inputs of `pair` apart best in `count` runs of each input.

    The runs are used for the choice alone. A bound from the same runs would not have its
    confidence, as the best of many events is in part the luckiest.
    """
    left, right = _aligned(*(_outcomes(run, one, count, rng) for one in pair))
    choices: list[_Choice] = []
    # an event may be more frequent for either input
    for order, first, second in ((pair, left, right), (pair[::-1], right, left)):
        of_outcomes = _events_of_outcomes(first, second, run.written)
        events = chain(of_outcomes, _events_of_thresholds(first, second))
        choices += [_Choice(_separation(one, first, second, claim), order, one) for one in events]
    return max(choices, key=lambda one: one.score)


def _separation(event: Event, first: Floats, second: Floats, claim: ClaimedPrivacy) -> float:
    """The bound that an event gives; an event without a bound scores below zero.

    Such events are ordered by the difference of their frequencies, so that a good one is not lost
    while there are few runs.
    """
    counts = int(event.occurs(first).sum()), int(event.occurs(second).sum())
    bound = claim.lower_bound(*counts, len(first))
    return bound if bound > 0 else (counts[0] - counts[1]) / len(first) - 1


def _outcomes(run: _Numbered, one: Any, count: int, rng: np.random.Generator) -> Floats:
    """The outcomes of `count` runs of an input as numbers, (count, k); the first is their number.

    An exception is an outcome too.
    """
    rows = [run(one, child) for child in rng.spawn(count)]
    # outcomes may have different lengths, as a list of selected records has
    width = max(map(len, rows))
    table = np.zeros((count, width + 1))
    for row, numbers in zip(table, rows, strict=True):
        row[0], row[1 : len(numbers) + 1] = len(numbers), numbers
    return table


def _aligned(left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Two tables of outcomes with equally many columns.

    Zeros are added, since the first column says how many numbers an outcome has.
    """
    width = max(left.shape[1], right.shape[1])
    wide = [np.pad(side, ((0, 0), (0, width - side.shape[1]))) for side in (left, right)]
    return wide[0], wide[1]


def _events_of_outcomes(first: Floats, second: Floats, written: Written) -> Iterator[Event]:
    """Yields the sets of outcomes whose frequencies in `first` and `second` have largest ratios.

    The outcomes are the most frequent ones that occurred more than once.
    """
    ours, counts = np.unique(np.concatenate([first, second]), axis=0, return_counts=True)
    least = REPEATED if len(ours) > OUTCOMES else TWICE
    order = np.argsort(-counts, kind="stable")[:OUTCOMES]
    ours = ours[order[counts[order] >= least]]
    often, seldom = (_occurrences(ours, side) for side in (first, second))
    # one half is added to each, so that an outcome that one side lacks has a finite ratio
    order = np.argsort(-(often + 0.5) / (seldom + 0.5), kind="stable")
    for size in range(1, len(ours) + 1):
        yield _one_of(ours[order[:size]], written)


def _occurrences(rows: Floats, outcomes: Floats) -> Floats:
    """How often each of `rows` (m, k) is among the outcomes (n, k), (m,)."""
    return np.array([(outcomes == row).all(axis=1).sum() for row in rows])


def _one_of(rows: Floats, written: Written) -> Event:
    """The event that the outcome is one of `rows`, of which each begins with its length."""
    words = [written(row[1 : int(row[0]) + 1]) for row in rows[:SHOWN]]
    more = f" or one of {len(rows) - SHOWN} others" if len(rows) > SHOWN else ""
    width = rows.shape[1]

    def occurs(outcomes: Floats) -> Mask:
        ours, table = _aligned(rows, outcomes)
        found: Mask = (table[:, None, :width] == ours[None, :, :width]).all(axis=2).any(axis=1)
        found &= (table[:, width:] == 0).all(axis=1)
        return found

    return Event(f"the outcome is {' or '.join(words)}{more}", occurs)


def _events_of_thresholds(first: Floats, second: Floats) -> Iterator[Event]:
    """Yields the events that a number of an outcome is at least, or at most, a threshold.

    The numbers are those of the outcome, and their sum with weights that tell `first` and `second`
    apart.
    """
    both = np.concatenate([first, second])
    width = both.shape[1]
    weights = [*np.eye(width)[:COLUMNS], *_directions(first, second)]
    for column, weight in enumerate(weights):
        what = _named(column, weight, width)
        for level in np.unique(np.quantile(both @ weight, LEVELS)):
            yield Event(f"{what} is at least {level:g}", _at_least(weight, level))
            yield Event(f"{what} is at most {level:g}", _at_least(-weight, -level))


def _directions(first: Floats, second: Floats) -> Iterator[Floats]:
    """Yields weights of the numbers whose sum tells `first` and `second` apart.

    The first takes the numbers as independent. The second is Fisher's linear discriminant, for more
    outcomes than it has weights to choose.
    """
    apart = first.mean(axis=0) - second.mean(axis=0)
    spread = first.var(axis=0) + second.var(axis=0)
    least = float(NEGLIGIBLE * spread.max()) or 1.0
    found = [apart / (spread + least)]
    if len(first) > ENOUGH * len(apart):
        within = np.cov(first, rowvar=False) + np.cov(second, rowvar=False)
        found.append(np.linalg.solve(within + least * np.eye(len(apart)), apart))
    for weights in found:
        yield weights / max(np.abs(weights).max(), 1e-300)


def _named(column: int, weight: Floats, width: int) -> str:
    """The sum of an outcome's numbers with these weights, in words."""
    if column == 0:
        return "the count of numbers in the outcome"
    if column < min(width, COLUMNS):
        return "the outcome" if width == 2 else f"number {column} of the outcome"
    shown = ", ".join(f"{number:.3g}" for number in weight[1 : SHOWN + 1])
    more = ", ..." if len(weight) > SHOWN + 1 else ""
    return f"the sum of the outcome's numbers times [{shown}{more}]"


def _at_least(weight: Floats, level: float) -> Callable[[Floats], Mask]:
    """Whether the weighted sum of the numbers of an outcome is at least a level."""

    def occurs(outcomes: Floats) -> Mask:
        width = min(len(weight), outcomes.shape[1])
        found: Mask = outcomes[:, :width] @ weight[:width] >= level
        return found

    return occurs


def pair_in_words(left: Any, right: Any) -> str:
    """The record in which two data sets differ, or both inputs if they are not records."""
    if isinstance(left, Records) and isinstance(right, Records):
        if len(left) != len(right):
            few, many = sorted((left, right), key=len)
            gone = next(k for k in range(len(many)) if k == len(few) or _unlike(few, many, k))
            sizes = f"a data set of {len(many)} and the same without one"
            return f"{sizes}; record {gone}, {_record(many, gone)}, is in only one of them"
        row = int([*left.differing_rows(right), 0][0])
        return (
            f"two data sets of {len(left)}; record {row} is {_record(left, row)} in the first, and "
            f"{_record(right, row)} in the second"
        )
    return f"{_short(left)} and {_short(right)}"


def _unlike(few: Records, many: Records, row: int) -> bool:
    """Whether the records in a row of two data sets differ."""
    return bool((few.X[row] != many.X[row]).any() or few.y[row] != many.y[row])


def _record(records: Records, row: int) -> str:
    """The features and the label of a record in words."""
    features = ", ".join(f"{value:.3g}" for value in records.X[row])
    return _cut(f"X = [{features}], y = {records.y[row]}")


def _short(one: Any) -> str:
    """An input in words; a given one is unpacked."""
    return _cut(repr(getattr(one, "value", one)))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def rho_of(p: float, q: float) -> float:
    """The least rho of zero-concentrated DP of a mechanism with an event of these probabilities.

    A rho-private mechanism has Renyi divergences of at most rho alpha, and the divergence between
    the two probabilities of an event is no larger (data processing).
    """
    if p <= q:
        return 0.0
    event = np.log(p) * ORDERS + np.log(q) * (1 - ORDERS)
    otherwise = np.log(1 - p) * ORDERS + np.log(1 - q) * (1 - ORDERS)
    return float((np.logaddexp(event, otherwise) / (ORDERS - 1) / ORDERS).max())
