"""FairGAN in two phases: which critic is trained when, and what the second phase changes."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli.algorithms.synthesis import fair_gan, fair_gan_two_phases  # noqa: E402
from dpfair_cli.contracts.training_context import TrainingContext  # noqa: E402
from tests.algorithms.synthesis.made_tables import people  # noqa: E402

DATA = people(300)
BRIEF = {"epochs": 4, "pretraining_epochs": 1, "batch_size": 50}


class StoppedError(Exception):
    """An interruption of the training."""


class Store:
    """Keeps the state of each epoch, and stops once after epoch `last`."""

    def __init__(self, last=0):
        self.last, self.states, self.newest = last, {}, None

    def find(self, name, *, epochs):
        return self.newest

    def keep(self, name, state, measurements):
        self.states[state.epoch], self.newest = state, (state, list(measurements))
        if state.epoch == self.last:
            self.last = 0
            raise StoppedError


def fitted(store=None, **options):
    context = TrainingContext(checkpoints=store) if store else TrainingContext()
    rng = np.random.default_rng(0)
    return fair_gan_two_phases.fit(DATA, **BRIEF, **options, context=context, rng=rng)


def steps_of_second_critic(state):
    """The number of training steps of D2 up to a state, as Adam counts them."""
    return max([state.arrays[name] for name in state.arrays if name == "D2 adam.0.step"], default=0)


def test_the_second_critic_is_trained_in_the_second_phase_only():
    """Epoch 1 is pretraining, 2 and 3 are the first phase. An epoch has 6 rounds of 2 steps."""
    store = Store()
    fitted(store)
    steps = [steps_of_second_critic(store.states[epoch]) for epoch in range(1, 6)]
    assert steps == [0, 0, 0, 12, 24]


@pytest.mark.parametrize("last", [2, 3, 4])  # in the first phase, at its end, in the second
def test_an_interrupted_training_goes_on_to_the_same_bytes(last):
    store = Store(last)
    with pytest.raises(StoppedError):
        fitted(store)
    resumed, whole = fitted(store), fitted()
    for name, values in whole.generator.weights.items():
        np.testing.assert_array_equal(resumed.generator.weights[name], values, err_msg=name)


def test_a_first_phase_of_all_epochs_is_fair_gan_without_fairness():
    """0.9 of 4 epochs are rounded to 4."""
    one = fitted(first_phase=0.9)
    other = fair_gan.fit(DATA, **BRIEF, data_fairness=0.0, rng=np.random.default_rng(0))
    for name, values in other.generator.weights.items():
        np.testing.assert_array_equal(one.generator.weights[name], values, err_msg=name)


def test_a_first_phase_without_epochs_is_fair_gan():
    """0.1 of 4 epochs are rounded to 0."""
    one = fitted(first_phase=0.1)
    other = fair_gan.fit(DATA, **BRIEF, rng=np.random.default_rng(0))
    for name, values in other.generator.weights.items():
        np.testing.assert_array_equal(one.generator.weights[name], values, err_msg=name)
