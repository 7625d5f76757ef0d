"""CausalGAN: a generator that follows a causal graph, without fairness.

Source: Kocaoglu, Snyder, Dimakis and Vishwanath (2018); xu2021, Section 7.3.1.
Differs: CausalGAN is CFGAN with lambda = 0 here, so that the two methods differ only in the
    fairness term. Kocaoglu et al. train with a Wasserstein critic and a gradient penalty, and add
    critics of labels. xu2021 does not describe its implementation of CausalGAN.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.algorithms.synthesis import cfgan
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.causal_records import CausalRecords
from dpfair_cli.models.causal_fairness.record_distribution import ModelledRecords
from dpfair_cli.models.synthesis.game_schedule import DEFAULT_CAUSAL, CausalSchedule


@checked
def fit(
    records: CausalRecords,
    *,
    game: CausalSchedule = DEFAULT_CAUSAL,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> ModelledRecords:
    """The distribution of the records that the trained generator makes.

    Raises:
        ValueError: there are fewer records than a batch.
    """
    return cfgan.fit(records, fairness=0.0, game=game, context=context, rng=rng)


ALGORITHM = Algorithm(
    fit,
    source="Kocaoglu, Snyder, Dimakis and Vishwanath (2018); xu2021, Section 7.3.1",
    needs="torch",
)
