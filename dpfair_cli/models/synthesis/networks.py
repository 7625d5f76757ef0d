"""The networks of chapter 6 of xu2021, with sizes that the dissertation does not give.

The sizes are those of a circulated code of FairGAN (joint_game.py says which):

- The input of the generator is a vector of 128 noise numbers, multiplied by a vector for each
  condition. The generator has two hidden layers of 128 units and an output layer of 128 units, with
  batch norm and residual connections, as in medGAN.
- A decoder, pretrained as one half of an autoencoder, turns the output into records.
- The critics have hidden layers of 256 and 128 units. Against mode collapse, they also see the mean
  of their batch.
- All networks are trained by Adam with learning rate 0.001.

Much else is ours, among it two separate critics, no penalty and torch's first weights. A softmax
for each one-hot group of columns replaces the sigmoid of medGAN. A row is drawn from the softmax
(Gumbel noise, straight-through gradients at TEMPERATURE), so that critics see valid records. The
critic of decisions has 32 hidden units.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.synthesis.one_hot_groups import OneHotGroups

WIDTH = 128  # of the noise and of every layer of the generator; that code
ACTIVATIONS = (torch.relu, torch.relu, torch.tanh)  # as in medGAN
CRITIC_WIDTHS = (256, 128)  # that code
DECISION_WIDTH = 32  # our choice
TEMPERATURE = 0.66  # of the softmax in straight-through gradients; our choice
RATE = 0.001  # learning rate of Adam; that code
Tensor = Any
"""A torch.Tensor; the type checker runs without torch."""

torch.set_num_threads(1)  # no result depends on the number of processors


class Generator(nn.Module):  # type: ignore[misc]
    """The generator, which maps noise (b, 128) and conditions (b,) to scores.

    The scores have the shape (b, groups, widest group).
    """

    def __init__(self, groups: OneHotGroups, conditions: int) -> None:
        super().__init__()
        self.groups = groups
        self.condition = nn.Embedding(conditions, WIDTH)
        self.linear = nn.ModuleList(nn.Linear(WIDTH, WIDTH, bias=False) for _ in ACTIVATIONS)
        self.norm = nn.ModuleList(nn.BatchNorm1d(WIDTH) for _ in ACTIVATIONS)
        self.encoder = nn.Linear(groups.columns, WIDTH)
        self.decoder = nn.Linear(WIDTH, len(groups.sizes) * groups.widest)
        self.register_buffer(
            "closed", torch.tensor(np.where(groups.room, 0.0, -1e9), dtype=torch.float32), False
        )
        self.register_buffer("places", torch.tensor(groups.places), False)

    def forward(self, noise: Tensor, condition: Tensor) -> Tensor:
        """The scores of every level of every attribute, (b, groups, widest group).

        `noise` is (b, 128), and `condition` (b,) is the number of the condition of each record.
        """
        h = noise * self.condition(condition)
        for linear, norm, activation in zip(self.linear, self.norm, ACTIVATIONS, strict=True):
            h = activation(norm(linear(h))) + h
        return self.decoded(h)

    def decoded(self, h: Tensor) -> Tensor:
        """The scores that the decoder of the generator gives for hidden values h (b, 128).

        The shape is (b, groups, widest group).
        """
        return self.decoder(h).view(-1, *self.groups.room.shape) + self.closed

    def autoencoded(self, x: Tensor) -> Tensor:
        """The scores that encoder and decoder of the generator give for rows x (b, d)."""
        return self.decoded(torch.tanh(self.encoder(x)))

    def rows(self, noisy: Tensor) -> Tensor:
        """Rows (b, d) with a 1 at the largest score of each one-hot group.

        With Gumbel noise on the scores, the rows are drawn from the softmax of each group.
        """
        hard = torch.zeros_like(noisy).scatter_(-1, noisy.argmax(-1, keepdim=True), 1.0)
        return hard.flatten(1).index_select(1, self.places)

    def differentiable_rows(self, noisy: Tensor) -> Tensor:
        """The result of `rows`, with the gradients of the softmax of `noisy` at TEMPERATURE."""
        probabilities = functional.softmax(noisy / TEMPERATURE, dim=-1)
        soft = probabilities.flatten(1).index_select(1, self.places)
        return self.rows(noisy.detach()) - soft.detach() + soft

    def reconstruction_loss(self, x: Tensor) -> Tensor:
        """The cross-entropy loss of the autoencoder for rows x (b, d)."""
        log_probabilities = functional.log_softmax(self.autoencoded(x), dim=-1)
        logs = log_probabilities.flatten(1).index_select(1, self.places)
        return -(logs * x).sum(1).mean()


class Critic(nn.Module):  # type: ignore[misc]
    """A critic of records, which maps rows (b, d) and more columns (b, k) to logits (b,).

    The critic also sees the mean of the batch.
    """

    def __init__(self, inputs: int, widths: tuple[int, int] = CRITIC_WIDTHS) -> None:
        super().__init__()
        first, second = widths
        self.own = nn.Linear(inputs, first)
        self.mean = nn.Linear(inputs, first, bias=False)
        self.rest = nn.Sequential(
            nn.ReLU(), nn.Linear(first, second), nn.ReLU(), nn.Linear(second, 1)
        )

    def forward(self, *parts: Tensor) -> Tensor:
        """The logit that the critic gives to each record, (b,)."""
        x = torch.cat(parts, 1)
        return self.rest(self.own(x) + self.mean(x.mean(0))).squeeze(1)


class DecisionCritic(nn.Module):  # type: ignore[misc]
    """A critic of decisions, which maps decisions and other columns, (b, 1), to logits (b,)."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, DECISION_WIDTH), nn.ReLU(), nn.Linear(DECISION_WIDTH, 1)
        )

    def forward(self, *parts: Tensor) -> Tensor:
        """The logit that the critic gives to each record, (b,)."""
        return self.layers(torch.cat(parts, 1)).squeeze(1)


class LogisticRegression(nn.Module):  # type: ignore[misc]
    """Logistic regression, which maps rows (b, d) to logits (b,)."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        """The logit of label 1 for each row of x (b, d), (b,)."""
        return self.linear(x).squeeze(1)

    def rule(self) -> LinearClassifier:
        """The linear classifier with the weights of this network."""
        weights = self.linear.weight.detach().cpu().numpy()[0].astype(float)  # (d,)
        return LinearClassifier(weights, self.linear.bias.item())


def log_likelihood(logits: Tensor, answer: Tensor) -> Tensor:
    """The mean log-likelihood of the answers (b,), 0 or 1, given the logits (b,)."""
    return -functional.binary_cross_entropy_with_logits(logits, answer)


def weights_of(network: nn.Module) -> dict[str, Floats]:
    """Weights and running means of a network by name, as NumPy arrays."""
    found = network.state_dict()
    return {name: value.cpu().numpy().astype(float) for name, value in found.items()}
