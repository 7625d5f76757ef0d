"""The splits and the random numbers that a seed gives in the authors' framework.

AIF360 sets the seed of NumPy's global generator before each of its steps, so that every step starts
with the same numbers.

Source: verona2026, DataGenerator/datagen.py and Benchmark/benchmark.py of BenchmarkDPFair 0.2.7.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp

HELD_OUT = 0.4  # of all records, half of them for calibration
# in the order of the framework
SEEDS = (
    *(5, 42, 253, 4112, 32645, 602627, 153073, 53453, 178753, 243421),
    *(767707, 113647, 796969, 553067, 96797, 133843, 6977, 460403, 126613, 583879),
)


def split(n: int, *, seed: int) -> tuple[dp.Ints, dp.Ints, dp.Ints]:
    """The rows of the training, the calibration and the test records."""
    from sklearn.model_selection import train_test_split  # slow to import

    train, held = train_test_split(np.arange(n), test_size=HELD_OUT, random_state=seed)
    calibration, test = train_test_split(held, test_size=0.5, random_state=seed)
    return train, calibration, test


def draws(seed: int) -> np.random.RandomState:
    """The source of the random numbers of a step."""
    return np.random.RandomState(seed)
