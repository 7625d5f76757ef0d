"""FairGAN+: a fair generator of records and a fair classifier, trained together.

Source: xu2021, Section 6.3, Equations 6.4 to 6.6 and those of Section 6.3.2.
Differs: Layer sizes, optimiser and epochs are ours, as in fair_gan. Labels and groups are drawn
    independently of each other, for generated and for real records, as in Equation 6.4: a real
    record that trains the critic D1 and the classifier is drawn from the records with the drawn
    label and group. The dissertation does not say on which records V3, the objective of the critic
    of the classifier, is computed. With `judged` "real" these are real records with their own
    labels and groups, as in the scores of the classifier. With "drawn" these are the real and
    generated records of the round, whose labels are independent of their groups. L is the
    log-likelihood of both labels; the printed term "y log" is the log-likelihood of label 1 only.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import NotNegativeFinite, checked
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis import generated_records
from dpfair_cli.models.synthesis.game_schedule import CRITIC_STEPS, DEFAULT_GAME, GameSchedule, Goal
from dpfair_cli.models.synthesis.torch_networks import networks

Notion = Literal["demographic_parity", "equalized_odds", "equal_opportunity"]
Judged = Literal["real", "drawn"]


@checked
def fit(
    records: Records,
    *,
    data_fairness: NotNegativeFinite = 1.0,
    classifier_fairness: NotNegativeFinite = 1.0,
    notion: Notion = "demographic_parity",
    judged: Judged = "real",
    goal: Goal = "fool",
    game: GameSchedule = DEFAULT_GAME,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> generated_records.GeneratedRecords:
    """The trained generator of synthetic records, with the trained classifier of their labels.

    Args:
        data_fairness: lambda, the weight of the fairness of the generated records.
        classifier_fairness: mu, the weight of the fairness of the classifier.
        notion: The fairness notion of the classifier.
        judged: The records on which the critic of the classifier is computed: real, or the drawn
            ones.
        goal: What the generator ascends: wrong answers of the critics ("fool"), or the printed game
            ("minimax").

    Raises:
        ValueError: the records do not have two groups, a group has no record with one of the
            labels, a column is numeric, or there are fewer records than a batch.
    """
    game_rng, sample_rng = rng.spawn(2)
    deep = networks()
    players = deep.Game(records, game, "drawn", game_rng, context.device)
    critics = deep.DataCritics(players, data_fairness)
    classification = deep.Classification(players, notion, classifier_fairness)
    generator, classifier = players.generator, classification.classifier

    def play_round() -> dict[str, float]:
        for _ in range(CRITIC_STEPS):
            real, fake = players.real(), players.generated()
            # max V1 over D1, Equation 6.4
            critics.train_origin_critic(real, fake)
            # max V2 over D2, Equation 6.5
            critics.train_group_critic(fake)
            # max V3 over D3, Equation 6.6
            shown = judged_records(real, fake)
            classification.train_group_critic(shown)
        real, fake = players.real(), players.generated_with_gradients()
        v1, v2, told = (
            critics.origin_loss(fake, goal),
            critics.group_loss(fake, goal),
            classification.label_log_likelihood(fake),
        )
        # min V1 + lambda V2 and max L over G
        generator.descend(v1 + data_fairness * v2 - told)
        # the step of the classifier must not reach the generator
        fake = fake.detached()
        v3, told = (
            classification.group_loss(judged_records(real, fake), goal),
            classification.label_log_likelihood(real, fake),
        )
        # min mu V3 and max L over the classifier
        classifier.descend(classifier_fairness * v3 - told)
        numbers = {"V1": v1, "V2": v2, "V3": v3, "L": told}
        return {name: value.item() for name, value in numbers.items()} | {
            "RD": classification.risk_difference(real)
        }

    def judged_records(real: Any, fake: Any) -> Any:
        # drawn with mu = 0 too, so that the batches are those of any mu
        return players.any_real() if judged == "real" else real.with_(fake)

    weights = players.play(play_round, context=context, rng=rng)
    made = generated_records.drawn_records(weights, records.domain, len(records), rng=sample_rng)
    return generated_records.fitted_generator(weights, classification.rule(), records, made)


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Section 6.3, Equations 6.4 to 6.6 and those of Section 6.3.2",
    uses_groups=True,
    data_options={"encoding": "binned"},
    needs="torch",
)
