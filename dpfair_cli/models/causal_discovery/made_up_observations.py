"""Random records of public variables, to check without data that a method accepts them."""

from __future__ import annotations

import numpy as np

from dpfair_cli.kinds.variables import Observations

FEWEST = 200  # records: enough that no variable is a copy of another one by chance
STEPS = 1000  # numeric values are multiples of 1 / STEPS


def made_up_observations(
    names: tuple[str, ...], levels: tuple[int, ...], *, enough: bool, rng: np.random.Generator
) -> Observations:
    """Random records of independent variables.

    Args:
        names: the variables.
        levels: the number of levels of each; if empty, the variables are numbers from -1 to 1.
        enough: True for more records than variables, False for as many records as variables.
        rng: the source of randomness.
    """
    p = len(names)
    n = max(FEWEST, 2 * p) if enough else p
    if levels:
        return Observations(rng.integers(np.array(levels), size=(n, p)), names, levels)
    return Observations(rng.integers(-STEPS, STEPS, size=(n, p)) / STEPS, names, levels)
