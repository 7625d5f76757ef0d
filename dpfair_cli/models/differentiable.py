"""The model that gradient descent trains on a kind of data."""

from __future__ import annotations

from dpfair_cli.contracts import DpfairError, Images, Records
from dpfair_cli.models.descent import Differentiable
from dpfair_cli.models.logistic_descent import Intercept, LogisticDescent


def differentiable(data: Records | Images, *, intercept: Intercept) -> Differentiable:
    """Logistic regression on records, with an `intercept` or without; a convolutional network on images.

    Raises:
        DpfairError: images, and no torch to train the network with.
    """
    if isinstance(data, Records):
        return LogisticDescent(data, intercept=intercept)
    try:
        from dpfair_cli.models.cnn import CnnDescent
    except ImportError as error:
        raise DpfairError("training on images needs torch: pip install 'dpfair[deep]'") from error
    return CnnDescent(data)
