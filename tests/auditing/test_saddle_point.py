"""The audit's own accountant against closed forms, brute force and two other accountants."""

from itertools import product
from math import comb, exp, inf, log

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from dpfair_cli.auditing.saddle_point import Losses, joint_epsilon
from dpfair_cli.mechanisms.accounting.privacy_loss import loss_epsilon
from dpfair_cli.mechanisms.gaussian import gaussian_epsilon

# relative error above an exact epsilon; with a larger one a private method would be refuted
SAFE = 1e-6


def randomised_responses(epsilon, count, delta):
    """The least epsilon of `count` epsilon-private answers (Kairouz, Oh and Viswanath 2015)."""

    def excess(total):
        terms = (
            comb(count, ups) * max(0.0, exp(epsilon * ups) - exp(total + epsilon * (count - ups)))
            for ups in range(count + 1)
        )
        return sum(terms) / (1 + exp(epsilon)) ** count - delta

    return brentq(excess, 0, epsilon * count) if excess(0) > 0 else 0.0


def two_sampled_steps(rate, ratio, delta):
    """Two steps, the first integrated over 20,000 outcomes of the noise; both directions."""
    x = np.linspace(-12, 12 + ratio, 20_000)

    def curves(epsilon):
        likelihood = (1 - rate) + rate * np.exp(x * ratio - ratio**2 / 2)
        for with_record in (True, False):
            mass = norm.pdf(x) * (likelihood if with_record else 1)
            left = epsilon - (np.log(likelihood) if with_record else -np.log(likelihood))
            yield (mass * one_sampled_step(rate, ratio, left, with_record)).sum() * (x[1] - x[0])

    return brentq(lambda epsilon: max(curves(epsilon)) - delta, 0, 100)


def one_sampled_step(rate, ratio, epsilon, with_record):
    """delta at each epsilon: the outcomes that lose more lie on one side of a point."""
    with np.errstate(divide="ignore", invalid="ignore"):
        other = np.exp(epsilon if with_record else -epsilon)
        x = np.where(other > 1 - rate, np.log((other - 1 + rate) / rate) / ratio + ratio / 2, -inf)
    if with_record:
        return (1 - rate) * norm.sf(x) + rate * norm.sf(x - ratio) - np.exp(epsilon) * norm.sf(x)
    return norm.cdf(x) - np.exp(epsilon) * ((1 - rate) * norm.cdf(x) + rate * norm.cdf(x - ratio))


@pytest.mark.parametrize("delta", [0.1, 1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("ratio", [0.01, 0.3, 1.0, 3.0, 10.0])
def test_gaussian_noise_costs_what_balle_and_wang_say(ratio, delta):
    assert joint_epsilon(Losses(gaussian=ratio), delta) == pytest.approx(
        gaussian_epsilon(delta, 1 / ratio), abs=1e-7
    )


@pytest.mark.parametrize(
    ("epsilon", "count"), [(1.0, 2), (0.1, 40), (0.5, 100), (3.0, 5), (0.01, 1)]
)
@pytest.mark.parametrize("delta", [0.0, 1e-3, 1e-6, 1e-12])
def test_pure_releases_cost_what_as_many_randomised_responses_do(epsilon, count, delta):
    expected = randomised_responses(epsilon, count, delta) if delta else epsilon * count
    assert joint_epsilon(Losses(((epsilon, count),)), delta) == pytest.approx(expected, abs=1e-7)


def test_pure_releases_of_many_sizes_cost_what_all_their_outcomes_say():
    sizes = (0.7, 0.31, 0.23, 0.2, 0.11, 0.05, 0.03)
    signs = np.array(list(product((1, -1), repeat=len(sizes))))
    losses, chances = signs @ sizes, np.prod(1 / (1 + np.exp(-signs * sizes)), axis=1)
    expected = brentq(
        lambda total: chances @ np.maximum(0, -np.expm1(total - losses)) - 1e-2, 0, sum(sizes)
    )
    found = joint_epsilon(Losses(tuple((size, 1) for size in sizes)), 1e-2)
    assert found == pytest.approx(expected, abs=1e-7)
    assert found < 0.9 * sum(sizes)


def test_losses_gathered_on_a_grid_cost_no_more_than_their_sum():
    sizes = np.random.default_rng(0).uniform(0.01, 0.2, 40)
    found = joint_epsilon(Losses(tuple((float(size), 1) for size in sizes)), 1e-5)
    alike = [
        randomised_responses(float(size), 40, 1e-5)
        for size in (sizes.mean(), np.sqrt((sizes**2).mean()))
    ]
    assert alike[0] < found < 1.01 * alike[1]  # the squares add up, nearly
    assert joint_epsilon(Losses(tuple((float(size), 1) for size in sizes)), 1e-300) <= sizes.sum()


@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-12])
def test_pure_and_gaussian_releases_together_cost_their_mixture(delta):
    """One randomised response and a Gaussian: an average of two Gaussian curves."""
    epsilon, ratio = 0.8, 0.6

    def excess(total):
        shares = [
            1 / (1 + exp(-loss)) * one_sampled_step(1.0, ratio, total - loss, True)
            for loss in (epsilon, -epsilon)
        ]
        return sum(shares) - delta

    expected = brentq(excess, 0, 50, xtol=1e-12)
    assert joint_epsilon(Losses(((epsilon, 1),), ratio), delta) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("rate", [0.001, 0.1, 0.9])
@pytest.mark.parametrize("delta", [1e-2, 1e-5])
def test_one_step_on_a_sample_costs_what_its_curve_says(rate, delta):
    ratio = 1.5
    curves = [
        lambda epsilon, way=way: (
            float(one_sampled_step(rate, ratio, np.array(epsilon), way)) - delta
        )
        for way in (True, False)
    ]
    expected = max(brentq(curve, 0, 50) if curve(0) > 0 else 0.0 for curve in curves)
    assert joint_epsilon(Losses(sampled=((rate, ratio, 1),)), delta) == pytest.approx(
        expected, abs=1e-7
    )


