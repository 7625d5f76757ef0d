"""More privacy budget, better answers: sound statistical statements over many seeds."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from dpfair_cli.algorithms.regression import (
    adfc,
    fair_logistic_regression,
    functional_mechanism,
    pdfc,
    pflr,
    pflr_star,
    relaxed_functional_mechanism,
    truncated_logistic_regression,
)
from dpfair_cli.mechanisms.ledger import record

PUBLIC = {
    functional_mechanism: truncated_logistic_regression,
    relaxed_functional_mechanism: truncated_logistic_regression,
    pflr: fair_logistic_regression,
    pflr_star: fair_logistic_regression,
    pdfc: fair_logistic_regression,
    adfc: fair_logistic_regression,
}
pairs = pytest.mark.parametrize(
    ("private", "public"), PUBLIC.items(), ids=lambda m: m.__name__.split(".")[-1]
)


def fit(algorithm, people, seed=0, **options):
    return algorithm.fit(people, rng=np.random.default_rng(seed), **options)


@pairs
def test_a_larger_epsilon_comes_closer_to_the_public_weights(private, public, crowd):
    people = crowd(n=20_000, d=4)
    target = fit(public, people).weights

    def distances(epsilon):
        return [
            np.linalg.norm(fit(private, people, seed, epsilon=epsilon).weights - target)
            for seed in range(40)
        ]

    few, some, many = (distances(epsilon) for epsilon in (0.1, 5, 250))
    assert mannwhitneyu(few, some, alternative="greater").pvalue < 1e-3
    assert mannwhitneyu(some, many, alternative="greater").pvalue < 1e-3


@pairs
@pytest.mark.parametrize("sensitivity", ["published", "tight"])
def test_a_separable_label_is_learnt(private, public, sensitivity, records):
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 4))
    people = records(X, X[:, 0] > X[:, 1], rng.integers(0, 2, len(X)))
    model = fit(private, people, epsilon=50.0, sensitivity=sensitivity)
    assert np.mean(model.predict(people) == people.y) > 0.9
    assert np.mean(fit(public, people).predict(people) == people.y) > 0.97


@pairs
def test_the_tight_sensitivity_adds_less_noise_than_the_published_one(private, public, crowd):
    def scales(sensitivity):
        with record() as tape:
            fit(private, crowd(d=13), sensitivity=sensitivity)
        return np.array([release.scale for release in tape])

    assert (scales("tight") < 0.8 * scales("published")).all()


def test_gaussian_noise_beats_laplace_noise_in_the_high_privacy_regime(crowd):
    """ding2020, Figure 1: the relaxed functional mechanism is closer than the original."""
    people = crowd(n=20_000, d=20)
    target = fit(truncated_logistic_regression, people).weights
    laplace, gaussian = (
        [np.linalg.norm(fit(a, people, seed, epsilon=20.0).weights - target) for seed in range(20)]
        for a in (functional_mechanism, relaxed_functional_mechanism)
    )
    assert mannwhitneyu(laplace, gaussian, alternative="greater").pvalue < 1e-3
