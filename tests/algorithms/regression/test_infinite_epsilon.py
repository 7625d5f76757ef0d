"""Without noise every private algorithm is its public self."""

import numpy as np
import pytest

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


def weights(algorithm, records, **options):
    model = algorithm.fit(records, rng=np.random.default_rng(0), **options)
    assert model.intercept == 0  # the papers' model is x'w
    return model.weights


@pytest.mark.parametrize("algorithm", [functional_mechanism, relaxed_functional_mechanism])
@pytest.mark.parametrize("bound", ["box", "ball"])
@pytest.mark.parametrize("layout", ["monomials", "entries"])
@pytest.mark.parametrize("sensitivity", ["published", "tight"])
def test_the_functional_mechanisms_become_truncated_logistic_regression(
    algorithm, bound, layout, sensitivity, crowd
):
    private = weights(
        algorithm, crowd(), epsilon=np.inf, bound=bound, layout=layout, sensitivity=sensitivity
    )
    np.testing.assert_allclose(
        private, weights(truncated_logistic_regression, crowd(), bound=bound)
    )


@pytest.mark.parametrize("algorithm", [pflr, pflr_star, pdfc, adfc])
@pytest.mark.parametrize("fairness", ["penalty", "shift", "drift"])
@pytest.mark.parametrize("options", [{"alpha": 1}, {"alpha": 0.3}, {"bound": "ball"}], ids=str)
def test_the_fair_mechanisms_become_fair_logistic_regression(algorithm, fairness, options, crowd):
    private = weights(algorithm, crowd(), epsilon=np.inf, fairness=fairness, **options)
    public = weights(fair_logistic_regression, crowd(), fairness=fairness, **options)
    np.testing.assert_allclose(private, public, atol=1e-9)


@pytest.mark.parametrize("fairness", ["penalty", "shift", "drift"])
def test_without_noise_the_noisy_coefficients_of_pflr_star_are_equal(fairness, crowd):
    one, other = (weights(pflr_star, crowd(), epsilon=np.inf, fairness=fairness, noise=noise)
                  for noise in ("all", "quadratic"))  # fmt: skip
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("fairness", ["penalty", "shift", "drift"])
def test_fair_logistic_regression_without_weight_on_fairness_is_truncated(fairness, crowd):
    fair = weights(fair_logistic_regression, crowd(), fairness=fairness, alpha=0)
    np.testing.assert_allclose(fair, weights(truncated_logistic_regression, crowd()), atol=1e-9)
