"""One number of every algorithm worked by hand, and the budgets of the papers."""

from collections import Counter

import numpy as np
import pytest

from dpfair_cli.algorithms.regression import adfc, fair_logistic_regression, functional_mechanism, logistic_regression, pdfc, pflr, pflr_star, relaxed_functional_mechanism, truncated_logistic_regression
from dpfair_cli.mechanisms.ledger import record


@pytest.fixture
def couple(records):
    """x = 1, y = 1 in group 0 and x = 1/2, y = 0 in group 1.

    linear = -1/2 * 1 + 1/2 * 1/2 = -1/4;  square = (1 + 1/4) / 8 = 5/32;  s_bar = 1/2
    g = -1/2 * 1 + 1/2 * 1/2 = -1/4;  with absolute values 1/2 + 1/4 = 3/4
    """
    return records([[1], [0.5]], [1, 0], [0, 1])


def fit(algorithm, records, seed=0, **options):
    with record() as tape:
        model = algorithm.fit(records, rng=np.random.default_rng(seed), **options)
    return model, tape


def minimiser(linear, square, deviation):
    """-linear / (2 (square + 5 deviations)), or 0 where that is not convex: one feature."""
    curvature = square + 5 * deviation
    return -linear / (2 * curvature) if curvature > 1e-8 else 0


def test_logistic_regression_solves_its_normal_equation(crowd):
    people = crowd()
    model, _ = fit(logistic_regression, people, l2=2.0)
    residual = 1 / (1 + np.exp(-(people.X @ model.weights + model.intercept))) - people.y
    tolerance = 1e-4 * len(people)  # scikit-learn stops at a mean gradient of 1e-4
    np.testing.assert_allclose(people.X.T @ residual + 2.0 * model.weights, 0, atol=tolerance)  # l2 / 2 * |w|^2
    assert residual.sum() == pytest.approx(0, abs=tolerance)  # the intercept is not penalised


def test_truncated_logistic_regression_of_a_couple(couple):
    model, _ = fit(truncated_logistic_regression, couple)
    assert model.weights == pytest.approx([0.8])  # (1/4) / (2 * 5/32)
    assert model.predict(couple).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("fairness", "alpha", "weight"),
    [
        ("shift", 1, 1.6),  # linear -1/4 - 1/4
        ("drift", 1, -1.6),  # linear -1/4 + 3/4
        ("penalty", 1, 0),  # |w| / 4 outweighs -w / 4
        ("penalty", 0.5, 0.4),  # -w / 4 + w / 8
    ],
)
def test_fair_logistic_regression_of_a_couple(couple, fairness, alpha, weight):
    model, _ = fit(fair_logistic_regression, couple, fairness=fairness, alpha=alpha)
    assert model.weights == pytest.approx([weight])


@pytest.mark.parametrize("seed", range(5))
def test_the_functional_mechanism_minimises_what_it_released(couple, seed):
    model, tape = fit(functional_mechanism, couple, seed, epsilon=1)
    assert np.hstack([release.value.ravel() for release in tape]) == pytest.approx([-1 / 4, 5 / 32])
    assert {release.scale for release in tape} == {1.25}  # (1/4 + 1) / 1
    linear, square = np.hstack([release.output.ravel() for release in tape])
    assert model.weights == pytest.approx([minimiser(linear, square, 1.25 * np.sqrt(2))])


@pytest.mark.parametrize("seed", range(5))
def test_the_relaxed_functional_mechanism_minimises_what_it_released(couple, seed):
    model, tape = fit(relaxed_functional_mechanism, couple, seed, epsilon=5, delta=np.sqrt(2 / np.pi) * np.exp(-4))
    sigma = np.sqrt(2) * np.sqrt(17 / 16) / (2 * 5) * 5  # the roots are 2 + 3, see test_gaussian
    assert [release.scale for release in tape] == pytest.approx([sigma] * len(tape))
    linear, square = np.hstack([release.output.ravel() for release in tape])
    assert model.weights == pytest.approx([minimiser(linear, square, sigma)])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("fairness", "linear"), [("shift", -1 / 2), ("drift", 1 / 2)])
def test_pflr_releases_the_fair_objective(couple, seed, fairness, linear):
    model, tape = fit(pflr, couple, seed, epsilon=2, fairness=fairness)
    assert np.hstack([release.value.ravel() for release in tape]) == pytest.approx([linear, 5 / 32])
    assert {release.scale for release in tape} == {3.25 / 2}  # d^2 / 4 + 3 d = 3.25
    noisy_linear, square = np.hstack([release.output.ravel() for release in tape])
    assert model.weights == pytest.approx([minimiser(noisy_linear, square, 3.25 / 2 * np.sqrt(2))])


