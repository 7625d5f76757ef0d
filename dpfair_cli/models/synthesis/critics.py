"""The critics of the games, and the losses of generator and classifier against the critics."""

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
    log_likelihood,
)

LABEL_INPUTS = {"demographic_parity": 0, "equalized_odds": 1, "equal_opportunity": 0}
"""For each notion of fairness, 1 if D3 sees the label in addition to the decision, else 0."""
ZERO_LOSS = torch.zeros(())  # loss of a disabled critic


class DataCritics:
    """D1, which tells real from generated records, and D2, which predicts the group of a record.

    D2 sees the features and the label of generated records. The loss of the generator against D2 is
    multiplied by `group_weight`; with weight 0 D2 is disabled and not trained.
    """

    def __init__(self, game: Game, group_weight: float) -> None:
        self.group_weight, inputs = group_weight, game.x.shape[1]
        self.origin = game.players.begin("D1", lambda: Critic(inputs + 2))
        self.group = game.players.begin("D2", lambda: Critic(inputs + 1))

    def train_origin_critic(self, real: RecordBatch, fake: RecordBatch) -> None:
        """Makes one training step of D1, the critic that tells real from generated records.

        The step increases V1 = E log D1(real) + E log(1 - D1(generated)).
        """
        judged_real = self.origin(real.x, real.y, real.s)
        judged_fake = self.origin(fake.x, fake.y, fake.s)
        likelihood_real = log_likelihood(judged_real, torch.ones_like(judged_real))
        likelihood_fake = log_likelihood(judged_fake, torch.zeros_like(judged_fake))
        self.origin.descend(-(likelihood_real + likelihood_fake))

    def train_group_critic(self, fake: RecordBatch) -> None:
        """Makes one step of D2, the critic that predicts the group of a generated record."""
        if self.group_weight:
            self.group.descend(-log_likelihood(self.group(fake.x, fake.y), fake.s[:, 0]))

    def origin_loss(self, fake: RecordBatch, goal: Goal) -> Tensor:
        """The loss of the generator against D1, the critic of real and generated records."""
        judged = self.origin(fake.x, fake.y, fake.s)
        return opponent_loss(judged, torch.zeros_like(judged), goal)

    def group_loss(self, fake: RecordBatch, goal: Goal) -> Tensor:
        """The loss of the generator against D2, the critic that predicts the group."""
        if not self.group_weight:
            return ZERO_LOSS
        return opponent_loss(self.group(fake.x, fake.y), fake.s[:, 0], goal)


class Classification:
    """A classifier (logistic regression), and D3, which predicts the group from its decisions.

    Args:
        game: the records.
        notion: the notion of fairness. With "demographic_parity" D3 sees the decision, with
            "equalized_odds" the decision and the label, with "equal_opportunity" the decision only
            for records with label 1.
        group_weight: the factor of the loss against D3 in the loss of the classifier; with 0 D3 is
            not trained.
    """

    def __init__(self, game: Game, notion: str, group_weight: float) -> None:
        self.notion, self.group_weight, inputs = notion, group_weight, game.x.shape[1]
        self.classifier = game.players.begin("classifier", lambda: LogisticRegression(inputs))
        self.critic = game.players.begin("D3", lambda: DecisionCritic(1 + LABEL_INPUTS[notion]))

    def train_group_critic(self, records: RecordBatch) -> None:
        """Makes one training step of D3, the critic that predicts the group."""
        if self.group_weight:
            self.critic.descend(-log_likelihood(*self._judged(records)))

    def group_loss(self, records: RecordBatch, goal: Goal) -> Tensor:
        """The loss of the classifier against D3, the critic that predicts the group."""
        if not self.group_weight:
            return ZERO_LOSS
        return opponent_loss(*self._judged(records), goal)

    def _judged(self, records: RecordBatch) -> tuple[Tensor, Tensor]:
        """The logits of D3, the critic that predicts the group, and the true groups."""
        x, y, s = records.x, records.y, records.s
        # this notion compares the groups among records with label 1 only
        if self.notion == "equal_opportunity":
            favoured = y[:, 0] == 1
            x, y, s = x[favoured], y[favoured], s[favoured]
        decision = torch.sigmoid(self.classifier(x))[:, None]
        known = (decision, y) if self.notion == "equalized_odds" else (decision,)
        return self.critic(*known), s[:, 0]

    def label_log_likelihood(self, *batches: RecordBatch) -> Tensor:
        """The mean log-likelihood of the labels in a batch, summed over the batches."""
        return sum(log_likelihood(self.classifier(batch.x), batch.y[:, 0]) for batch in batches)

    def risk_difference(self, real: RecordBatch) -> float:
        """The share of decisions 1 in group 1 minus that in group 0, in a batch of real records."""
        return difference_of_means((self.classifier(real.x) > 0).float(), real.s[:, 0])

    def rule(self) -> LinearClassifier:
        """The trained logistic regression as a linear classifier with NumPy numbers."""
        rule: LinearClassifier = self.classifier.network.rule()
        return rule


def opponent_loss(judged: Tensor, answer: Tensor, goal: Goal) -> Tensor:
    """The loss of the network that plays against a critic.

    With the goal "minimax" the loss is the log-likelihood of the true answers. With "fool" the loss
    is minus the log-likelihood of the wrong answers, whose gradient does not vanish if the critic
    is certain.

    Args:
        judged: the logits of the critic, (b,).
        answer: the true answers, 0 or 1, (b,).
        goal: "minimax" or "fool".
    """
    if goal == "minimax":
        return log_likelihood(judged, answer)
    return -log_likelihood(judged, 1 - answer)


def label_difference(fake: RecordBatch) -> float:
    """The share of label 1 in group 1 minus that in group 0, in a batch of generated records."""
    return difference_of_means(fake.y.detach()[:, 0], fake.s[:, 0])


def difference_of_means(values: Tensor, group: Tensor) -> float:
    """The mean of `values` (b,) in group 1 minus the mean in group 0.

    `group` (b,) is the group of each value. The mean of an empty group counts as 0.
    """
    # weights instead of indices, so that a batch without one of the groups gives a number
    first, second = 1 - group, group
    mean_0 = (values * first).sum() / first.sum().clamp(min=1)
    mean_1 = (values * second).sum() / second.sum().clamp(min=1)
    return float(mean_1 - mean_0)
