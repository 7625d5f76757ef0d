"""How a speed bar is a ratio: opponents in turn, or a yardstick in between, and the median of at
least three rounds.

Seconds say little: other programs and the clock of the processor moved them by a factor of three
within an hour. So

- against an opponent, both are timed in turn (ours, theirs, theirs, ours, ...), and a round gives
theirs over ours;
- where there is none, a yard is timed before and after each turn, and a round gives the turn over
  the mean of the two. A yard is a product of two matrices of SIDE x SIDE and PASSES copies of one
  of them over the other: arithmetic and memory at the same size. It takes one thread, or two at
  once for a command with two workers.

The rule by which a bar in seconds has become one in yards, from before a yard was timed: it is the
old bar divided by NOMINAL, the seconds of a yard on the machine of record (two processors of an AMD
EPYC) with nothing else running. Other programs can only make a yard longer, so NOMINAL is the least
of five medians of nine yards each, taken a minute or more apart (`python benchmarks/ratio.py` takes
one for each number of threads). No bar is tuned after that: what was met on a quiet machine is,
what was missed is. The old bar stands beside.

One change of that rule after a first try: the machine was never quiet (medians by the clock from
0.51 to 2.6 s on one thread, from 1.1 to 5.7 s on two), so NOMINAL is in processor seconds of each
thread. Nobody waits for a processor in these; on a quiet machine they are the seconds of the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean, median

SIDE, PASSES = 2_000, 64
# threads -> seconds of a yard on the machine of record; medians were 0.489, 0.518, 0.499, 0.509,
# 0.514 on one thread, 0.519, 0.507, 0.522, 0.506, 0.487 on two
NOMINAL = {1: 0.489, 2: 0.487}
ROUNDS = 3

Seconds = Callable[[], float]  # one turn: does it, and returns how long it took
Bar = tuple[str, str, str, bool]  # what, measured, bar, whether it is met


@dataclass(frozen=True)
class Cost:
    """What something took: yards, which count, and seconds, which are said beside."""

    yards: float
    seconds: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.yards + other.yards, self.seconds + other.seconds)

    def __mul__(self, times: float) -> Cost:
        return Cost(times * self.yards, times * self.seconds)


def middle(costs: list[Cost]) -> Cost:
    """The medians."""
    return Cost(median(cost.yards for cost in costs), median(cost.seconds for cost in costs))


def stopwatch(run: Callable[[], object], clock: Seconds = time.perf_counter) -> Seconds:
    """Turns of `run`, timed by a clock."""

    def turn() -> float:
        began = clock()
        run()
        return clock() - began

    return turn


def yardstick(threads: int = 1, clock: Seconds = time.perf_counter) -> Seconds:
    """Turns of one yard, on so many threads at once; by `time.process_time`, where the work is
    timed by that.
    """
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np
    from threadpoolctl import threadpool_limits

    matrices = np.random.default_rng(0).random((threads, 3, SIDE, SIDE))

    def lay(own) -> None:
        np.matmul(own[0], own[1], out=own[2])
        for _ in range(PASSES):
            np.copyto(own[2], own[0])

    def yard() -> None:
        with threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
            list(pool.map(lay, matrices))

    yard()  # the first one also fetches the memory
    return stopwatch(yard, clock)


def in_yards(turn: Seconds, yard: Seconds, rounds: int = ROUNDS) -> list[Cost]:
    """What each of the turns took."""
    enough(rounds)
    costs, before = [], yard()
    for _ in range(rounds):
        spent, after = turn(), yard()
        costs.append(Cost(spent / mean([before, after]), spent))
        before = after
    return costs


def times_faster(ours: Seconds, theirs: Seconds, rounds: int = ROUNDS) -> list[float]:
    """How many of our turns fit into one of theirs, in each round; who begins changes with the
    round.
    """
    enough(rounds)
    ratios = []
    for number in range(rounds):
        turns = (ours, theirs) if number % 2 == 0 else (theirs, ours)
        spent = {turn: turn() for turn in turns}
        ratios.append(spent[theirs] / spent[ours])
    return ratios


def enough(rounds: int) -> None:
    """A median of fewer than three is none."""
    if rounds < 3:
        raise ValueError(f"a bar takes at least 3 rounds, got {rounds}")


def yard_bar(what: str, costs: list[Cost], was: float, threads: int = 1) -> Bar:
    """A bar that was `was` seconds."""
    limit = was / NOMINAL[threads]
    return (
        what,
        in_words(costs),
        f"<= {digits(limit)} yards ({digits(was)} s)",
        middle(costs).yards <= limit,
    )


def in_words(costs: list[Cost]) -> str:
    """The median of yards with the least and the largest, and the median of seconds."""
    return f"{spread([cost.yards for cost in costs], 'yards')}, {digits(middle(costs).seconds)} s"


def rival_bar(what: str, ratios: list[float], least: float) -> Bar:
    """A bar on how many times faster than an opponent ours is."""
    return what, spread(ratios, "times faster"), f">= {least:g} times", median(ratios) >= least


def spread(ratios: list[float], unit: str) -> str:
    """The median, and the least and the largest."""
    return f"{digits(median(ratios))} {unit} ({digits(min(ratios))} to {digits(max(ratios))})"


def digits(number: float) -> str:
    """Three digits, or all before the point."""
    return f"{number:.3g}" if number < 1000 else f"{number:,.0f}"


def nominal(threads: int) -> float:
    """The median of the processor seconds of each thread in nine yards."""
    turn = yardstick(threads, time.process_time)
    return median(turn() for _ in range(9)) / threads


if __name__ == "__main__":
    import dpfair_cli  # noqa: F401  # settles the arithmetic

    print({threads: round(nominal(threads), 3) for threads in (1, 2)})
