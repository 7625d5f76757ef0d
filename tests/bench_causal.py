"""The bars of chapter 7, for `make bench`: a training of CFGAN, the time of its tables, and the exact effects.

Seconds are those of one processor, with one thread each, so that other programs on the machine count little.
"""

from __future__ import annotations

import time
from importlib.util import find_spec
from statistics import median

REPEATS = 3  # epochs of a method that are timed, after one that is not
# Tables 7.1 and 7.2 with 20 seeds of the 65,123 rows and 5 of the 48,842, and Figure 7.5 with 5 of four other lambdas
TRAININGS = {"causal_gan": 25, "total": 25 + 20, "indirect": 25, "counterfactual": 25, "fair_gan": 25}
# what is beyond the printed tables: seeds that decide claims, readings, more of Figure 7.5, private graphs of 3 budgets
EXTRA = {"total": 25 + 60 + 30, "causal_gan": 30, "indirect": 30, "counterfactual": 40, "fair_gan": 8}
WORKERS, LIMIT = 2, 60  # at once, minutes
LONGEST = 180  # seconds of a training
SAMPLES = 65_123
Bar = tuple[str, str, str, bool]


def causal_fairness_bars() -> list[Bar]:
    """A training of each method, the chapter, and exact effects against sampled ones."""
    if not find_spec("torch"):
        print("not measured: CFGAN, which needs torch: make deep")
        return []
    people = binary_people()
    if people is None:
        print("not measured: chapter 7, whose people are not here: dpfair fetch-data adult_binary")
        return []
    seconds = {name: training_seconds(people, name) for name in TRAININGS}
    bars = [
        (f"a training of {name} on binary Adult", f"{spent:.0f} s", "no bar", True) for name, spent in seconds.items()
    ]
    worst = max(seconds[name] for name in ("total", "indirect", "counterfactual"))
    minutes, more = (
        sum(count * seconds[name] for name, count in counts.items()) / WORKERS / 60 for counts in (TRAININGS, EXTRA)
    )
    return [
        *bars,
        ("  the longest of CFGAN's", f"{worst:.0f} s", f"<= {LONGEST} s", worst <= LONGEST),
        (f"  so chapter 7, {WORKERS} workers", f"{minutes:.0f} min", f"<= {LIMIT} min", minutes <= LIMIT),
        ("  and seeds, readings and private graphs beyond it", f"{more:.0f} min more", "no bar", True),
        *exact_bars(people),
    ]


def binary_people():
    """The people of binary Adult, None without its files."""
    from dpfair_cli import paths
    from dpfair_cli.contracts.errors import DpfairError
    from dpfair_cli.data_access import loading, locating

    try:
        located = locating.locate("adult_binary", {}, data_dir=paths.data_folder(), replica_ok=False)
    except DpfairError:
        return None
    return loading.load(located, {})


def training_seconds(people, name: str) -> float:
    """Seconds of one processor for a training as the tables have it, from a few of its epochs."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    from dpfair_cli.algorithms.synthesis import cfgan, fair_gan
    from dpfair_cli.contracts.training_context import TrainingContext
    from dpfair_cli.models.causal_fairness.causal_schedule import DEFAULT_CAUSAL

    times: list[float] = []

    def progress(states, *, epochs: int, done: int):
        for _ in range(epochs):
            began = time.process_time()
            state = next(states)
            times.append(time.process_time() - began)
            yield state

    context, rng = TrainingContext(progress=progress), np.random.default_rng(0)
    with threadpool_limits(1):
        if name == "fair_gan":
            fair_gan.fit(people, epochs=1 + REPEATS, pretraining_epochs=1, batch_size=500, context=context, rng=rng)
        elif name == "causal_gan":
            cfgan.fit(people, fairness=0.0, epochs=1 + REPEATS, context=context, rng=rng)
        else:
            cfgan.fit(people, effect=name, epochs=1 + REPEATS, context=context, rng=rng)
    return DEFAULT_CAUSAL.epochs * median(times[1:])


def exact_bars(people) -> list[Bar]:
    """All effects of a distribution, exactly, against one interventional sample of as many people as there are."""
    import numpy as np

    from dpfair_cli.models.causal_fairness.causal_model import estimate
    from dpfair_cli.models.causal_fairness.joint import empirical_joint
    from dpfair_cli.tasks.causal_fairness import effects

    joint = empirical_joint(people.codes)
    exact = usual(lambda: list(effects(joint, people)))
    model = estimate(joint, people.graph)
    law = model.intervened(np.ones_like(people.graph.arrows)).ravel()
    sampled = usual(lambda: np.random.default_rng(0).choice(law.size, size=SAMPLES, p=law))
    ratio = exact / sampled
    return [("all effects, exactly, against one sample of 65,123", f"{ratio:.1f} times the time", "no bar", True)]


def usual(run) -> float:
    """The median seconds of a few runs."""
    times = []
    for _ in range(5):
        began = time.process_time()
        run()
        times.append(time.process_time() - began)
    return median(times)
