"""The law of a report: the probability of each report of each level, (levels, reports)."""

from __future__ import annotations

from math import exp
from typing import Literal

import numpy as np

import dpfair_cli.plugin as dp

Response = Literal["optimal", "symmetric"]
TRUTH = np.eye(2)
SILENCE = np.array([[1.0, 0.0], [1.0, 0.0]])  # the same report of both levels


def response_law(epsilon: float, response: Response, rarer: int) -> dp.Floats:
    """The law of OPT (Theorem 1, as the authors' script has it), or of randomised response.

    >>> response_law(np.log(2), "optimal", 0).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    if response == "symmetric":
        kept = 1 / (1 + exp(-epsilon))
        return np.array([[kept, 1 - kept], [1 - kept, kept]])
    found = np.full((2, 2), 1 / 2)
    found[rarer] = exp(-epsilon) / 2
    found[rarer, rarer] = 1 - exp(-epsilon) / 2
    return found
