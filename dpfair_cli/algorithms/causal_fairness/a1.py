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

from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.causal_records import CausalDag, CausalRecords
from dpfair_cli.models.causal_fairness.causal_model import all_codes, empirical_joint
from dpfair_cli.models.causal_fairness.record_distribution import RecordDistribution

Kernel = Literal["linear", "rbf"]


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


def non_descendants(graph: CausalDag) -> list[int]:
    """The variables that the protected variable does not cause, as indices; without the label."""
    protected, label = graph.place(graph.protected), graph.place(graph.label)
    caused = graph.descendants(protected) | {protected, label}
    return [j for j in range(len(graph.names)) if j not in caused]


def decided_by_svm(joint: Floats, seen: Floats, n: int, kernel: Kernel) -> Floats:
    """The joint distribution with the decision of an SVM in place of the label, (2,) * p.

    Args:
        joint: the distribution of the records, (2,) * p; the last variable is the label.
        seen: the features of each cell that the SVM uses, (cells, k).
        n: the number of records; the weight of a cell is its number of records.
        kernel: the kernel of the SVM.
    """
    from sklearn.svm import SVC  # imported late: slow, and only fits need it

    weights, label = joint.ravel(), all_codes(joint.ndim)[:, -1]
    occurs = weights > 0
    if not seen.shape[1]:
        decision = np.full(len(weights), weights @ label > 0.5, dtype=float)
    else:
        svm = SVC(kernel=kernel).fit(seen[occurs], label[occurs], sample_weight=n * weights[occurs])
        decision = svm.predict(seen).astype(float)
    rest = joint.sum(axis=-1).ravel()  # (cells / 2,): the decision does not depend on the label
    decision = decision.reshape(-1, 2)[:, 0]
    return np.stack([rest * (1 - decision), rest * decision], axis=1).reshape(joint.shape)


ALGORITHM = Algorithm(
    fit,
    source=(
        'Kusner, Loftus, Russell and Silva (2017), "Counterfactual fairness", Level 1; xu2021, '
        "Section 7.3.1 (A1)"
    ),
)
