"""The bars of causal discovery: PC against causal-learn, PrivPC as in xu2021, Section 4.6.1."""

from __future__ import annotations

import time
import warnings
from importlib.metadata import version
from pathlib import Path

from benchmarks.data import here, read
from benchmarks.ratio import (
    Bar,
    in_words,
    in_yards,
    rival_bar,
    stopwatch,
    times_faster,
    yard_bar,
    yardstick,
)

ROOT = Path(__file__).resolve().parent.parent
GRAPHS = 5  # over which the private methods are averaged


def causal_discovery_bars() -> list[Bar]:
    """PC with the same skeleton as causal-learn's, and the private methods."""
    return [*pc_bars(), *private_bars()]


def pc_bars() -> list[Bar]:
    """PC with G^2 and Fisher's z, 20 and 37 variables, 10,000 records."""
    import numpy as np

    from dpfair_cli.datasets import synthetic_categorical, synthetic_gaussian
    from dpfair_cli.kinds.variables import Observations
    from dpfair_cli.models.causal_discovery.random_dag import bernoulli_dag, gaussian_values

    rng = np.random.default_rng(0)
    made = synthetic_categorical.load(ROOT, nodes=20, sparseness=0.1).draw(rng)[0]
    small = synthetic_gaussian.load(ROOT, nodes=20, sparseness=0.1).draw(rng)[0]
    values = gaussian_values(bernoulli_dag(37, 0.1, rng=rng), 10_000, rng=rng)
    large = Observations(values, tuple(f"v{j}" for j in range(37)))
    cases = {"G^2, p = 20": made, "Fisher's z, p = 20": small, "Fisher's z, p = 37": large}
    if here("alarm"):
        cases["G^2, ALARM"] = read("alarm").draw(rng)[0]
    return [pc_bar(name, observations) for name, observations in cases.items()]


def pc_bar(name: str, observations) -> Bar:
    """PC on records of which nothing is cached; the bar is missed if the edges differ."""
    import numpy as np
    from causallearn.search.ConstraintBased.PC import pc
    from threadpoolctl import threadpool_limits

    from dpfair_cli.algorithms.causal_discovery.pc import fit
    from dpfair_cli.kinds.variables import Observations

    edges: dict = {}

    def ours() -> float:
        fresh = Observations(observations.values.copy(), observations.names, observations.levels)
        began = time.perf_counter()
        edges["ours"] = fit(fresh, freedom="adjusted", rng=np.random.default_rng(0)).skeleton
        return time.perf_counter() - began

    def theirs() -> None:
        test = "gsq" if observations.levels else "fisherz"
        edges["theirs"] = (
            pc(np.array(observations.values), 0.01, test, show_progress=False).G.graph != 0
        )

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ratios = times_faster(ours, stopwatch(theirs))
    what, measured, bar, met = rival_bar(
        f"PC against causal-learn {version('causal-learn')}, {name}", ratios, 3
    )
    same = bool((edges["ours"] == edges["theirs"]).all())
    return what, measured + ("" if same else ", OTHER EDGES"), bar, met and same


def private_bars() -> list[Bar]:
    """PrivPC and LapMech on 5,000 records of 10 variables; published: 9 s and 111 s per graph."""
    from threadpoolctl import threadpool_limits

    from dpfair_cli.algorithms.causal_discovery import lap_mech, priv_pc

    yard = yardstick()
    with threadpool_limits(1):
        certified = in_yards(lambda: mean_seconds(priv_pc.fit), yard)
        printed = in_yards(
            lambda: mean_seconds(priv_pc.fit, score="published", adjacency="updated"), yard
        )
        as_published = {
            "noise": "published",
            "negative_counts": "zero",
            "records_per_freedom": 10.0,
        }
        rival = in_yards(lambda: mean_seconds(lap_mech.fit, **as_published), yard)
    return [
        yard_bar("PrivPC, n = 5,000, p = 10", certified, 1),
        yard_bar("  as published (9 s there)", printed, 1),
        ("  LapMech (111 s there)", in_words(rival), "no bar", True),
    ]


def mean_seconds(fit, **options) -> float:
    """The mean seconds per graph, with epsilon = 5."""
    import numpy as np

    from dpfair_cli.datasets import synthetic_categorical

    law, seconds = synthetic_categorical.load(ROOT, records=5000), 0.0
    for seed in range(GRAPHS):
        rng = np.random.default_rng(seed)
        observations = law.draw(rng)[0]
        began = time.perf_counter()
        fit(observations, epsilon=5.0, rng=rng, **options)
        seconds += time.perf_counter() - began
    return seconds / GRAPHS
