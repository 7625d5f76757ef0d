"""The audit refutes what is not private: a test that cannot fail would prove nothing."""

from dataclasses import replace
from math import inf, sqrt

import numpy as np
import pytest

from dpfair_cli.mechanisms.gaussian import analytic_sigma, gaussian, gaussian_epsilon
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.models.regression.linear import LinearClassifier
from tests.auditing.subjects import D


def honest(records, *, epsilon=1.0, rng):
    return LinearClassifier(laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=epsilon, rng=rng))


def half_the_sensitivity(records, *, epsilon=1.0, rng):
    return LinearClassifier(laplace(records.X.sum(axis=0), l1_sensitivity=D / 2, epsilon=epsilon, rng=rng))


def twice_the_epsilon(records, *, epsilon=1.0, rng):
    return LinearClassifier(laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=2 * epsilon, rng=rng))


def a_mean_without_noise(records, *, epsilon=1.0, rng):
    return LinearClassifier(honest(records, epsilon=epsilon, rng=rng).weights + 1e-3 * records.X.mean())


def noise_that_the_ledger_does_not_see(records, *, epsilon=1.0, rng):
    return LinearClassifier(records.X.sum(axis=0) + rng.laplace(scale=D / epsilon, size=D))


def two_releases_for_the_price_of_one(records, *, epsilon=1.0, rng):
    return LinearClassifier(sum(honest(records, epsilon=epsilon, rng=rng).weights for _ in range(2)))


def no_sensitivity_at_all(records, *, epsilon=1.0, rng):
    return LinearClassifier(laplace(records.X.sum(axis=0), l1_sensitivity=0.0, epsilon=epsilon, rng=rng))


def an_intercept_without_noise(records, *, epsilon=1.0, rng):
    return replace(honest(records, epsilon=epsilon, rng=rng), intercept=float(records.y.mean()))


def noise_that_depends_on_the_data(records, *, epsilon=1.0, rng):
    return LinearClassifier(
        laplace(records.X.sum(axis=0), l1_sensitivity=D + records.y.sum(), epsilon=epsilon, rng=rng)
    )


def half_the_deviation(records, *, epsilon=1.0, delta=1e-3, rng):
    sigma = analytic_sigma(sqrt(D), epsilon, delta) / 2
    return LinearClassifier(gaussian(records.X.sum(axis=0), l2_sensitivity=sqrt(D), sigma=sigma, rng=rng))


def as_many_releases_as_positives(records, *, epsilon=1.0, rng):
    noisy = [
        laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=epsilon / 999, rng=rng) for _ in range(records.y.sum())
    ]
    return LinearClassifier(np.sum([np.zeros(D), *noisy], axis=0))


def only_the_largest_columns(records, *, epsilon=1.0, rng):
    total, weights = records.X.sum(axis=0), np.zeros(D)
    chosen = total > total.mean()
    weights[chosen] = laplace(total[chosen], l1_sensitivity=D, epsilon=epsilon, rng=rng)
    return LinearClassifier(weights)


def test_an_honest_method_passes(try_out):
    found = try_out(honest)
    assert found.holds
    assert found.largest_move == pytest.approx(1.0)  # nobody against everybody
    assert found.found == pytest.approx(1.0)
    assert found.accounted == 1.0


def test_a_halved_sensitivity_is_refuted(try_out):
    found = try_out(half_the_sensitivity)
    assert not found.holds
    assert found.largest_move == pytest.approx(2.0)
    assert found.found == pytest.approx(2.0)


def test_an_epsilon_that_is_larger_than_claimed_is_refuted(try_out):
    found = try_out(twice_the_epsilon)
    assert not found.holds
    assert found.largest_move <= 1
    assert found.found == pytest.approx(2.0)


def test_a_mean_that_leaks_without_noise_is_refuted(try_out):
    found = try_out(a_mean_without_noise)
    assert found.leaks == ("the fitted model",)
    assert not found.holds


def test_noise_beside_the_ledger_is_refuted(try_out):
    assert not try_out(noise_that_the_ledger_does_not_see).holds


def test_composition_is_added_up(try_out):
    found = try_out(two_releases_for_the_price_of_one)
    assert not found.holds
    assert found.found == pytest.approx(2.0)


def test_a_query_declared_constant_that_moves_is_refuted(try_out):
    found = try_out(no_sensitivity_at_all)
    assert found.found == inf
    assert not found.holds


def test_too_small_a_deviation_is_refuted(try_out):
    found = try_out(half_the_deviation, delta=1e-3)
    assert not found.holds
    wanted = gaussian_epsilon(1e-3, analytic_sigma(1.0, 1.0, 1e-3) / 2)
    assert found.found == pytest.approx(wanted)
    assert found.found > 2


def test_an_intercept_that_leaks_without_noise_is_refuted(try_out):
    assert not try_out(an_intercept_without_noise).holds


def test_a_noise_scale_that_depends_on_the_data_is_refuted(try_out):
    """Its size tells the neighbours apart, however large it is."""
    assert not try_out(noise_that_depends_on_the_data).holds


@pytest.mark.parametrize("fit", [as_many_releases_as_positives, only_the_largest_columns])
def test_releases_whose_number_or_shape_depends_on_the_data_are_refuted(try_out, fit):
    assert not try_out(fit).holds
