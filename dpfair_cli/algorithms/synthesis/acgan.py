"""ACGAN: a generator of records of a given label and group, trained with a classifier.

Source: Odena, Olah and Shlens (2017); xu2021, Section 6.4.1.1.
Differs: In xu2021 labels and groups are drawn independently and the classifier is logistic
    regression. ACGAN is therefore FairGAN+ with lambda = mu = 0, and the two methods differ only in
    the fairness terms. In Odena et al. the critic, which tells real from generated records, does
    not see label and group, and predicts the class itself.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.algorithms.synthesis import fair_gan_plus
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis.game_schedule import DEFAULT_GAME, GameSchedule
from dpfair_cli.models.synthesis.generated_records import GeneratedRecords


@checked
def fit(
    records: Records,
    *,
    game: GameSchedule = DEFAULT_GAME,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> GeneratedRecords:
    """The trained generator of synthetic records, with the trained classifier of their labels.

    Raises:
        ValueError: the records do not have two groups, a group has no record with one of the
            labels, a column is numeric, or there are fewer records than a batch.
    """
    return fair_gan_plus.fit(
        records, data_fairness=0.0, classifier_fairness=0.0, game=game, context=context, rng=rng
    )


ALGORITHM = Algorithm(
    fit,
    source="Odena, Olah and Shlens (2017); xu2021, Section 6.4.1.1",
    uses_groups=True,
    data_options={"encoding": "binned"},
    needs="torch",
)
