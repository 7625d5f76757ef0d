"""The bars of secure noise: a million values from a secure generator against NumPy's generator."""

from __future__ import annotations

import time
from statistics import median

from benchmarks.ratio import Bar, spread, stopwatch, times_faster

VALUES, ROUNDS, BAR = 1_000_000, 9, 5.0
FEW_VALUES, BAR_OF_FEW = 40, 5.5  # a call takes as long as its NumPy functions


def noise_bars() -> list[Bar]:
    """Laplace and Gaussian noise on a million values, and on 40 values."""
    import numpy as np

    from dpfair_cli.mechanisms.gaussian import gaussian
    from dpfair_cli.mechanisms.laplace import laplace

    def add_laplace(value, rng) -> None:
        laplace(value, l1_sensitivity=1.0, epsilon=1.0, rng=rng)

    def add_gaussian(value, rng) -> None:
        gaussian(value, l2_sensitivity=1.0, sigma=1.0, rng=rng)

    bars = []
    for name, add in (("Laplace", add_laplace), ("Gaussian", add_gaussian)):
        ratios = times_longer(add, np.zeros(VALUES))
        what = f"secure {name} noise on a million values against NumPy {np.__version__}'s"
        met = median(ratios) <= BAR
        bars.append((what, spread(ratios, "times the time"), f"<= {BAR:g} times", met))
        few = times_longer(add, np.zeros(FEW_VALUES))
        met = median(few) <= BAR_OF_FEW
        words = spread(few, "times the time")
        bars.append((f"  on {FEW_VALUES} values", words, f"<= {BAR_OF_FEW:g} times", met))
    return bars


def times_longer(add, value) -> list[float]:
    """Processor seconds of a call with a secure generator over one with PCG64, in each round."""
    import numpy as np

    from dpfair_cli.mechanisms.secure import SecureGenerator

    # turns of a few milliseconds gave ratios of 0.3 to 31 in nine rounds, longer ones 4.4 to 5.1
    repeats = max(5, 200_000 // len(value))

    def turns(rng):
        return stopwatch(lambda: [add(value, rng) for _ in range(repeats)], time.process_time)

    return times_faster(turns(np.random.default_rng(0)), turns(SecureGenerator()), ROUNDS)
