"""Loading and draws of CelebA and ACSIncome, to be run in a separate process."""

from __future__ import annotations

from functools import partial

from dpfair_cli.algorithms.regression import output_perturbation
from dpfair_cli.tasks import private_gap  # isort: split

import numpy as np

from benchmarks.data import read

CASES = {}  # name -> its split
CLIP_NORMS = {"celeba": 6.0, "acs_income": 3.0}  # of mangold2023
DRAWS, SIZES = 100, 20  # of mangold2023's figures


def load(name: str) -> None:
    """Reads a data set and discards it."""
    read(name)


def prepare() -> None:
    """Splits both data sets."""
    for name in CLIP_NORMS:
        CASES[name] = private_gap.split(read(name), draws=DRAWS, rng=np.random.default_rng(0))


def draw() -> None:
    """Does all draws at all sizes."""
    for name, case in CASES.items():
        for size in np.logspace(1, np.log10(len(case.train)), SIZES):
            fit = partial(output_perturbation.fit, clip_norm=CLIP_NORMS[name], train_size=int(size))
            private_gap.study(fit, case, rng=np.random.default_rng(1))


def peak() -> None:
    """Does nothing; the answer to the call has the peak memory."""
