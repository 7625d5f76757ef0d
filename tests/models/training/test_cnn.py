"""The network against torch.func, image by image, and against steps without norms."""

import numpy as np
import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli.algorithms.training import dpsgd, sgd  # noqa: E402
from dpfair_cli.commands import main  # noqa: E402
from dpfair_cli.contracts.training_context import TrainingContext  # noqa: E402
from dpfair_cli.kinds.images import Images  # noqa: E402
from dpfair_cli.kinds.records import Domain  # noqa: E402
from dpfair_cli.mechanisms.ledger import record  # noqa: E402
from dpfair_cli.models.training import cnn  # noqa: E402
from dpfair_cli.release import model_files  # noqa: E402

CLASSES = tuple(f"class{k}" for k in range(10))


def digits(n=40, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 10, n)
    X = rng.integers(0, 256, (n, 784)).astype(np.uint8)
    return Images(X, y, y.copy(), np.zeros(n, bool), (28, 28), CLASSES, Domain((), {}, CLASSES))


def per_image(parameters, images):
    """The gradients of images by torch.func, (n, 431080), of a network of torch's modules."""
    net = torch.nn.Sequential(
        torch.nn.Conv2d(1, 20, 5),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(20, 50, 5),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(800, 500),
        torch.nn.ReLU(),
        torch.nn.Linear(500, 10),
    )
    torch.nn.utils.vector_to_parameters(
        torch.tensor(parameters, dtype=torch.float32), net.parameters()
    )
    x = (torch.tensor(images.X).float() / 255 - 0.1307) / 0.3081

    def loss(weights, one, label):
        scores = torch.func.functional_call(net, weights, (one.view(1, 1, 28, 28),))
        return torch.nn.functional.cross_entropy(scores, label.view(1))

    weights = {name: weight.detach() for name, weight in net.named_parameters()}
    found = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(
        weights, x, torch.tensor(images.y)
    )
    return torch.cat([found[name].flatten(1) for name in weights], dim=1).numpy().astype(float)


@pytest.fixture(scope="module", params=[0, 1, 2])
def network(request):
    """A random network, random images, and their gradients."""
    rng = np.random.default_rng(request.param)
    images = digits(12, request.param)
    model = cnn.CnnDescent(images)
    parameters = (1 + request.param) * model.start(rng)
    return model, parameters, per_image(parameters, images)


def test_it_has_the_parameters_of_the_paper():
    assert sum(cnn.SIZES) == 431_080


def test_it_runs_on_the_processor_also_where_there_is_a_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    parts = cnn.tensors(np.zeros(sum(cnn.SIZES)), cnn.CnnDescent(digits(1)).device)
    assert {part.device.type for part in parts} == {"cpu"}


def test_norms_are_those_of_the_gradients_image_by_image(network):
    model, parameters, gradients = network
    found = model.gradients(parameters, np.arange(12)).norms
    np.testing.assert_allclose(found, np.linalg.norm(gradients, axis=1), rtol=1e-5)


@pytest.mark.parametrize("first", ["norms", "total"])
def test_weighted_sums_are_those_of_the_gradients_with_norms_or_without(network, first):
    model, parameters, gradients = network
    weights = np.random.default_rng(0).random(12)
    found = model.gradients(parameters, np.arange(12))
    if first == "norms":
        _ = found.norms
    wanted = weights @ gradients
    np.testing.assert_allclose(
        found.total(weights), wanted, rtol=1e-3, atol=1e-5 * np.linalg.norm(wanted)
    )


def test_many_rows_are_taken_in_parts(network, monkeypatch):
    model, parameters, gradients = network
    monkeypatch.setattr(cnn, "AT_ONCE", 5)
    rows = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 11])
    found = model.gradients(parameters, rows)
    np.testing.assert_allclose(found.norms, np.linalg.norm(gradients, axis=1)[rows], rtol=1e-5)
    whole = gradients[rows].sum(axis=0)
    np.testing.assert_allclose(
        found.total(np.ones(12)), whole, rtol=1e-3, atol=1e-5 * np.linalg.norm(whole)
    )
    assert found.losses.shape == (12,)


def test_a_batch_without_images_has_no_gradient(network):
    model, parameters, _ = network
    found = model.gradients(parameters, np.array([], dtype=int))
    assert found.norms.shape == (0,)
    assert not found.total(np.array([])).any()


