"""Networks that are trained against each other: their states, resuming, and measurements."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli.algorithms.training import adversarial_debiasing  # noqa: E402
from dpfair_cli.contracts.training_context import CPU, NO_CONTEXT, TrainingContext  # noqa: E402
from dpfair_cli.models.synthesis.networks import LogisticRegression  # noqa: E402
from dpfair_cli.models.synthesis.players import Players  # noqa: E402
from tests.algorithms.synthesis.made_tables import people  # noqa: E402


class StoppedError(Exception):
    pass


class Store:
    """Keeps every state, begins with the last one, and stops the training after `last` epochs."""

    def __init__(self, last=None):
        self.last, self.states = last, []

    def find(self, name, *, epochs):
        return (self.states[-1], []) if self.states else None

    def keep(self, name, state, measurements):
        self.states.append(state)
        if state.epoch == self.last:
            self.last = None
            raise StoppedError


def two_players():
    """Two networks of two weights, with batches from NumPy and noise from torch."""
    noise = torch.Generator().manual_seed(1)
    players = Players(np.random.default_rng(0), CPU, noise=noise)
    torch.manual_seed(0)
    for name in ("left", "right"):
        players.add(name, LogisticRegression(1))
    return players, noise


def played(store, epochs=4):
    """Weights after rounds in which both players minimise the square of their outputs."""
    players, noise = two_players()

    def rounds(epoch):
        for _ in range(2):
            drawn = torch.tensor([[players.rng.choice(4) + 0.5]], dtype=torch.float32) + torch.rand(
                1, generator=noise
            )
            for player in players.named.values():
                player.descend(player(drawn).square().mean())
            yield {"drawn": drawn.item()}

    context = replace(NO_CONTEXT, checkpoints=store)
    players.play(rounds, epochs=epochs, context=context, rng=np.random.default_rng(0))
    arrays = {}
    for name, player in players.named.items():
        for part, value in player.arrays().items():
            arrays[f"{name} {part}"] = value
    return arrays


def test_a_state_holds_weights_moments_and_both_kinds_of_generators():
    store = Store()
    played(store, epochs=1)
    names = set()
    for player in ("left", "right"):
        names |= {f"{player} linear.{part}" for part in ("weight", "bias")}
        for moment in ("step", "exp_avg", "exp_avg_sq"):
            names |= {f"{player} adam.{k}.{moment}" for k in (0, 1)}
    assert set(store.states[0].arrays) == names | {"noise"}
    assert set(store.states[0].facts) == {"batches"}


@pytest.mark.parametrize("last", [1, 3])
def test_a_resumed_training_has_the_bytes_of_an_uninterrupted_one(last):
    store = Store(last)
    with pytest.raises(StoppedError):
        played(store)
    resumed, whole = played(store), played(Store())
    assert resumed.keys() == whole.keys()
    for name, values in whole.items():
        np.testing.assert_array_equal(resumed[name], values, err_msg=name)


def test_the_numbers_of_an_epoch_are_means_over_its_rounds():
    store, (players, _) = Store(), two_players()

    def rounds(epoch):
        return ({"loss": float(epoch * k), "one": 1.0} for k in (1, 2, 6))

    context = TrainingContext(checkpoints=store)
    players.play(rounds, epochs=2, context=context, rng=np.random.default_rng(0))
    assert [state.numbers for state in store.states] == [
        {"loss": 3.0, "one": 1.0},
        {"loss": 6.0, "one": 1.0},
    ]


@pytest.mark.parametrize("loss", [np.nan, np.inf])
def test_an_epoch_whose_numbers_are_not_finite_is_refused_and_not_kept(loss):
    store, (players, _) = Store(), two_players()

    def rounds(epoch):
        return [{"loss": 1.0}, {"loss": loss if epoch == 2 else 1.0}]

    with pytest.raises(ValueError, match=r"^the training diverged in epoch 2 \(\{'loss': "):
        players.play(
            rounds,
            epochs=3,
            context=TrainingContext(checkpoints=store),
            rng=np.random.default_rng(0),
        )
    assert [state.epoch for state in store.states] == [1]


def test_interrupted_adversarial_debiasing_resumes_to_the_same_bytes():
    store, options = Store(last=2), {"epochs": 4, "batch_size": 50}
    context = TrainingContext(checkpoints=store)
    with pytest.raises(StoppedError):
        adversarial_debiasing.fit(
            people(200), **options, context=context, rng=np.random.default_rng(3)
        )
    resumed = adversarial_debiasing.fit(
        people(200), **options, context=context, rng=np.random.default_rng(3)
    )
    whole = adversarial_debiasing.fit(people(200), **options, rng=np.random.default_rng(3))
    np.testing.assert_array_equal(resumed.weights, whole.weights)
    assert resumed.intercept == whole.intercept
