"""CelebA and ACSIncome in a process of their own."""

from __future__ import annotations

from functools import partial

from dpfair_cli.algorithms.regression import output_perturbation
from dpfair_cli.tasks import private_gap  # isort: split

import numpy as np

from benchmarks.data import read

CASES = {}
CLIP_NORMS = {"celeba": 6.0, "acs_income": 3.0}
DRAWS, SIZES = 100, 20


def load(name: str) -> None:
    """Reads a data set, and forgets it."""
    read(name)


def prepare() -> None:
    """Keeps a split of both for what follows."""
    for name in CLIP_NORMS:
        CASES[name] = private_gap.split(read(name), draws=DRAWS, rng=np.random.default_rng(0))


def draw() -> None:
    """All draws at all sizes."""
    for name, case in CASES.items():
        for size in np.logspace(1, np.log10(len(case.train)), SIZES):
            fit = partial(output_perturbation.fit, clip_norm=CLIP_NORMS[name], train_size=int(size))
            private_gap.study(fit, case, rng=np.random.default_rng(1))


def peak() -> None:
    """Nothing: the answer tells how much memory all of this took."""
