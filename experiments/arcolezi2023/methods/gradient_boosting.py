"""Gradient boosting: a sum of decision trees, each fitted to the errors of the trees before.

Source: Ke et al. 2017 (LightGBM).
Differs: One thread and a fixed order of additions, so that equal data give equal trees.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp

from ..models.trees import (
    DEFAULT_TREES,
    MODULE,
    BoostedTrees,
    TreeSettings,
    boosted_trees,
)


@dp.checked
def fit(
    records: dp.Records, *, settings: TreeSettings = DEFAULT_TREES, rng: np.random.Generator
) -> BoostedTrees:
    """Boosted trees fitted to the features and labels; `rng` is not used.

    Raises:
        DpfairError: LightGBM is not installed.
    """
    return boosted_trees(records.X, records.y, settings)


ALGORITHM = dp.Algorithm(fit, source="Ke et al. 2017 (LightGBM)", needs=MODULE)
