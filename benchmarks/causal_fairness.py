"""The bars of chapter 7, for `make bench`: a training of CFGAN, the time of its tables, and the
exact effects.

Seconds, those of a yard too, are of one processor, with one thread each.
"""

from __future__ import annotations

import time
from functools import partial
from importlib.util import find_spec

from benchmarks.data import here, read
from benchmarks.epochs import epochs_in_yards
from benchmarks.ratio import (
    Bar,
    Cost,
    Seconds,
    in_words,
    middle,
    spread,
    stopwatch,
    times_faster,
    yard_bar,
    yardstick,
)

REPEATS = 3  # epochs of a method that are timed, after one that is not
# Tables 7.1 and 7.2 with 20 seeds of the 65,123 rows and 5 of the 48,842, and Figure 7.5 with 5 of
# four other lambdas
TRAININGS = {
    "causal_gan": 25,
    "total": 25 + 20,
    "indirect": 25,
    "counterfactual": 25,
    "fair_gan": 25,
}
# what is beyond the printed tables: seeds that decide claims, variants, more of Figure 7.5, private
# graphs of 3 budgets
EXTRA = {
    "total": 25 + 60 + 30,
    "causal_gan": 30,
    "indirect": 30,
    "counterfactual": 40,
    "fair_gan": 8,
}
WORKERS, LIMIT = 2, 60  # at once, minutes
LONGEST = 180  # seconds of a training
SAMPLES = 65_123


def causal_fairness_bars() -> list[Bar]:
    """A training of each method, the chapter, and exact effects against sampled ones."""
    if not find_spec("torch"):
        print("not measured: CFGAN, which needs torch: make deep")
        return []
    if not here("adult_binary"):
        return []
    people, yard = read("adult_binary"), yardstick(clock=time.process_time)
    costs = {name: training_costs(people, name, yard) for name in TRAININGS}
    bars = [(f"a training of {name} on binary Adult", in_words(spent), "no bar", True)
            for name, spent in costs.items()]  # fmt: skip
    worst = max(
        (costs[name] for name in ("total", "indirect", "counterfactual")),
        key=lambda own: middle(own).yards,
    )
    chapter, more = (
        sum((middle(costs[name]) * (count / WORKERS) for name, count in counts.items()), Cost(0, 0))
        for counts in (TRAININGS, EXTRA)
    )
    return [
        *bars,
        yard_bar("  the longest of CFGAN's", worst, LONGEST),
        yard_bar(f"  so chapter 7, {WORKERS} workers", [chapter], 60 * LIMIT),
        (
            "  and seeds, readings and private graphs beyond it",
            in_words([more]) + " more",
            "no bar",
            True,
        ),
        *exact_bars(people),
    ]


def training_costs(people, name: str, yard: Seconds) -> list[Cost]:
    """A training as the tables have it, by each of a few of its epochs."""
    from dpfair_cli.algorithms.synthesis import cfgan, fair_gan
    from dpfair_cli.models.causal_fairness.causal_schedule import DEFAULT_CAUSAL

    if name == "fair_gan":
        fit = partial(fair_gan.fit, people, pretraining_epochs=1, batch_size=500)
    elif name == "causal_gan":
        fit = partial(cfgan.fit, people, fairness=0.0)
    else:
        fit = partial(cfgan.fit, people, effect=name)
    epochs = epochs_in_yards(partial(fit, epochs=1 + REPEATS), yard)
    return [spent * DEFAULT_CAUSAL.epochs for spent in epochs.others]


def exact_bars(people) -> list[Bar]:
    """All effects of a distribution, exactly, against one interventional sample of as many people
    as there are.
    """
    import numpy as np

    from dpfair_cli.models.causal_fairness.causal_model import estimate
    from dpfair_cli.models.causal_fairness.joint import empirical_joint
    from dpfair_cli.tasks.causal_fairness import effects

    joint = empirical_joint(people.codes)
    model = estimate(joint, people.graph)
    law = model.intervened(np.ones_like(people.graph.arrows)).ravel()
    exact = stopwatch(lambda: list(effects(joint, people)), time.process_time)
    sampled = stopwatch(
        lambda: np.random.default_rng(0).choice(law.size, size=SAMPLES, p=law), time.process_time
    )
    ratios = times_faster(sampled, exact, 5)
    what = "all effects, exactly, against one sample of 65,123"
    return [(what, spread(ratios, "times the time"), "no bar", True)]
