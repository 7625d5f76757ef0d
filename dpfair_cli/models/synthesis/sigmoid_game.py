"""The game of a generator whose output layer is the sigmoid of medGAN, one for each column.

Source: Choi et al. (2017), "Generating multi-label discrete patient records using generative
    adversarial networks" (medGAN).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch.nn import functional

from dpfair_cli.contracts.training_context import Device
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis.game import Game, RecordBatch
from dpfair_cli.models.synthesis.game_schedule import GameSchedule
from dpfair_cli.models.synthesis.generator_weights import GeneratorWeights
from dpfair_cli.models.synthesis.networks import Generator, Tensor
from dpfair_cli.models.synthesis.one_hot_groups import OneHotGroups


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
