"""Trainings in yards, from a few of their epochs, with a yard before and after each: seconds of one
processor.
"""

from __future__ import annotations

import time
from statistics import median
from typing import NamedTuple

from benchmarks.ratio import Cost, Seconds, enough


class Epochs(NamedTuple):
    """Costs of the first epoch (of what is trained before, or of a warm-up), of each other one, and
    of the rest.
    """

    first: Cost
    others: list[Cost]
    rest: Cost


def epochs_in_yards(fit, yard: Seconds) -> Epochs:
    """What the epochs of a fit took, which takes a `context` and `rng`, and what it did outside of
    them.
    """
    import numpy as np
    from threadpoolctl import threadpool_limits

    from dpfair_cli.contracts.training_context import TrainingContext

    times: list[float] = []
    yards = [yard()]

    def progress(states, *, epochs: int, done: int):
        for _ in range(epochs):
            began = time.process_time()
            state = next(states)
            times.append(time.process_time() - began)
            yards.append(yard())
            yield state

    began = time.process_time()
    with threadpool_limits(1):
        fit(context=TrainingContext(progress=progress), rng=np.random.default_rng(0))
    rest = time.process_time() - began - sum(times) - sum(yards[1:])
    costs = [Cost(2 * spent / (yards[k] + yards[k + 1]), spent) for k, spent in enumerate(times)]
    enough(len(costs) - 1)
    return Epochs(costs[0], costs[1:], Cost(rest / median(yards), rest))
