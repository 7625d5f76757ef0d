"""The model that gradient descent trains on a kind of data."""

from __future__ import annotations

from dpfair_cli.contracts import Records
from dpfair_cli.models.descent import Differentiable
from dpfair_cli.models.logistic_descent import Intercept, LogisticDescent


def differentiable(data: Records, *, intercept: Intercept) -> Differentiable:
    """Logistic regression, with an `intercept` or without."""
    return LogisticDescent(data, intercept=intercept)
