"""How fair generated records are, and how near to the real ones (xu2021, Sections 3.2.1 and 6.4.2)."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints


def risk_difference(y: Ints, protected: Ints) -> float:
    """|P(y = 1 | group 1) - P(y = 1 | group 0)|; NaN where a group has nobody."""
    rates = [
        y[protected == group].mean() if np.any(protected == group) else np.nan for group in (0, 1)
    ]
    return float(abs(rates[1] - rates[0]))


def balanced_error_rate(X: Floats, protected: Ints) -> float:
    """The mean error over the two groups of a linear SVM that tells the group from X (n, d),
    Equation 3.14.

    It is scored on the records that it was fitted to. One half is what a rule that says the same of
    everybody has, and what is given where a group has nobody.
    """
    from sklearn.svm import LinearSVC

    if protected.min() == protected.max():
        return 0.5
    told = LinearSVC(dual=False, random_state=0).fit(X, protected).predict(X)
    return float(np.mean([np.mean(told[protected == group] != group) for group in (0, 1)]))


def joint_distance(ours: Floats | Ints, theirs: Floats | Ints) -> float:
    """The Euclidean distance of two empirical probability mass functions, over all rows that occur
    in either.
    """
    cells, places = np.unique(np.vstack([ours, theirs]), axis=0, return_inverse=True)
    places = places.ravel()
    left, right = (
        np.bincount(part, minlength=len(cells)) / len(part)
        for part in (places[: len(ours)], places[len(ours) :])
    )
    return float(np.linalg.norm(left - right))
