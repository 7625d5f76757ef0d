"""The game of a generator and its critics with two phases, which have different rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from dpfair_cli.contracts.training_context import TrainingContext
from dpfair_cli.models.synthesis.game import Game
from dpfair_cli.models.synthesis.generator_weights import GeneratorWeights
from dpfair_cli.models.synthesis.networks import weights_of

Round = Callable[[], Mapping[str, float]]
"""A function that makes one round of a game and returns measurements."""


class TwoPhaseGame(Game):
    """The records of a data set and a generator that is trained on them in two phases."""

    def play_phases(
        self,
        first_round: Round,
        second_round: Round,
        *,
        first_epochs: int,
        context: TrainingContext,
        rng: np.random.Generator,
    ) -> GeneratorWeights:
        """The weights of the generator after pretraining and both phases of the game.

        The first `first_epochs` epochs of the game have rounds `first_round`, and the others have
        rounds `second_round`.
        """
        schedule = self.schedule
        rounds_per_epoch = -(-len(self.records) // schedule.batch_size)

        def rounds(epoch: int) -> Iterator[Mapping[str, float]]:
            if epoch <= schedule.pretraining_epochs:
                play_one: Round = self._pretrain
            elif epoch <= schedule.pretraining_epochs + first_epochs:
                play_one = first_round
            else:
                play_one = second_round
            return (play_one() for _ in range(rounds_per_epoch))

        epochs = schedule.pretraining_epochs + schedule.epochs
        self.players.play(rounds, epochs=epochs, context=context, rng=rng)
        return GeneratorWeights(weights_of(self.generator.network), self.groups, self.shares)
