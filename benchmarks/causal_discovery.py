"""The bars of causal discovery: PC against other libraries, PrivPC as in xu2021, Section 4.6.1.

PyBNesian has the chi-squared test where we have G^2. By default it directs edges by tests with all
sets of neighbours, while we use the separators that were found: both settings are timed.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.data import here, read
from benchmarks.process import NotInstalledError, Process, python_of
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

if TYPE_CHECKING:
    from dpfair_cli.contracts.arrays import Mask
    from dpfair_cli.kinds.variables import Observations

ROOT = Path(__file__).resolve().parent.parent
PC_ROUNDS = 9
# times faster than PyBNesian by its default, and with the separators that were found
PYBNESIAN_BARS = {
    "G^2, p = 20": (1.1, 0.9),
    "Fisher's z, p = 20": (1.5, 1.4),
    "Fisher's z, p = 37": (4.0, 3.0),
    "G^2, ALARM": (3.0, 2.6),
    "Fisher's z, p = 100": (2.8, 2.2),
}
GRAPHS = 5  # over which the private methods are averaged


def causal_discovery_bars(folder: Path) -> list[Bar]:
    """PC against causal-learn, with the same skeleton, and PyBNesian, and the private methods."""
    cases = pc_cases()
    bars = [pc_bar(name, observations) for name, observations in cases.items()]
    return [*bars, *pybnesian_bars(cases, folder), *private_bars()]


def pc_cases() -> dict[str, Observations]:
    """10,000 records of 20, 37 and 100 variables by name."""
    import numpy as np

    from dpfair_cli.datasets import synthetic_categorical, synthetic_gaussian
    from dpfair_cli.kinds.variables import Observations
    from dpfair_cli.models.causal_discovery.random_dag import bernoulli_dag, gaussian_values

    def numbers(p: int, density: float) -> Observations:
        values = gaussian_values(bernoulli_dag(p, density, rng=rng), 10_000, rng=rng)
        return Observations(values, tuple(f"v{j}" for j in range(p)))

    rng = np.random.default_rng(0)
    made = synthetic_categorical.load(ROOT, nodes=20, sparseness=0.1).draw(rng)[0]
    small = synthetic_gaussian.load(ROOT, nodes=20, sparseness=0.1).draw(rng)[0]
    cases = {"G^2, p = 20": made, "Fisher's z, p = 20": small}
    cases["Fisher's z, p = 37"] = numbers(37, 0.1)
    if here("alarm"):
        cases["G^2, ALARM"] = read("alarm").draw(rng)[0]
    cases["Fisher's z, p = 100"] = numbers(100, 0.02)
    return cases


def pybnesian_bars(cases: dict[str, Observations], folder: Path) -> list[Bar]:
    """PC against both settings of PyBNesian; a line is printed if it is not installed."""
    try:
        python = python_of("bench-pc")
    except NotInstalledError as error:
        print(f"not measured: PC of PyBNesian: {error}")
        return []
    with Process(python, "benchmarks.there_pybnesian") as library:
        return [
            bar
            for name, observations in cases.items()
            for bar in pybnesian_pair(library, name, observations, folder)
        ]


def pybnesian_pair(library: Process, name: str, observations: Observations, folder: Path):
    """The bars against the default setting of PyBNesian and against its faster setting."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    file = folder / f"{len(list(folder.iterdir()))}.npz"
    categorical = bool(observations.levels)
    np.savez(file, values=observations.values, categorical=categorical)
    library.ask("read", str(file))

    def ours() -> float:
        return seconds_of_pc(observations)[0]

    def theirs(cached_separators: bool) -> Callable[[], float]:
        return lambda: library.ask("fit", str(file), cached_separators)["processor"]

    with threadpool_limits(1):
        ours()
        theirs(False)()
        default = times_faster(ours, theirs(False), PC_ROUNDS)
        faster = times_faster(ours, theirs(True), PC_ROUNDS)
    least, least_of_faster = PYBNESIAN_BARS[name]
    return [
        rival_bar(f"PC against PyBNesian, {name}", default, least),
        rival_bar("  with the separators that were found", faster, least_of_faster),
    ]


def seconds_of_pc(observations: Observations) -> tuple[float, Mask]:
    """The processor seconds of PC on records of which nothing is cached, and its skeleton."""
    import numpy as np

    from dpfair_cli.algorithms.causal_discovery.pc import fit
    from dpfair_cli.kinds.variables import Observations

    fresh = Observations(observations.values.copy(), observations.names, observations.levels)
    began = time.process_time()
    graph = fit(fresh, freedom="adjusted", rng=np.random.default_rng(0))
    return time.process_time() - began, graph.skeleton


def pc_bar(name: str, observations: Observations) -> Bar:
    """PC on records of which nothing is cached; the bar is missed if the edges differ."""
    import numpy as np
    from causallearn.search.ConstraintBased.PC import pc
    from threadpoolctl import threadpool_limits

    edges: dict = {}

    def ours() -> float:
        seconds, edges["ours"] = seconds_of_pc(observations)
        return seconds

    def theirs() -> None:
        test = "gsq" if observations.levels else "fisherz"
        edges["theirs"] = (
            pc(np.array(observations.values), 0.01, test, show_progress=False).G.graph != 0
        )

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ratios = times_faster(ours, stopwatch(theirs, time.process_time))
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