@pytest.mark.parametrize("seed", range(5))
def test_pflr_star_splits_epsilon_and_shifts_the_linear_coefficients(couple, seed):
    model, tape = fit(pflr_star, couple, seed, epsilon=2, objective_share=0.25, fairness="shift")
    scales = {1.25 / 0.5: "objective", 2 / 1.5: "covariance"}  # epsilon_f = 1/2, epsilon_g = 3/2, Delta_g = 2 d
    outputs = {name: np.hstack([r.output.ravel() for r in tape if r.scale == s]) for s, name in scales.items()}
    (linear, square), (mean,) = outputs["objective"], outputs["covariance"]
    assert model.weights == pytest.approx([minimiser(linear + mean, square, 2.5 * np.sqrt(2))])


def test_a_large_penalty_makes_both_groups_score_the_same_on_average(crowd):
    people = crowd()
    model, _ = fit(fair_logistic_regression, people, fairness="penalty", alpha=1e6)
    scores = people.X @ model.weights
    assert scores[people.protected == 1].mean() == pytest.approx(scores[people.protected == 0].mean())


def budgets(d, epsilon, ratio):
    """epsilon_s and epsilon_n with epsilon_s / d + epsilon_n (d - 1) / d = epsilon (ding2020, Theorem 3)."""
    epsilon_n = epsilon * d / (d - 1 + ratio)
    return ratio * epsilon_n, epsilon_n


def test_the_budgets_of_the_method_that_ding2020_builds_on_come_out():
    assert budgets(13, 1, 0.01) == pytest.approx((0.011, 1.082), abs=6e-4)  # Wang, Si, Wu 2015


@pytest.mark.parametrize(("layout", "few", "many"), [("monomials", 14, 90), ("entries", 26, 156)])
def test_pdfc_gives_the_coefficients_of_one_attribute_their_own_budget(crowd, layout, few, many):
    # d = 13, reading "shift": 1 linear and 13 quadratic monomials hold x_s, 12 and 78 do not
    # (entries: 1 + 13 + 12 and 12 + 144)
    options = {"attribute": "x3", "attribute_ratio": 0.01, "fairness": "shift", "layout": layout}
    _, tape = fit(pdfc, crowd(d=13), epsilon=1, **options)
    sizes = Counter()
    for release in tape:
        sizes[round(release.scale, 6)] += release.value.size
    expected = [(13**2 / 4 + 3 * 13) / epsilon for epsilon in budgets(13, 1, 0.01)]
    assert sorted(sizes) == pytest.approx(sorted(expected), abs=1e-6)
    assert sizes[max(sizes)] == few
    assert sizes[min(sizes)] == many


@pytest.mark.parametrize("delta", [1e-3, 1e-6])
def test_adfc_splits_delta_too(crowd, delta):
    _, tape = fit(adfc, crowd(d=13), epsilon=1, delta=delta, attribute="x3")
    share = 1 - np.sqrt(1 - delta)  # 1 - (1 - share)^2 = delta
    root = np.log(np.sqrt(2 / np.pi) / share)
    sensitivity = np.sqrt(13**2 / 16 + 9 * 13)
    expected = [np.sqrt(2) * sensitivity / (2 * e) * (np.sqrt(root) + np.sqrt(root + e)) for e in budgets(13, 1, 0.01)]
    assert sorted({release.scale for release in tape}) == pytest.approx(sorted(expected))


@pytest.mark.parametrize("algorithm", [pdfc, adfc])
def test_only_the_coefficients_of_the_chosen_attribute_get_its_noise(records, algorithm):
    rng = np.random.default_rng(0)
    X = rng.random((50, 13)) + 0.01
    X[:, 4] = 0  # then every coefficient that holds x4 is zero
    people = records(np.clip(X, 0, 1), rng.integers(0, 2, 50), rng.integers(0, 2, 50))
    _, tape = fit(algorithm, people, epsilon=1, attribute="x4", fairness="drift")
    large = max(release.scale for release in tape)
    assert all(not release.value.any() for release in tape if release.scale == large)
    assert all(release.value.all() for release in tape if release.scale != large)


@pytest.mark.parametrize("algorithm", [pdfc, adfc])
def test_the_random_attribute_depends_on_the_seed_only(crowd, algorithm):
    def released(seed, people):
        return [release.value for release in fit(algorithm, people, seed, epsilon=1)[1]]

    first = [released(seed, crowd(d=13)) for seed in range(8)]
    assert len({values[0].tobytes() + values[-1].tobytes() for values in first}) > 2
    again = released(0, crowd(d=13))
    assert all((a == b).all() for a, b in zip(first[0], again, strict=True))


@pytest.mark.parametrize("algorithm", [pdfc, adfc])
def test_an_unknown_attribute_is_named(crowd, algorithm):
    with pytest.raises(Exception, match="x33"):
        fit(algorithm, crowd(d=13), epsilon=1, attribute="x33")
