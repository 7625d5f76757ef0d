"""Which lines of a panel are hidden by later ones that run on top of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

HIDES = 0.01  # of the range of all means: a line that is nearer hides the one below it


def count_hiding_lines(points: Mapping[str, pd.DataFrame], x: str) -> dict[str, int]:
    """Of each method the number of later ones that lie within HIDES of it at half of its points or more."""
    means = {name: own.set_index(x)["mean"].dropna() for name, own in points.items() if own[x].notna().any()}
    every = np.concatenate([*means.values(), [0.0]])
    near, names = HIDES * float(np.ptp(every)), list(means)
    counts = dict.fromkeys(points, 0)
    for k, name in enumerate(names):
        gaps = [(means[name] - means[later]).abs() for later in names[k + 1 :]]
        counts[name] = sum(bool((gap <= near).sum() * 2 >= len(means[name]) > 0) for gap in gaps)
    return counts
