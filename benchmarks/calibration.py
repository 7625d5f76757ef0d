"""The bars of noise calibration: against dp-accounting, and several epsilons against one.

A calibration brackets the noise multiplier between powers of two, and all epsilons share these. It
then follows Brent's method, whose every point depends on the exact epsilons at the points before
it. These points are different for each epsilon, and a privacy loss distribution at one of them says
nothing about the exact value at another. Many epsilons therefore cost nearly as much as they do one
by one, unless the last digits of the multipliers may change.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from benchmarks.ratio import Bar, rival_bar, spread, stopwatch, times_faster

RATE, STEPS, DELTA = 256 / 30_162, 2_827, 1e-5  # 20 epochs of Adult
INTERVAL = 1e-4  # of dp-accounting's grid of losses
RIVAL_BAR = 15.0
EPSILONS = 16


def calibration_bars() -> list[Bar]:
    """One epsilon against dp-accounting, and 16 epsilons over one."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    clock = time.process_time
    calibrate([1.0])  # the first one also imports
    one = stopwatch(lambda: calibrate([1.0]), clock)
    many = stopwatch(lambda: calibrate(np.logspace(-1, 1, EPSILONS)), clock)
    with threadpool_limits(1):  # threads that wait take time, too
        rival = times_faster(one, stopwatch(calibrate_there, clock))
        several = spread(times_faster(one, many), "times the time")
    each = evaluations(np.logspace(-1, 1, EPSILONS)) / EPSILONS
    return [
        rival_bar("noise for one epsilon, 20 epochs of Adult, dp-accounting", rival, RIVAL_BAR),
        (f"  for {EPSILONS} epsilons", several, "no bar", True),
        ("  privacy loss distributions for each of these", f"{each:.3g}", "<= 7.5", each <= 7.5),
    ]


def calibrate(epsilons: Sequence[float]) -> None:
    """Finds the noise for each epsilon, with nothing kept from before."""
    from dpfair_cli.mechanisms.accounting import accountant

    accountant.cost.cache_clear()
    for epsilon in epsilons:
        accountant.noise_multiplier_for(epsilon, DELTA, sampling_rate=RATE, steps=STEPS)


def evaluations(epsilons: Sequence[float]) -> int:
    """How many privacy loss distributions the noise for these epsilons takes."""
    from dpfair_cli.mechanisms.accounting import accountant

    calibrate(epsilons)
    return accountant.cost.cache_info().misses


def calibrate_there() -> None:
    """Finds the noise for epsilon 1 with dp-accounting."""
    import dp_accounting
    from dp_accounting import pld

    def event(noise: float) -> dp_accounting.DpEvent:
        step = dp_accounting.PoissonSampledDpEvent(RATE, dp_accounting.GaussianDpEvent(noise))
        return dp_accounting.SelfComposedDpEvent(step, STEPS)

    dp_accounting.calibrate_dp_mechanism(
        lambda: pld.PLDAccountant(value_discretization_interval=INTERVAL), event, 1.0, DELTA
    )
