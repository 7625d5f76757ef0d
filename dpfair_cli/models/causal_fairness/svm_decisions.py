"""Joint distributions with an SVM's decision as the label, and the features that it may use."""

from __future__ import annotations

from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.kinds.causal_records import CausalDag
from dpfair_cli.models.causal_fairness.causal_model import all_codes

Kernel = Literal["linear", "rbf"]


def non_descendants(graph: CausalDag) -> list[int]:
    """The variables that the protected variable does not cause, as indices; without the label."""
    protected, label = graph.place(graph.protected), graph.place(graph.label)
    caused = graph.descendants(protected) | {protected, label}
    return [j for j in range(len(graph.names)) if j not in caused]


def residuals(joint: Floats, graph: CausalDag) -> Floats:
    """The residuals of the k variables that the protected variable causes, (cells, k).

    The residuals are those of a linear regression of each variable on its causes, weighted by the
    joint distribution. The label is left out.
    """
    from sklearn.linear_model import LinearRegression  # imported late: slow, and only fits need it

    codes, weights = all_codes(joint.ndim), joint.ravel()
    caused = sorted(graph.descendants(graph.place(graph.protected)) - {graph.place(graph.label)})
    found = [np.zeros((len(codes), 0))]
    for j in caused:
        causes = codes[:, list(graph.parents(j))]
        fitted = LinearRegression().fit(causes, codes[:, j], sample_weight=weights)
        found.append((codes[:, j] - fitted.predict(causes))[:, None])
    return np.hstack(found)


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
