"""FairGAN: a generator of records and labels from which the group cannot be predicted.

Source: xu2021, Section 6.2, Equations 6.1 to 6.3.
Differs: Layer sizes, optimiser and epochs are not published. Ours are in
    models/synthesis/networks.py and game_schedule.py. The critic D1 tells real from generated
    records, and the critic D2 predicts the group. With `goal` "fool" the generator ascends the
    log-likelihood of wrong answers of D1 and D2, as in the circulated code. "minimax" is
    Equation 6.1 as printed, with which D1 becomes certain within an epoch, and the gradient that
    the generator gets from D1 vanishes. D2 sees generated records only, as printed. In the
    circulated code D1 and D2 share layers, and more differs (see fair_gan_joint_critic). Values of
    an attribute are drawn, one for each attribute. Each round has 2 steps of the critics. The
    generator treats the label as one more categorical attribute. The classifier is logistic
    regression, fitted to as many generated records as there are real records.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import NotNegativeFinite, checked
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis import generated_records
from dpfair_cli.models.synthesis.fixed_records import label_rule
from dpfair_cli.models.synthesis.game_schedule import CRITIC_STEPS, DEFAULT_GAME, GameSchedule, Goal
from dpfair_cli.models.synthesis.torch_networks import networks


@checked
def fit(
    records: Records,
    *,
    data_fairness: NotNegativeFinite = 1.0,
    goal: Goal = "fool",
    game: GameSchedule = DEFAULT_GAME,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> generated_records.GeneratedRecords:
    """The trained generator of synthetic records, with a classifier of their labels.

    Args:
        data_fairness: lambda, the weight of the critic of the group; 0 means no fairness.
        goal: What the generator ascends: wrong answers of the critics ("fool"), or the printed game
            ("minimax").

    Raises:
        ValueError: the records do not have two groups and both labels, a column is numeric, or
            there are fewer records than a batch.
    """
    game_rng, sample_rng = rng.spawn(2)
    deep = networks()
    players = deep.Game(records, game, "generated", game_rng, context.device)
    critics, generator = deep.DataCritics(players, data_fairness), players.generator

    def play_round() -> dict[str, float]:
        for _ in range(CRITIC_STEPS):
            real, fake = players.real(), players.generated()
            # max V1 over D1, Equation 6.2
            critics.train_origin_critic(real, fake)
            # max V2 over D2, Equation 6.3
            critics.train_group_critic(fake)
        fake = players.generated_with_gradients()
        v1, v2 = critics.origin_loss(fake, goal), critics.group_loss(fake, goal)
        # min over G, Equation 6.1
        generator.descend(v1 + data_fairness * v2)
        return {"V1": v1.item(), "V2": v2.item(), "RD": deep.label_difference(fake)}

    weights = players.play(play_round, context=context, rng=rng)
    made = generated_records.drawn_records(weights, records.domain, len(records), rng=sample_rng)
    return generated_records.fitted_generator(weights, label_rule(made), records, made)


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Section 6.2, Equations 6.1 to 6.3",
    uses_groups=True,
    data_options={"encoding": "binned"},
    needs="torch",
)
