"""A3: decisions of a classifier that sees the residuals of the protected variable's descendants.

Source: Kusner, Loftus, Russell and Silva (2017), "Counterfactual fairness", Level 3; xu2021,
    Section 7.3.1 (A3).
Differs: The noise term of a descendant of the protected variable is the residual of a linear
    regression on its parents, as in an additive noise model. Two-valued attributes do not follow
    such a model, and their residuals still depend on the group. The classifier is the SVM of a1.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.causal_records import CausalRecords
from dpfair_cli.models.causal_fairness import svm_decisions as svm
from dpfair_cli.models.causal_fairness.causal_model import all_codes, empirical_joint
from dpfair_cli.models.causal_fairness.record_distribution import RecordDistribution


@checked
def fit(
    records: CausalRecords, *, kernel: svm.Kernel = "linear", rng: np.random.Generator
) -> RecordDistribution:
    """The records with their labels replaced by the decisions of a support vector machine.

    In place of the variables that the protected variable causes, the support vector machine sees
    their residuals. `rng` is not used.

    Args:
        kernel: The kernel of the support vector machine: "linear", or radial basis functions
            ("rbf").
    """
    joint = empirical_joint(records.codes)
    plain = all_codes(joint.ndim)[:, svm.non_descendants(records.graph)]  # (cells, k)
    seen = np.column_stack([plain, svm.residuals(joint, records.graph)])
    return RecordDistribution(
        svm.decided_by_svm(joint, seen, len(records), kernel), records.domain, records.graph
    )


ALGORITHM = Algorithm(
    fit,
    source=(
        'Kusner, Loftus, Russell and Silva (2017), "Counterfactual fairness", Level 3; xu2021, '
        "Section 7.3.1 (A3)"
    ),
)
