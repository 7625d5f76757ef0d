"""GRR: each individual randomises some attributes, and boosted trees learn from the reports.

Source: arcolezi2023 and its code (generalised randomised response, GRR).
Differs: The reports are drawn from another generator than the authors'. Labels and all other
    attributes are used as they are, as in arcolezi2023: the guarantee does not cover them.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.kinds.local_records import LocalRecords

from ..models.budget_split import BudgetSplit, shares
from ..models.trees import (
    DEFAULT_TREES,
    MODULE,
    BoostedTrees,
    TreeSettings,
    boosted_trees,
)


@dp.checked
def fit(
    records: LocalRecords,
    *,
    epsilon: dp.Epsilon = 1.0,
    budget_split: BudgetSplit = "k_based",
    settings: TreeSettings = DEFAULT_TREES,
    rng: np.random.Generator,
) -> BoostedTrees:
    """Boosted trees fitted to records whose randomised attributes are reports.

    Args:
        epsilon: The privacy loss of all randomised attributes of a record together.
        budget_split: "k_based" gives an attribute a share of epsilon proportional to its number of
            levels, "uniform" gives all attributes the same share.

    Raises:
        DpfairError: LightGBM is not installed.
    """
    blocks = [list(records.domain.attributes[name]) for name in records.randomised]
    # inputs are never changed
    X = records.X.copy()
    for block, share in zip(blocks, shares(blocks, budget_split), strict=True):
        reported = dp.randomised_response(  # one record changes one row
            records.X[:, block], hamming_sensitivity=1, epsilon=share * epsilon, rng=rng
        )
        # a report is again one 1 among the columns of its attribute
        X[:, block] = np.eye(len(block))[reported]
    return boosted_trees(X, records.y, settings)  # post-processing


ALGORITHM = dp.Algorithm(
    fit,
    source="arcolezi2023 and its code (generalised randomised response, GRR)",
    guarantee=dp.Guarantee(
        released="the reports of all records and the trees",
        neighbours=dp.Neighbours.RANDOMISED_ATTRIBUTES,
        remark="in any way (local differential privacy)",
        public="the labels, all other attributes and the number of records",
        status=dp.Status.PROVED,
        proof="mechanisms/randomised_response.py",
    ),
    needs=MODULE,
)
