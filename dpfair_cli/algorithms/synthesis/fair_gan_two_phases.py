"""FairGAN in two phases: first without the critic that predicts the group, and then with it.

Source: xu2021, Section 6.2, Equations 6.1 to 6.3, with the first author's schedule.
Differs: As fair_gan, except for the schedule. In the first phase the critic D2, which predicts the
    group, is not trained, and the generator is trained against the critic D1 alone. In the code of
    the first author both phases have thousands of epochs; the lengths of ours are our choice. The
    generator fools the critics, as with the goal "fool" of fair_gan.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import Fraction, NotNegativeFinite, checked
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis import generated_records
from dpfair_cli.models.synthesis.fixed_records import label_rule
from dpfair_cli.models.synthesis.game_schedule import CRITIC_STEPS, DEFAULT_GAME, GameSchedule
from dpfair_cli.models.synthesis.torch_networks import networks


@checked
def fit(
    records: Records,
    *,
    data_fairness: NotNegativeFinite = 1.0,
    first_phase: Fraction = 0.5,
    game: GameSchedule = DEFAULT_GAME,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> generated_records.GeneratedRecords:
    """The trained generator of synthetic records, with a classifier of their labels.

    `first_phase` is the share of the epochs without this critic, rounded to whole epochs.

    Args:
        data_fairness: lambda, the weight of the critic of the group; 0 means no fairness.
        first_phase: The share of the epochs in which the critic of the group is left out.

    Raises:
        ValueError: the records do not have two groups and both labels, a column is numeric, or
            there are fewer records than a batch.
    """
    game_rng, sample_rng = rng.spawn(2)
    deep = networks()
    from dpfair_cli.models.synthesis.game import TwoPhaseGame

    players = TwoPhaseGame(records, game, "generated", game_rng, context.device)
    critics, generator = deep.DataCritics(players, data_fairness), players.generator

    def first_round() -> dict[str, float]:
        for _ in range(CRITIC_STEPS):
            # max V1 over D1, Equation 6.2
            critics.train_origin_critic(players.real(), players.generated())
        fake = players.generated_with_gradients()
        v1 = critics.origin_loss(fake, "fool")
        # min over G, Equation 6.1 with lambda = 0
        generator.descend(v1)
        return {"V1": v1.item(), "RD": deep.label_difference(fake)}

    def second_round() -> dict[str, float]:
        for _ in range(CRITIC_STEPS):
            real, fake = players.real(), players.generated()
            # max V1 over D1, Equation 6.2
            critics.train_origin_critic(real, fake)
            # max V2 over D2, Equation 6.3
            critics.train_group_critic(fake)
        fake = players.generated_with_gradients()
        v1, v2 = critics.origin_loss(fake, "fool"), critics.group_loss(fake, "fool")
        # min over G, Equation 6.1
        generator.descend(v1 + data_fairness * v2)
        return {"V1": v1.item(), "V2": v2.item(), "RD": deep.label_difference(fake)}

    weights = players.play_phases(
        first_round,
        second_round,
        first_epochs=round(first_phase * game.epochs),
        context=context,
        rng=rng,
    )
    made = generated_records.drawn_records(weights, records.domain, len(records), rng=sample_rng)
    return generated_records.fitted_generator(weights, label_rule(made), records, made)


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Section 6.2, Equations 6.1 to 6.3, with the first author's schedule",
    uses_groups=True,
    data_options={"encoding": "binned"},
    needs="torch",
)
