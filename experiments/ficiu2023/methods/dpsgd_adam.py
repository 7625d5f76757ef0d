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

import dpfair_cli.plugin as dp

from ..models.adam_steps import DEFAULT_ADAM, AdamSchedule
from ..models.noise_choice import NoiseChoice, chosen_noise
from ..models.noisy_adam import noisy_adam
from ..models.perceptron_copies import PerceptronCopies, at_one_half
from ..models.perceptrons import Network


@dp.checked
def fit(
    records: dp.Records,
    *,
    epsilon: dp.Epsilon = 1.0,
    delta: dp.Delta = 1e-5,
    clip_norm: dp.PositiveFinite = 2.0,
    calibration: NoiseChoice = "pld",
    noise_multiplier: dp.NotNegativeFinite = 1.0,  # used only with "given" and "published"
    held_out_share: Annotated[float, dp.AtLeast(0), dp.Below(1)] = 0.0,
    network: Network = "logistic",
    copies: dp.Count = 1,
    training: AdamSchedule = DEFAULT_ADAM,
    context: dp.TrainingContext = dp.NO_CONTEXT,
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
    # the first records, as pfairdp keeps the last ones for its reject option
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


ALGORITHM = dp.Algorithm(
    fit,
    version=2,
    source="ficiu2023, PrivLR and DP-NN (Abadi et al. 2016, Algorithm 1; Kingma and Ba 2015)",
    guarantee=dp.Guarantee(
        definition=dp.Definition.APPROXIMATE,
        released="all iterates of all copies",
        neighbours=dp.Neighbours.ADD_OR_REMOVE_ONE,
        public="the number of records",
        status=dp.Status.PROVED,
        proof="mechanisms/accounting/accountant.py",
        variants={("calibration", "published"): dp.Status.REFUTED},
    ),
)
