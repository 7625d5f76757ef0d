"""A1: decisions of a classifier that sees nothing that the protected variable causes.

Source: Kusner, Loftus, Russell and Silva (2017), "Counterfactual fairness", Level 1; xu2021,
    Section 7.3.1 (A1).
Privacy: none.
Neighbours: none.
Status: as-published
Differs: the classifier is an SVM, as in xu2021, whose kernel is not published; a linear one gives
    what is printed of A1 on adult_binary, the majority class, and "rbf" does not. The decision
    takes the place of the label; all else stays as it is. The effect on a decision that nothing
    caused by the group enters is 0 as far as the group is independent of what does enter.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.causal_records import CausalRecords
from dpfair_cli.models.causal_fairness.joint import all_codes, empirical_joint
from dpfair_cli.models.causal_fairness.record_distribution import RecordDistribution
from dpfair_cli.models.causal_fairness.svm_decisions import Kernel, decided_by_svm, non_descendants


@checked
def fit(
    records: CausalRecords, *, kernel: Kernel = "linear", rng: np.random.Generator
) -> RecordDistribution:
    """The records with the decisions of that classifier; `rng` is not used."""
    joint = empirical_joint(records.codes)
    seen = all_codes(joint.ndim)[:, non_descendants(records.graph)].astype(float)  # (cells, k)
    return RecordDistribution(
        decided_by_svm(joint, seen, len(records), kernel), records.domain, records.graph
    )


ALGORITHM = Algorithm(fit)
