"""Small networks, several copies at once: gradients of all copies on one batch.

A network has layers with a bias, ReLU between the layers, and a sigmoid at the end; without hidden
layers it is logistic regression. The loss is the cross-entropy. Copies have separate weights and
the same batches, which makes the products of one step large enough to be quick.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np
from scipy.special import expit

import dpfair_cli.plugin as dp

Network = Literal["logistic", "two_hidden_layers"]
HIDDEN: dict[str, tuple[int, ...]] = {"logistic": (), "two_hidden_layers": (6, 6)}


def shapes(features: int, network: Network) -> list[tuple[int, int]]:
    """The (outputs, inputs + 1) of each layer; the last input is the constant 1 of the bias."""
    sizes = (features, *HIDDEN[network], 1)
    return [(outputs, inputs + 1) for inputs, outputs in pairwise(sizes)]


def start(features: int, network: Network, *, copies: int, rng: np.random.Generator) -> dp.Floats:
    """Initial weights of all copies, (copies, p), uniform in +-1/sqrt(inputs of the layer)."""
    blocks = []
    for outputs, inputs in shapes(features, network):
        # as the linear layers of PyTorch begin; the constant input does not count
        bound = 1 / np.sqrt(max(inputs - 1, 1))
        blocks.append(bound * (2 * rng.random((copies, outputs * inputs)) - 1))
    return np.hstack(blocks)


def probabilities(parameters: dp.Floats, X: dp.Floats, network: Network) -> dp.Floats:
    """The probability of label 1 that each copy gives to each record, (copies, n)."""
    layers = _layers(parameters, X.shape[1], network)
    return np.asarray(expit(_forward(layers, _with_ones(X))[-1][..., 0]))


class LabelledRecords:
    """Records for the gradients of perceptrons."""

    def __init__(self, X: dp.Floats, y: dp.Ints, network: Network) -> None:
        self.x, self.y = _with_ones(X), y.astype(float)  # (n, d + 1), (n,)
        self.features, self.network = X.shape[1], network

    def clipped_sum(self, parameters: dp.Floats, rows: dp.Ints, clip_norm: float) -> dp.Floats:
        """The sum of the clipped gradients of the losses of the records `rows`, (copies, p).

        The gradient of a record in all weights and biases of a copy is scaled down to the norm
        `clip_norm` if it is longer.
        """
        layers = _layers(parameters, self.features, self.network)
        *inputs, scores = _forward(layers, self.x.take(rows, axis=0))
        error = (expit(scores[..., 0]) - self.y[rows])[..., None]  # (copies, b, 1)
        # backwards from the output; the error of a layer comes from that of the next one
        errors = [error]
        for layer, values in zip(layers[:0:-1], inputs[:0:-1], strict=True):
            error = (error @ layer[:, :, :-1]) * (values[..., :-1] > 0)
            errors.insert(0, error)
        # the gradient of a layer is the outer product of error and input, so that its norm is the
        # product of theirs, and no gradient of a single record is ever formed
        squares = sum(
            (error**2).sum(axis=-1) * (values**2).sum(axis=-1)
            for error, values in zip(errors, inputs, strict=True)
        )  # (copies, b)
        factors = 1 / np.maximum(1.0, np.sqrt(squares) / clip_norm)
        sums = [
            (error * factors[..., None]).swapaxes(-1, -2) @ values
            for error, values in zip(errors, inputs, strict=True)
        ]
        return np.concatenate([block.reshape(len(parameters), -1) for block in sums], axis=1)


def _forward(layers: list[dp.Floats], x: dp.Floats) -> list[dp.Floats]:
    """The inputs of each layer with a last column 1, and then the scores (copies, b, 1)."""
    values = [x]
    for layer in layers[:-1]:
        hidden = np.maximum(values[-1] @ layer.swapaxes(-1, -2), 0.0)
        values.append(_with_ones(hidden))
    return [*values, values[-1] @ layers[-1].swapaxes(-1, -2)]


def _layers(parameters: dp.Floats, features: int, network: Network) -> list[dp.Floats]:
    """The weights of each layer, (copies, outputs, inputs + 1)."""
    layers, first = [], 0
    for outputs, inputs in shapes(features, network):
        size = outputs * inputs
        block = parameters[:, first : first + size]
        layers.append(block.reshape(len(parameters), outputs, inputs))
        first += size
    return layers


def _with_ones(values: dp.Floats) -> dp.Floats:
    """The values with a last column of ones."""
    return np.concatenate([values, np.ones((*values.shape[:-1], 1))], axis=-1)
