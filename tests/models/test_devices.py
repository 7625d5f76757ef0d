"""Networks on a device: every tensor and generator is there, with the results of the processor."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli import catalog  # noqa: E402
from dpfair_cli.algorithms.training import dpsgd, sgd  # noqa: E402
from dpfair_cli.catalog import matching  # noqa: E402
from dpfair_cli.contracts.declarations import BoundFit  # noqa: E402
from dpfair_cli.contracts.training_context import CPU, TrainingContext  # noqa: E402
from dpfair_cli.mechanisms.ledger import mechanisms_used  # noqa: E402
from dpfair_cli.mechanisms.secure import SecureGenerator  # noqa: E402
from dpfair_cli.models.causal_fairness import causal_game  # noqa: E402
from dpfair_cli.models.training import cnn  # noqa: E402
from dpfair_cli.models.training.descent import DescentEpoch  # noqa: E402
from tests.algorithms.synthesis.made_tables import people  # noqa: E402
from tests.fake_device import FAKE, FakeTensor, fake_device  # noqa: E402
from tests.models.causal_fairness.made_records import unfair_people  # noqa: E402
from tests.models.training.test_cnn import digits  # noqa: E402

NETWORKS = [name for name in catalog.algorithms.names if catalog.algorithm(name).needs == "torch"]
IMAGE_METHODS = [
    name
    for name in catalog.algorithms.names
    if matching.can_fit(catalog.algorithm(name), catalog.data_source("mnist"))
    and catalog.algorithm(name).takes_context
]
SHORT = {"epochs": 2, "batch_size": 50}
LONGER = {"pretraining_epochs": 1}


@pytest.fixture
def fake(monkeypatch):
    with fake_device(monkeypatch) as log:
        yield log


def fitted(name, data, device, **changed):
    method = catalog.algorithm(name)
    given = {key: value for key, value in {**SHORT, **LONGER}.items() if key in method.parameters}
    params = method.complete({**given, **changed})
    fit = BoundFit(name, method, params, TrainingContext(device=device))
    return fit(data, rng=np.random.default_rng(0))


def numbers(result):
    """All arrays in the fields of a fitted result, in order."""
    if isinstance(result, np.ndarray):
        return [result]
    if isinstance(result, dict):
        result = [result[key] for key in sorted(result)]
    if isinstance(result, list | tuple):
        return [array for part in result for array in numbers(part)]
    return numbers(list(vars(result).values())) if hasattr(result, "__dict__") else []


def data_of(name):
    causal = matching.can_fit(catalog.algorithm(name), catalog.data_source("adult_binary"))
    return unfair_people(200) if causal else people(200)


def test_there_are_networks_to_test():
    assert {"fair_gan", "cfgan", "adversarial_debiasing"} <= {*NETWORKS}
    assert {"sgd", "dpsgd", "dpsgd_f", "naive_dpsgd"} <= {*IMAGE_METHODS}


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_and_their_noise_are_on_the_device(name, fake, monkeypatch):
    monkeypatch.setattr(causal_game, "SAMPLED", 500)  # 50,000 draws take minutes on this device
    data = data_of(name)
    there, here = fitted(name, data, FAKE), fitted(name, data, CPU)
    assert fake.places
    assert len(fake.seeds) == (name != "adversarial_debiasing")  # which draws no noise
    assert [part.tobytes() for part in numbers(there)] == [part.tobytes() for part in numbers(here)]


@pytest.mark.parametrize("name", IMAGE_METHODS)
def test_every_method_for_images_trains_on_the_device(name, fake):
    model = fitted(name, digits(60), FAKE)
    assert fake.places
    assert isinstance(model.parameters, np.ndarray)
    assert np.isfinite(model.parameters).all()


def test_sgd_on_the_device_is_that_of_the_processor_up_to_rounding(fake):
    there, here = (fitted("sgd", digits(60), device).parameters for device in (FAKE, CPU))
    np.testing.assert_allclose(there, here, rtol=0, atol=1e-6)  # steps in 32 and in 64 bits


def test_each_release_of_a_sum_seeds_its_noise_anew(fake):
    with mechanisms_used() as used:
        fitted("dpsgd", digits(60), FAKE)
    assert used.mechanisms == {"gaussian"}
    assert len({*fake.seeds}) == 3  # batches: ceil(2 epochs * 60 / 50)


def test_steps_and_noise_do_not_leave_the_device(fake, monkeypatch):
    copied = []
    monkeypatch.setattr(
        FakeTensor, "cpu", lambda tensor: copied.append(tensor.shape) or tensor.held
    )
    fitted("dpsgd", digits(60), FAKE)
    large = [shape for shape in copied if shape.numel() > 60]
    assert large == 2 * 2 * [torch.Size([431_080])]  # parameters and velocity after each epoch


def test_secret_noise_comes_from_the_processor(fake):
    data, schedule = digits(60), {"epochs": 1, "batch_size": 50}
    context = TrainingContext(device=FAKE)
    model = dpsgd.fit(data, **schedule, context=context, rng=SecureGenerator())
    assert not fake.seeds
    assert isinstance(model.parameters, np.ndarray)


def test_training_resumes_on_the_device_to_the_byte(fake):
    states, data = [], digits(60)

    class Store:
        def find(self, name, *, epochs):
            return (states[0], []) if states else None

        def keep(self, name, state, measurements):
            states.append(state)

    def fit():
        context = TrainingContext(device=FAKE, checkpoints=Store())
        return dpsgd.fit(data, **SHORT, context=context, rng=np.random.default_rng(0))

    whole = fit()
    assert whole.parameters.tobytes() == fit().parameters.tobytes()
    assert len(states) == 3  # two epochs, and the second one again


def test_measurements_of_a_training_on_the_device_are_arrays(fake):
    found = []

    def measure(descent: DescentEpoch):
        gradients = descent.model.gradients(descent.parameters, np.arange(10))
        found.append((gradients.total(np.ones(10)), gradients.norms, gradients.losses))

    context = TrainingContext(device=FAKE, measure=measure)
    sgd.fit(digits(60), **SHORT, context=context, rng=np.random.default_rng(0))
    assert {type(part) for parts in found for part in parts} == {np.ndarray}


def test_the_device_predicts_the_classes_of_the_processor(fake):
    images, weights = digits(300), cnn.CnnDescent(digits(1)).start(np.random.default_rng(0))
    there, here = (cnn.CnnClassifier(weights, device).predict(images) for device in (FAKE, CPU))
    assert there.tolist() == here.tolist()


def test_a_model_file_names_no_device(fake):
    model = cnn.CnnDescent(digits(1), FAKE).classifier(np.zeros(sum(cnn.SIZES)))
    assert cnn.restore(model.saved()).device == CPU


def test_empty_batches_on_the_device_have_no_gradient(fake):
    model = cnn.CnnDescent(digits(3), FAKE)
    weights = model.placed(model.start(np.random.default_rng(0)))
    gradients = model.gradients(weights, np.arange(0))
    assert not gradients.total(gradients.norms).cpu().any()


def test_the_fake_device_refuses_tensors_of_the_processor(fake):
    with pytest.raises(RuntimeError, match="two devices"):
        torch.ones(2, device=FAKE.torch()) + torch.ones(2)
    with pytest.raises(RuntimeError, match="numpy"):
        torch.ones(2, device=FAKE.torch()).numpy()


def test_images_are_the_only_data_whose_descent_is_on_the_device(fake):
    here = fitted("dpsgd", people(200), CPU)
    there = fitted("dpsgd", people(200), FAKE)
    assert not fake.places
    assert there.weights.tolist() == here.weights.tolist()
