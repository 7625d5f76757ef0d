"""The bars of xu2021, chapter 7: trainings of CFGAN, the duration of its tables, exact effects.

Seconds, also those of a yard, are of one processor, with one thread.
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
# number of trainings: Tables 7.1 and 7.2 with 20 seeds on the 65,123 rows and 5 on the 48,842, and
# Figure 7.5 with 5 seeds of four other lambdas
TRAININGS = {
    "causal_gan": 25,
    "total": 25 + 20,
    "indirect": 25,
    "counterfactual": 25,
    "fair_gan": 25,
}
# trainings beyond the printed tables: seeds that decide claims, variants, more of Figure 7.5,
# private graphs of 3 budgets
EXTRA = {
    "total": 25 + 60 + 30,
    "causal_gan": 30,
    "indirect": 30,
    "counterfactual": 40,
    "fair_gan": 8,
}
WORKERS, LIMIT = 2, 60  # trainings at once; minutes of the chapter
LONGEST = 180  # seconds of a training
SAMPLES = 65_123  # records of adult_binary


def causal_fairness_bars() -> list[Bar]:
    """A training of each method, the whole chapter, and exact effects against sampled ones."""
    if not find_spec("torch"):
        print("not measured: CFGAN, which needs torch: make deep")
        return []
    if not here("adult_binary"):
        return []
    records, yard = read("adult_binary"), yardstick(clock=time.process_time)
    costs = {name: training_costs(records, name, yard) for name in TRAININGS}
    bars: list[Bar] = []
    for name, spent in costs.items():
        bars.append((f"a training of {name} on binary Adult", in_words(spent), "no bar", True))
    of_cfgan = [costs[name] for name in ("total", "indirect", "counterfactual")]
    worst = max(of_cfgan, key=lambda spent: middle(spent).yards)
    more = f"{in_words([together(costs, EXTRA)])} more"
    return [
        *bars,
        yard_bar("  the longest of CFGAN's", worst, LONGEST),
        yard_bar(f"  so chapter 7, {WORKERS} workers", [together(costs, TRAININGS)], 60 * LIMIT),
        ("  and seeds, variants and private graphs beyond it", more, "no bar", True),
        *exact_bars(records),
    ]


def together(costs: dict[str, list[Cost]], counts: dict[str, int]) -> Cost:
    """The duration of `counts` trainings of each method, WORKERS at once."""
    total = Cost(0, 0)
    for name, count in counts.items():
        total += middle(costs[name]) * (count / WORKERS)
    return total


def training_costs(records, name: str, yard: Seconds) -> list[Cost]:
    """Estimates of the duration of a training of the tables, one from each timed epoch."""
    from dpfair_cli.algorithms.synthesis import cfgan, fair_gan
    from dpfair_cli.models.synthesis.game_schedule import DEFAULT_CAUSAL

    if name == "fair_gan":
        fit = partial(fair_gan.fit, records, pretraining_epochs=1, batch_size=500)
    elif name == "causal_gan":
        fit = partial(cfgan.fit, records, fairness=0.0)
    else:
        fit = partial(cfgan.fit, records, effect=name)
    epochs = epochs_in_yards(partial(fit, epochs=1 + REPEATS), yard)
    return [spent * DEFAULT_CAUSAL.epochs for spent in epochs.others]


def exact_bars(records) -> list[Bar]:
    """All exact effects of a distribution against one interventional sample of SAMPLES records."""
    import numpy as np

    from dpfair_cli.models.causal_fairness.causal_model import empirical_joint, estimate
    from dpfair_cli.tasks.causal_fairness import effects_by_name

    joint = empirical_joint(records.codes)
    model = estimate(joint, records.graph)
    distribution = model.intervened(np.ones_like(records.graph.arrows)).ravel()

    def sample() -> None:
        np.random.default_rng(0).choice(distribution.size, size=SAMPLES, p=distribution)

    exact = stopwatch(lambda: list(effects_by_name(joint, records)), time.process_time)
    sampled = stopwatch(sample, time.process_time)
    ratios = times_faster(sampled, exact, 5)
    what = "all effects, exactly, against one sample of 65,123"
    return [(what, spread(ratios, "times the time"), "no bar", True)]
