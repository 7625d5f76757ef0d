"""Lower bounds of epsilon: by hand, by simulation, and for methods with too little noise."""

from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from dpfair_cli.auditing import lower_bounds
from dpfair_cli.auditing.audit import audit_fit
from dpfair_cli.auditing.laws import log_density
from dpfair_cli.auditing.lower_bounds import (
    clopper_pearson_epsilon,
    likelihood_ratio_bound,
    one_run_bound,
    one_run_p_value,
)
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.mechanisms.above_threshold import above_threshold
from dpfair_cli.mechanisms.batches import Draw
from dpfair_cli.mechanisms.exponential import exponential
from dpfair_cli.mechanisms.gaussian import analytic_sigma, gaussian
from dpfair_cli.mechanisms.laplace import laplace, row_laplace
from dpfair_cli.mechanisms.ledger import Release
from tests.auditing.subjects import D


@dataclass(frozen=True, eq=False)
class Toy(NotSaved):
    total: Any


SIGMA = analytic_sigma(1.0, 1.0, 1e-3)  # for epsilon 1
# fits of a number, 0 or 1, that are private at epsilon = 1 and, except the choice, at no less
FITS = {
    "laplace": lambda x, *, rng: laplace(x, l1_sensitivity=1.0, epsilon=1.0, rng=rng),
    "gaussian": lambda x, *, rng: gaussian(x, l2_sensitivity=1.0, sigma=SIGMA, rng=rng),
    "rows": lambda x, *, rng: row_laplace([x, 0.0], l21_sensitivity=1.0, epsilon=1.0, rng=rng),
    "a choice": lambda x, *, rng: exponential(
        [x, *[1.0 - x] * 9], sensitivity=1.0, epsilon=1.0, rng=rng
    ),  # 0.897
    "a sieve": lambda x, *, rng: above_threshold(
        [x - 0.5, 0.5 - x], sensitivity=1.0, epsilon=1.0, rng=rng
    ),
    "two": lambda x, *, rng: [
        laplace(x, l1_sensitivity=1.0, epsilon=0.5, rng=rng) for _ in range(2)
    ],
}


def bound(fit, trials, seed=0, delta=0.0):
    return likelihood_ratio_bound(
        fit, 0.0, 1.0, delta=delta, trials=trials, rng=np.random.default_rng(seed)
    ).epsilon


@pytest.mark.parametrize("name", FITS)
def test_in_a_hundred_audits_hardly_any_shows_more_than_is_true(name):
    """At most 5 % may; the audits are of 60 fits each."""
    delta = 1e-3 if name == "gaussian" else 0.0
    shown = [bound(FITS[name], 60, seed, delta) for seed in range(100)]
    wrong = sum(epsilon > 1 for epsilon in shown)
    print(f"{wrong} of 100 bounds are above the truth")
    assert stats.binom.sf(wrong - 1, 100, 0.05) > 1e-3


def test_the_half_that_chooses_the_threshold_is_not_counted(monkeypatch):
    ratios = iter([1.0] * 20 + [0.5] * 20)  # the first half chooses 1, which no other reaches
    monkeypatch.setattr(lower_bounds, "_log_ratio", lambda *_: next(ratios))
    assert bound(None, 40) == 0


@pytest.mark.parametrize(
    ("name", "least"), [("laplace", 0.75), ("a choice", 0.4), ("rows", 0.4), ("two", 0.4)]
)
def test_many_fits_show_most_of_what_is_true(name, least):
    assert least < bound(FITS[name], 4000) <= 1.0


def test_noise_that_is_too_small_is_shown(records):
    def quarter(records, *, epsilon=1.0, rng):
        return Toy(laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=4 * epsilon, rng=rng))

    options = {
        "relation": Neighbours.REPLACE_ONE,
        "params": {"epsilon": 1.0},
        "neighbours": 20,
        "trials": 2000,
    }
    found = audit_fit("toy", quarter, records, **options)
    assert found.shown.epsilon > 1.0
    assert found.shown.trials == 2000
    assert any(words.startswith("outputs show epsilon") for words in found.problems)


def test_outputs_of_random_batches_have_no_bound():
    def fit(x, *, rng):
        return gaussian(x, l2_sensitivity=1.0, sigma=1.0, draw=Draw(1, 0.5, sample=1), rng=rng)

    with pytest.raises(ValueError, match="random batches"):
        bound(fit, 20)


def test_a_bound_worked_by_hand():
    """0 wrong in 100: the true rate is at most 1 - 0.025^(1/100) = 3.62 %.

    100 right are a rate of at least 96.38 %.
    """
    assert clopper_pearson_epsilon(100, 0, 100, 0.0) == pytest.approx(
        log(0.025**0.01 / (1 - 0.025**0.01))
    )
    assert clopper_pearson_epsilon(100, 0, 100, 0.5) == pytest.approx(
        log((0.025**0.01 - 0.5) / (1 - 0.025**0.01))
    )
    assert clopper_pearson_epsilon(50, 50, 100, 0.0) == clopper_pearson_epsilon(0, 0, 100, 0.0) == 0
    assert clopper_pearson_epsilon(100, 100, 100, 0.0) == 0


