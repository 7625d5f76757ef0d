"""Gradient boosting: a sum of decision trees, each fitted to the errors of the trees before.

Source: Ke et al. 2017 (LightGBM).
Differs: One thread and a fixed order of additions, so that equal data give equal trees.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.records import Records

from ..models.trees import (
    DEFAULT_TREES,
    MODULE,
    BoostedTrees,
    TreeSettings,
    boosted_trees,
)


@checked
def fit(
    records: Records, *, settings: TreeSettings = DEFAULT_TREES, rng: np.random.Generator
) -> BoostedTrees:
    """Boosted trees fitted to the features and labels; `rng` is not used.

    Raises:
        DpfairError: LightGBM is not installed.
    """
    return boosted_trees(records.X, records.y, settings)


ALGORITHM = Algorithm(fit, source="Ke et al. 2017 (LightGBM)", needs=MODULE)
