"""FairGAN with medGAN's sigmoids: what is drawn, what the critics see, and what is learned."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli.algorithms.synthesis import fair_gan_sigmoid  # noqa: E402
from dpfair_cli.contracts.training_context import CPU  # noqa: E402
from dpfair_cli.models.synthesis.game import SigmoidGame  # noqa: E402
from dpfair_cli.models.synthesis.game_schedule import GameSchedule  # noqa: E402
from dpfair_cli.models.synthesis.generated_records import GeneratorWeights  # noqa: E402
from dpfair_cli.models.synthesis.networks import weights_of  # noqa: E402
from tests.algorithms.synthesis.made_tables import people, risk_difference  # noqa: E402

DATA = people(300)
BRIEF = {"epochs": 2, "pretraining_epochs": 1, "batch_size": 50}


def game():
    return SigmoidGame(DATA, GameSchedule(**BRIEF), np.random.default_rng(0), CPU)


def fitted(seed=0, **options):
    return fair_gan_sigmoid.fit(DATA, **{**BRIEF, **options}, rng=np.random.default_rng(seed))


def test_critics_see_probabilities_of_every_column_and_the_label():
    batch = game().generated()
    assert batch.x.shape == (50, DATA.X.shape[1])
    assert batch.y.shape == batch.s.shape == (50, 1)
    assert ((batch.x > 0) & (batch.x < 1)).all()
    assert set(batch.s.flatten().tolist()) <= {0.0, 1.0}


def test_gradients_reach_the_generator():
    own = game()
    batch = own.generated_with_gradients()
    gradients = own.generator.gradients(batch.x.sum() + batch.y.sum())
    assert gradients[-1].abs().sum() > 0  # of the decoder


def test_rounding_gives_the_records_of_the_network():
    """The network of torch in evaluation mode is the oracle of the NumPy computation."""
    own = game()
    for _ in range(20):
        own.generated()
    network = own.generator.network.eval()
    weights = GeneratorWeights(weights_of(network), own.groups, own.shares)
    drawn = own.drawn(weights, rng=np.random.default_rng(7))
    rng = np.random.default_rng(7)
    group = rng.choice(2, size=len(DATA), p=own.shares)
    noise = rng.standard_normal((len(DATA), weights.width))
    inputs = torch.tensor(noise, dtype=torch.float32), torch.tensor(group)
    chance = torch.sigmoid(network(*inputs)).flatten(1).detach().numpy()
    clear = np.abs(chance - 0.5) > 1e-4
    expected, found = chance > 0.5, np.column_stack([drawn.X, drawn.y])
    np.testing.assert_array_equal(found[clear], expected[clear])
    np.testing.assert_array_equal(drawn.protected, group)


def test_a_seed_determines_the_records():
    one, again, other = (fitted(seed).records for seed in (0, 0, 1))
    assert one.X.tobytes() == again.X.tobytes()
    assert one.X.tobytes() != other.X.tobytes()


def test_a_training_without_fairness_keeps_the_sign_of_the_risk_difference():
    """That of the data is about 0.33."""
    options = {"epochs": 100, "pretraining_epochs": 30, "data_fairness": 0.0}
    found = [fitted(seed, **options).records for seed in (0, 1)]
    assert np.mean([risk_difference(each.y, each.protected) for each in found]) > 0.1
