"""MNIST with 500 of the 5,851 training eights and all test digits (xu2021, Section 9.5.1).

The code on which the dissertation is based shuffles the eights with seed 5 and takes the first 500.
Here the eights are shuffled with the same seed by another random generator, and the 500 eights are
others.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from dpfair_cli.contracts.declarations import Replica
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.datasets import mnist
from dpfair_cli.kinds.images import Images

RARE, KEPT, ALL = 8, 500, 5_851
SEED = 5
COUNTS = tuple(count - (ALL - KEPT) * (digit == RARE) for digit, count in enumerate(mnist.COUNTS))


@checked
def load(folder: Path) -> Images:
    """The images of MNIST without most of the training images of the digit 8."""
    return keep(mnist.load(folder))


def load_replica(path: Path) -> Images:
    """The replica of MNIST without most of the training images of the digit 8.

    The kept share of the digit 8 is the same as for the real images.
    """
    return keep(mnist.load_replica(path))


def keep(images: Images) -> Images:
    """All images, but only a part of the training images of the digit 8.

    The share of the digit 8 that is kept is KEPT/ALL.
    """
    eights = np.flatnonzero((images.y == RARE) & ~images.held_out)
    shuffled = np.random.default_rng(SEED).permutation(eights)
    # a share, since the replica has fewer eights
    dropped = shuffled[round(len(eights) * KEPT / ALL) :]
    return images.take(np.setdiff1d(np.arange(len(images)), dropped))


DATASET = replace(
    mnist.DATASET,
    load=load,
    note="MNIST with 500 instead of 5,851 eights to train on (xu2021, Section 9.5.1); "
    "licence as for mnist",
    expected={"rows": 70_000 - (ALL - KEPT), "columns": 784, "groups": COUNTS, "base_rate": 4.1588},
    replica=Replica(path=mnist.replica_path, load=load_replica, note=mnist.REPLICA_NOTE),
)
