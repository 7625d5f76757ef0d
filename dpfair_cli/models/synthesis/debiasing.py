"""Logistic regression and the adversary that tells a person's group from its score, ready to be
trained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import torch

from dpfair_cli.contracts.training_context import TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.synthesis.networks import LogisticRegression, Tensor, right
from dpfair_cli.models.synthesis.players import Players
from dpfair_cli.models.synthesis.records_needed import require_a_batch, require_two_groups

SEEN = {  # by the adversary, who is told nothing, the label, or what Zhang et al. write down
    "nothing": ("p",),
    "label": ("p", "p y", "y"),
    "products": ("p", "p y", "p (1 - y)"),
}


class Debiasing:
    """The records, a classifier of their labels and an adversary who sees its score, by `notion`
    the label too.
    """

    def __init__(
        self, records: Records, *, notion: str, told: str, batch_size: int, rng: np.random.Generator
    ) -> None:
        require_two_groups(records)
        require_a_batch(records, batch_size)
        self.x, self.y, self.s = (
            torch.tensor(part, dtype=torch.float32)
            for part in (records.X, records.y, records.protected)
        )
        self.batch_size, self.rng, self.players = batch_size, rng, Players(rng)
        self.told = told if notion == "equalized_odds" else "nothing"
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(rng.integers(2**62)))
            self.classifier = self.players.add("classifier", LogisticRegression(self.x.shape[1]))
            self.adversary = self.players.add("adversary", LogisticRegression(len(SEEN[self.told])))

    def losses(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The loss of the classifier and that of the adversary on some records."""
        score, y = self.classifier(self.x[rows]), self.y[rows]
        p = torch.sigmoid(score)
        known = {"p": p, "y": y, "p y": p * y, "p (1 - y)": p * (1 - y)}
        seen = torch.stack([known[name] for name in SEEN[self.told]], 1)
        return -right(score, y), -right(self.adversary(seen), self.s[rows])

    def play(
        self, play_round: Callable[[Tensor], Mapping[str, float]], *, epochs: int, context: TrainingContext,
        rng: np.random.Generator,
    ) -> LinearClassifier:  # fmt: skip
        """The classifier after so many epochs of rounds, each on a batch of records."""

        def rounds(epoch: int) -> Iterator[Mapping[str, float]]:
            order = torch.as_tensor(self.rng.permutation(len(self.x)))
            return map(play_round, order.split(self.batch_size))

        self.players.play(rounds, epochs=epochs, context=context, rng=rng)
        rule: LinearClassifier = self.classifier.network.rule()
        return rule


def debiased(g_label: Sequence[Tensor], g_group: Sequence[Tensor], weight: float) -> list[Tensor]:
    """g_label less its projection on g_group, less weight times g_group, as one vector over all
    weights.
    """
    label, group = (torch.cat([part.flatten() for part in parts]) for parts in (g_label, g_group))
    unit = group / group.norm().clamp(min=torch.finfo(group.dtype).tiny)
    step = label - (label @ unit) * unit - weight * group
    return [
        part.view_as(like)
        for part, like in zip(step.split([g.numel() for g in g_label]), g_label, strict=True)
    ]
