"""PDFC and ADFC: the budget of one attribute, and which coefficients get its noise."""

from collections import Counter

import numpy as np
import pytest

from dpfair_cli.algorithms.regression import adfc, pdfc
from tests.algorithms.regression.fitting import fit


def budgets(d, epsilon, ratio):
    """epsilon_s and epsilon_n, epsilon_s / d + epsilon_n (d - 1) / d = epsilon (Theorem 3)."""
    epsilon_n = epsilon * d / (d - 1 + ratio)
    return ratio * epsilon_n, epsilon_n


def test_the_budgets_of_the_method_that_ding2020_builds_on_come_out():
    assert budgets(13, 1, 0.01) == pytest.approx((0.011, 1.082), abs=6e-4)  # Wang, Si, Wu 2015


@pytest.mark.parametrize(("layout", "few", "many"), [("monomials", 14, 90), ("entries", 26, 156)])
def test_pdfc_gives_the_coefficients_of_one_attribute_their_own_budget(crowd, layout, few, many):
    # d = 13, variant "shift": 1 linear and 13 quadratic monomials hold x_s, 12 and 78 do not
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
    expected = [
        np.sqrt(2) * sensitivity / (2 * e) * (np.sqrt(root) + np.sqrt(root + e))
        for e in budgets(13, 1, 0.01)
    ]
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
