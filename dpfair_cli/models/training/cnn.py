"""The convolutional network of xu2021, chapter 9, with the gradient norm of every image.

The layers are: convolution 5 x 5 from 1 to 20 channels, ReLU, pooling 2 x 2, convolution 5 x 5 from
20 to 50 channels, ReLU, pooling 2 x 2, linear 800 to 500, ReLU, linear 500 to 10. The loss is
cross-entropy. The network has 431,080 parameters for 28 x 28 pixels.

One backward pass gives d_i, the derivative of the loss of image i by the output of a layer, for
every image. A linear layer with input a_i has the gradient d_i a_i' for its weights and d_i for its
bias. The squared norm of this gradient is |d_i|^2 (|a_i|^2 + 1), which is computed without the
gradient itself. A convolution is a linear layer on patches u_i (k, places). Its gradient d_i u_i'
is small and is computed. The sum of clipped gradients is a weighted sum of these gradients, without
a second backward pass.
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
from dpfair_cli.contracts.training_context import CPU, Device
from dpfair_cli.kinds.images import Images
from dpfair_cli.models.training.memory import keep_freed_memory

MEAN, SPREAD = 0.1307, 0.3081  # mean and standard deviation of MNIST's pixels in [0, 1]
SHAPES = ((20, 1, 5, 5), (20,), (50, 20, 5, 5), (50,), (500, 800), (500,), (10, 500), (10,))
INPUTS = (25, 25, 500, 500, 800, 800, 500, 500)  # number of inputs of a unit for each of SHAPES
SIZES = tuple(int(np.prod(shape)) for shape in SHAPES)
PIXELS = (28, 28)
AT_ONCE = 1024  # images whose gradients are computed together; bounds the memory
PREDICTED_AT_ONCE = 256  # images that are classified together: their layers fit into the cache
Tensor = Any
"""A torch.Tensor; the type checker runs without torch."""

torch.set_num_threads(1)  # no result depends on the number of processors
keep_freed_memory()


def tensors(parameters: Floats | Tensor, device: Device) -> list[Tensor]:
    """The weights and biases of the layers of the network, from a flat vector (431080,)."""
    flat = torch.as_tensor(parameters, dtype=torch.float32, device=device.torch())
    return [part.view(shape) for part, shape in zip(flat.split(SIZES), SHAPES, strict=True)]


def pixels(X: Tensor) -> Tensor:
    """The input of the network (n, 1, 28, 28), from bytes (n, 784)."""
    scaled = (X.to(torch.float32) / 255 - MEAN) / SPREAD
    return scaled.view(-1, 1, *PIXELS)


@dataclass(frozen=True, eq=False)
class Pass:
    """The intermediate values of a forward pass."""

    inputs: tuple[Tensor, ...]  # the input of each of the four layers
    outputs: tuple[Tensor, ...]  # the output of each layer before ReLU
    losses: Tensor  # the loss of each image, (b,)


def forward(weights: list[Tensor], x: Tensor, y: Tensor) -> Pass:
    """The intermediate values of the network for images x (b, 1, 28, 28) with classes y (b,)."""
    w1, b1, w2, b2, w3, b3, w4, b4 = weights
    z1 = functional.conv2d(x, w1, b1)  # (b, 20, 24, 24)
    a1 = PooledRelu.apply(z1)  # (b, 20, 12, 12)
    z2 = functional.conv2d(a1, w2, b2)  # (b, 50, 8, 8)
    a2 = PooledRelu.apply(z2).flatten(1)  # (b, 800)
    z3 = functional.linear(a2, w3, b3)  # (b, 500)
    a3 = functional.relu(z3)
    z4 = functional.linear(a3, w4, b4)  # (b, 10)
    losses = functional.cross_entropy(z4, y, reduction="none")  # (b,)
    return Pass((x, a1, a2, a3), (z1, z2, z3, z4), losses)


class PooledRelu(torch.autograd.Function):  # type: ignore[misc]
    """ReLU and pooling 2 x 2 of z (b, channels, 2 h, 2 w), with the bytes of torch's own functions.

    The larger of the two values in a row is found first, and then that of the two rows. The
    derivative belongs to the first largest value, and to none if it is at most 0. Values that are
    equal in float have the difference 0, so that the comparisons are exact.
    """

    @staticmethod
    def forward(ctx: Any, z: Tensor) -> Tensor:
        """The pooled values, (b, channels, h, w)."""
        in_rows = torch.maximum(z[..., 0::2], z[..., 1::2])  # (b, channels, 2 h, w)
        pooled = torch.maximum(in_rows[..., 0::2, :], in_rows[..., 1::2, :]).relu_()
        ctx.save_for_backward(z, in_rows, pooled)
        return pooled

    @staticmethod
    def backward(ctx: Any, by_pooled: Tensor) -> Tensor:
        """The derivatives by z, from those by the pooled values."""
        z, in_rows, pooled = ctx.saved_tensors
        by_pooled = where_positive(by_pooled, pooled)
        lower = where_positive(by_pooled, in_rows[..., 1::2, :] - in_rows[..., 0::2, :])
        by_rows = torch.empty_like(in_rows)
        by_rows[..., 0::2, :], by_rows[..., 1::2, :] = by_pooled - lower, lower
        right = where_positive(by_rows, z[..., 1::2] - z[..., 0::2])
        by_z = torch.empty_like(z)
        by_z[..., 0::2], by_z[..., 1::2] = by_rows - right, right
        return by_z


def where_positive(derivatives: Tensor, values: Tensor) -> Tensor:
    """The derivatives where `values` are positive, and 0 elsewhere; faster than torch.where."""
    return torch.ops.aten.threshold_backward(derivatives, values, 0)


class PartGradients:
    """The gradients g_i of b images x (b, 1, 28, 28) with classes y (b,)."""

    def __init__(self, weights: list[Tensor], x: Tensor, y: Tensor) -> None:
        self.weights = [weight.requires_grad_() for weight in weights]
        self.run = forward(self.weights, x, y)

    @property
    def losses(self) -> Tensor:
        """The loss of the network on each image, (b,)."""
        return self.run.losses.detach()

    @cached_property
    def layers(self) -> list[tuple[Tensor, Tensor]]:
        """The gradients of each layer of the network, image by image.

        A convolution has the gradients of weights (b, out, in) and bias (b, out). A linear layer
        has the inputs a_i and the derivatives d_i by the outputs, of which the gradient is the
        product.
        """
        deltas = torch.autograd.grad(self.run.losses.sum(), self.run.outputs, retain_graph=True)
        inputs = [part.detach() for part in self.run.inputs]
        linear = list(zip(inputs[2:], deltas[2:], strict=True))
        convolutions = [convolved(inputs[0], deltas[0]), convolved(inputs[1], deltas[1])]
        return convolutions + linear

    @cached_property
    def norms(self) -> Tensor:
        """The norm |g_i| of the gradient of the loss of each image i, (b,)."""
        (g1, h1), (g2, h2), (a3, d3), (a4, d4) = self.layers
        formed = sum(squares(part) for part in (g1, h1, g2, h2))
        return (formed + squares(d3) * (squares(a3) + 1) + squares(d4) * (squares(a4) + 1)).sqrt()

    def total(self, weights: Tensor) -> Tensor:
        """The weighted sum of the gradients g_i of the losses of the images i, (431080,).

        The sum of weights[i] g_i is computed from `layers` if the norms were computed before, else
        by autograd.
        """
        # one backward pass, if nobody has asked for the gradients of single images
        if "layers" not in vars(self):
            loss = (weights * self.run.losses).sum()
            parts = torch.autograd.grad(loss, self.weights, retain_graph=True)
            return torch.cat([part.flatten() for part in parts])
        (g1, h1), (g2, h2), (a3, d3), (a4, d4) = self.layers
        d3, d4 = weights[:, None] * d3, weights[:, None] * d4
        sums = [weights @ part.flatten(1) for part in (g1, h1, g2, h2)]
        sums += [(d3.T @ a3).flatten(), d3.sum(0), (d4.T @ a4).flatten(), d4.sum(0)]
        return torch.cat(sums)


def convolved(inputs: Tensor, deltas: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of weights (b, out, in) and bias (b, out) of a 5 x 5 convolution, per image."""
    deltas = deltas.flatten(2)  # (b, out, places)
    return deltas @ patches(inputs).transpose(1, 2), deltas.sum(2)


