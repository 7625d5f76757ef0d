"""The batches of a training as they are drawn cost epsilon, by an accountant that no method uses.

The settings are those of users: sizes that do not divide each other, few and many epochs, budgets
and failure probabilities other than the defaults.
"""

import math
from typing import NamedTuple

import numpy as np
import pytest

from dpfair_cli.auditing.losses import privacy_loss
from dpfair_cli.mechanisms.accounting.training_noise import JointNoise, training_noise
from dpfair_cli.mechanisms.batches import Draw
from dpfair_cli.mechanisms.ledger import Release
from dpfair_cli.models.training.schedule import PlannedSteps, TrainingSchedule

ROUNDING = 1e-6  # of epsilon, in the search for the noise and in both accountants


class Setting(NamedTuple):
    """The sizes and the budget of a training."""

    n: int
    batch_size: int
    epochs: int
    epsilon: float
    delta: float
    batches: str = "poisson"
    skipped: int = 0
    accountant: str = "pld"

    @property
    def steps(self):
        training = TrainingSchedule(self.epochs, self.batch_size, self.batches)
        return PlannedSteps(training, self.n, self.skipped)

    def draws(self):
        """How each batch of the training is drawn."""
        return [batch.draw for batch in self.steps.draw(np.random.default_rng(0))]


SETTINGS = [
    Setting(20_000, 256, 1, 1.0, 1e-6),  # a rate of 0.0128
    Setting(1_000, 384, 3, 2.5, 1e-9),  # 7.8 batches
    Setting(700, 128, 45, 0.7, 3e-6),
    Setting(100, 90, 2, 8.5, 1e-3),
    Setting(300, 100, 30, 1.0, 1e-5, accountant="rdp"),
    Setting(400, 100, 4, 3.3, 1e-7, skipped=7),
    Setting(301, 100, 25, 2.2, 1e-8, "shuffled"),
    Setting(1_000, 10, 2, 1.0, 1e-6, "shuffled", skipped=99),  # a pass and one step of another
]
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)


def cost(draws, noise_multipliers, delta):
    """The epsilon of one release for each batch and noise multiplier, all of sensitivity 1."""
    tape = [
        Release("gaussian", 0.0, 0.0, sensitivity=1.0, scale=sigma, draw=draw)
        for draw in draws
        for sigma in noise_multipliers
    ]
    return privacy_loss(tape, [1.0] * len(tape), delta)


def spends_all_of(epsilon, spent, accountant):
    """Whether epsilon is kept, and hardly less is spent by an accountant that is nearly exact."""
    least = 0.75 if accountant == "rdp" else 0.99
    return least * epsilon < spent <= epsilon * (1 + ROUNDING)


@every_setting
def test_the_noise_of_a_training_keeps_its_budget(setting):
    sigma = training_noise(
        setting.accountant,
        setting.epsilon,
        setting.delta,
        noise_multiplier=1.0,
        batches=setting.steps.noisy_steps,
    )
    spent = cost(setting.draws(), [sigma], setting.delta)
    assert spends_all_of(setting.epsilon, spent, setting.accountant)


@pytest.mark.parametrize("ratio", [0.8, 3.0, 25.0])
@pytest.mark.parametrize("setting", [SETTINGS[1], SETTINGS[6]], ids=str)
def test_counts_on_every_batch_are_within_the_budget(setting, ratio):
    noise = JointNoise(setting.accountant, count_noise_ratio=ratio)
    sigmas = noise.multipliers(setting.epsilon, setting.delta, setting.steps.noisy_steps)
    assert sigmas[0] == pytest.approx(ratio * sigmas[1])
    spent = cost(setting.draws(), sigmas, setting.delta)
    assert spends_all_of(setting.epsilon, spent, setting.accountant)


@pytest.mark.parametrize("count_noise_ratio", [1.0, math.inf])
@pytest.mark.parametrize("setting", [SETTINGS[1], SETTINGS[6], SETTINGS[7]], ids=str)
def test_given_noise_is_taken_at_its_cost_and_refused_below(setting, count_noise_ratio):
    """At an epsilon that is one part in ten thousand above the cost, and one below."""
    sigma = 10.0
    spent = cost(setting.draws(), [sigma, sigma * count_noise_ratio], setting.delta)

    def noise(epsilon):
        return training_noise(
            "given",
            epsilon,
            setting.delta,
            noise_multiplier=sigma,
            count_noise_ratio=count_noise_ratio,
            batches=setting.steps.noisy_steps,
        )

    assert noise(spent * (1 + 1e-4)) == sigma
    with pytest.raises(ValueError, match="must cost at most epsilon"):
        noise(spent * (1 - 1e-4))


@every_setting
def test_an_accountant_is_told_of_the_batches_as_they_are_drawn(setting):
    draws, told = setting.draws(), setting.steps.noisy_steps
    assert told.steps == len(draws)
    assert {draw.sampling_rate for draw in draws} == {told.sampling_rate}
    assert {draw.sampling for draw in draws} == {told.sampling}
    if setting.batches == "poisson":
        assert draws[0] == Draw(1, setting.batch_size / setting.n)
