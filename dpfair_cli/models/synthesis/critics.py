"""The critics of the games, and what the generator and the classifier do about them."""

from __future__ import annotations

import torch

from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.synthesis.game import Game, RecordBatch
from dpfair_cli.models.synthesis.game_schedule import Goal
from dpfair_cli.models.synthesis.networks import (
    Critic,
    DecisionCritic,
    LogisticRegression,
    Tensor,
    right,
)

KNOWN = {
    "demographic_parity": 0,
    "equalized_odds": 1,
    "equal_opportunity": 0,
}  # labels that D3 is told
NOTHING = torch.zeros(())  # what nobody hears is worth


class DataCritics:
    """D1 tells real records from generated ones, D2 the group of a generated one from its row and
    label.

    D2 counts `group_weight` times for the generator; with 0 nobody hears it, and it is not trained.
    """

    def __init__(self, game: Game, group_weight: float) -> None:
        self.group_weight, inputs = group_weight, game.x.shape[1]
        self.origin = game.players.begin("D1", lambda: Critic(inputs + 2))
        self.group = game.players.begin("D2", lambda: Critic(inputs + 1))

    def tell_apart(self, real: RecordBatch, fake: RecordBatch) -> None:
        """One step of D1 up V1 = E log D1(x, y, s) + E log(1 - D1(generated))."""
        judged_real, judged_fake = (self.origin(them.x, them.y, them.s) for them in (real, fake))
        v1 = right(judged_real, torch.ones_like(judged_real)) + right(
            judged_fake, torch.zeros_like(judged_fake)
        )
        self.origin.descend(-v1)

    def tell_group(self, fake: RecordBatch) -> None:
        """One step of D2 up V2, the log-likelihood of the groups of generated records."""
        if self.group_weight:
            self.group.descend(-right(self.group(fake.x, fake.y), fake.s[:, 0]))

    def told_from_real(self, fake: RecordBatch, goal: Goal) -> Tensor:
        """What the generator makes small of D1."""
        judged = self.origin(fake.x, fake.y, fake.s)
        return to_make_small(judged, torch.zeros_like(judged), goal)

    def group_known(self, fake: RecordBatch, goal: Goal) -> Tensor:
        """What the generator makes small of D2, before it is weighed."""
        if not self.group_weight:
            return NOTHING
        return to_make_small(self.group(fake.x, fake.y), fake.s[:, 0], goal)


class Classification:
    """The classifier, logistic regression from rows to labels, and D3, which tells the group from
    its decisions.

    By `notion` D3 sees the decision ("demographic_parity"), the label as well ("equalized_odds"),
    or only records with label 1 ("equal_opportunity"). D3 counts `group_weight` times for the
    classifier; with 0 it is not trained.
    """

    def __init__(self, game: Game, notion: str, group_weight: float) -> None:
        self.notion, self.group_weight, inputs = notion, group_weight, game.x.shape[1]
        self.classifier = game.players.begin("classifier", lambda: LogisticRegression(inputs))
        self.critic = game.players.begin("D3", lambda: DecisionCritic(1 + KNOWN[notion]))

    def tell_group(self, records: RecordBatch) -> None:
        """One step of D3 up V3, the log-likelihood of the groups of records by the decisions on
        them.
        """
        if self.group_weight:
            self.critic.descend(-right(*self._judged(records)))

    def group_known(self, records: RecordBatch, goal: Goal) -> Tensor:
        """What the classifier makes small of D3, before it is weighed."""
        if not self.group_weight:
            return NOTHING
        return to_make_small(*self._judged(records), goal)

    def _judged(self, records: RecordBatch) -> tuple[Tensor, Tensor]:
        """What D3 says of records, and their groups."""
        x, y, s = records.x, records.y, records.s
        if self.notion == "equal_opportunity":
            favoured = y[:, 0] == 1
            x, y, s = x[favoured], y[favoured], s[favoured]
        decision = torch.sigmoid(self.classifier(x))[:, None]
        known = (decision, y) if self.notion == "equalized_odds" else (decision,)
        return self.critic(*known), s[:, 0]

    def labels_told(self, *batches: RecordBatch) -> Tensor:
        """L: how well the classifier tells the labels of each batch, summed."""
        return sum(right(self.classifier(them.x), them.y[:, 0]) for them in batches)

    def risk_difference(self, real: RecordBatch) -> float:
        """The difference of the groups' mean decisions in a batch."""
        return difference_of_means((self.classifier(real.x) > 0).float(), real.s[:, 0])

    def rule(self) -> LinearClassifier:
        """The classifier as numbers."""
        rule: LinearClassifier = self.classifier.network.rule()
        return rule


def to_make_small(judged: Tensor, answer: Tensor, goal: Goal) -> Tensor:
    """What a critic's opponent descends: the log-likelihood of right answers, or less that of wrong
    ones.

    The gradient of the second ("fool") does not vanish where the critic is sure, as that of the
    first ("minimax") does.
    """
    return right(judged, answer) if goal == "minimax" else -right(judged, 1 - answer)


def label_difference(fake: RecordBatch) -> float:
    """The difference of the groups' shares of label 1 in a generated batch."""
    return difference_of_means(fake.y.detach()[:, 0], fake.s[:, 0])


def difference_of_means(values: Tensor, group: Tensor) -> float:
    """The mean of the values (b,) in group 1 less that in group 0; a mean over nobody is 0."""
    ones, zeros = ((values * part).sum() / part.sum().clamp(min=1) for part in (group, 1 - group))
    return float(ones - zeros)
