"""The models that gradient descent trains: one for records and one for images."""

from __future__ import annotations

from typing import Any

from dpfair_cli.contracts.errors import DpfairError, how_to_install
from dpfair_cli.contracts.training_context import Device
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.training.descent import Differentiable
from dpfair_cli.models.training.logistic_descent import Intercept, LogisticDescent


def differentiable(
    data: Records | Images, *, intercept: Intercept, device: Device
) -> Differentiable:
    """Logistic regression on records, or a convolutional network on images.

    Args:
        data: the training data.
        intercept: whether logistic regression has an intercept.
        device: the device of the network; logistic regression is computed by the processor.

    Raises:
        DpfairError: `data` are images and torch is not installed.
    """
    if isinstance(data, Records):
        return LogisticDescent(data, intercept=intercept)
    return _cnn().CnnDescent(data, device)  # type: ignore[no-any-return]


def _cnn() -> Any:
    """The module of dpfair with the convolutional network, which needs torch."""
    try:
        import dpfair_cli.models.training.cnn as cnn
    except ImportError as error:
        raise DpfairError(f"networks for images need torch: {how_to_install(['torch'])}") from error
    return cnn
