"""Logistic regression and the adversary that tells a person's group from its score, ready to be trained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import torch

from dpfair_cli.contracts.training_context import TrainingContext, TrainingState
from dpfair_cli.kinds.people import Records
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.synthesis.networks import LogisticRegression, Player, Tensor, right
from dpfair_cli.models.training.epochs import run_epochs

SEEN = {  # by the adversary, who is told nothing, the label, or what Zhang et al. write down
    "nothing": ("p",),
    "label": ("p", "p y", "y"),
    "products": ("p", "p y", "p (1 - y)"),
}
RATE = 0.001


class Debiasing:
    """The people, a classifier of their labels and an adversary who sees its score, by `notion` the label too."""

    def __init__(self, records: Records, *, notion: str, told: str, batch_size: int, rng: np.random.Generator) -> None:
        if len(records.domain.groups) != 2:
            raise ValueError(f"two groups are needed, got {len(records.domain.groups)}")
        if not 0 < batch_size <= len(records):
            raise ValueError(f"batch_size must lie between 1 and the {len(records)} records, got {batch_size}")
        self.x, self.y, self.s = (
            torch.tensor(part, dtype=torch.float32) for part in (records.X, records.y, records.protected)
        )
        self.batch_size, self.rng = batch_size, rng
        self.told = told if notion == "equalized_odds" else "nothing"
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(rng.integers(2**62)))
            self.classifier = Player(LogisticRegression(self.x.shape[1]), RATE)
            self.adversary = Player(LogisticRegression(len(SEEN[self.told])), RATE)

    def losses(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The loss of the classifier and that of the adversary on some people."""
        score, y = self.classifier(self.x[rows]), self.y[rows]
        p = torch.sigmoid(score)
        known = {"p": p, "y": y, "p y": p * y, "p (1 - y)": p * (1 - y)}
        seen = torch.stack([known[name] for name in SEEN[self.told]], 1)
        return -right(score, y), -right(self.adversary(seen), self.s[rows])

    def play(
        self, play_round: Callable[[Tensor], Mapping[str, float]], *, epochs: int, context: TrainingContext,
        rng: np.random.Generator,
    ) -> LinearClassifier:  # fmt: skip
        """The classifier after so many epochs of rounds, each on a batch of people."""
        last = run_epochs(
            self._state(0, {}), lambda state: self._epochs(state, play_round, epochs), epochs=epochs, context=context,
            rng=rng,
        )  # fmt: skip
        self._go_on(last)
        linear = self.classifier.network.linear
        return LinearClassifier(linear.weight.detach().numpy()[0].astype(float), linear.bias.item())

    def _epochs(
        self, state: TrainingState, play_round: Callable[[Tensor], Mapping[str, float]], epochs: int
    ) -> Iterator[TrainingState]:
        self._go_on(state)
        for epoch in range(state.epoch + 1, epochs + 1):
            order = torch.as_tensor(self.rng.permutation(len(self.x)))
            found = [play_round(rows) for rows in order.split(self.batch_size)]
            yield self._state(epoch, {name: float(np.mean([each[name] for each in found])) for name in found[0]})

    def _state(self, epoch: int, numbers: Mapping[str, float]) -> TrainingState:
        found = {"classifier": self.classifier.arrays(), "adversary": self.adversary.arrays()}
        arrays = {f"{who} {what}": value for who, own in found.items() for what, value in own.items()}
        return TrainingState(epoch, arrays, {"batches": self.rng.bit_generator.state}, numbers)

    def _go_on(self, state: TrainingState) -> None:
        for who, player in (("classifier ", self.classifier), ("adversary ", self.adversary)):
            player.go_on({key.removeprefix(who): value for key, value in state.arrays.items() if key.startswith(who)})
        self.rng.bit_generator.state = state.facts["batches"]


def debiased(g_label: Sequence[Tensor], g_group: Sequence[Tensor], weight: float) -> list[Tensor]:
    """g_label less its projection on g_group, less weight times g_group, as one vector over all weights."""
    label, group = (torch.cat([part.flatten() for part in parts]) for parts in (g_label, g_group))
    unit = group / group.norm().clamp(min=torch.finfo(group.dtype).tiny)
    step = label - (label @ unit) * unit - weight * group
    return [part.view_as(like) for part, like in zip(step.split([g.numel() for g in g_label]), g_label, strict=True)]
