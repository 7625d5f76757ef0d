"""Bounds from outcomes: valid for sound functions, and near the loss of simple ones."""

from math import exp, inf, log
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from dpfair_cli.addons.foreign_audits import outcomes
from dpfair_cli.addons.foreign_audits.outcomes import (
    CONFIDENCE,
    ClaimedPrivacy,
    audit_outcomes,
    rho_of,
)
from dpfair_cli.mechanisms.gaussian import analytic_sigma


def answered(epsilon):
    """Randomised response with privacy loss epsilon."""
    return lambda answer, rng: answer ^ int(rng.random() < 1 / (1 + exp(epsilon)))


def found(run, pairs=((0, 1),), claim=None, seconds=30.0, seed=0):
    return audit_outcomes(
        "f", run, pairs, claim=claim or ClaimedPrivacy(1.0), seconds=seconds, seed=seed
    )


def test_the_bound_of_randomised_response_is_near_its_loss():
    finding = found(answered(1.0))
    assert 0.85 < finding.bound <= 1
    assert finding.event in ("the outcome is 0", "the outcome is 1")
    assert finding.holds


@pytest.mark.usefixtures("fewer_runs")
def test_twice_the_loss_is_refuted():
    finding = found(answered(2.0))
    assert not finding.holds
    assert finding.counts[0] > 5 * finding.counts[1]


@pytest.mark.usefixtures("fewer_runs")
def test_equal_inputs_give_no_bound():
    assert found(answered(3.0), pairs=[(1, 1)]).bound == 0


@pytest.mark.usefixtures("fewer_runs")
def test_the_worst_pair_is_chosen():
    pairs = [(1, 1), (0, 0), (0, 1), (1, 1)]
    assert set(found(answered(2.0), pairs=pairs).pair) == {0, 1}


def test_laplace_noise_is_bounded_by_its_tails():
    finding = found(lambda value, rng: value + rng.laplace(), pairs=[(0.0, 1.0)])
    assert 0.8 < finding.bound <= 1
    assert "at" in finding.event


def test_a_direction_that_no_number_shows_alone_is_found():
    # neighbours differ by 0.5 in each of 20 numbers with deviation 1: together by sqrt(5)
    finding = found(lambda value, rng: value + rng.normal(size=20), pairs=[(0.0, 0.5)])
    assert "the sum of the outcome's numbers" in finding.event
    assert finding.bound > 1.5


@pytest.mark.usefixtures("fewer_runs")
def test_delta_is_subtracted():
    def revealing(value, rng):
        return value if rng.random() < 0.1 else 0

    assert found(revealing).bound > 1
    assert found(revealing, claim=ClaimedPrivacy(1.0, delta=0.2)).bound == 0


@pytest.mark.usefixtures("fewer_runs")
def test_outcomes_of_several_lengths_and_words_are_compared():
    finding = found(lambda value, rng: ["a"] * (1 + value), pairs=[(0, 2)])
    assert finding.bound > 5


@pytest.mark.usefixtures("fewer_runs")
def test_an_exception_is_an_outcome():
    def failing(value, rng):
        if value and rng.random() < 0.5:
            raise ValueError("negative")
        return 0

    assert found(failing).bound > 1


@pytest.mark.usefixtures("fewer_runs")
def test_an_input_that_is_refused_is_named_by_its_error():
    def refusing(value, rng):
        if value:
            raise ValueError("one class")
        return rng.random()

    finding = found(refusing, pairs=[(1, 0)])
    assert finding.event == "the outcome is ValueError: one class"
    assert finding.counts == (finding.runs, 0)


def test_a_function_that_always_fails_raises_its_error():
    with pytest.raises(TypeError):
        found(lambda value, rng: value + "a")


def test_a_slow_function_is_run_less_often(monkeypatch):
    """Each run takes a millisecond: half of a thousand are runs of one input."""
    runs = []

    def slow(value, rng):
        runs.append(value)
        return rng.random() < 0.5

    clock = SimpleNamespace(monotonic=lambda: len(runs) / 1000)
    monkeypatch.setattr(outcomes, "time", clock)
    assert found(slow, seconds=1.0).runs < 1000


@pytest.mark.parametrize("size", [1, 3])
def test_few_runs_count_no_outcome_that_never_recurs(size):
    """Ten runs of each input choose the event, and 20 of each count it."""

    def almost_exact(value, rng):
        return value + 1e-3 * rng.random(size)

    finding = found(almost_exact, pairs=[(0.0, 1.0)], claim=ClaimedPrivacy(0.5), seconds=0.0)
    assert finding.runs == 20
    assert finding.counts == (20, 0)
    assert not finding.holds