def test_one_step_without_noise_is_the_mean_of_the_clipped_gradients():
    images, states = digits(12), []
    options = {
        "epochs": 1,
        "batch_size": 12,
        "learning_rate": 0.5,
        "epsilon": np.inf,
        "clip_norm": 0.7,
    }
    context = TrainingContext(measure=lambda epoch: states.append(epoch.parameters))
    dpsgd.fit(images, **options, context=context, rng=np.random.default_rng(3))
    start = cnn.CnnDescent(images).start(np.random.default_rng(3).spawn(3)[0])
    gradients = per_image(start, images)
    clipped = gradients * np.minimum(1, 0.7 / np.linalg.norm(gradients, axis=1))[:, None]
    np.testing.assert_allclose(states[0], start - 0.5 * clipped.mean(axis=0), atol=1e-7)


def test_the_noise_of_the_released_gradient_has_its_declared_deviation():
    with record() as tape:
        dpsgd.fit(digits(), epochs=1, batch_size=20, rng=np.random.default_rng(0))
    noise = (tape[0].output - tape[0].value) / tape[0].scale
    assert noise.shape == (431_080,)
    assert noise.std() == pytest.approx(1, abs=4 / np.sqrt(2 * len(noise)))


def test_it_learns_what_there_is_to_learn():
    """Images that are dark except for the rows of their class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, 100)
    X = rng.integers(0, 60, (100, 28, 28))
    for i, k in enumerate(y):
        X[i, 2 * k : 2 * k + 4] = 255
    pixels = X.reshape(100, -1).astype(np.uint8)
    held_out, domain = np.zeros(100, bool), Domain((), {}, CLASSES)
    images = Images(pixels, y, y.copy(), held_out, (28, 28), CLASSES, domain)
    model = sgd.fit(images, epochs=8, batch_size=20, learning_rate=0.1, momentum=0.5, rng=rng)
    assert (model.predict(images) == y).mean() > 0.95


def test_other_pictures_are_refused():
    X, y, held_out = np.zeros((3, 4), np.uint8), np.zeros(3, int), np.zeros(3, bool)
    small = Images(X, y, y.copy(), held_out, (2, 2), CLASSES, Domain((), {}, CLASSES))
    with pytest.raises(ValueError, match="28 x 28 pixels and at most 10 classes"):
        sgd.fit(small, batch_size=2, rng=np.random.default_rng(0))


def test_train_prints_the_scores_of_each_group_and_saves_the_network(tmp_path, monkeypatch):
    monkeypatch.delenv("DPFAIR_DATA", raising=False)
    words = [
        "train",
        "mnist",
        "--method",
        "dpsgd",
        "--eps",
        "8",
        "--set",
        "epochs=1",
        "--save",
        str(tmp_path / "model.json"),
    ]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    lines = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines() if line}
    assert lines["group"] == ["total", *(f"class{k}" for k in range(10))]
    assert len(lines["accuracy"]) == 11
    assert all(0 <= float(value) <= 1 for value in lines["accuracy"])
    assert model_files.load(tmp_path / "model.json").parameters.shape == (431_080,)


@pytest.mark.parametrize("shape", [(3, 1, 28, 28), (3, 20, 12, 12), (0, 1, 28, 28)])
def test_patches_are_those_of_torch(shape):
    inputs = torch.rand(shape, generator=torch.Generator().manual_seed(0))
    assert torch.equal(cnn.patches(inputs), torch.nn.functional.unfold(inputs, 5))


def with_derivatives(function, z, by_pooled):
    """The bytes of a function of z, and those of its derivatives by z."""
    z = z.clone().requires_grad_()
    values = function(z)
    (by_z,) = torch.autograd.grad(values, z, by_pooled)
    return values.detach().numpy().tobytes(), by_z.numpy().tobytes()


@pytest.mark.parametrize("distinct", [2, 5, 1_000_000], ids=["ties", "some_ties", "no_ties"])
def test_pooled_relu_has_the_bytes_of_torch(distinct):
    source = torch.Generator().manual_seed(0)
    z = torch.randint(-distinct, distinct, (4, 3, 8, 6), generator=source).float()
    by_pooled = torch.randn(4, 3, 4, 3, generator=source)

    def torchs_own(z):
        return torch.nn.functional.max_pool2d(torch.nn.functional.relu(z), 2)

    own = with_derivatives(cnn.PooledRelu.apply, z, by_pooled)
    assert own == with_derivatives(torchs_own, z, by_pooled)


def test_pooled_relu_by_hand():
    z = torch.tensor([[[[1.0, 3.0, -1.0, -2.0], [3.0, 2.0, -3.0, 0.0]]]], requires_grad=True)
    pooled = cnn.PooledRelu.apply(z)
    assert pooled.tolist() == [[[[3.0, 0.0]]]]
    (by_z,) = torch.autograd.grad(pooled.sum(), z)
    assert by_z.tolist() == [[[[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]]]  # the first 3
