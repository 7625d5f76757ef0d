"""The network of xu2021, chapter 9, with the gradient norm of every image: 431,080 parameters for
28 x 28 pixels.

conv 1-20 5x5, ReLU, pool 2, conv 20-50 5x5, ReLU, pool 2, linear 800-500, ReLU, linear 500-10,
cross-entropy.

One backward pass gives d_i = d loss_i / d (output of a layer) for every image i. A linear layer
with input a_i has the gradient d_i a_i' for its weights and d_i for its bias, so that its squared
norm is |d_i|^2 (|a_i|^2 + 1) and none is formed. A convolution is a linear layer on patches u_i (k,
places), with gradient d_i u_i', which is small: those are formed. The clipped sum is then a
weighted sum of what is there already, without a second backward pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import torch
from torch.nn import functional

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.results import FittedFields
from dpfair_cli.kinds.images import Images
from dpfair_cli.models.training.memory import keep_freed_memory

MEAN, SPREAD = 0.1307, 0.3081  # of MNIST's pixels in [0, 1], as everywhere
SHAPES = ((20, 1, 5, 5), (20,), (50, 20, 5, 5), (50,), (500, 800), (500,), (10, 500), (10,))
INPUTS = (25, 25, 500, 500, 800, 800, 500, 500)  # fan-in of each
SIZES = tuple(int(np.prod(shape)) for shape in SHAPES)
PIXELS = (28, 28)
AT_ONCE = 1024  # images; more of them go through the network one such part after the other
PREDICTED_AT_ONCE = (
    256  # images; their layers fit into the cache, which takes a quarter off the time
)
Tensor = Any  # torch.Tensor; the type checker runs without torch

torch.set_num_threads(
    1
)  # as everywhere: more processors serve more runs, and no result depends on their number
keep_freed_memory()


def device() -> str:
    """Where the network runs: a graphics processor, if there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def tensors(parameters: Floats) -> list[Tensor]:
    """The weights and biases in a flat vector (431080,)."""
    flat = torch.as_tensor(parameters, dtype=torch.float32, device=device())
    return [part.view(shape) for part, shape in zip(flat.split(SIZES), SHAPES, strict=True)]


def pixels(X: Tensor) -> Tensor:
    """Bytes (n, 784) as the network's input, (n, 1, 28, 28)."""
    scaled = (X.to(device(), torch.float32) / 255 - MEAN) / SPREAD
    return scaled.view(-1, 1, *PIXELS)


@dataclass(frozen=True, eq=False)
class Pass:
    """A forward pass: the input of each of the four layers, its output before ReLU, and the loss of
    each image.
    """

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    losses: Tensor


def forward(weights: list[Tensor], x: Tensor, y: Tensor) -> Pass:
    """The network on images x (b, 1, 28, 28) with classes y (b,)."""
    w1, b1, w2, b2, w3, b3, w4, b4 = weights
    z1 = functional.conv2d(x, w1, b1)  # (b, 20, 24, 24)
    a1 = functional.max_pool2d(functional.relu(z1), 2)  # (b, 20, 12, 12)
    z2 = functional.conv2d(a1, w2, b2)  # (b, 50, 8, 8)
    a2 = functional.max_pool2d(functional.relu(z2), 2).flatten(1)  # (b, 800)
    z3 = functional.linear(a2, w3, b3)  # (b, 500)
    a3 = functional.relu(z3)
    z4 = functional.linear(a3, w4, b4)  # (b, 10)
    return Pass(
        (x, a1, a2, a3), (z1, z2, z3, z4), functional.cross_entropy(z4, y, reduction="none")
    )


class PartGradients:
    """The gradients of images x (b, 1, 28, 28) of classes y (b,)."""

    def __init__(self, parameters: Floats, x: Tensor, y: Tensor) -> None:
        self.weights = [weight.requires_grad_() for weight in tensors(parameters)]
        self.run = forward(self.weights, x, y)

    @property
    def losses(self) -> Tensor:
        """(b,)."""
        return self.run.losses.detach()

    @cached_property
    def layers(self) -> list[tuple[Tensor, Tensor]]:
        """(gradient of each image (b, out, in), that of its bias (b, out)), or for linear layers
        (a_i, d_i).
        """
        deltas = torch.autograd.grad(self.run.losses.sum(), self.run.outputs, retain_graph=True)
        inputs = [part.detach() for part in self.run.inputs]
        return [
            convolved(inputs[0], deltas[0]),
            convolved(inputs[1], deltas[1]),
            *zip(inputs[2:], deltas[2:], strict=True),
        ]

    @cached_property
    def norms(self) -> Tensor:
        """(b,)."""
        (g1, h1), (g2, h2), (a3, d3), (a4, d4) = self.layers
        formed = sum(squares(part) for part in (g1, h1, g2, h2))
        return (formed + squares(d3) * (squares(a3) + 1) + squares(d4) * (squares(a4) + 1)).sqrt()

    def total(self, weights: Tensor) -> Tensor:
        """The sum of weights_i g_i, (431080,): by autograd as long as nobody has asked for norms."""
        if "layers" not in vars(self):
            parts = torch.autograd.grad(
                (weights * self.run.losses).sum(), self.weights, retain_graph=True
            )
            return torch.cat([part.flatten() for part in parts])
        (g1, h1), (g2, h2), (a3, d3), (a4, d4) = self.layers
        d3, d4 = weights[:, None] * d3, weights[:, None] * d4
        formed = [(weights @ part.flatten(1)) for part in (g1, h1, g2, h2)]
        return torch.cat(
            [*formed, (d3.T @ a3).flatten(), d3.sum(0), (d4.T @ a4).flatten(), d4.sum(0)]
        )