@pytest.mark.parametrize(
    ("rate", "ratio"), [(0.001, 3.0), (0.001, 2.0), (0.01, 1.0), (0.3, 0.5), (0.9, 1.0)]
)
@pytest.mark.parametrize("delta", [1e-3, 1e-6])
def test_two_steps_cost_what_a_double_integral_says(rate, ratio, delta):
    """Also at rates so low that nearly all outcomes have one loss, which moments do not resolve."""
    expected = two_sampled_steps(rate, ratio, delta)
    assert joint_epsilon(Losses(sampled=((rate, ratio, 2),)), delta) == pytest.approx(
        expected, rel=1e-4, abs=SAFE
    )


@pytest.mark.parametrize("rate", [0.001, 0.01, 0.3])
@pytest.mark.parametrize("noise", [0.5, 1.0, 5.0])
@pytest.mark.parametrize("steps", [1, 3, 30, 1000])
def test_steps_on_samples_cost_what_our_accountant_says_and_no_more(rate, noise, steps):
    found = joint_epsilon(Losses(sampled=((rate, 1 / noise, steps),)), 1e-6)
    above = loss_epsilon([(noise, rate, steps)], 1e-6)  # never too small
    assert above * (1 - 2e-4) - SAFE <= found <= above + SAFE


@pytest.mark.parametrize(
    ("rate", "noise", "steps"), [(0.001, 5, 30), (0.01, 1, 3), (0.3, 0.5, 5), (0.01, 5, 1000)]
)
def test_steps_on_samples_cost_what_another_library_says_and_no_more(rate, noise, steps):
    from dp_accounting.pld import privacy_loss_distribution

    found = joint_epsilon(Losses(sampled=((rate, 1 / noise, steps),)), 1e-6)
    loss = privacy_loss_distribution.from_gaussian_mechanism(
        noise,
        sampling_prob=rate,
        value_discretization_interval=found / 2000 / steps**0.5,
        use_connect_dots=True,
    )
    theirs = loss.self_compose(steps).get_epsilon_for_delta(1e-6)  # never too small
    assert theirs * (1 - 1e-4) <= found <= theirs * (1 + SAFE)


@pytest.mark.parametrize(("delta", "tilt"), [(1e-5, 3.0), (1e-12, 5.0)])
def test_mixed_releases_cost_what_a_simulation_shows(delta, tilt):
    """A Gaussian, two pure releases and six sampled steps: delta by random outcomes.

    They are drawn by exp(tilt loss), so that rare losses are frequent.
    """
    pure, ratio, (rate, step, times) = 0.3, 0.4, (0.2, 0.8, 6)
    found = joint_epsilon(Losses(((pure, 2),), ratio, ((rate, step, times),)), delta)
    rng, draws, x = np.random.default_rng(0), 300_000, np.linspace(-12, 24, 40_001)
    answers, with_record = (
        np.array([pure, -pure]),
        (1 - rate) * norm.pdf(x) + rate * norm.pdf(x, step),
    )
    log_mean, losses = 0.0, np.zeros(draws)
    for values, mass, count in (
        (answers, np.exp(answers / 2), 2),
        (x * ratio - ratio**2 / 2, norm.pdf(x, ratio), 1),
        (np.log(with_record / norm.pdf(x)), with_record, times),
    ):
        chances = mass / mass.sum() * np.exp(tilt * values)
        log_mean += count * log(chances.sum())
        losses += sum(rng.choice(values, draws, p=chances / chances.sum()) for _ in range(count))
    outcomes = np.maximum(0, -np.expm1(found - losses)) * np.exp(log_mean - tilt * losses)
    error = outcomes.std() / np.sqrt(draws)
    assert error < 0.02 * delta
    assert outcomes.mean() == pytest.approx(delta, abs=4 * error)


def test_a_pure_release_and_steps_cost_less_than_their_sum():
    steps = Losses(sampled=((0.1, 1.0, 50),))
    both = joint_epsilon(Losses(((0.5, 1),), 0.0, steps.sampled), 1e-5)
    assert joint_epsilon(steps, 1e-5) < both < joint_epsilon(steps, 1e-5) + 0.5


def test_large_losses_are_told():
    """There rounding is all that the tilted losses hold far from the saddle point."""
    found = joint_epsilon(Losses(sampled=((0.3, 1.0, 10_000),)), 1e-6)
    assert found == pytest.approx(loss_epsilon([(1.0, 0.3, 10_000)], 1e-6), rel=1e-3)
    assert found > 700
    assert joint_epsilon(Losses(sampled=((0.3, 1e6, 3),)), 1e-6) > 1000  # a lower bound


def test_nothing_moves_or_everything_is_told():
    assert joint_epsilon(Losses(), 1e-3) == joint_epsilon(Losses(), 0.0) == 0
    assert joint_epsilon(Losses(((0.0, 3),), 0.0, ((0.1, 0.0, 5),)), 1e-3) == 0
    assert joint_epsilon(Losses(gaussian=1e-3), 0.1) == 0
    for told in (Losses(((inf, 1),)), Losses(gaussian=inf), Losses(sampled=((0.1, inf, 1),))):
        assert joint_epsilon(told, 1e-3) == inf
    assert joint_epsilon(Losses(gaussian=0.1), 0.0) == inf
    assert joint_epsilon(Losses(((30.0, 1),)), 1e-12) == pytest.approx(
        30, abs=1e-7 + 1.1 * exp(30) * 1e-12
    )
