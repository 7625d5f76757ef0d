"""The audit refutes what is not private: a test that cannot fail would prove nothing."""

import copy
from dataclasses import replace
from math import inf, sqrt

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.auditing import audit as audits
from dpfair_cli.auditing.audit import audit, audit_fit
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.mechanisms.gaussian import analytic_sigma, gaussian, gaussian_epsilon
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.ledger import release
from dpfair_cli.models.regression.linear import LinearClassifier
from tests.auditing.subjects import Clock, D


def honest(records, *, epsilon=1.0, rng):
    return LinearClassifier(
        laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=epsilon, rng=rng)
    )


def half_the_sensitivity(records, *, epsilon=1.0, rng):
    return LinearClassifier(
        laplace(records.X.sum(axis=0), l1_sensitivity=D / 2, epsilon=epsilon, rng=rng)
    )


def twice_the_epsilon(records, *, epsilon=1.0, rng):
    return LinearClassifier(
        laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=2 * epsilon, rng=rng)
    )


def a_mean_without_noise(records, *, epsilon=1.0, rng):
    return LinearClassifier(
        honest(records, epsilon=epsilon, rng=rng).weights + 1e-3 * records.X.mean()
    )


def noise_that_the_ledger_does_not_see(records, *, epsilon=1.0, rng):
    return LinearClassifier(records.X.sum(axis=0) + rng.laplace(scale=D / epsilon, size=D))


def two_releases_for_the_price_of_one(records, *, epsilon=1.0, rng):
    return LinearClassifier(
        sum(honest(records, epsilon=epsilon, rng=rng).weights for _ in range(2))
    )


def no_sensitivity_at_all(records, *, epsilon=1.0, rng):
    return LinearClassifier(
        laplace(records.X.sum(axis=0), l1_sensitivity=0.0, epsilon=epsilon, rng=rng)
    )


def an_intercept_without_noise(records, *, epsilon=1.0, rng):
    return replace(honest(records, epsilon=epsilon, rng=rng), intercept=float(records.y.mean()))


def noise_that_depends_on_the_data(records, *, epsilon=1.0, rng):
    return LinearClassifier(
        laplace(records.X.sum(axis=0), l1_sensitivity=D + records.y.sum(), epsilon=epsilon, rng=rng)
    )


def half_the_deviation(records, *, epsilon=1.0, delta=1e-3, rng):
    sigma = analytic_sigma(sqrt(D), epsilon, delta) / 2
    return LinearClassifier(
        gaussian(records.X.sum(axis=0), l2_sensitivity=sqrt(D), sigma=sigma, rng=rng)
    )


def as_many_releases_as_positives(records, *, epsilon=1.0, rng):
    noisy = [
        laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=epsilon / 999, rng=rng)
        for _ in range(records.y.sum())
    ]
    return LinearClassifier(np.sum([np.zeros(D), *noisy], axis=0))


def only_the_largest_columns(records, *, epsilon=1.0, rng):
    total, weights = records.X.sum(axis=0), np.zeros(D)
    chosen = total > total.mean()
    weights[chosen] = laplace(total[chosen], l1_sensitivity=D, epsilon=epsilon, rng=rng)
    return LinearClassifier(weights)


def twice_the_price_of_half_a_move(records, *, epsilon=1.0, rng):
    """Each release declares more than its query can change: found is 0.8, declared 2."""
    noisy = [
        laplace(0.4 * records.X.sum(axis=0), l1_sensitivity=D, epsilon=epsilon, rng=rng)
        for _ in range(2)
    ]
    return LinearClassifier(sum(noisy))


def a_thousand_times_the_sum(records, *, epsilon=1.0, rng):
    return LinearClassifier(
        laplace(1000 * records.X.sum(axis=0), l1_sensitivity=1.0, epsilon=epsilon, rng=rng)
    )


def a_mean_of_no_records(records, *, epsilon=1.0, rng):
    """No number where a group has no members; the noise does not hide it."""
    members = records.X[records.protected == 1]
    with np.errstate(invalid="ignore"):
        mean = members.sum(axis=0) / len(members)
    return LinearClassifier(laplace(mean, l1_sensitivity=D, epsilon=epsilon, rng=rng))


def no_number_at_all(records, *, epsilon=1.0, rng):
    return LinearClassifier(laplace(np.full(D, np.nan), l1_sensitivity=D, epsilon=epsilon, rng=rng))


def a_negative_price(records, *, epsilon=1.0, rng):
    total = laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=2 * epsilon, rng=rng)
    release("laplace", np.zeros(1), rng.laplace(size=1), sensitivity=-1.0, scale=1.0)
    return LinearClassifier(total)


def a_scale_that_is_no_number(records, *, epsilon=1.0, rng):
    total = records.X.sum(axis=0)
    return LinearClassifier(
        release("laplace", total, total + rng.laplace(size=D), sensitivity=D, scale=np.nan)
    )


