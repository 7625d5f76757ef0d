"""FairGAN with the output layer of medGAN: a sigmoid for each column.

Source: xu2021, Section 6.2, Equations 6.1 to 6.3, with the generator of medGAN.
Differs: As fair_gan, except for the output, which is that of medGAN (Choi et al. 2017), the
    generator that the section names. The critics see the probability of a 1 in each column,
    and a drawn record has a 1 where the probability exceeds one half. A record can therefore have
    several levels of one attribute, or none. In medGAN the output for two-valued data is the same
    sigmoid. Neither paper prints how probabilities become records; rounding is our choice.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import NotNegativeFinite, checked
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis.fixed_records import FixedRecords, fixed_records
from dpfair_cli.models.synthesis.game_schedule import CRITIC_STEPS, DEFAULT_GAME, GameSchedule
from dpfair_cli.models.synthesis.torch_networks import networks


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
        data_fairness: lambda, the weight of the critic of the group; 0 means no fairness.

    Raises:
        ValueError: the records do not have two groups and both labels, a column is numeric, or
            there are fewer records than a batch.
    """
    game_rng, sample_rng = rng.spawn(2)
    deep = networks()
    from dpfair_cli.models.synthesis.game import SigmoidGame

    players = SigmoidGame(records, game, game_rng, context.device)
    critics, generator = deep.DataCritics(players, data_fairness), players.generator

    def play_round() -> dict[str, float]:
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

    weights = players.play(play_round, context=context, rng=rng)
    return fixed_records(players.drawn(weights, rng=sample_rng))


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Section 6.2, Equations 6.1 to 6.3, with the generator of medGAN",
    uses_groups=True,
    data_options={"encoding": "binned"},
    needs="torch",
)
