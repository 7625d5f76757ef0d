"""The game of the circulated code of FairGAN: one critic for origin and group, and two phases.

Source: models/FairGAN.py of the public repository ShuaiWang97/UvA_FACT2022 (commit 43a84e16), with
the defaults of its command. Its header says that the authors of DECAF sent it by e-mail, that its
source seems to be medGAN's repository, and that it was changed for a newer TensorFlow; it names no
author of FairGAN's part and no licence. The facts below are from that file; its text is not used.

- The critic has hidden layers of 256 and 128 units. Each group has an output of its own for the
  origin of a record, and one output predicts the group.
- While the critic is trained, the batch normalisation of the generator has its running means.
- The loss has PENALTY / 2 times the squares of all trained weights. The vectors of the two groups
  are not trained. Linear layers begin at random numbers by Glorot and Bengio 2010.
- Each phase begins with new moments of Adam.
- A tenth of the records is not used for training.

Batches of pretraining are drawn at random here, and are parts of a permutation there. Groups have
the share of the records that are kept, there a constant. Inputs and means, and the outputs of the
two groups, are one matrix or two, which changes the bounds of their first weights. As many records
are drawn as the data set has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import torch
from torch import nn

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.training_context import Device, TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis.critics import opponent_loss
from dpfair_cli.models.synthesis.game import RecordBatch, Round, SigmoidGame
from dpfair_cli.models.synthesis.game_schedule import GameSchedule
from dpfair_cli.models.synthesis.networks import (
    CRITIC_WIDTHS,
    RATE,
    WIDTH,
    Generator,
    Tensor,
    log_likelihood,
)
from dpfair_cli.models.synthesis.one_hot_groups import OneHotGroups, require_a_batch

PENALTY = 0.001
MOMENTUM, EPSILON = 0.01, 0.001  # of the batch normalisation, as torch names them
HELD_OUT = 0.1  # the share of the records that are not used
BURN_IN = 1_000  # batches that settle the running means before records are drawn


class FixedVectors(nn.Module):  # type: ignore[misc]
    """A vector for each group, uniform from -1 to 1, which is not trained."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.embedding_dim = WIDTH
        self.register_buffer("weight", torch.rand(groups, WIDTH) * 2 - 1)

    def forward(self, group: Tensor) -> Tensor:
        """The vectors of the groups (b,), (b, 128)."""
        return self.weight[group]


class JointGenerator(Generator):
    """The generator with the normalisation and the first weights of the circulated code."""

    def __init__(self, groups: OneHotGroups, conditions: int) -> None:
        super().__init__(groups, conditions)
        self.condition = FixedVectors(conditions)
        self.norm = nn.ModuleList(
            nn.BatchNorm1d(WIDTH, eps=EPSILON, momentum=MOMENTUM) for _ in self.norm
        )
        begin(self)


class JointCritic(nn.Module):  # type: ignore[misc]
    """A critic that maps a batch to the logits of origin and group of its records, (b,) each.

    The critic also sees the mean of the batch.
    """

    def __init__(self, inputs: int) -> None:
        super().__init__()
        first, second = CRITIC_WIDTHS
        self.own = nn.Linear(inputs, first)
        self.mean = nn.Linear(inputs, first, bias=False)
        self.hidden = nn.Linear(first, second)
        self.origin = nn.Linear(second, 2)
        self.group = nn.Linear(second, 1)
        begin(self)

    def forward(self, batch: RecordBatch) -> tuple[Tensor, Tensor]:
        """The logit that a record is real, of its group's output, and that its group is 1."""
        x = torch.cat([batch.x, batch.y], 1)
        h = torch.relu(self.own(x) + self.mean(x.mean(0)))
        h = torch.relu(self.hidden(h))
        return self.origin(h).gather(1, batch.s.long()).squeeze(1), self.group(h).squeeze(1)


def begin(network: nn.Module) -> None:
    """Draws the weights of all linear layers by Glorot and Bengio 2010, those added too."""
    for layer in network.modules():
        if isinstance(layer, nn.Linear):
            nn.init.xavier_uniform_(layer.weight)
            if layer.bias is not None:
                bound = (3 / len(layer.bias)) ** 0.5
                nn.init.uniform_(layer.bias, -bound, bound)


