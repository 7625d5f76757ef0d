"""An epoch of our network on 8,192 images, to be run in an environment with torch."""

from __future__ import annotations

from dpfair_cli import (
    catalog,
    data_access,  # isort: split
    paths,
)

import numpy as np

from dpfair_cli.algorithms.training import dpsgd, sgd

RECORDS, BATCH = 8192, 256


MNIST = catalog.data_set("mnist")
FOUND = data_access.load(data_access.locate(MNIST, data_dir=paths.data_folder(), replica_ok=True))
IMAGES = FOUND.take(np.flatnonzero(~FOUND.held_out)[:RECORDS])
TRAINING = {"epochs": 1, "batch_size": BATCH, "learning_rate": 0.01}


def plain() -> None:
    """Does an epoch of SGD."""
    sgd.fit(IMAGES, **TRAINING, rng=np.random.default_rng(0))


def private() -> None:
    """Does an epoch of DPSGD."""
    dpsgd.fit(IMAGES, epsilon=6.55, clip_norm=1.0, **TRAINING, rng=np.random.default_rng(0))
