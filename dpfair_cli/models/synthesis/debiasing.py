"""Logistic regression, trained against an adversary that predicts the group from the score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import torch

from dpfair_cli.contracts.training_context import Device, TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.synthesis.networks import LogisticRegression, Tensor, log_likelihood
from dpfair_cli.models.synthesis.one_hot_groups import require_a_batch, require_two_groups
from dpfair_cli.models.synthesis.players import Players

ADVERSARY_INPUTS = {
    "score": ("p",),
    "label": ("p", "p y", "y"),
    "products": ("p", "p y", "p (1 - y)"),  # as in Zhang, Lemoine and Mitchell 2018
}
"""The inputs of the adversary, computed from the score p and the label y."""


class Debiasing:
    """The records, a classifier of their labels, and an adversary that predicts the group.

    Args:
        records: records of two groups, at least `batch_size`.
        notion: the notion of fairness; with "equalized_odds" the adversary sees score and label,
            otherwise only the score.
        told: for "equalized_odds", the form of the inputs of the adversary, "label" or "products".
        batch_size: the number of records of a batch.

    Raises:
        ValueError: there are fewer records than a batch, or not two groups.
    """

    def __init__(
        self,
        records: Records,
        *,
        notion: str,
        told: str,
        batch_size: int,
        device: Device,
        rng: np.random.Generator,
    ) -> None:
        require_two_groups(records)
        require_a_batch(records, batch_size)
        self.place = device.torch()
        self.x = torch.tensor(records.X, dtype=torch.float32, device=self.place)
        self.y = torch.tensor(records.y, dtype=torch.float32, device=self.place)
        self.s = torch.tensor(records.protected, dtype=torch.float32, device=self.place)
        self.batch_size, self.rng, self.players = batch_size, rng, Players(rng, device)
        self.inputs = ADVERSARY_INPUTS[told if notion == "equalized_odds" else "score"]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(rng.integers(2**62)))
            self.classifier = self.players.add("classifier", LogisticRegression(self.x.shape[1]))
            self.adversary = self.players.add("adversary", LogisticRegression(len(self.inputs)))

    def losses(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The losses of classifier and adversary on the records with the indices `rows`."""
        score, y = self.classifier(self.x[rows]), self.y[rows]
        p = torch.sigmoid(score)
        # with the products, the adversary can weigh the score by label, as a linear rule of (p, y)
        # cannot
        known = {"p": p, "y": y, "p y": p * y, "p (1 - y)": p * (1 - y)}
        seen = torch.stack([known[name] for name in self.inputs], 1)
        return -log_likelihood(score, y), -log_likelihood(self.adversary(seen), self.s[rows])

    def play(
        self,
        play_round: Callable[[Tensor], Mapping[str, float]],
        *,
        epochs: int,
        context: TrainingContext,
        rng: np.random.Generator,
    ) -> LinearClassifier:
        """The classifier after `epochs` epochs; `play_round` makes a step on a batch of rows."""

        def rounds(epoch: int) -> Iterator[Mapping[str, float]]:
            order = torch.as_tensor(self.rng.permutation(len(self.x)), device=self.place)
            return map(play_round, order.split(self.batch_size))

        self.players.play(rounds, epochs=epochs, context=context, rng=rng)
        rule: LinearClassifier = self.classifier.network.rule()
        return rule


def debiased(g_label: Sequence[Tensor], g_group: Sequence[Tensor], weight: float) -> list[Tensor]:
    """The step direction of the classifier in adversarial debiasing.

    The direction is the gradient g of the loss of the classifier, minus the projection of g onto
    the gradient h of the loss of the adversary, minus `weight` times h. All weights of the
    classifier count as one vector. Source: Zhang, Lemoine and Mitchell 2018, Equation 1.

    Args:
        g_label: g, a tensor for each weight of the classifier.
        g_group: h, the gradient by the same weights.
        weight: the weight of the adversary.
    """
    # the projection is that of all weights together, not of each layer
    label = torch.cat([part.flatten() for part in g_label])
    group = torch.cat([part.flatten() for part in g_group])
    # a zero gradient of the adversary has no direction and projects nothing
    unit = group / group.norm().clamp(min=torch.finfo(group.dtype).tiny)
    step = label - (label @ unit) * unit - weight * group
    parts = step.split([g.numel() for g in g_label])
    return [part.view_as(like) for part, like in zip(parts, g_label, strict=True)]
