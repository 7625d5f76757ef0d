"""Sums, counts and means of PyDP, the wrapper of Google's library, audited by their outcomes."""

from __future__ import annotations

from typing import Any

from pydp.algorithms.laplacian import BoundedMean, BoundedSum, Count

from benchmarks.audited import EPSILON, Audited
from dpfair_cli.addons.foreign_audits.outcomes import ClaimedPrivacy

RELATION = "add-or-remove-one"


def count(X: Any, epsilon: float) -> Any:
    """The number of records."""
    return Count(epsilon=epsilon, dtype="int").quick_result([1] * len(X))


def total(X: Any, y: Any, epsilon: float) -> Any:
    """The number of records with label 1."""
    algorithm = BoundedSum(epsilon=epsilon, lower_bound=0, upper_bound=1, dtype="int")
    return algorithm.quick_result(y.tolist())


def mean(X: Any, epsilon: float) -> Any:
    """The mean of the first feature."""
    algorithm = BoundedMean(epsilon=epsilon, lower_bound=0.0, upper_bound=1.0, dtype="float")
    return algorithm.quick_result(X[:, 0].tolist())


def mechanisms() -> dict[str, Audited]:
    """The mechanisms by name."""
    claim = ClaimedPrivacy(EPSILON)
    return {
        "Count": Audited(count, claim, RELATION, RELATION, "noise of Google's C++ library"),
        "BoundedSum": Audited(total, claim, RELATION, RELATION, "labels in given bounds"),
        "BoundedMean": Audited(mean, claim, RELATION, RELATION, "a feature in given bounds"),
    }
