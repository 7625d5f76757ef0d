"""A1: decisions of a classifier that sees no descendant of the protected variable.

Source: Kusner, Loftus, Russell and Silva (2017), "Counterfactual fairness", Level 1; xu2021,
    Section 7.3.1 (A1).
Differs: The classifier is a support vector machine (SVM), as in xu2021, which does not publish the
    kernel. A linear kernel predicts the majority class on adult_binary, as the printed row of A1
    does. Radial basis functions (`kernel` "rbf") predict both classes. The decision replaces the
    label, and all other variables keep their distribution. The decision depends on no descendant of
    the protected variable. The effect of the protected variable on the decision is therefore 0 if
    the protected variable is independent of the variables that the classifier sees.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.causal_records import CausalRecords
from dpfair_cli.models.causal_fairness.causal_model import all_codes, empirical_joint
from dpfair_cli.models.causal_fairness.record_distribution import RecordDistribution
from dpfair_cli.models.causal_fairness.svm_decisions import Kernel, decided_by_svm, non_descendants


@checked
def fit(
    records: CausalRecords, *, kernel: Kernel = "linear", rng: np.random.Generator
) -> RecordDistribution:
    """The records with their labels replaced by the decisions of a support vector machine.

    The support vector machine sees no variable that the protected variable causes. `rng` is not
    used.

    Args:
        kernel: The kernel of the support vector machine: "linear", or radial basis functions
            ("rbf").
    """
    joint = empirical_joint(records.codes)
    seen = all_codes(joint.ndim)[:, non_descendants(records.graph)].astype(float)  # (cells, k)
    return RecordDistribution(
        decided_by_svm(joint, seen, len(records), kernel), records.domain, records.graph
    )


ALGORITHM = Algorithm(
    fit,
    source=(
        'Kusner, Loftus, Russell and Silva (2017), "Counterfactual fairness", Level 1; xu2021, '
        "Section 7.3.1 (A1)"
    ),
)
