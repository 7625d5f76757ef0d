"""What the games between a generator and its critics share: players, batches of records, and
rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.training_context import TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis.cells import Cells
from dpfair_cli.models.synthesis.game_schedule import GameSchedule
from dpfair_cli.models.synthesis.generator_weights import GeneratorWeights
from dpfair_cli.models.synthesis.networks import Generator, Tensor, weights_of
from dpfair_cli.models.synthesis.one_hot_groups import OneHotGroups, attribute_groups
from dpfair_cli.models.synthesis.players import SeededPlayers
from dpfair_cli.models.synthesis.records_needed import (
    require_a_batch,
    require_both_groups_and_labels,
)

Labels = Literal["generated", "drawn"]
SMALLEST = 1e-20  # of a uniform number, so that its logarithm is finite


@dataclass(frozen=True, eq=False)
class RecordBatch:
    """A batch: rows (b, d), label and protected group as numbers 0.0 and 1.0, (b, 1) each."""

    x: Tensor
    y: Tensor
    s: Tensor

    def with_(self, others: RecordBatch) -> RecordBatch:
        """These records and others, in one batch."""
        return RecordBatch(
            *(torch.cat([getattr(them, part) for them in (self, others)]) for part in "xys")
        )

    def detached(self) -> RecordBatch:
        """The same records, through whom no gradient flows."""
        return RecordBatch(self.x.detach(), self.y.detach(), self.s)


class Game:
    """The records of a data set and a generator that is to learn them; its rounds are an
    algorithm's.

    With `labels` "generated" the generator gives rows and labels for a group that is drawn; with
    "drawn" both labels and groups are drawn, independently of each other, and so are those of the
    real records: a person of that cell.

    Raises:
        ValueError: not records of two groups and both labels, a column that is a number, fewer
            records than a batch, or nobody in a cell.
    """

    def __init__(
        self, records: Records, schedule: GameSchedule, labels: Labels, rng: np.random.Generator
    ) -> None:
        require_both_groups_and_labels(records)
        require_a_batch(records, schedule.batch_size)
        self.records, self.schedule = records, schedule
        self.x = torch.tensor(records.X, dtype=torch.float32)
        self.y = torch.tensor(records.y[:, None], dtype=torch.float32)
        self.s = torch.tensor(records.protected[:, None], dtype=torch.float32)
        own = attribute_groups(records).sizes
        self.groups = OneHotGroups((*own, 2) if labels == "generated" else own)
        self.shares = shares(records, labels)
        self.cells = Cells(records) if labels == "drawn" else None
        self.players = SeededPlayers(rng)
        self.generator = self.players.begin(
            "generator", lambda: Generator(self.groups, self.shares.size)
        )

    def real(self) -> RecordBatch:
        """A batch of real records: anyone, or somebody of each cell that is drawn."""
        if self.cells is None:
            return self.anyone()
        return self._people(self.cells.rows(self._conditions(), self.players.rng))

    def anyone(self) -> RecordBatch:
        """A batch of real records, whatever their labels and groups."""
        return self._people(
            self.players.rng.integers(len(self.records), size=self.schedule.batch_size)
        )

    def _people(self, rows: Ints) -> RecordBatch:
        taken = torch.as_tensor(rows)
        return RecordBatch(*(part.index_select(0, taken) for part in (self.x, self.y, self.s)))

    def shown(self) -> RecordBatch:
        """A batch of generated records for the critics, through whom no gradient flows."""
        with torch.no_grad():
            return self._generated(self.generator.network.rows)

    def made(self) -> RecordBatch:
        """A batch of generated records, through whom gradients flow to the generator."""
        return self._generated(self.generator.network.differentiable_rows)

    def _generated(self, rows_of: Callable[[Tensor], Tensor]) -> RecordBatch:
        condition, size = torch.as_tensor(self._conditions()), self.schedule.batch_size
        noise = torch.randn(
            size, self.generator.network.condition.embedding_dim, generator=self.players.draws
        )
        scores = self.generator(noise, condition)
        uniform = torch.rand(scores.shape, generator=self.players.draws).clamp_(SMALLEST, 1 - 1e-7)
        rows = rows_of(scores - torch.log(-torch.log(uniform)))
        if self.cells is not None:
            return RecordBatch(
                rows, (condition % 2)[:, None].float(), (condition // 2)[:, None].float()
            )
        return RecordBatch(rows[:, :-2], rows[:, -1:], condition[:, None].float())

    def _conditions(self) -> Any:
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
        """The generator after all epochs of pretraining and of rounds."""
        schedule = self.schedule

        def rounds(epoch: int) -> Iterator[Mapping[str, float]]:
            play_one = self._pretrain if epoch <= schedule.pretraining_epochs else play_round
            return (play_one() for _ in range(-(-len(self.records) // schedule.batch_size)))

        self.players.play(
            rounds, epochs=schedule.pretraining_epochs + schedule.epochs, context=context, rng=rng
        )
        return GeneratorWeights(weights_of(self.generator.network), self.groups, self.shares)

    def _pretrain(self) -> dict[str, float]:
        """One step of the autoencoder."""
        real = self.real()
        x = real.x if self.cells is not None else torch.cat([real.x, 1 - real.y, real.y], 1)
        loss = self.generator.network.reconstruction_loss(x)
        self.generator.descend(loss)
        return {"autoencoder": loss.item()}


def shares(records: Records, labels: Labels) -> Floats:
    """How often each condition is drawn: P(S), (2,), or P(S) P(Y), (2, 2)."""
    group, label = records.protected.mean(), records.y.mean()
    found = np.array([1 - group, group])
    return found if labels == "generated" else np.outer(found, [1 - label, label])
