"""The model that gradient descent trains on a kind of data."""

from __future__ import annotations

from typing import Any

from dpfair_cli.contracts import Classifier, DpfairError, Floats, Images, Records
from dpfair_cli.models.descent import Differentiable
from dpfair_cli.models.logistic_descent import Intercept, LogisticDescent


def differentiable(data: Records | Images, *, intercept: Intercept) -> Differentiable:
    """Logistic regression on records, with an `intercept` or without; a convolutional network on images.

    Raises:
        DpfairError: images, and no torch to train the network with.
    """
    if isinstance(data, Records):
        return LogisticDescent(data, intercept=intercept)
    return _cnn().CnnDescent(data)  # type: ignore[no-any-return]


def network(parameters: Floats) -> Classifier:
    """The convolutional network with parameters (431080,).

    Raises:
        DpfairError: there is no torch to run it with.
    """
    return _cnn().CnnClassifier(parameters)  # type: ignore[no-any-return]


def _cnn() -> Any:
    """The module of the network, the only one that needs torch."""
    try:
        import dpfair_cli.models.cnn as cnn
    except ImportError as error:
        raise DpfairError("networks for images need torch: pip install 'dpfair[deep]'") from error
    return cnn
