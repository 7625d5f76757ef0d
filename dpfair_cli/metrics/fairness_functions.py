"""Group fairness as linear functions of accuracies: F_k = C0_k + sum_k' C_k^k' P(H = Y | D_k').

H is the decision of a model, Y the label and S the group of a record. The records are partitioned
into cells k' = (group, label), with the number (number of labels) * group + label, and D_k' are the
records of cell k'. A fairness notion is a vector C0 and a matrix C, which depend on the records but
not on the model. A model is fair if all F_k are 0, and its unfairness is the mean of |F_k|.

The slides give the coefficients of equalized odds for label 1, and zeros for label 0, which is
equality of opportunity. Here each of the two notions has its own coefficients. An empty cell has no
accuracy: its F_k counts as 0, and its weight in every other F_k is 0.

Source: mangold2023.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpfair_cli.contracts.arrays import Floats

Coefficients = tuple[Floats, Floats]  # C0 (K,) and C (K, cells)


def accuracy_parity(records: Floats) -> Coefficients:
    """The coefficients of F_s = P(H = Y | S = s) - P(H = Y), one function for each group s.

    H is the decision, Y the label and S the group of a record. F_s is a linear function of the
    accuracies in the cells of equal group and label. `records` (groups, labels) counts the records
    of each cell.
    """
    groups, labels = records.shape
    sizes = np.maximum(records.sum(axis=1, keepdims=True), 1)  # (groups, 1)
    within = records / sizes  # (groups, labels): P(y | s)
    own = np.kron(np.eye(groups), np.ones(labels)) * within.ravel()  # P(y | s) in the cells of s
    return np.zeros(groups), own - records.ravel() / records.sum()


def equalized_odds(records: Floats) -> Coefficients:
    """The coefficients of F_(s, y) = P(H = Y | Y = y, S = s) - P(H = Y | Y = y).

    H is the decision, Y the label and S the group of a record. There is one function for each cell
    of group s and label y, and each is a linear function of the accuracies in the cells. `records`
    (groups, labels) counts the records of each cell.
    """
    groups, labels = records.shape
    within = records / np.maximum(records.sum(axis=0), 1)  # (groups, labels): P(s | y)
    same_label = np.tile(np.eye(labels), (groups, groups))  # (cells, cells)
    C = np.eye(groups * labels) - same_label * within.ravel()
    return np.zeros(groups * labels), C * (records.ravel() > 0)[:, None]


def equality_of_opportunity(records: Floats) -> Coefficients:
    """The coefficients of equalized odds for the last label, and 0 for the other labels.

    `records` (groups, labels) counts the records of each cell of equal group and label.
    """
    groups, labels = records.shape
    C0, C = equalized_odds(records)
    return C0, C * np.tile(np.arange(labels) == labels - 1, groups)[:, None]


def demographic_parity(records: Floats) -> Coefficients:
    """The coefficients of F_s = P(H = 1 | S = s) - P(H = 1), one function for each group s.

    H is the decision and S the group of a record. H = 1 is correct for label 1 and wrong for label
    0, so that F_s is a linear function of the accuracies in the cells of equal group and label.
    `records` (groups, labels) counts the records of each cell.

    Raises:
        ValueError: there are not two labels; P(H = 1) is then not a function of accuracies.
    """
    groups, labels = records.shape
    if labels != 2:
        raise ValueError(
            "the labels must be 0 and 1 for demographic parity to be a function of "
            f"accuracies, got {labels}"
        )
    sign = np.tile([-1.0, 1.0], groups)  # (cells,)
    _, C = accuracy_parity(records)  # the same cells with other signs
    return C[:, sign < 0].sum(axis=1), C * sign


NOTIONS: dict[str, Callable[[Floats], Coefficients]] = {
    "equalized_odds": equalized_odds,
    "equality_of_opportunity": equality_of_opportunity,
    "accuracy_parity": accuracy_parity,
    "demographic_parity": demographic_parity,
}


def levels(coefficients: Coefficients, right: Floats) -> Floats:
    """The values of all fairness functions F_k, given the accuracies `right` of the cells.

    A cell has the records of one group and label. For `right` of shape (cells,) the result is (K,),
    for (cells, m) it is (K, m).
    """
    C0, C = coefficients
    return (C0 + (C @ right).T).T


def fair(values: Floats) -> Floats:
    """The unfairness of a model: the mean of |F_k| over its fairness functions F_k.

    `values` are the F_k, with k along the first axis.
    """
    return np.asarray(np.abs(values).mean(axis=0))
