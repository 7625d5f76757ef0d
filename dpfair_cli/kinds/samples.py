"""Random samples of any data, from which the neighbours of an audit are made."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from dpfair_cli.kinds import Data

Kind = TypeVar("Kind", bound=Data)
SIZES = (2, 5, 200)  # small data make one record count most, larger ones are what a user has


def sample(data: Kind, k: int, *, rng: np.random.Generator) -> Kind:
    """The k-th of many samples without replacement: each size of SIZES in turn, as far as there are
    so many records.
    """
    size = min(SIZES[k % len(SIZES)], len(data))
    return data.take(rng.choice(len(data), size, replace=False))
