"""The games of generator and critics: what a saved generator computes, and resuming a training."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli.algorithms.synthesis import acgan, fair_gan, fair_gan_plus  # noqa: E402
from dpfair_cli.contracts.training_context import TrainingContext  # noqa: E402
from dpfair_cli.models.synthesis.critics import opponent_loss  # noqa: E402
from dpfair_cli.models.synthesis.generated_records import GeneratorWeights, restore  # noqa: E402
from dpfair_cli.models.synthesis.networks import Generator, weights_of  # noqa: E402
from dpfair_cli.models.synthesis.one_hot_groups import OneHotGroups  # noqa: E402
from tests.algorithms.synthesis.made_tables import people  # noqa: E402

SHORT = {"epochs": 3, "pretraining_epochs": 2, "batch_size": 50}
LOST = 1e-30  # a weight of a critic: added to a gradient, it is below the last digit


class StoppedError(Exception):
    pass


class Store:
    """Keeps the last state, and stops the training once, after `last` epochs."""

    def __init__(self, last):
        self.last, self.kept = last, None

    def find(self, name, *, epochs):
        return self.kept

    def keep(self, name, state, measurements):
        self.kept = (state, list(measurements))
        if state.epoch == self.last:
            self.last = None
            raise StoppedError


@pytest.mark.parametrize("last", [1, 2, 4])  # in the pretraining, at its end, in the game
@pytest.mark.parametrize("algorithm", [fair_gan, fair_gan_plus])
def test_an_interrupted_training_goes_on_to_the_same_bytes(algorithm, last):
    records, store = people(200), Store(last)
    context = TrainingContext(checkpoints=store)
    with pytest.raises(StoppedError):
        algorithm.fit(records, **SHORT, context=context, rng=np.random.default_rng(3))
    resumed = algorithm.fit(records, **SHORT, context=context, rng=np.random.default_rng(3))
    whole = algorithm.fit(records, **SHORT, rng=np.random.default_rng(3))
    for name, values in whole.generator.weights.items():
        np.testing.assert_array_equal(resumed.generator.weights[name], values, err_msg=name)
    np.testing.assert_array_equal(resumed.classifier.weights, whole.classifier.weights)


def test_a_saved_generator_computes_what_the_network_does():
    groups = OneHotGroups((3, 2, 4))
    torch.manual_seed(0)
    network = Generator(groups, 2)
    for _ in range(20):  # so that the running means of the batch norms are not those of the start
        network(torch.randn(64, 128), torch.randint(2, (64,)))
    network.eval()
    noise, chosen = torch.randn(10, 128), torch.randint(2, (10,))
    ours = GeneratorWeights(weights_of(network), groups, np.array([0.5, 0.5]))
    found = ours.scores(noise.numpy().astype(float), chosen.numpy())
    theirs = network(noise, chosen).detach().numpy()
    np.testing.assert_allclose(found[:, groups.room], theirs[:, groups.room], atol=1e-4)


def test_a_model_file_gives_the_same_records():
    model = acgan.fit(people(200), **SHORT, rng=np.random.default_rng(0))
    again = restore(model.saved())
    left, right = (each.sample(50, rng=np.random.default_rng(1)) for each in (model, again))
    for part in ("X", "y", "protected"):
        np.testing.assert_array_equal(getattr(left, part), getattr(right, part))
    assert again.domain.values == dict(model.domain.values)
    np.testing.assert_array_equal(again.predict(people(200)), model.predict(people(200)))


def last_state(algorithm, **options):
    """The model and the state at the end of a training on 200 records."""
    store = Store(last=None)
    context = TrainingContext(checkpoints=store)
    model = algorithm.fit(
        people(200), **options, **SHORT, context=context, rng=np.random.default_rng(0)
    )
    return model, store.kept[0]


@pytest.mark.parametrize("algorithm", [fair_gan, fair_gan_plus])
def test_with_lambda_zero_the_group_critic_is_disabled_and_not_trained(
    algorithm,
):
    """The generator has the bytes of a lambda that is lost in rounding, for which D2 is trained."""
    free, idle = last_state(algorithm, data_fairness=0.0)
    deaf, trained = last_state(algorithm, data_fairness=LOST)
    fair, _ = last_state(algorithm, data_fairness=1.0)
    assert not [name for name in idle.arrays if name.startswith("D2 adam")]
    assert [name for name in trained.arrays if name.startswith("D2 adam")]
    for name, values in free.generator.weights.items():
        np.testing.assert_array_equal(deaf.generator.weights[name], values, err_msg=name)
    np.testing.assert_array_equal(deaf.classifier.weights, free.classifier.weights)
    assert any(
        not np.array_equal(fair.generator.weights[name], each)
        for name, each in free.generator.weights.items()
    )


@pytest.mark.parametrize("judged", ["real", "drawn"])
def test_with_mu_zero_the_critic_of_decisions_is_disabled_and_not_trained(
    judged,
):
    """The classifier has the bytes of a mu that is lost in rounding; D3's batches are drawn."""
    free, idle = last_state(fair_gan_plus, classifier_fairness=0.0, judged=judged)
    deaf, trained = last_state(fair_gan_plus, classifier_fairness=LOST, judged=judged)
    fair, _ = last_state(fair_gan_plus, classifier_fairness=1.0, judged=judged)
    assert not [name for name in idle.arrays if name.startswith("D3 adam")]
    assert [name for name in trained.arrays if name.startswith("D3 adam")]
    np.testing.assert_array_equal(deaf.classifier.weights, free.classifier.weights)
    assert deaf.classifier.intercept == free.classifier.intercept
    for name, values in free.generator.weights.items():
        np.testing.assert_array_equal(deaf.generator.weights[name], values, err_msg=name)
    assert not np.array_equal(fair.classifier.weights, free.classifier.weights)


def test_an_opponent_makes_small_how_right_a_critic_is_or_less_how_wrong():
    """A critic that says 0.8 for an answer of 1: log 0.8, or -log 0.2."""
    logits, answer = torch.tensor([np.log(4.0)]), torch.tensor([1.0])
    assert opponent_loss(logits, answer, "minimax").item() == pytest.approx(np.log(0.8))
    assert opponent_loss(logits, answer, "fool").item() == pytest.approx(-np.log(0.2))