class JointGame(SigmoidGame):
    """The records of a data set, a generator with sigmoid outputs, and one critic."""

    def __init__(
        self, records: Records, schedule: GameSchedule, rng: np.random.Generator, device: Device
    ) -> None:
        order_rng, rng = rng.spawn(2)
        kept = order_rng.permutation(len(records))[round(HELD_OUT * len(records)) :]
        require_a_batch(records, schedule.batch_size)  # names the number of all records
        super().__init__(records.take(kept), schedule, rng, device)
        self.size = len(records)
        self.generator = self.players.begin(
            "generator", lambda: JointGenerator(self.groups, self.shares.size)
        )
        self.critic = self.players.begin("critic", lambda: JointCritic(self.x.shape[1] + 1))
        self._begin_phase()

    def _begin_phase(self) -> None:
        """Gives both networks new moments of Adam."""
        for player in (self.generator, self.critic):
            player.optimiser = torch.optim.Adam(
                player.weights, lr=RATE, weight_decay=PENALTY, fused=True
            )

    def any_real(self) -> RecordBatch:
        """A batch of different real records."""
        n, b = len(self.records), self.schedule.batch_size
        return self._batch(self.players.rng.choice(n, size=b, replace=False, shuffle=False))

    def generated(self) -> RecordBatch:
        """A batch without gradients, made with the running means of the normalisation."""
        self.generator.network.eval()
        return super().generated()

    def generated_with_gradients(self) -> RecordBatch:
        """A batch with gradients, made with the means of the batch."""
        self.generator.network.train()
        return super().generated_with_gradients()

    def log_likelihoods(self, real: RecordBatch, fake: RecordBatch) -> tuple[Tensor, Tensor]:
        """The log-likelihoods V1 of the origins and V2 of the groups of both batches."""
        real_origin, real_group = self.critic(real)
        fake_origin, fake_group = self.critic(fake)
        v1 = log_likelihood(real_origin, torch.ones_like(real_origin))
        v1 = v1 + log_likelihood(fake_origin, torch.zeros_like(fake_origin))
        v2 = log_likelihood(real_group, real.s[:, 0]) + log_likelihood(fake_group, fake.s[:, 0])
        return v1, v2

    def generator_losses(self, fake: RecordBatch) -> tuple[Tensor, Tensor]:
        """The losses of the generator against the predictions of origin and group."""
        origin, group = self.critic(fake)
        fooled = opponent_loss(origin, torch.zeros_like(origin), "fool")
        return fooled, opponent_loss(group, fake.s[:, 0], "fool")

    def play_phases(
        self,
        first_round: Round,
        second_round: Round,
        *,
        context: TrainingContext,
        rng: np.random.Generator,
    ) -> None:
        """Trains the generator: pretraining, and two phases of half of the epochs each."""
        first = self.schedule.pretraining_epochs
        second = first + self.schedule.epochs // 2
        rounds_per_epoch = -(-len(self.records) // self.schedule.batch_size)

        def rounds(epoch: int) -> Iterator[Mapping[str, float]]:
            if epoch in (first + 1, second + 1):
                self._begin_phase()
            play_one: Round = self._pretrain
            if epoch > first:
                play_one = second_round if epoch > second else first_round
            return (play_one() for _ in range(rounds_per_epoch))

        self.players.play(rounds, epochs=first + self.schedule.epochs, context=context, rng=rng)

    def drawn_records(self) -> Records:
        """As many generated records as the data set has; probabilities are rounded to 0 or 1."""
        with torch.no_grad():
            for _ in range(BURN_IN):
                self.generated_with_gradients()
        batches = [self.generated() for _ in range(-(-self.size // self.schedule.batch_size))]

        def rounded(parts: list[Tensor]) -> Floats:
            made: Floats = (torch.cat(parts)[: self.size] > 0.5).cpu().numpy().astype(float)
            return made

        return Records(
            rounded([batch.x for batch in batches]),
            rounded([batch.y for batch in batches])[:, 0].astype(np.int64),
            rounded([batch.s for batch in batches])[:, 0].astype(np.int64),
            self.records.domain,
        )
