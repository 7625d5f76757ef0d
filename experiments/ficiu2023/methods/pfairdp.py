"""PFairDP: repaired features, DP-SGD with Adam, and a reject option, of which one part has noise.

Source: ficiu2023, PFLR, PFLR* and DPF-NN
Differs: The repair of features, their scaling and the choice of the thresholds read the records
    without noise, in the paper and here. A record can decide a feature of thousands of others, so
    that no bound on a gradient bounds the change of a sum, and the guarantee is refuted for every
    epsilon. The last records are the validation part. If no threshold has an allowed gap, ours has
    the smallest absolute gap. `calibration` and `copies` are those of dpsgd_adam. A fitted model
    repairs the records that it is asked about by themselves, as the paper does with its test part.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

import dpfair_cli.plugin as dp

from ..models.adam_steps import DEFAULT_ADAM, AdamSchedule
from ..models.noise_choice import NoiseChoice, chosen_noise
from ..models.noisy_adam import noisy_adam
from ..models.perceptron_copies import (
    DecisionRule,
    PerceptronCopies,
    Scaling,
    at_one_half,
    divided,
)
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
    repair_level: Annotated[float, dp.AtLeast(0), dp.AtMost(1)] = 1.0,
    decision: DecisionRule = "reject_option",
    gaps: tuple[float, ...] = (-0.0003, 0.0005),
    validation_share: dp.Fraction = 0.3847,
    network: Network = "logistic",
    copies: dp.Count = 1,
    training: AdamSchedule = DEFAULT_ADAM,
    context: dp.TrainingContext = dp.NO_CONTEXT,
    rng: np.random.Generator,
) -> PerceptronCopies:
    """The copies of the model, fitted to repaired features, with their thresholds.

    Args:
        clip_norm: The L2 norm to which the gradient of a record is clipped, bias included.
        calibration: The accountant that finds the noise, "given" for the noise `noise_multiplier`
            if it costs at most epsilon, or "published" for this noise whatever it costs.
        noise_multiplier: The noise multiplier; used only with "given" and "published".
        repair_level: The level of the disparate-impact remover, from 0 to 1.
        decision: Decision 1 above one half, or thresholds chosen on the validation records.
        gaps: The smallest and the largest difference of selection rates, group 0 minus the others,
            that the reject option allows on the validation records.
        validation_share: The share of the records, from the last, that is kept for the reject
            option.
        network: Logistic regression, or a network with two hidden layers of six units.
        copies: The number of models that are trained at once, which together cost epsilon for
            the gradients alone.

    Raises:
        ValueError: a batch is larger than the training records, the given noise costs more than
            epsilon, or `gaps` are not two numbers.
    """
    if len(gaps) != 2:
        raise ValueError(f"gaps must be two numbers, got {gaps}")
    train, validation = records, records
    if decision == "reject_option":
        train, validation = divided(records, validation_share=validation_share)
    scaling = Scaling.fitted(train, repair_level=repair_level)  # without noise
    steps = chosen_noise(
        calibration,
        epsilon,
        delta,
        noise_multiplier,
        copies=copies,
        steps=training.noisy_steps(len(train), 0.0),
    )
    parameters = noisy_adam(
        scaling.features(train),
        train.y,
        network,
        steps=steps,
        clip_norm=clip_norm,
        training=training,
        copies=copies,
        context=context,
        rng=rng,
    )
    model = PerceptronCopies(parameters, network, at_one_half(copies), scaling, steps)
    if decision == "threshold":
        return model
    return model.with_reject_option(validation, gaps=gaps)  # without noise


ALGORITHM = dp.Algorithm(
    fit,
    version=2,
    source="ficiu2023, PFLR, PFLR* and DPF-NN",
    guarantee=dp.Guarantee(
        definition=dp.Definition.APPROXIMATE,
        released="the model with its thresholds",
        neighbours=dp.Neighbours.ADD_OR_REMOVE_ONE,
        public="the number of records",
        status=dp.Status.REFUTED,
    ),
    uses_groups=True,
)