def test_bounds_of_exact_claims_exceed_them_as_rarely_as_stated(monkeypatch):
    # counts of a fixed event, at the confidence of 95 %: at most 5 % of 400 bounds, and some slack
    rng, claim, count = np.random.default_rng(0), ClaimedPrivacy(1.0), 500
    monkeypatch.setattr("dpfair_cli.addons.foreign_audits.outcomes.CONFIDENCE", 0.95)
    p = exp(1) / (1 + exp(1))
    wrong = sum(
        claim.lower_bound(*rng.binomial(count, [p, 1 - p]).tolist(), count) > 1 for _ in range(400)
    )
    assert wrong <= stats.binom.ppf(0.999, 400, 0.05)
    assert CONFIDENCE == 0.999


def test_sound_functions_with_many_events_are_refuted_as_rarely_as_stated(monkeypatch):
    """The event is the luckiest of hundreds in the runs that choose it, and in no others."""
    monkeypatch.setattr(outcomes, "CONFIDENCE", 0.9)
    monkeypatch.setattr(outcomes, "MOST", 240)

    def noisy(value, rng):
        return value + rng.laplace(size=5)

    claim = ClaimedPrivacy(0.05)  # five numbers that differ by 0.01
    wrong = sum(not found(noisy, [(0.0, 0.01)], claim, seed=seed).holds for seed in range(60))
    assert wrong <= stats.binom.ppf(0.999, 60, 0.1)


def test_rho_of_certain_counts_is_the_divergence_of_their_intervals():
    # with many runs: rates 1/2 and exp(-2) / 2
    p, q, count = 0.5, exp(-2) / 2, 10**8
    expected = max(
        log(p**alpha * q ** (1 - alpha) + (1 - p) ** alpha * (1 - q) ** (1 - alpha))
        / (alpha - 1)
        / alpha
        for alpha in np.arange(1.01, 20, 0.01)
    )
    assert 0.688 < expected < 0.75  # at alpha = 1, the Kullback-Leibler divergence is 0.688
    claim = ClaimedPrivacy(0.5, name="rho")
    rho = claim.lower_bound(round(p * count), round(q * count), count)
    assert rho == pytest.approx(expected, rel=3e-3)
    assert rho < expected
    assert rho_of(p, q) == pytest.approx(expected, rel=1e-3)
    assert claim.lower_bound(5, 5, 100) == 0


def test_a_gaussian_shows_no_more_rho_than_it_has():
    finding = found(
        lambda value, rng: value + rng.normal(),
        pairs=[(0.0, 1.0)],
        claim=ClaimedPrivacy(0.5, name="rho"),
    )
    assert 0.2 < finding.bound <= 0.5


@pytest.mark.usefixtures("all_runs")
def test_a_gaussian_with_half_of_its_noise_is_refuted():
    sigma = analytic_sigma(1.0, 1.0, 1e-5)
    finding = found(
        lambda value, rng: value + rng.normal(scale=sigma / 2),
        pairs=[(0.0, 1.0)],
        claim=ClaimedPrivacy(1.0, delta=1e-5),
        seconds=60.0,
    )
    assert finding.least_found < finding.bound


@pytest.mark.parametrize("name", ["epsilon", "rho"])
def test_half_of_the_audits_find_the_least_loss_that_an_event_can_show(name):
    rng, claim, count = np.random.default_rng(0), ClaimedPrivacy(0.5, name=name), 5000
    least = claim.least_found(count)

    def share(loss):
        """The share of refuted claims with the event, of this loss, that is refuted most often."""
        pairs = [(p, p_of(claim, p, loss)) for p in np.linspace(0.02, 0.98, 49)]
        bounds = [
            [claim.lower_bound(*rng.binomial(count, pair).tolist(), count) for _ in range(40)]
            for pair in pairs
        ]
        return (np.array(bounds) > claim.amount).mean(axis=1).max()

    assert share(0.9 * least) < 0.5 < share(1.1 * least)


def p_of(claim, p, loss):
    """The probability of the event for the other input at which the mechanism has the loss."""
    return brentq(lambda q: claim.amount_of(p, q) - loss, 1e-9, p)


def test_an_audit_of_few_runs_says_that_it_finds_nothing():
    assert ClaimedPrivacy(8.0).least_found(20) == inf
