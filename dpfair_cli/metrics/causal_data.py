"""How far data that were made lie from the real ones, as joint distributions of two-valued
variables.

Source: xu2021, Section 7.3.1, which does not say what its chi2 distance is: see `chi2_distance`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Floats


def chi2_distance(ours: Floats, real: Floats, n: int) -> float:
    """The sum over cells of (O - E)^2 / (O + E) for expected numbers of n records: finite whatever
    cells are empty.

    It is the chi2 statistic of two samples of n.
    """
    both = ours + real
    return float(
        n * np.divide((ours - real) ** 2, both, out=np.zeros_like(both), where=both > 0).sum()
    )


def classifier_accuracies(
    ours: Floats, real: Floats, protected: int, label: int, n: int
) -> dict[str, float]:
    """The accuracy under `real` of four classifiers that learn the variable at `label` under
    `ours`.

    They see the others but for the one at `protected`. Cells stand for the n records that they
    would hold: the optimum is that of n rows, but for the forest, whose trees draw cells and not
    rows.
    """
    learned, scored = (cases(joint, protected, label) for joint in (ours, real))  # (cells, 2)
    X = np.indices((2,) * (ours.ndim - 2)).reshape(ours.ndim - 2, -1).T
    if not learned.any(axis=0).all():
        decided = int(learned[:, 1].sum() > 0)
        return dict.fromkeys(CLASSIFIERS, float(scored[:, decided].sum()))
    weights, y = learned.T.ravel(), np.repeat([0, 1], len(X))
    occurs, found = weights > 0, {}
    for name, classifier in zip(CLASSIFIERS, classifiers(), strict=True):
        classifier.fit(np.vstack([X, X])[occurs], y[occurs], sample_weight=n * weights[occurs])
        found[name] = float(scored[np.arange(len(X)), classifier.predict(X)].sum())
    return found


def cases(joint: Floats, protected: int, label: int) -> Floats:
    """The joint of all variables but the protected one, (cells, 2): the label runs over the
    columns.
    """
    kept = joint.sum(axis=protected, keepdims=True)
    return np.asarray(np.moveaxis(kept, (protected, label), (0, -1)).reshape(-1, 2))


CLASSIFIERS = ("accuracy_svm", "accuracy_dt", "accuracy_lr", "accuracy_rf")


def classifiers() -> tuple[Any, ...]:
    """Those of CLASSIFIERS with scikit-learn's own parameters: kernels of radial basis functions,
    100 trees.
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    forest = RandomForestClassifier(random_state=0)
    return SVC(), DecisionTreeClassifier(random_state=0), LogisticRegression(), forest
