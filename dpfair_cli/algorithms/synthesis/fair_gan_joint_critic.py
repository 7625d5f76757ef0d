"""FairGAN with one critic for origin and group, as in the code that is in circulation.

Source: xu2021, Section 6.2, Equations 6.1 to 6.3, with the networks of a circulated code.
Differs: Networks, penalty and order follow a public copy of code of FairGAN; the docstring of
    models/synthesis/joint_game.py says which, and where they depart. By default that code trains
    for 2,000 epochs in each of two phases, in batches of 100, after 200 epochs of pretraining;
    `epochs` are those of both phases together. It saves probabilities; here a drawn record has a 1
    where the probability exceeds one half, as in fair_gan_sigmoid. D1 and D2 share layers, and D2
    also learns from real records, which is not printed. The records left out are chosen anew for
    each seed.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import NotNegativeFinite, checked
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis.fixed_records import FixedRecords, fixed_records
from dpfair_cli.models.synthesis.game_schedule import CRITIC_STEPS, DEFAULT_GAME, GameSchedule
from dpfair_cli.models.synthesis.torch_networks import joint_game


@checked
def fit(
    records: Records,
    *,
    data_fairness: NotNegativeFinite = 1.0,
    game: GameSchedule = DEFAULT_GAME,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> FixedRecords:
    """As many generated records as there are records, with a classifier of their labels.

    Args:
        data_fairness: lambda, the weight of the prediction of the group in the second phase.

    Raises:
        ValueError: the records do not have two groups and both labels, a column is numeric, or
            there are fewer records than a batch.
    """
    players = joint_game()(records, game, rng.spawn(1)[0], context.device)
    critic, generator = players.critic, players.generator

    def play_round(group_weight: float) -> dict[str, float]:
        for _ in range(CRITIC_STEPS):
            real, fake = players.real(), players.generated()
            # max V1 + lambda V2 over the critic, Equations 6.2 and 6.3; V2 also of real records
            v1, v2 = players.log_likelihoods(real, fake)
            critic.descend(-(v1 + group_weight * v2))
        fake = players.generated_with_gradients()
        # min over G, Equation 6.1: the generator ascends the likelihood of wrong answers
        origin, group = players.generator_losses(fake)
        generator.descend(origin + group_weight * group)
        return {"V1": v1.item(), "V2": v2.item()}

    players.play_phases(
        lambda: play_round(0.0), lambda: play_round(data_fairness), context=context, rng=rng
    )
    return fixed_records(players.drawn_records())


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Section 6.2, Equations 6.1 to 6.3, with the networks of a circulated code",
    uses_groups=True,
    data_options={"encoding": "binned"},
    needs="torch",
)
