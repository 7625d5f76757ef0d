"""DP-SGD with Adam: a logistic regression or a small network from noisy clipped gradients.

Source: ficiu2023, PrivLR and DP-NN (Abadi et al. 2016, Algorithm 1; Kingma and Ba 2015)
Differs: Features are scaled by public ranges. With `calibration` "pld" a nearly exact accountant
    finds the noise. "given" takes `noise_multiplier`, and a fit is refused if this noise costs more
    than epsilon. "published" takes `noise_multiplier` without a question, as ficiu2023 does, whose
    account is a central limit; such noise can cost more than epsilon. With `copies` several models
    are trained at once, on the same batches and with separate noise: together they cost epsilon.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import (
    AtLeast,
    Below,
    Count,
    Delta,
    Epsilon,
    NotNegativeFinite,
    PositiveFinite,
    checked,
)
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.records import Records

from ..models.adam_steps import DEFAULT_ADAM, AdamSchedule
from ..models.noise_choice import NoiseChoice, chosen_noise
from ..models.noisy_adam import noisy_adam
from ..models.perceptron_copies import PerceptronCopies, at_one_half
from ..models.perceptrons import Network


@checked
def fit(
    records: Records,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-5,
    clip_norm: PositiveFinite = 2.0,
    calibration: NoiseChoice = "pld",
    noise_multiplier: NotNegativeFinite = 1.0,  # used only with "given" and "published"
    held_out_share: Annotated[float, AtLeast(0), Below(1)] = 0.0,
    network: Network = "logistic",
    copies: Count = 1,
    training: AdamSchedule = DEFAULT_ADAM,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> PerceptronCopies:
    """The copies of the model after as many passes over the data as `training` says.

    Args:
        clip_norm: The L2 norm to which the gradient of a record is clipped, bias included.
        calibration: The accountant that finds the noise, "given" for the noise `noise_multiplier`
            if it costs at most epsilon, or "published" for this noise whatever it costs.
        noise_multiplier: The noise multiplier; used only with "given" and "published".
        held_out_share: The share of the records, from the last, that is not trained on.
        network: Logistic regression, or a network with two hidden layers of six units.
        copies: The number of models that are trained at once, which together cost epsilon.

    Raises:
        ValueError: a batch is larger than the data, or the given noise costs more than epsilon.
    """
    train = records.take(np.arange(max(1, int((1 - held_out_share) * len(records)))))
    steps = chosen_noise(
        calibration,
        epsilon,
        delta,
        noise_multiplier,
        copies=copies,
        steps=training.noisy_steps(len(train), 0.0),
    )
    parameters = noisy_adam(
        train.X,
        train.y,
        network,
        steps=steps,
        clip_norm=clip_norm,
        training=training,
        copies=copies,
        context=context,
        rng=rng,
    )
    return PerceptronCopies(parameters, network, at_one_half(copies), noisy_steps=steps)


ALGORITHM = Algorithm(
    fit,
    version=2,
    source="ficiu2023, PrivLR and DP-NN (Abadi et al. 2016, Algorithm 1; Kingma and Ba 2015)",
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="all iterates of all copies",
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        public="the number of records",
        status=Status.PROVED,
        proof="mechanisms/accounting/accountant.py",
        variants={("calibration", "published"): Status.REFUTED},
    ),
)
