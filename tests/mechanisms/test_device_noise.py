"""Normal noise of a tensor: its law, its seeds, and secret noise."""

import numpy as np
import pytest
from scipy.stats import kstest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli.mechanisms.gaussian import gaussian  # noqa: E402
from dpfair_cli.mechanisms.noise import as_array, is_tensor  # noqa: E402
from dpfair_cli.mechanisms.secure import SecureGenerator  # noqa: E402
from tests.fake_device import FAKE, fake_device  # noqa: E402


@pytest.fixture
def fake(monkeypatch):
    with fake_device(monkeypatch) as log:
        yield log


def noisy(values, sigma, rng):
    tensor = torch.tensor(np.array(values), dtype=torch.float32, device=FAKE.torch())
    return gaussian(tensor, l2_sensitivity=1.0, sigma=sigma, rng=rng)


@pytest.mark.parametrize("source", [np.random.default_rng(0), SecureGenerator()])
def test_noise_of_a_tensor_has_the_normal_law(fake, source):
    found = as_array(noisy(np.full(5000, 3.0), 2.0, source))
    assert kstest((found - 3) / 2, "norm").pvalue > 1e-4  # a false alarm in 10,000


def test_noisy_values_stay_on_the_device(fake):
    for source in (np.random.default_rng(0), SecureGenerator()):
        found = noisy([1.0, 2.0], 1.0, source)
        assert found.device == FAKE.torch()
        assert found.dtype == torch.float32


def test_releases_of_a_seed_repeat_and_differ_from_each_other(fake):
    rng, again = np.random.default_rng(5), np.random.default_rng(5)
    first, second = (as_array(noisy(np.zeros(3), 1.0, rng)) for _ in range(2))
    assert first.tolist() == as_array(noisy(np.zeros(3), 1.0, again)).tolist()
    assert first.tolist() != second.tolist()


def test_only_noise_that_is_not_secret_is_drawn_by_the_device(fake):
    noisy([1.0], 1.0, SecureGenerator())
    assert not fake.seeds
    noisy([1.0], 1.0, np.random.default_rng(0))
    assert len(fake.seeds) == 1


def test_sigma_0_adds_nothing_to_a_tensor(fake):
    for source in (np.random.default_rng(0), SecureGenerator()):
        assert as_array(noisy([1.5, -2.0], 0.0, source)).tolist() == [1.5, -2.0]


def test_arrays_are_no_tensors():
    assert not is_tensor(np.zeros(2))
    assert as_array(values := np.zeros(2)) is values
