"""The bar of regression: a functional mechanism against diffprivlib's logistic regression."""

from __future__ import annotations

from pathlib import Path

from benchmarks.data import adult_case
from benchmarks.process import DIFFPRIVLIB, Process, python_of
from benchmarks.ratio import Bar, rival_bar, stopwatch, times_faster

FITS = 80


def regression_bars(folder: Path) -> list[Bar]:
    """The bar, on the same records; our fits share sufficient statistics, as in a sweep."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    case, file = adult_case(), folder / "adult.npz"
    np.savez(file, X=case.train.X, y=case.train.y)
    with (
        Process(python_of("bench"), "benchmarks.there_diffprivlib") as library,
        threadpool_limits(1),
    ):
        library.ask("read", str(file))
        ratios = times_faster(lambda: one_fit(case), lambda: library.wall("fit", 0))
    return [rival_bar(f"one functional mechanism against {DIFFPRIVLIB[0]}", ratios, 100)]


def one_fit(case) -> float:
    """Seconds of one fit of a sweep of FITS fits on a split of which nothing is cached."""
    import numpy as np

    from dpfair_cli.algorithms.regression.functional_mechanism import fit

    fresh = case.train.take(np.arange(len(case.train)))

    def sweep() -> None:
        for seed in range(FITS):
            fit(fresh, epsilon=1.0, rng=np.random.default_rng(seed))

    return stopwatch(sweep)() / FITS