def test_densities_are_those_of_the_mechanisms():
    for mechanism, law in (("laplace", stats.laplace), ("gaussian", stats.norm)):
        entry = Release(mechanism, np.array([1.0, 2.0]), np.zeros(2), 1.0, 3.0)
        ratio = log_density(entry, np.array([0.0, 5.0])) - log_density(entry, np.array([2.0, 2.0]))
        by_hand = law.logpdf([-1, 3], scale=3).sum() - law.logpdf([1, 0], scale=3).sum()
        assert ratio == pytest.approx(by_hand)
    choice = Release("exponential", np.array([0.0, 3.0, 1.0]), 0, 1.0, 2.0)
    weights = np.exp([0, 1.5, 0.5])
    assert [exp(log_density(choice, k)) for k in range(3)] == pytest.approx(
        (weights / weights.sum()).tolist()
    )


@pytest.mark.parametrize("first", [0, 1, 2])
def test_the_probability_of_a_place_of_the_sparse_vector_technique(first):
    """Against the integral over the noise on the threshold."""
    values = np.array([-0.5, 1.0])

    def density(threshold):
        above = stats.laplace.sf(threshold - values, scale=4.0)
        places = [above[0], (1 - above[0]) * above[1], (1 - above[0]) * (1 - above[1])]
        return stats.laplace.pdf(threshold, scale=2.0) * places[first]

    expected = integrate.quad(density, -60, 60, points=[-0.5, 0, 1.0], limit=200)[0]
    entry = Release("above_threshold", values, first, 1.0, 1.0)
    assert exp(log_density(entry, first)) == pytest.approx(expected, rel=2e-3)


def test_a_report_of_another_level_is_less_probable_by_exp_epsilon():
    rows, reports = np.eye(3)[[0, 1, 2]], np.array([0, 2, 2])
    entry = Release("randomised_response", rows, reports, 1.0, 1 / 0.7)
    kept = log_density(entry, np.array([0, 1, 2]))
    assert log_density(entry, reports) - kept == pytest.approx(-0.7)


def test_two_of_three_levels_at_odds_of_three_have_densities_worked_by_hand():
    """A set with the own level has weight 3, one without it weight 1."""
    sets = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    logs = [
        log_density(Release("subset_selection", np.eye(3)[levels], sets, 1.0, 1 / log(3)), sets)
        for levels in ([0, 0], [0, 1], [2, 0], [2, 1])
    ]
    assert np.exp(np.array(logs) - logs[2]) == pytest.approx([3.0, 9.0, 1.0, 3.0])


def test_ten_right_guesses_of_ten_worked_by_hand():
    """They are by chance with probability q^10 = 5 % where q = e^epsilon / (e^epsilon + 1)."""
    q = 0.05**0.1
    found = one_run_bound(np.repeat([True, False], 5), np.arange(10.0)[::-1], guesses=10, delta=0.0)
    assert found.epsilon == pytest.approx(log(q / (1 - q)), abs=1e-6)
    assert found.trials == 10
    assert one_run_p_value(10, 10, 10, 0.0, 0.0) == pytest.approx(2**-10)


def test_delta_adds_what_steinke_nasr_and_jagielski_say():
    """One guess of one, correct, at epsilon = 0: 1/2.

    delta adds 2 delta P(0 <= binomial < 1) / 1 = delta.
    """
    assert one_run_p_value(1, 1, 1, 0.0, 0.01) == pytest.approx(0.5 + 0.01)
    assert one_run_p_value(1, 1, 7, 0.0, 0.01) == pytest.approx(0.5 + 0.07)
    assert one_run_p_value(0, 3, 3, 1.0, 0.01) == 1


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_canaries_show_no_more_than_is_true_and_most_of_it(epsilon):
    """Each is answered by randomised response: the strongest score that is private."""
    rng, canaries, shown = np.random.default_rng(0), 1000, []
    for _ in range(100):
        included = rng.random(canaries) < 0.5
        truthful = rng.random(canaries) < 1 / (1 + exp(-epsilon))
        shown.append(
            one_run_bound(
                included, (included == truthful) + rng.random(canaries) / 9, guesses=200, delta=0.0
            ).epsilon
        )
    wrong = sum(found > epsilon for found in shown)
    assert stats.binom.sf(wrong - 1, 100, 0.05) > 1e-3
    assert np.mean(shown) > 0.4 * epsilon


def test_scores_that_know_nothing_show_nothing():
    rng = np.random.default_rng(0)
    shown = [
        one_run_bound(rng.random(500) < 0.5, rng.random(500), guesses=100, delta=1e-5).epsilon
        for _ in range(100)
    ]
    assert sum(found > 0 for found in shown) <= 12
