"""Which lines of a panel are hidden by later ones that run on top of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

HIDES = 0.01  # of the axis that the means take up: a line that is nearer hides the one below it


def count_hiding_lines(
    points: Mapping[str, pd.DataFrame], x: str, *, log_y: bool = False
) -> dict[str, int]:
    """The number of later lines that hide the line of each method.

    A line hides another one if it is within HIDES of the other line at half of its points.
    """
    means = {
        name: own.set_index(x)["mean"].dropna()
        for name, own in points.items()
        if own[x].notna().any()
    }
    if log_y:
        means = {name: np.log(own[own > 0]) for name, own in means.items()}
    every = pd.concat([pd.Series(dtype=float), *means.values()])
    near, names = HIDES * float(every.max() - every.min()), list(means)
    counts = dict.fromkeys(points, 0)
    for k, name in enumerate(names):
        gaps = [(means[name] - means[later]).abs() for later in names[k + 1 :]]
        counts[name] = sum(bool((gap <= near).sum() * 2 >= len(means[name]) > 0) for gap in gaps)
    return counts
