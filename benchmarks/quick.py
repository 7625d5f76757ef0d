"""The bars of quick runs: all tables and figures with few runs, and a score that many of them have.

The quick runs are made on the replicas, by two processes, with torch, tabfairgdt and lightgbm.
"""

from __future__ import annotations

import time
from importlib.util import find_spec
from pathlib import Path
from statistics import mean

from benchmarks.commands import DPFAIR, WORKERS, loading, places, run
from benchmarks.ratio import (
    Bar,
    in_yards,
    of_commands,
    rival_bar,
    stopwatch,
    times_faster,
    yard_bar,
    yardstick,
)

QUICK = ("reproduce", "--quick", "--jobs", str(WORKERS))
WAIT, LOADS = 180, 210  # seconds of waiting; processor time, in times of loading libraries
LIBRARIES = ("torch", "tabfairgdt", "lightgbm")
RECORDS, COLUMNS, TURNS, TIMES = 45_000, 58, 5, 5  # as many records and columns as Table 6.1


def quick_bars(folder: Path) -> list[Bar]:
    """The quick runs of all artefacts, and the distance of two joint distributions."""
    return [*reproduction_bars(folder), distance_bar()]


def reproduction_bars(folder: Path) -> list[Bar]:
    """All tables and figures with few runs, each time into a new folder."""
    missing = [name for name in LIBRARIES if not find_spec(name)]
    if missing:
        print(f"not measured: reproduce --quick: {', '.join(missing)} not installed")
        return []
    out, nothing = places(folder / "quick"), folder / "no-data"

    once = stopwatch(
        lambda: run([str(DPFAIR), *QUICK, "--out", str(next(out)), "--data-dir", str(nothing)])
    )
    load, ratios = loading(of_commands), []

    def turn() -> float:
        """Notes the processor time of a turn, too."""
        before, began = load(), of_commands()
        seconds = once()
        spent = of_commands() - began
        ratios.append(mean([before, load()]) / spent)
        return seconds

    waited = in_yards(turn, yardstick(WORKERS))
    return [
        yard_bar("reproduce --quick, two processes", waited, WAIT, WORKERS),
        rival_bar("  its processor time, against loading libraries", ratios, 1 / LOADS),
    ]


def distance_bar() -> Bar:
    """The distance of the joint distributions of two tables, against NumPy's distinct rows."""
    import numpy as np

    from dpfair_cli.metrics.generated_data import joint_distance

    shares = np.linspace(0.01, 0.5, COLUMNS)
    rng = np.random.default_rng(0)
    ours, theirs = ((rng.random((RECORDS, COLUMNS)) < shares).astype(float) for _ in range(2))

    def by_rows() -> None:
        np.unique(np.vstack([ours, theirs]), axis=0, return_inverse=True)

    own = stopwatch(lambda: joint_distance(ours, theirs), time.process_time)
    numpy = stopwatch(by_rows, time.process_time)
    ratios = times_faster(own, numpy, TURNS)
    return rival_bar("distance of joint distributions against NumPy's rows", ratios, TIMES)
