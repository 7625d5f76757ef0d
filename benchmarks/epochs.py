"""The duration of trainings in yards, measured on a few epochs, in seconds of one processor."""

from __future__ import annotations

import time
from statistics import median
from typing import NamedTuple

from benchmarks.ratio import Cost, Seconds, require_rounds


class Epochs(NamedTuple):
    """The durations of the parts of a fit."""

    first: Cost
    """Of the first epoch, which is pretraining or a warm-up."""
    others: list[Cost]
    """Of each other epoch."""
    rest: Cost
    """Outside of the epochs."""


def epochs_in_yards(fit, yard: Seconds) -> Epochs:
    """The durations of the parts of `fit(context=..., rng=...)`."""
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
    require_rounds(len(costs) - 1)
    return Epochs(costs[0], costs[1:], Cost(rest / median(yards), rest))
