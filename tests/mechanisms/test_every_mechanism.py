"""The noise of every mechanism: fresh in every release, on every entry, from `rng`."""

from functools import partial

import numpy as np
import pytest

from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.mechanisms.laplace import laplace, row_laplace

MECHANISMS = {
    "laplace": partial(laplace, l1_sensitivity=1, epsilon=1),
    "gaussian": partial(gaussian, l2_sensitivity=1, sigma=1),
    "row_laplace": partial(row_laplace, l21_sensitivity=1, epsilon=1),
}
every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS.keys())
HARDLY_ANY = 1e-301  # epsilon, a scale of 1e301


@every_mechanism
def test_two_releases_from_one_generator_share_no_noise(mechanism):
    rng = np.random.default_rng(0)
    noise = np.concatenate([np.ravel(mechanism(np.zeros((5, 3)), rng=rng)) for _ in range(3)])
    assert len(np.unique(np.abs(noise))) == 45


@every_mechanism
def test_the_noise_is_that_of_the_generator_that_is_given(mechanism):
    one, other = (mechanism(np.zeros((5, 3)), rng=np.random.default_rng(seed)) for seed in (1, 2))
    assert not np.intersect1d(np.abs(one), np.abs(other)).size


@every_mechanism
@pytest.mark.parametrize("shape", [(1,), (2,), (7,), (3, 4), (1, 1)], ids=str)
def test_no_entry_leaves_without_noise(mechanism, shape):
    assert (mechanism(np.zeros(shape), rng=np.random.default_rng(0)) != 0).all()


@pytest.mark.parametrize(
    ("mechanism", "sensitivity"), [(laplace, "l1_sensitivity"), (row_laplace, "l21_sensitivity")]
)
def test_hardly_any_budget_leaves_hardly_anything(mechanism, sensitivity):
    noisy = mechanism(
        np.zeros((5, 3)), **{sensitivity: 1.0}, epsilon=HARDLY_ANY, rng=np.random.default_rng(0)
    )
    assert np.median(np.abs(noisy)) > 1e299
