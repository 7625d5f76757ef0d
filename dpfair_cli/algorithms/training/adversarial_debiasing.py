"""Adversarial debiasing (AD): a classifier whose score does not reveal the group to an adversary.

Source: Zhang, Lemoine and Mitchell (2018), Sections 3 and 4; xu2021, Section 6.4.1.1 (AD).
Differs: xu2021 does not say which fairness notion, layer sizes and learning rates were used. The
    adversary is a network that predicts the group. For equalized odds the adversary sees the score
    s, s y and the label y (`told` "label"), as the text requires. Zhang et al. print s, s y and s
    (1 - y) (`told` "products"), which reveal the label only through the score. For demographic
    parity the adversary sees s. Classifier and adversary are logistic regressions, trained by Adam
    with learning rate 0.001 instead of the paper's decaying steps. The constant factor by which
    Zhang et al. sharpen the score is left out, because a logistic adversary can learn this factor
    as part of a weight.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import Count, NotNegativeFinite, checked
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.synthesis.torch_networks import networks


@checked
def fit(
    records: Records,
    *,
    notion: Literal["demographic_parity", "equalized_odds"] = "equalized_odds",
    told: Literal["label", "products"] = "label",
    adversary_weight: NotNegativeFinite = 1.0,
    epochs: Count = 20,
    batch_size: Count = 128,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The trained classifier.

    Args:
        notion: The fairness notion that the adversary enforces.
        told: What the adversary sees besides the score s and s y: the "label" y, or s (1 - y)
            ("products").
        adversary_weight: The weight of the adversary in the training of the classifier; 0 means no
            fairness.
        epochs: The number of passes over the data.
        batch_size: The number of records of a batch.

    Raises:
        ValueError: the records do not have two groups, or there are fewer records than a batch.
    """
    deep = networks()
    game = deep.Debiasing(
        records,
        notion=notion,
        told=told,
        batch_size=batch_size,
        device=context.device,
        rng=rng.spawn(1)[0],
    )
    classifier, adversary = game.classifier, game.adversary

    def play_round(rows: Any) -> dict[str, float]:
        label_loss, group_loss = game.losses(rows)
        g_label, g_group = classifier.gradients(label_loss), classifier.gradients(group_loss)
        adversary.descend(group_loss)
        classifier.step(deep.debiased(g_label, g_group, adversary_weight))  # Equation 1
        return {"label": label_loss.item(), "group": group_loss.item()}

    classifier_found: LinearClassifier = game.play(
        play_round, epochs=epochs, context=context, rng=rng
    )
    return classifier_found


ALGORITHM = Algorithm(
    fit,
    source="Zhang, Lemoine and Mitchell (2018), Sections 3 and 4; xu2021, Section 6.4.1.1 (AD)",
    uses_groups=True,
    needs="torch",
)
