"""FairGAN with one critic: its outputs by hand, what each phase trains, and what is drawn."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli.algorithms.synthesis import fair_gan_joint_critic  # noqa: E402
from dpfair_cli.contracts.training_context import CPU, TrainingContext  # noqa: E402
from dpfair_cli.models.synthesis.game_schedule import GameSchedule  # noqa: E402
from dpfair_cli.models.synthesis.joint_game import JointGame  # noqa: E402
from tests.algorithms.synthesis.made_tables import people  # noqa: E402

DATA = people(300)
BRIEF = {"epochs": 4, "pretraining_epochs": 1, "batch_size": 50}
ROUNDS = 6  # of an epoch: 270 of 300 records in batches of 50


def game(seed=0):
    return JointGame(DATA, GameSchedule(**BRIEF), np.random.default_rng(seed), CPU)


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


def fitted(store=None, seed=0, **options):
    context = TrainingContext(checkpoints=store) if store else TrainingContext()
    rng = np.random.default_rng(seed)
    return fair_gan_joint_critic.fit(DATA, **{**BRIEF, **options}, context=context, rng=rng)


def in_bytes(model):
    return model.records.X.tobytes() + model.records.y.tobytes() + model.records.protected.tobytes()


def weights_of(network):
    return {name: value.numpy().astype(float) for name, value in network.state_dict().items()}


def by_hand(critic, batch):
    """The logits of origin and group, in NumPy: each record has the output of its own group."""
    w = weights_of(critic.network)
    x = np.column_stack([batch.x.numpy(), batch.y.numpy()]).astype(float)
    first = x @ w["own.weight"].T + w["own.bias"] + x.mean(0) @ w["mean.weight"].T
    second = np.maximum(np.maximum(first, 0) @ w["hidden.weight"].T + w["hidden.bias"], 0)
    origin = second @ w["origin.weight"].T + w["origin.bias"]
    group = second @ w["group.weight"].T + w["group.bias"]
    return origin[np.arange(len(x)), batch.s[:, 0].numpy().astype(int)], group[:, 0]


def log_sigmoid(x):
    return -np.log1p(np.exp(-x))


def test_the_likelihoods_of_origin_and_group_are_those_of_the_formulas():
    own = game()
    real, fake = own.real(), own.generated()
    (r, r_group), (f, f_group) = (by_hand(own.critic, batch) for batch in (real, fake))
    v1, v2 = own.log_likelihoods(real, fake)
    assert v1.item() == pytest.approx(log_sigmoid(r).mean() + log_sigmoid(-f).mean(), rel=1e-4)
    signs = [2 * batch.s[:, 0].numpy() - 1 for batch in (real, fake)]
    expected = log_sigmoid(signs[0] * r_group).mean() + log_sigmoid(signs[1] * f_group).mean()
    assert v2.item() == pytest.approx(expected, rel=1e-4)


def test_the_generator_ascends_the_likelihood_of_wrong_answers():
    own = game()
    fake = own.generated()
    origin, group = by_hand(own.critic, fake)
    losses = [loss.item() for loss in own.generator_losses(fake)]
    signs = 2 * fake.s[:, 0].numpy() - 1
    expected = [-log_sigmoid(origin).mean(), -log_sigmoid(-signs * group).mean()]
    assert losses == pytest.approx(expected, rel=1e-4)


def test_a_tenth_of_the_records_is_left_out_and_batches_have_different_records():
    own = game()
    assert len(own.records) == 270
    own.x = torch.arange(270.0)[:, None]
    for _ in range(20):
        assert len(set(own.real().x[:, 0].tolist())) == 50


def test_running_means_change_in_steps_of_the_generator_only():
    own = game()
    means = own.generator.network.norm[0].running_mean
    before = means.clone()
    own.generated()
    assert torch.equal(means, before)
    own.generated_with_gradients()
    assert not torch.equal(means, before)


def test_the_vectors_of_the_groups_are_not_trained():
    store = Store()
    fitted(store)
    vectors = [state.arrays["generator condition.weight"] for state in store.states.values()]
    for each in vectors[1:]:
        np.testing.assert_array_equal(each, vectors[0])
    assert (np.abs(vectors[0]) <= 1).all()


def test_each_phase_begins_with_new_moments():
    """Adam counts its steps: 2 a round for the critic, 1 for the generator and pretraining."""
    store = Store()
    fitted(store)

    def steps(name):
        found = []
        for epoch in range(1, 6):
            arrays = store.states[epoch].arrays
            own = [v for key, v in arrays.items() if key.startswith(name) and "step" in key]
            found.append(max(map(float, own), default=0))
        return [each / ROUNDS for each in found]

    assert steps("critic adam") == [0, 2, 4, 2, 4]
    assert steps("generator adam") == [1, 1, 2, 1, 2]


def test_the_group_counts_in_the_second_phase_only():
    one, other = Store(), Store()
    fitted(one, data_fairness=1.0)
    fitted(other, data_fairness=5.0)
    for epoch, equal in ((3, True), (4, False)):
        states = [store.states[epoch].arrays["critic own.weight"] for store in (one, other)]
        assert np.array_equal(*states) == equal


def test_weights_have_a_penalty():
    """A step on a loss that is 0 makes weights smaller; Adam's first step is the rate."""
    own = game()
    before = weights_of(own.critic.network)["hidden.weight"]
    v1, v2 = own.log_likelihoods(own.real(), own.generated())
    own.critic.descend(0 * (v1 + v2))
    after = weights_of(own.critic.network)["hidden.weight"]
    large = np.abs(before) > 0.01
    np.testing.assert_allclose((before - after)[large], 0.001 * np.sign(before)[large], rtol=0.01)


@pytest.mark.parametrize("last", [1, 3, 4])  # after pretraining, between the phases, in the second
def test_an_interrupted_training_goes_on_to_the_same_bytes(last):
    store = Store(last)
    with pytest.raises(StoppedError):
        fitted(store)
    assert in_bytes(fitted(store)) == in_bytes(fitted())


def test_a_seed_determines_as_many_records_as_there_are():
    one, again, other = (fitted(seed=seed) for seed in (0, 0, 1))
    assert in_bytes(one) == in_bytes(again) != in_bytes(other)
    assert len(one.records) == len(DATA)
    assert set(np.unique(one.records.X)) <= {0.0, 1.0}


def test_a_longer_training_brings_the_shares_of_the_columns_nearer():
    def distance(**options):
        made = fitted(data_fairness=0.0, **options).records
        return np.abs(made.X.mean(0) - DATA.X.mean(0)).mean()

    assert distance(epochs=300, pretraining_epochs=30) < distance() / 2