def a_query_of_another_value_than_its_output(records, *, epsilon=1.0, rng):
    """The ledger is told of zeros, which do not move."""
    noisy = records.X.sum(axis=0) + rng.laplace(scale=D / epsilon, size=D)
    return LinearClassifier(
        release("laplace", np.zeros(D), noisy, sensitivity=D, scale=D / epsilon)
    )


def two_releases_that_share_noise(records, *, epsilon=1.0, rng):
    """Their difference is that of two queries, without noise."""
    twin = copy.deepcopy(rng)
    total = laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=epsilon / 2, rng=rng)
    return LinearClassifier(
        total, float(laplace(records.y.sum(), l1_sensitivity=1.0, epsilon=epsilon / 2, rng=twin))
    )


def a_value_that_is_changed_after_its_release(records, *, epsilon=1.0, rng):
    total = 9 * records.X.sum(axis=0)
    noisy = laplace(total, l1_sensitivity=D, epsilon=epsilon, rng=rng)
    total[:] = 0
    return LinearClassifier(noisy)


def a_delta_that_is_too_large(records, *, epsilon=1.0, delta=1e-3, rng):
    """Noise for delta, where less was stated."""
    sigma = analytic_sigma(sqrt(D), epsilon, delta)
    return LinearClassifier(
        gaussian(records.X.sum(axis=0), l2_sensitivity=sqrt(D), sigma=sigma, rng=rng)
    )


def test_an_honest_method_passes(try_out):
    found = try_out(honest)
    assert found.holds
    assert found.largest_move == pytest.approx(1.0)  # no record against all records
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
    assert found.largest_move <= 1 + 1e-9
    assert found.found == pytest.approx(2.0)


def test_a_mean_that_leaks_without_noise_is_refuted(try_out):
    found = try_out(a_mean_without_noise)
    assert found.leaks == ("the fitted model",)
    assert not found.holds


def test_noise_outside_the_ledger_is_refuted(try_out):
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


def test_what_is_declared_must_be_paid_for(try_out):
    found = try_out(twice_the_price_of_half_a_move)
    assert found.found == pytest.approx(0.8)
    assert found.accounted == pytest.approx(2.0)
    assert found.problems == ["the declared sensitivities cost epsilon 2"]


def test_a_query_that_moves_a_thousand_times_too_far_is_refuted(try_out):
    found = try_out(a_thousand_times_the_sum)
    assert not found.holds
    assert found.largest_move == pytest.approx(1000 * D)


@pytest.mark.parametrize("fit", [a_mean_of_no_records, no_number_at_all, a_scale_that_is_no_number])
def test_what_is_no_number_is_refuted(try_out, fit):
    assert not try_out(fit).holds


def test_a_negative_price_is_no_discount(try_out):
    found = try_out(a_negative_price)
    assert found.accounted == inf
    assert not found.holds


@pytest.mark.parametrize(
    "fit",
    [
        a_query_of_another_value_than_its_output,
        two_releases_that_share_noise,
        a_value_that_is_changed_after_its_release,
    ],
)
def test_a_ledger_that_is_told_another_story_is_refuted(try_out, fit):
    assert not try_out(fit).holds


def test_delta_is_the_one_that_the_method_states(records):
    """Output perturbation states at most 1 / n^2: noise for 0.001 is too little for n records."""
    options = {
        "relation": Neighbours.REPLACE_ONE,
        "params": {"epsilon": 1.0, "delta": 1e-3},
        "neighbours": 12,
    }
    assert audit_fit("toy", a_delta_that_is_too_large, records, **options).holds
    stated = catalog.algorithm("output_perturbation").guarantee.stated_delta
    found = audit_fit("toy", a_delta_that_is_too_large, records, stated_delta=stated, **options)
    assert found.delta in {1 / n**2 for n in (200, len(records))}  # of the worst pair
    assert not found.holds


def test_a_method_that_is_fitted_on_a_part_states_the_delta_of_that_part(records):
    """Of 40 records that are fitted on, delta is 1 / 40^2, however many others there are."""
    params = {"epsilon": 1.0, "delta": 1e-3, "train_size": 40}
    found = audit("output_perturbation", records, params=params, neighbours=12)
    assert found.delta == 1 / 40**2
    assert found.holds


def test_a_budget_of_time_ends_an_audit(records, monkeypatch):
    """After it no further pair is begun; the first is always tried."""
    monkeypatch.setattr(audits, "time", Clock(0.01))
    options = {"relation": Neighbours.REPLACE_ONE, "params": {"epsilon": 1.0}, "neighbours": 10**6}
    assert audit_fit("toy", honest, records, seconds=0.305, **options).pairs == 31
    assert audit_fit("toy", honest, records, seconds=0.0, **options).pairs == 1
