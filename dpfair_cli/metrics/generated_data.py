"""Fairness of generated records, and their distance from real ones.

Source: xu2021, Sections 3.2.1 and 6.4.2, and for joint distributions of binary variables 7.3.1,
which does not define its chi2 distance: see `chi2_distance`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints


def risk_difference(y: Ints, protected: Ints) -> float:
    """|P(y = 1 | group 1) - P(y = 1 | group 0)|; NaN if a group is empty."""
    if not (np.any(protected == 0) and np.any(protected == 1)):
        return float("nan")
    return float(abs(y[protected == 1].mean() - y[protected == 0].mean()))


def balanced_error_rate(X: Floats, protected: Ints) -> float:
    """The mean error over two groups of a linear SVM that predicts the group from X (n, d).

    The error is computed on the records that the SVM was fitted to. A constant prediction has the
    value one half, which is also the result if a group is empty. Source: xu2021, Equation 3.14.
    """
    from sklearn.svm import LinearSVC

    if protected.min() == protected.max():
        return 0.5
    told = LinearSVC(dual=False, random_state=0).fit(X, protected).predict(X)
    return float(np.mean([np.mean(told[protected == group] != group) for group in (0, 1)]))


def joint_distance(ours: Floats | Ints, theirs: Floats | Ints) -> float:
    """The Euclidean distance between the joint distributions of the rows of two tables.

    A cell of the distributions is a distinct row of either table.
    """
    rows = np.ascontiguousarray(np.vstack([ours, theirs])) + 0.0  # -0.0 becomes 0.0
    as_bytes = rows.view(f"V{rows[0].nbytes}").ravel()  # sorted in a tenth of the time of the rows
    cells, places = np.unique(as_bytes, return_inverse=True)  # the distinct rows of both tables
    left = np.bincount(places[: len(ours)], minlength=len(cells)) / len(ours)
    right = np.bincount(places[len(ours) :], minlength=len(cells)) / len(theirs)
    return float(np.linalg.norm(left - right))


def chi2_distance(ours: Floats, real: Floats, n: int) -> float:
    """The chi2 statistic of two samples of size n: the sum over cells of (O - E)^2 / (O + E).

    O and E are the expected counts of n records under the distributions `ours` and `real`. The sum
    is finite even if cells are empty.
    """
    both = ours + real
    parts = np.divide((ours - real) ** 2, both, out=np.zeros_like(both), where=both > 0)
    return float(n * parts.sum())


def pearson_distance(ours: Floats, real: Floats, n: int) -> float:
    """Pearson's chi2 statistic of n records: the sum over cells of (O - E)^2 / E.

    O and E are as in `chi2_distance`. Cells without real records, where E = 0, are left out.
    """
    parts = np.divide((ours - real) ** 2, real, out=np.zeros_like(real), where=real > 0)
    return float(n * parts.sum())


def sampled_pearson_distance(
    ours: Floats, real: Floats, n: int, *, rng: np.random.Generator
) -> float:
    """Pearson's chi2 statistic of a sample of n records from the distribution `ours`."""
    drawn = rng.choice(ours.size, size=n, p=ours.ravel())
    counts = np.bincount(drawn, minlength=ours.size).reshape(ours.shape)
    return pearson_distance(counts / n, real, n)


def share_outside(ours: Floats, real: Floats) -> float:
    """The probability under `ours` of the cells that have no real records."""
    return float(ours[real == 0].sum())


def classifier_accuracies(
    ours: Floats, real: Floats, protected: int, label: int, n: int
) -> dict[str, float]:
    """The accuracies of four classifiers that are trained on `ours` and tested on `real`.

    `ours` and `real` are joint distributions (2,) * p of p binary variables. The classifiers
    predict the variable with the index `label` from all others except the variable with the index
    `protected`. A classifier is trained on the cells of the distribution, with the expected counts
    of n records as weights. The result is that of training on n records, except for the random
    forest, whose trees sample cells and not records.
    """
    learned, scored = (cases(joint, protected, label) for joint in (ours, real))  # (cells, 2)
    X = np.indices((2,) * (ours.ndim - 2)).reshape(ours.ndim - 2, -1).T
    if not learned.any(axis=0).all():  # one label alone, which no classifier can be fitted to
        decided = int(learned[:, 1].sum() > 0)
        return dict.fromkeys(CLASSIFIERS, float(scored[:, decided].sum()))
    weights, y = learned.T.ravel(), np.repeat([0, 1], len(X))
    occurs, found = weights > 0, {}
    for name, classifier in zip(CLASSIFIERS, classifiers(), strict=True):
        classifier.fit(np.vstack([X, X])[occurs], y[occurs], sample_weight=n * weights[occurs])
        found[name] = float(scored[np.arange(len(X)), classifier.predict(X)].sum())
    return found


def cases(joint: Floats, protected: int, label: int) -> Floats:
    """The joint distribution without the protected variable, as a table (cells, 2).

    The two columns are the values 0 and 1 of the variable with the index `label`.
    """
    kept = joint.sum(axis=protected, keepdims=True)
    return np.asarray(np.moveaxis(kept, (protected, label), (0, -1)).reshape(-1, 2))


CLASSIFIERS = ("accuracy_svm", "accuracy_dt", "accuracy_lr", "accuracy_rf")


def classifiers() -> tuple[Any, ...]:
    """The classifiers that CLASSIFIERS lists, with scikit-learn's default parameters."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    forest = RandomForestClassifier(random_state=0)
    return SVC(), DecisionTreeClassifier(random_state=0), LogisticRegression(), forest
