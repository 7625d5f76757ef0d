"""AIM of dpmm, to be run in the environment of that library."""

from __future__ import annotations

import numpy as np
import pandas as pd
from dpmm.models import AIMGM


def made_levels(file: str, epsilon: float, delta: float, seed: int) -> list[list[int]]:
    """The levels of as many made records as the table has; its columns have `sizes` levels.

    The parameters are the defaults of the library, in one process.
    """
    with np.load(file) as data:
        levels, sizes = data["levels"], data["sizes"].tolist()
    names = [str(place) for place in range(len(sizes))]
    model = AIMGM(
        epsilon=epsilon,
        delta=delta,
        domain=dict(zip(names, sizes, strict=True)),
        random_state=np.random.RandomState(seed),
        n_jobs=1,
    )
    model.fit(pd.DataFrame(levels, columns=names))
    made = model.generate(len(levels))
    return made[names].to_numpy(dtype=int).tolist()