def patches(inputs: Tensor) -> Tensor:
    """The 5 x 5 patches of each image, (b, in, places), as `functional.unfold` returns them.

    One copy of a view takes half the time of `functional.unfold` or less.
    """
    windows = inputs.unfold(2, 5, 1).unfold(3, 5, 1)  # (b, channels, height, width, 5, 5)
    b, channels, height, width = windows.shape[:4]
    return windows.permute(0, 1, 4, 5, 2, 3).reshape(b, channels * 25, height * width)


def squares(parts: Tensor) -> Tensor:
    """The squared norm of the part `parts[i]` of each image i, (b,)."""
    return parts.flatten(1).square().sum(1)


class CnnGradients:
    """The gradients g_i of the images of a batch, computed in parts of at most AT_ONCE images."""

    def __init__(
        self, parameters: Floats | Tensor, x: Tensor, y: Tensor, device: Device = CPU
    ) -> None:
        self.parameters, self.x, self.y, self.device = parameters, x, y, device

    @cached_property
    def whole(self) -> PartGradients:
        """The gradients of all images of a batch that is small enough for one part."""
        return self._part(self.x, self.y)

    def _part(self, x: Tensor, y: Tensor) -> PartGradients:
        return PartGradients(tensors(self.parameters, self.device), pixels(x), y)

    def parts(self) -> Iterator[PartGradients]:
        """Yields the gradients of the images in each part of the batch."""
        # one part is kept, so that norms and sum share its backward pass
        if len(self.y) <= AT_ONCE:
            yield from [self.whole][: len(self.y)]
            return
        for x, y in zip(self.x.split(AT_ONCE), self.y.split(AT_ONCE), strict=True):
            yield self._part(x, y)

    @cached_property
    def norms(self) -> Floats:
        """The norm of the gradient of each image, (b,)."""
        return flat([part.norms for part in self.parts()])

    @cached_property
    def losses(self) -> Floats:
        """The loss of each image, (b,)."""
        return flat([part.losses for part in self.parts()])

    def total(self, weights: Floats) -> Floats | Tensor:
        """The weighted sum of the gradients g_i of the losses of the images i, (431080,).

        `weights` (b,) are the factors of the gradients. If the parameters are a tensor of an
        accelerator, the sum is one too.
        """
        place = self.device.torch()
        given = torch.as_tensor(weights, dtype=torch.float32, device=place).split(AT_ONCE)
        total = torch.zeros(sum(SIZES), device=place)
        for part, own in zip(self.parts(), given, strict=False):
            total += part.total(own)
        return total if isinstance(self.parameters, torch.Tensor) else flat([total])


