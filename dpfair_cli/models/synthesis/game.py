"""The game of a generator and its critics: networks, batches and rounds.

Two methods have another game: one with the sigmoid outputs of medGAN (Choi et al. 2017, "Generating
multi-label discrete patient records using generative adversarial networks"), and that of
joint_game.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch.nn import functional

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.training_context import Device, TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis.game_schedule import GameSchedule
from dpfair_cli.models.synthesis.generated_records import GeneratorWeights
from dpfair_cli.models.synthesis.networks import Generator, Tensor, weights_of
from dpfair_cli.models.synthesis.one_hot_groups import (
    OneHotGroups,
    attribute_groups,
    require_a_batch,
    require_both_groups_and_labels,
)
from dpfair_cli.models.synthesis.players import SeededPlayers


class Cells:
    """The records of each cell (group, label) of a data set with two groups."""

    def __init__(self, records: Records) -> None:
        cell = 2 * records.protected + records.y
        self.order, self.sizes = np.argsort(cell, kind="stable"), np.bincount(cell, minlength=4)
        self.starts = np.cumsum(self.sizes) - self.sizes
        for place, size in enumerate(self.sizes):
            if not size:
                group = records.domain.groups[place // 2]
                raise ValueError(
                    f"every group must have records of both labels, but group {group!r} has "
                    f"none with label {place % 2}"
                )

    def rows(self, cells: Ints, rng: np.random.Generator) -> Ints:
        """The index of a random record of each of the `cells`, (b,)."""
        return np.asarray(self.order[self.starts[cells] + rng.integers(self.sizes[cells])])


Round = Callable[[], Mapping[str, float]]
"""A function that makes one round of a game and returns measurements."""
Labels = Literal["generated", "drawn"]
"""The origin of labels, which the generator makes or which are drawn independently of groups."""
SMALLEST = 1e-20  # lower bound of uniform numbers, so that their logarithm is finite


@dataclass(frozen=True, eq=False)
class RecordBatch:
    """A batch of b records as tensors."""

    x: Tensor  # features, (b, d)
    y: Tensor  # labels, 0.0 or 1.0, (b, 1)
    s: Tensor  # protected groups, 0.0 or 1.0, (b, 1)

    def with_(self, others: RecordBatch) -> RecordBatch:
        """The batch that has the records of this batch and those of `others`."""
        x = torch.cat([self.x, others.x])
        y = torch.cat([self.y, others.y])
        return RecordBatch(x, y, torch.cat([self.s, others.s]))

    def detached(self) -> RecordBatch:
        """The records of this batch, without gradients."""
        return RecordBatch(self.x.detach(), self.y.detach(), self.s)


class Game:
    """The records of a data set and the generator that is trained on them.

    The algorithms add critics and define the rounds of the game.

    Args:
        records: records with two groups, both labels, and the encoding "binned".
        schedule: the numbers of epochs and the size of a batch.
        labels: with "generated" the generator makes features and label for a random group. With
            "drawn" group and label are drawn independently of each other, for generated and real
            records.

    Raises:
        ValueError: the records do not have two groups and both labels, a feature is numeric, there
            are fewer records than a batch, or, with "drawn", a group has no record with one of the
            labels.
    """

    def __init__(
        self,
        records: Records,
        schedule: GameSchedule,
        labels: Labels,
        rng: np.random.Generator,
        device: Device,
    ) -> None:
        require_both_groups_and_labels(records)
        require_a_batch(records, schedule.batch_size)
        self.records, self.schedule = records, schedule
        self.place = device.torch()
        self.x = torch.tensor(records.X, dtype=torch.float32, device=self.place)
        self.y = torch.tensor(records.y[:, None], dtype=torch.float32, device=self.place)
        self.s = torch.tensor(records.protected[:, None], dtype=torch.float32, device=self.place)
        # the label is a group of columns where the generator makes it
        own = attribute_groups(records).sizes
        self.groups = OneHotGroups((*own, 2) if labels == "generated" else own)
        self.shares = shares(records, labels)
        self.cells = Cells(records) if labels == "drawn" else None
        self.players = SeededPlayers(rng, device)
        self.generator = self.players.begin(
            "generator", lambda: Generator(self.groups, self.shares.size)
        )

    def real(self) -> RecordBatch:
        """A batch of real records.

        The batch is a random sample or, if groups and labels are drawn, has a random record for
        each drawn group and label.
        """
        if self.cells is None:
            return self.any_real()
        return self._batch(self.cells.rows(self._drawn_conditions(), self.players.rng))

    def any_real(self) -> RecordBatch:
        """A batch of real records that is a random sample of the data set."""
        return self._batch(
            self.players.rng.integers(len(self.records), size=self.schedule.batch_size)
        )

    def _batch(self, rows: Ints) -> RecordBatch:
        taken = torch.as_tensor(rows, device=self.place)
        x, y = self.x.index_select(0, taken), self.y.index_select(0, taken)
        return RecordBatch(x, y, self.s.index_select(0, taken))

    def generated(self) -> RecordBatch:
        """A batch of generated records without gradients, for the steps of the critics."""
        with torch.no_grad():
            return self._generated(self.generator.network.rows)

    def generated_with_gradients(self) -> RecordBatch:
        """A batch of generated records whose gradients reach the generator."""
        return self._generated(self.generator.network.differentiable_rows)

    def _generated(self, rows_of: Callable[[Tensor], Tensor]) -> RecordBatch:
        condition, draws = self._conditions(), self.players.draws
        scores = self.generator(self._noise(), condition)
        # with Gumbel noise, the largest score is a draw from the softmax
        drawn = torch.rand(scores.shape, generator=draws, device=self.place)
        uniform = drawn.clamp_(SMALLEST, 1 - 1e-7)
        rows = rows_of(scores - torch.log(-torch.log(uniform)))
        if self.cells is not None:
            # the order of `shares`, in which the group comes first
            label, group = condition % 2, condition // 2
            return RecordBatch(rows, label[:, None].float(), group[:, None].float())
        return RecordBatch(rows[:, :-2], rows[:, -1:], condition[:, None].float())

    def _conditions(self) -> Tensor:
        """The condition of the generator for each record of a batch, on the device, (b,)."""
        return torch.as_tensor(self._drawn_conditions(), device=self.place)

    def _noise(self) -> Tensor:
        """The noise from which the generator makes a batch of records, (b, 128)."""
        size, width = self.schedule.batch_size, self.generator.network.condition.embedding_dim
        return torch.randn(size, width, generator=self.players.draws, device=self.place)

    def _drawn_conditions(self) -> Any:
        """The index of a random condition of the generator for each record of a batch, (b,)."""
        return self.players.rng.choice(
            self.shares.size, size=self.schedule.batch_size, p=self.shares.ravel()
        )

    def play(
        self,
        play_round: Callable[[], Mapping[str, float]],
        *,
        context: TrainingContext,
        rng: np.random.Generator,
    ) -> GeneratorWeights:
        """The weights of the generator after pretraining and all epochs of the game."""
        schedule = self.schedule

        def rounds(epoch: int) -> Iterator[Mapping[str, float]]:
            # the autoencoder comes first, because the generator uses its decoder
            play_one = self._pretrain if epoch <= schedule.pretraining_epochs else play_round
            return (play_one() for _ in range(-(-len(self.records) // schedule.batch_size)))

        self.players.play(
            rounds, epochs=schedule.pretraining_epochs + schedule.epochs, context=context, rng=rng
        )
        return GeneratorWeights(weights_of(self.generator.network), self.groups, self.shares)

    def _pretrain(self) -> dict[str, float]:
        """Makes one training step of the autoencoder and returns its loss by name."""
        real = self.real()
        # the label is a one-hot group of two columns, where the generator makes it
        x = real.x if self.cells is not None else torch.cat([real.x, 1 - real.y, real.y], 1)
        loss = self.generator.network.reconstruction_loss(x)
        self.generator.descend(loss)
        return {"autoencoder": loss.item()}


def shares(records: Records, labels: Labels) -> Floats:
    """The probability of each condition of a generator, (2,) or (2, 2).

    A condition is a group with P(group), (2,), or, with `labels` "drawn", a group and a label with
    P(group) P(label), (2, 2).
    """
    group, label = records.protected.mean(), records.y.mean()
    found = np.array([1 - group, group])
    return found if labels == "generated" else np.outer(found, [1 - label, label])


class SigmoidGame(Game):
    """The records of a data set, and a generator of features and label for a random group.

    Each of the d features and the label is an output of its own, between 0 and 1. The critics see
    these outputs as they are.
    """

    def __init__(
        self, records: Records, schedule: GameSchedule, rng: np.random.Generator, device: Device
    ) -> None:
        super().__init__(records, schedule, "generated", rng, device)
        self.groups = OneHotGroups((1,) * (self.x.shape[1] + 1))  # the label is the last column
        self.generator = self.players.begin(
            "generator", lambda: Generator(self.groups, self.shares.size)
        )

    def _generated(self, rows_of: Callable[[Tensor], Tensor]) -> RecordBatch:
        """A batch of probabilities of a 1, (b, d) and (b, 1), with gradients unless disabled."""
        condition = self._conditions()
        made = torch.sigmoid(self.generator(self._noise(), condition).flatten(1))
        return RecordBatch(made[:, :-1], made[:, -1:], condition[:, None].float())

    def _pretrain(self) -> dict[str, float]:
        """Makes one training step of the autoencoder and returns its loss by name."""
        real = self.real()
        x = torch.cat([real.x, real.y], 1)
        scores = self.generator.network.autoencoded(x).flatten(1)
        each = functional.binary_cross_entropy_with_logits(scores, x, reduction="none")
        loss = each.sum(1).mean()
        self.generator.descend(loss)
        return {"autoencoder": loss.item()}

    def drawn(self, generator: GeneratorWeights, *, rng: np.random.Generator) -> Records:
        """As many generated records as there are records; probabilities are rounded to 0 or 1."""
        n = len(self.records)
        group = rng.choice(self.shares.size, size=n, p=self.shares)
        scores = generator.scores(rng.standard_normal((n, generator.width)), group)
        rows = (scores[:, :, 0] > 0).astype(float)  # (n, d + 1)
        return Records(rows[:, :-1], rows[:, -1].astype(np.int64), group, self.records.domain)
