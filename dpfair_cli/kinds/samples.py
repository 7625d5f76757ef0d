"""Random samples of any data, from which audits make neighbours."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from dpfair_cli.kinds import Data

Sampled = TypeVar("Sampled", bound=Data)
SIZES = (2, 5, 200)  # one record counts most in small data; larger data are typical


def sample(data: Sampled, k: int, *, rng: np.random.Generator) -> Sampled:
    """The k-th of many samples of the data without replacement.

    The sizes of the samples are those of SIZES in turn, but not larger than the number of records.
    """
    size = min(SIZES[k % len(SIZES)], len(data))
    return data.take(rng.choice(len(data), size, replace=False))
