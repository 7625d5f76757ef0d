"""Speed limits as ratios: against an opponent or a yardstick, the median of at least three rounds.

Seconds alone say little: other programs and the clock of the processor change them by a factor of
three within an hour. So

- an opponent and our code are timed in turn (ours, theirs, theirs, ours, ...), and a round gives
  theirs over ours;
- without an opponent, a yard is timed before and after each turn, and a round gives the turn over
  the mean of the two. A yard is a product of two matrices of SIDE x SIDE and PASSES copies of one
  of them to the other: arithmetic and memory traffic of the same size. It takes one thread, or two
  at once for a command with two workers.

A bar in yards is a bar in seconds divided by NOMINAL, the processor seconds of a yard in each
thread on the machine of record (two processors of an AMD EPYC). Time spent waiting for a processor
does not count in these; on an idle machine they equal wall-clock seconds. Other programs can only
make a yard longer, so that NOMINAL is the smallest of five medians of nine yards each, taken a
minute or more apart (`python -m benchmarks.ratio` prints one for each number of threads). This rule
was fixed before the bars in yards were measured; each bar is printed with its seconds.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean, median

SIDE, PASSES = 2_000, 64  # a yard of about half a second
# threads -> seconds of a yard on the machine of record; the medians were 0.489, 0.518, 0.499,
# 0.509, 0.514 on one thread and 0.519, 0.507, 0.522, 0.506, 0.487 on two
NOMINAL = {1: 0.489, 2: 0.487}
ROUNDS = 3

Seconds = Callable[[], float]  # does one turn and returns its duration
Bar = tuple[str, str, str, bool]  # what is measured, its value, the limit, whether it is met


@dataclass(frozen=True)
class Cost:
    """The duration of a turn."""

    yards: float
    """In yards, which decide."""
    seconds: float
    """In seconds, for information."""

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.yards + other.yards, self.seconds + other.seconds)

    def __mul__(self, times: float) -> Cost:
        return Cost(times * self.yards, times * self.seconds)


def middle(costs: list[Cost]) -> Cost:
    """The medians of yards and of seconds."""
    return Cost(median(cost.yards for cost in costs), median(cost.seconds for cost in costs))


def stopwatch(run: Callable[[], object], clock: Seconds = time.perf_counter) -> Seconds:
    """A function that calls `run` and returns the seconds of the clock."""

    def turn() -> float:
        began = clock()
        run()
        return clock() - began

    return turn


def of_commands() -> float:
    """The processor seconds of all commands that have ended: a clock that counts no waiting."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def yardstick(threads: int = 1, clock: Seconds = time.perf_counter) -> Seconds:
    """A function that does one yard in each of `threads` threads and returns the seconds.

    The clock is that by which the work is timed.
    """
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np
    from threadpoolctl import threadpool_limits

    matrices = np.random.default_rng(0).random((threads, 3, SIDE, SIDE))

    def multiply_and_copy(triple) -> None:
        np.matmul(triple[0], triple[1], out=triple[2])
        for _ in range(PASSES):
            np.copyto(triple[2], triple[0])

    def yard() -> None:
        with threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
            list(pool.map(multiply_and_copy, matrices))

    yard()  # the first one also allocates the memory
    return stopwatch(yard, clock)


def in_yards(turn: Seconds, yard: Seconds, rounds: int = ROUNDS) -> list[Cost]:
    """The duration of each turn."""
    require_rounds(rounds)
    costs, before = [], yard()
    for _ in range(rounds):
        spent, after = turn(), yard()
        costs.append(Cost(spent / mean([before, after]), spent))
        before = after
    return costs


def times_faster(ours: Seconds, theirs: Seconds, rounds: int = ROUNDS) -> list[float]:
    """The duration of theirs divided by ours, in each round; they take turns in beginning."""
    require_rounds(rounds)
    ratios = []
    for number in range(rounds):
        turns = (ours, theirs) if number % 2 == 0 else (theirs, ours)
        spent = {turn: turn() for turn in turns}
        ratios.append(spent[theirs] / spent[ours])
    return ratios


def require_rounds(rounds: int) -> None:
    """Refuses fewer than three rounds, whose median means little.

    Raises:
        ValueError: says how many there were.
    """
    if rounds < 3:
        raise ValueError(f"a bar takes at least 3 rounds, got {rounds}")


def yard_bar(what: str, costs: list[Cost], seconds: float, threads: int = 1) -> Bar:
    """A bar of `seconds` on the machine of record, in yards."""
    limit = seconds / NOMINAL[threads]
    words = f"<= {digits(limit)} yards ({digits(seconds)} s)"
    return what, in_words(costs), words, middle(costs).yards <= limit


def in_words(costs: list[Cost]) -> str:
    """The median, minimum and maximum of yards, and the median of seconds."""
    return f"{spread([cost.yards for cost in costs], 'yards')}, {digits(middle(costs).seconds)} s"


def rival_bar(what: str, ratios: list[float], least: float) -> Bar:
    """A bar on the duration of an opponent divided by ours."""
    return what, spread(ratios, "times faster"), f">= {least:g} times", median(ratios) >= least


def spread(ratios: list[float], unit: str) -> str:
    """The median, the minimum and the maximum."""
    return f"{digits(median(ratios))} {unit} ({digits(min(ratios))} to {digits(max(ratios))})"


def digits(number: float) -> str:
    """Three significant digits, or all digits before the decimal point."""
    return f"{number:.3g}" if number < 1000 else f"{number:,.0f}"


def nominal(threads: int) -> float:
    """The median over nine yards of the processor seconds of each thread."""
    turn = yardstick(threads, time.process_time)
    return median(turn() for _ in range(9)) / threads


if __name__ == "__main__":
    import dpfair_cli  # noqa: F401  # settles the arithmetic

    print({threads: round(nominal(threads), 3) for threads in (1, 2)})
