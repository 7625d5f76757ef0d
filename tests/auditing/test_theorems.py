"""Computations about theorems: numbers worked by hand, and mistakes that must be found."""

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.auditing import theorems
from dpfair_cli.auditing.theorems import COMPUTATIONS, Computation, computed
from dpfair_cli.contracts.guarantees import COMPUTED
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, affordable_steps, spent_epsilon

REFUTED = {
    "classical calibration of Gaussian noise",
    "Gaussian noise of two sizes",
    "Gaussian noise of two sizes, one coefficient",
    "score of a node",
    "sensitivity of a covariance",
    "skipped steps",
    "largest number of tests of PC",
    "variance of a coefficient of PFLR*",
    "noise of PFLR* at the threshold",
    "noise of PFLR* at one half",
    "lower bound of the error",
}


def test_claims_may_name_each_computation():
    assert list(COMPUTATIONS) == list(COMPUTED)


@pytest.mark.parametrize("name", COMPUTATIONS)
def test_a_computation_has_a_proof_or_a_counterexample(name):
    evidence = computed(name)
    assert bool(evidence.counterexample) == (name in REFUTED)
    assert bool(evidence.proof) != bool(evidence.counterexample)


@pytest.mark.parametrize("features", [3, 4])
def test_gaussian_noise_of_two_sizes_suffices_from_three_features_on(features):
    """As ding2020/deviations.yaml says, for epsilon_s of at most epsilon_n."""
    assert theorems._gaussian_split(features)[0] < 0.9
    assert theorems._gaussian_split(2)[0] > 30


def test_one_coefficient_tells_neighbours_apart_from_five_features_on():
    """Worked from the formulas of the theorem, with scipy's normal distribution."""

    def delta(epsilon, sigma):  # Balle and Wang 2018, Theorem 5, for a change by 2
        a, b = 1 / sigma - epsilon * sigma / 2, -1 / sigma - epsilon * sigma / 2
        return stats.norm.cdf(a) - exp(epsilon) * stats.norm.cdf(b)

    def ratio(d):
        tail = log(sqrt(2 / np.pi) / 1e-7)
        bound = sqrt(d**2 / 16 + 9 * d)
        sigma = sqrt(2) * bound / 20 * (sqrt(tail) + sqrt(tail + 10))
        return delta(10 / d + 0.01 * (d - 1) / d, sigma) / (1 - (1 - 1e-7) ** 2)

    assert ratio(2) < 1 < ratio(5)
    assert ratio(5) == pytest.approx(7.0, abs=0.1)
    assert theorems._gaussian_split_in_each_reading()[0] == pytest.approx(ratio(40), rel=1e-6)


def test_a_value_at_the_bound_is_no_counterexample():
    assert not Computation(lambda: (1.0, "a"), "all").evidence().counterexample
    assert Computation(lambda: (1.001, "a"), "all").evidence().counterexample


def test_the_coefficients_of_a_record_by_hand():
    # x = (1, 1), y = 0: (1/2, 1/2), (1/8, 1/8) and 2 / 8 of the product
    found = theorems._coefficients(np.array([[1.0, 1.0]]), np.array([0.0]))
    assert found.tolist() == [[0.5, 0.5, 0.125, 0.125, 0.25]]


def test_a_replaced_group_moves_the_fairness_term_of_all_records():
    """49 records of group 0 with x = 1; the 50th changes group and keeps x = 1: |s - mean s| sums
    to 0 before and to 49 / 50 + 49 / 50 after.
    """
    changes = theorems._changes(np.array([[1.0]]), fair=True)
    assert np.abs(changes).max() == pytest.approx(1 + 98 / 50)  # the label moves by 1 too


def test_a_sensitivity_below_the_largest_change_is_refuted():
    """One feature: a flipped label moves the coefficient by 1, so 0.9 is too small."""
    ratio, _ = theorems._sensitivity(1, lambda d: 0.9 * d, fair=False)
    assert ratio > 1
    assert theorems._sensitivity(1, lambda d: d**2 / 4 + d, fair=False)[0] == pytest.approx(0.8)


def test_the_extended_calibration_is_the_stated_one():
    """sqrt(2 log) in the proof: m = sqrt(2) (sqrt(L + epsilon) - sqrt(L))."""
    epsilon, delta = 2.0, 1e-3
    tail = log(sqrt(2 / np.pi) / delta)
    m = sqrt(2) * (sqrt(tail + epsilon) - sqrt(tail))
    assert theorems.extended_sigma(1.0, epsilon, delta) == pytest.approx(1 / m)
    assert epsilon / m - m / 2 == pytest.approx(sqrt(2 * tail))
    assert stats.norm.sf(sqrt(2 * tail)) <= exp(-tail) / 2 <= delta


def test_the_walks_of_one_edge_by_hand():
    # P = P^2 off and on the diagonal: M is 1/2 everywhere
    assert theorems._walks(np.array([[0.0, 1.0], [1.0, 0.0]])).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_neighbours_on_both_sides_of_the_threshold_have_distances_one_and_minus_one():
    known = theorems._distances()
    assert set(known.values()) >= {1, -1}
    assert 0 not in known.values()
    assert theorems._node_score()[0] == 2


def test_the_scores_of_a_number_by_hand():
    # distances 3, 1, -2: 0 removed -3; 1 removed -1; 2 removed min(1, 2) - 1 = 0; 3 removed -2
    assert theorems._number_scores([1, -2, 3]) == [-3, -1, 0, -2]
    assert theorems._number_scores([-1, -4]) == [0, -1, -4]
    assert theorems._number_scores([2, 5]) == [-5, -2, 1]


def test_skipped_steps_are_those_of_the_accountant():
    """Balanced Adult: the largest number of steps with both releases that costs no more."""
    training = next(one for one in theorems.TRAININGS if one.name == "balanced Adult")
    steps, rate = 20 * 22400 // 256, 256 / 22400
    part = NoisySteps(training.sigma, rate, steps)
    epsilon = spent_epsilon([part], 1e-6, accountant="moments")
    both = [NoisySteps(sigma, rate, 0) for sigma in (training.sigma, 10 * training.sigma)]
    affordable = affordable_steps(epsilon, 1e-6, both, accountant="moments")
    alone, together, price = theorems._budgets(training)
    assert (steps * alone + price).min() == pytest.approx(epsilon)
    assert int(((epsilon - price) / together).max()) == affordable
