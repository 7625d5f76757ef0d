"""All that commands and the estimator release has noise of secure generators."""

import numpy as np
import pytest

from dpfair_cli import estimator
from dpfair_cli.mechanisms.secure import SecureGenerator
from dpfair_cli.release import choosing
from dpfair_cli.reproduction import preview
from tests.commands.invoking import works
from tests.commands.material import PUBLIC

FIT = ("train", "own.csv", *PUBLIC, "--save", "a", "--method")
RELEASES = {
    "Laplace noise": (*FIT, "pflr"),
    "normal noise": (*FIT, "dp_whitened_descent"),
    "choices": (*FIT, "tree_augmented_records"),
    "batches": (*FIT, "dpsgd", "--set", "batch_size=3", "--set", "epochs=1"),
    "scores": (*FIT, "pflr", "--release-scores", "1"),
    "a choice of a method": ("choose", "own.csv", *PUBLIC, "--method", "pflr", "--save", "a"),
}


class Ordinary(np.random.Generator):
    """A generator that may split records, and draws no noise."""

    def refuse(self, *_, **__):
        raise AssertionError("noise of an ordinary generator is released")

    laplace = normal = standard_normal = gumbel = binomial = exponential = geometric = refuse


@pytest.fixture(autouse=True)
def ordinary(own, monkeypatch):
    def default_rng(seed=None):
        return Ordinary(np.random.PCG64(seed))

    monkeypatch.setattr(np.random, "default_rng", default_rng)
    monkeypatch.setattr(preview, "_refusals", lambda *_: {})  # it fits to made-up data


@pytest.mark.parametrize("command", RELEASES.values(), ids=RELEASES)
def test_no_release_of_a_command_has_ordinary_noise(command):
    works(*command, "--eps", "1")


def test_a_known_seed_is_noticed():
    with pytest.raises(AssertionError, match="ordinary generator"):
        works(*FIT, "pflr", "--eps", "1", "--seed", "1")


def test_the_tries_of_a_choice_are_drawn_by_a_secure_generator(monkeypatch):
    plain, seen = choosing.best_of_random_tries, []

    def watched(attempt, *, mean_tries, rng):
        seen.append(type(rng))
        return plain(attempt, mean_tries=mean_tries, rng=rng)

    monkeypatch.setattr(choosing, "best_of_random_tries", watched)
    works(*RELEASES["a choice of a method"], "--eps", "1")
    assert seen == [SecureGenerator]


def test_a_fit_of_the_estimator_has_secret_noise():
    X, groups = np.arange(24).reshape(12, 2) % 5 / 4, np.arange(12) % 2
    model = estimator.DpfairClassifier("pflr", epsilon=1.0, low=0, high=1, classes=[0, 1])
    model.fit(X, np.arange(12) // 6, sensitive_features=groups)
