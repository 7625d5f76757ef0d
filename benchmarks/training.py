"""The bars of private training: Opacus and jax-privacy, logistic regression and a network.

They need torch and the environments of the libraries; all run on one thread. jax-privacy has
batches of one size, which are drawn before its time is taken; our time includes drawing Poisson
batches. It computes with 32 bits and is timed with and without the compilation of the first fit.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

from benchmarks.data import adult_case
from benchmarks.process import OPACUS, NotInstalledError, Process, python_of
from benchmarks.ratio import ROUNDS, Bar, rival_bar, spread, stopwatch, times_faster

STEPS = 300  # steps of Opacus that are timed; each takes the same time
WARM_UP, ALL_STEPS = 20, 2827  # steps that are not timed; steps of 20 epochs of Adult
BATCH, JAX_ROUNDS, JAX_BAR = 256, 9, 0.5  # times faster than jax-privacy
MODES = ("hooks", "ew", "functorch", "ghost")


def training_bars(folder: Path) -> list[Bar]:
    """DPSGD on Adult and an epoch of the network, against other libraries."""
    return [*jax_bars(folder), *adult_bars(folder), *network_bars()]


def jax_bars(folder: Path) -> list[Bar]:
    """20 epochs on the first split of Adult against as many steps of jax-privacy."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    from dpfair_cli.algorithms.training import dpsgd

    train, file, rng = adult_case().train, folder / "equal_batches.npz", np.random.default_rng(0)
    try:
        python = python_of("bench-jax")
    except NotInstalledError as error:
        print(f"not measured: DPSGD of jax-privacy: {error}")
        return []
    batches = [rng.choice(len(train), BATCH, replace=False) for _ in range(ALL_STEPS)]
    np.savez(file, X=train.X, y=train.y, batches=np.array(batches))
    ours = stopwatch(lambda: dpsgd.fit(train, rng=np.random.default_rng(0)), time.process_time)
    with threadpool_limits(1), Process(python, "benchmarks.there_jax_privacy") as library:
        library.ask("read", str(file))
        ours()  # the first one also calibrates the noise
        first = library.ask("fit", 0)["processor"] / ours()
        ratios = times_faster(ours, lambda: library.ask("fit", 1)["processor"], JAX_ROUNDS)
    what = "DPSGD, 20 epochs of Adult, against compiled jax-privacy"
    return [
        rival_bar(what, ratios, JAX_BAR),
        rival_bar("  with its compilation", [first], 4),
    ]


def adult_bars(folder: Path) -> list[Bar]:
    """20 epochs on the first split of Adult against as many steps of Opacus on the same batches.

    The duration of Opacus is extrapolated from STEPS steps.
    """
    import numpy as np
    from threadpoolctl import threadpool_limits

    from dpfair_cli.algorithms.training import dpsgd

    train, file = adult_case().train, folder / "batches.npz"
    save_batches(train, file)
    ours = stopwatch(lambda: dpsgd.fit(train, rng=np.random.default_rng(0)))
    with (
        threadpool_limits(1),
        Process(python_of("bench-deep"), "benchmarks.there_opacus") as library,
    ):
        library.ask("read", str(file))
        library.ask("step", 0, WARM_UP)
        ours()  # the first one also calibrates the noise
        steps = STEPS - WARM_UP
        ratios = times_faster(
            ours, lambda: library.wall("step", WARM_UP, STEPS) * ALL_STEPS / steps
        )
    return [rival_bar(f"DPSGD, 20 epochs of Adult, against {OPACUS}", ratios, 8)]


def save_batches(train, file: Path) -> None:
    """Writes the records and the first batches to a file for Opacus."""
    import numpy as np

    from dpfair_cli.models.training.schedule import DEFAULT_SCHEDULE, PlannedSteps

    planned = PlannedSteps(DEFAULT_SCHEDULE, len(train))
    drawn = [
        batch.rows
        for batch, _ in zip(planned.draw(np.random.default_rng(0)), range(STEPS), strict=False)
    ]
    ends = np.cumsum([0, *map(len, drawn)])
    np.savez(file, X=train.X, y=train.y, rows=np.concatenate(drawn), ends=ends)


def network_bars() -> list[Bar]:
    """Epochs of 8,192 images in turn: without noise, with noise, and by each mode of Opacus."""
    with Process(python_of("bench-deep"), "benchmarks.there_network", settled=True) as ours:
        memory = max(ours.ask(name)["memory"] for name in ("plain", "private"))
        with Process(python_of("bench-deep"), "benchmarks.there_opacus") as library:
            library.ask("images")
            turns = {name: [] for name in ("plain", "private", *MODES)}
            for _ in range(ROUNDS):
                for name in ("plain", "private"):
                    turns[name].append(ours.wall(name))
                for mode in MODES:
                    turns[mode].append(library.wall("epoch", mode))
    slowdown = [
        noisy / plain for noisy, plain in zip(turns["private"], turns["plain"], strict=True)
    ]
    fastest = min(MODES, key=lambda mode: median(turns[mode]))
    ratios = [
        theirs / noisy for theirs, noisy in zip(turns[fastest], turns["private"], strict=True)
    ]
    met = median(slowdown) <= 2
    return [
        (
            "the network: an epoch of DPSGD over one of SGD",
            spread(slowdown, "times the time"),
            "<= 2 times",
            met,
        ),
        rival_bar(f"  against the fastest mode of {OPACUS} ({fastest})", ratios, 1),
        ("  its memory", f"{memory:.2f} GB", "<= 4 GB", memory <= 4),
    ]