def flat(parts: list[Tensor]) -> Floats:
    """The concatenation of tensors, flattened to a NumPy vector."""
    arrays = [part.cpu().numpy().astype(float) for part in parts]
    return np.concatenate([np.zeros(0), *arrays])


@dataclass(frozen=True, eq=False)
class CnnClassifier(FittedFields):
    """The trained network."""

    parameters: Floats  # weights and biases, (431080,)
    device: Device = CPU  # the device that predicts
    reads_group: ClassVar[bool] = False  # whether `predict` uses the protected group

    def predict(self, images: Images) -> Floats:
        """The number of the class that the network predicts for each image, (n,)."""
        require_size(images)
        place, weights = self.device.torch(), tensors(self.parameters, self.device)
        X = torch.tensor(images.X, device=place)
        labels = torch.zeros(PREDICTED_AT_ONCE, dtype=torch.int64, device=place)  # not used
        classes = []
        with torch.no_grad():
            for x in X.split(PREDICTED_AT_ONCE):
                outputs = forward(weights, pixels(x), labels[: len(x)]).outputs
                classes.append(outputs[-1].argmax(1))
        return flat(classes)

    def saved(self) -> dict[str, Any]:
        """The parameters of the network in 32-bit precision, as JSON for a model file."""
        return {"form": "cnn", "parameters": self.parameters.astype(np.float32).tolist()}


def restore(saved: Mapping[str, Any]) -> CnnClassifier:
    """The network that a model file holds."""
    return CnnClassifier(np.array(saved["parameters"], dtype=float))


class CnnDescent:
    """The network with the training images, both on a device."""

    def __init__(self, images: Images, device: Device = CPU) -> None:
        require_size(images)
        self.device = device
        self.X = torch.tensor(images.X, device=device.torch())  # bytes, (n, 784)
        self.y = torch.tensor(images.y, device=device.torch())
        self.groups, self.group_count = images.protected, len(images.groups)

    def start(self, rng: np.random.Generator) -> Floats:
        """Random initial weights and biases of the network, (431080,).

        They are uniform in +-1 / sqrt(number of inputs of the unit), as by default in torch, and
        drawn by the processor, so that all devices begin with the same network.
        """
        # a generator of torch, with a seed from the generator of the run
        source = torch.Generator().manual_seed(int(rng.integers(2**62)))
        parts = []
        for size, inputs in zip(SIZES, INPUTS, strict=True):
            bound = inputs**-0.5
            parts.append(torch.empty(size).uniform_(-bound, bound, generator=source))
        return flat(parts)

    def placed(self, vector: Floats) -> Floats | Tensor:
        """The vector where steps are computed: itself, or a 32-bit tensor of the accelerator."""
        if self.device.is_processor:
            return vector
        return torch.as_tensor(vector, dtype=torch.float32, device=self.device.torch())

    def gradients(self, parameters: Floats | Tensor, rows: Ints) -> CnnGradients:
        """The gradients of the losses of the images whose indices are `rows`."""
        taken = torch.as_tensor(rows, device=self.device.torch())
        return CnnGradients(parameters, self.X[taken], self.y[taken], self.device)

    def classifier(self, parameters: Floats) -> CnnClassifier:
        """The network with these weights and biases, as a classifier of images."""
        return CnnClassifier(parameters, self.device)


def require_size(images: Images) -> None:
    """Refuses images that do not fit the network."""
    if images.shape != PIXELS or len(images.classes) > 10:
        raise ValueError(
            "the images must have 28 x 28 pixels and at most 10 classes, got the shape "
            f"{images.shape} and {len(images.classes)} classes"
        )
