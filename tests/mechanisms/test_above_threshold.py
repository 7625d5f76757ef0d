"""The sparse vector technique against its definition, and its price on a random part of the records."""

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.mechanisms.above_threshold import above_threshold, amplified


def frequencies(values, n=30_000, *, sensitivity=1.0, epsilon=1.0, sampling_rate=1.0):
    options = {"sensitivity": sensitivity, "epsilon": epsilon, "sampling_rate": sampling_rate}
    rng = np.random.default_rng(0)
    draws = [above_threshold(np.array(values), **options, rng=rng) for _ in range(n)]
    return np.bincount(draws, minlength=len(values) + 1)


@pytest.mark.parametrize("epsilon", [0, -1, np.nan])
def test_an_epsilon_that_is_not_positive_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon must be positive, got"):
        frequencies([0.0], n=1, epsilon=epsilon)


@pytest.mark.parametrize("rate", [0, 1.1, np.nan])
def test_a_sampling_rate_outside_0_and_1_is_refused(rate):
    with pytest.raises(ValueError, match="sampling_rate must lie in"):
        frequencies([0.0], n=1, sampling_rate=rate)


@pytest.mark.parametrize("options", [{"epsilon": np.inf}, {"sensitivity": 0.0}])
def test_infinite_epsilon_and_zero_sensitivity_find_the_first_above_zero(options):
    assert frequencies([-1.0, 0.0, 0.1, 9.0], n=50, **options).tolist() == [0, 0, 50, 0, 0]
    assert frequencies([-1.0, -2.0], n=50, **options).tolist() == [0, 0, 50]  # there is none
    assert frequencies([], n=50, **options).tolist() == [50]


def test_one_value_is_above_as_often_as_the_law_of_the_two_noises_says():
    # sensitivity 1, epsilon 4: threshold Laplace(1/2), value 0.7 + Laplace(1); P by integrating over the threshold
    t = np.linspace(-20, 20, 400_001)
    chance = np.trapezoid(stats.laplace.pdf(t, scale=0.5) * stats.laplace.sf(t, loc=0.7, scale=1.0), t)
    found = frequencies([0.7], epsilon=4)[0]
    assert stats.binomtest(int(found), 30_000, chance).pvalue > 0.01


def test_the_privacy_inequality_holds_for_many_queries_at_once():
    epsilon, n = 1.5, 30_000
    p, q = (frequencies(np.array([0.0, 1.0, -1.0, 0.5]) + s * np.array([1, -1, 1, 1]), n, epsilon=epsilon) / n
            for s in (0.5, -0.5))  # fmt: skip
    slack = np.sqrt(np.log(1e6) / (2 * n)) * (1 + np.exp(epsilon))  # Hoeffding, failure 1e-6 an event
    assert (p <= np.exp(epsilon) * q + slack).all()
    assert (q <= np.exp(epsilon) * p + slack).all()


def test_a_tenth_of_the_records_at_epsilon_ln_11_costs_ln_2():
    # 1 + (exp(ln 11) - 1) / 10 = 2
    assert amplified(np.log(2), 0.1) == pytest.approx(np.log(11))
    assert amplified(np.log(2), 1.0) == np.log(2)
    assert amplified(np.inf, 0.1) == np.inf