def convolved(inputs: Tensor, deltas: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of the weights (b, out, in) and the bias (b, out) of a 5 x 5 convolution, image
    by image.
    """
    patches = functional.unfold(inputs, 5)  # (b, in, places)
    deltas = deltas.flatten(2)  # (b, out, places)
    return deltas @ patches.transpose(1, 2), deltas.sum(2)


def squares(parts: Tensor) -> Tensor:
    """The squared norm of each image's part, (b,)."""
    return parts.flatten(1).square().sum(1)


class CnnGradients:
    """The gradients of the rows of a batch, however many: parts of them go through the network in
    turn.
    """

    def __init__(self, parameters: Floats, x: Tensor, y: Tensor) -> None:
        self.parameters, self.x, self.y = parameters, x, y

    @cached_property
    def whole(self) -> PartGradients:
        """The one part of a small batch."""
        return PartGradients(self.parameters, pixels(self.x), self.y)

    def parts(self) -> Iterator[PartGradients]:
        """The parts, one at a time in memory; a batch without images has none."""
        if len(self.y) <= AT_ONCE:
            yield from [self.whole][: len(self.y)]
            return
        for x, y in zip(self.x.split(AT_ONCE), self.y.split(AT_ONCE), strict=True):
            yield PartGradients(self.parameters, pixels(x), y)

    @cached_property
    def norms(self) -> Floats:
        """(b,)."""
        return flat([part.norms for part in self.parts()])

    @cached_property
    def losses(self) -> Floats:
        """(b,)."""
        return flat([part.losses for part in self.parts()])

    def total(self, weights: Floats) -> Floats:
        """The sum of weights_i g_i, (431080,)."""
        given = torch.as_tensor(weights, dtype=torch.float32, device=device()).split(AT_ONCE)
        total = torch.zeros(sum(SIZES), device=device())
        for part, own in zip(self.parts(), given, strict=False):
            total += part.total(own)
        return flat([total])


def flat(parts: list[Tensor]) -> Floats:
    """Tensors one behind the other as numbers, (sum of lengths,)."""
    return np.concatenate([np.zeros(0), *(part.cpu().numpy().astype(float) for part in parts)])


@dataclass(frozen=True, eq=False)
class CnnClassifier(FittedFields):
    """The network with parameters (431080,)."""

    parameters: Floats
    reads_group: ClassVar[bool] = False

    def predict(self, images: Images) -> Floats:
        """The class of each image as a number, (n,)."""
        require_size(images)
        weights, X = tensors(self.parameters), torch.tensor(images.X)
        nobody = torch.zeros(PREDICTED_AT_ONCE, dtype=torch.int64, device=device())
        with torch.no_grad():
            passes = (
                forward(weights, pixels(x), nobody[: len(x)]) for x in X.split(PREDICTED_AT_ONCE)
            )
            scores = [part.outputs[-1].argmax(1) for part in passes]
        return flat(scores)

    def saved(self) -> dict[str, Any]:
        """The parameters, for a model file; the network computes with 32 bits."""
        return {"form": "cnn", "parameters": self.parameters.astype(np.float32).tolist()}


def restore(saved: Mapping[str, Any]) -> CnnClassifier:
    """The network in a model file."""
    return CnnClassifier(np.array(saved["parameters"], dtype=float))


class CnnDescent:
    """The network on images."""

    def __init__(self, images: Images) -> None:
        require_size(images)
        self.X = torch.tensor(images.X, device=device())  # bytes, (n, 784)
        self.y = torch.tensor(images.y, device=device())
        self.groups, self.group_count = images.protected, len(images.groups)

    def start(self, rng: np.random.Generator) -> Floats:
        """Weights and biases uniform within 1 / sqrt(fan-in), as torch begins with."""
        source = torch.Generator().manual_seed(int(rng.integers(2**62)))
        parts = [
            torch.empty(size).uniform_(-(inputs**-0.5), inputs**-0.5, generator=source)
            for size, inputs in zip(SIZES, INPUTS, strict=True)
        ]
        return flat(parts)

    def gradients(self, parameters: Floats, rows: Ints) -> CnnGradients:
        """The gradients of the images `rows`."""
        taken = torch.as_tensor(rows, device=device())
        return CnnGradients(parameters, self.X[taken], self.y[taken])

    def classifier(self, parameters: Floats) -> CnnClassifier:
        """The class of the largest score."""
        return CnnClassifier(parameters)


def require_size(images: Images) -> None:
    """Refuse images that the network has no room for."""
    if images.shape != PIXELS or len(images.classes) > 10:
        raise ValueError(
            f"the network takes 28 x 28 pixels and 10 classes, got {images.shape}, {len(images.classes)}"
        )
