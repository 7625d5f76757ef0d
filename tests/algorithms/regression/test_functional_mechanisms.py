"""The functional mechanisms minimise what they released."""

import numpy as np
import pytest

from dpfair_cli.algorithms.regression import functional_mechanism, relaxed_functional_mechanism
from tests.algorithms.regression.fitting import fit, minimiser


@pytest.mark.parametrize("seed", range(5))
def test_the_functional_mechanism_minimises_what_it_released(couple, seed):
    model, tape = fit(functional_mechanism, couple, seed, epsilon=1)
    assert np.hstack([release.value.ravel() for release in tape]) == pytest.approx([-1 / 4, 5 / 32])
    assert {release.scale for release in tape} == {1.25}  # (1/4 + 1) / 1
    linear, square = np.hstack([release.output.ravel() for release in tape])
    assert model.weights == pytest.approx([minimiser(linear, square, 1.25 * np.sqrt(2))])


@pytest.mark.parametrize("seed", range(5))
def test_the_relaxed_functional_mechanism_minimises_what_it_released(couple, seed):
    model, tape = fit(
        relaxed_functional_mechanism, couple, seed, epsilon=5, delta=np.sqrt(2 / np.pi) * np.exp(-4)
    )
    sigma = np.sqrt(2) * np.sqrt(17 / 16) / (2 * 5) * 5  # the roots are 2 + 3, see test_gaussian
    assert [release.scale for release in tape] == pytest.approx([sigma] * len(tape))
    linear, square = np.hstack([release.output.ravel() for release in tape])
    assert model.weights == pytest.approx([minimiser(linear, square, sigma)])
