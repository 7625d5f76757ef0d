"""Records that do not exist, of public variables: to see whether a method takes such data, without
the data.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.kinds.variables import Observations

FEWEST = 200  # records, in which no variable is a copy of another one by chance
STEPS = 1000  # numbers between 0 and either end


def made_up_observations(
    names: tuple[str, ...], levels: tuple[int, ...], *, enough: bool, rng: np.random.Generator
) -> Observations:
    """Records of independent variables, of these levels or, without any, numbers from -1 to 1.

    There are more of them than variables, or just as many where there are not `enough`.
    """
    p = len(names)
    n = max(FEWEST, 2 * p) if enough else p
    values = (
        rng.integers(np.array(levels), size=(n, p))
        if levels
        else rng.integers(-STEPS, STEPS, size=(n, p)) / STEPS
    )
    return Observations(values, names, levels)
