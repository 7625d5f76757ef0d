"""A3: decisions of a classifier that sees what the protected variable's effects leave unexplained.

Source: Kusner, Loftus, Russell and Silva (2017), "Counterfactual fairness", Level 3; xu2021,
    Section 7.3.1 (A3).
Privacy: none.
Neighbours: none.
Status: as-published
Differs: the noise term of a descendant of the protected variable is its residual of linear
    regression on its causes, as in an additive noise model; two-valued attributes do not obey one,
    so that residuals still tell the group. The classifier is the SVM of a1.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.causal_records import CausalRecords
from dpfair_cli.models.causal_fairness.joint import all_codes, empirical_joint
from dpfair_cli.models.causal_fairness.record_distribution import RecordDistribution
from dpfair_cli.models.causal_fairness.svm_decisions import (
    Kernel,
    decided_by_svm,
    non_descendants,
    residuals,
)


@checked
def fit(
    records: CausalRecords, *, kernel: Kernel = "linear", rng: np.random.Generator
) -> RecordDistribution:
    """The records with the decisions of that classifier; `rng` is not used."""
    joint = empirical_joint(records.codes)
    plain = all_codes(joint.ndim)[:, non_descendants(records.graph)]  # (cells, k)
    seen = np.column_stack([plain, residuals(joint, records.graph)])
    return RecordDistribution(
        decided_by_svm(joint, seen, len(records), kernel), records.domain, records.graph
    )


ALGORITHM = Algorithm(fit)
