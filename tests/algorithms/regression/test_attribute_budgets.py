"""PDFC and ADFC: the budget of one attribute, and which coefficients get its noise."""

from collections import Counter
from contextlib import nullcontext
from itertools import pairwise, product
from math import exp, hypot, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtr

from dpfair_cli.algorithms.regression import adfc, pdfc
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.gaussian import analytic_sigma, extended_sigma
from dpfair_cli.mechanisms.sensitivity import objective
from tests.algorithms.regression.fitting import fit


def budgets(d, epsilon, ratio, k=1):
    """epsilon_s and epsilon_n, k epsilon_s / d + epsilon_n (d - k) / d = epsilon (Theorem 3)."""
    epsilon_n = epsilon * d / (d - k + k * ratio)
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


def wide_attribute(d, k):
    """Records of d features, of which k encode the attribute "own"."""
    X = np.random.default_rng(0).random((6, d))
    columns = tuple(f"c{j}" for j in range(d))
    attributes = {"own": tuple(range(k))} | {f"x{j}": (j,) for j in range(k, d)}
    return Records(X, np.arange(6) % 2, np.arange(6) // 3, Domain(columns, attributes, ("a", "b")))


def share_of_epsilon(d, k, epsilon, ratio, *, bound, fairness, alpha):
    """The L1 changes of both blocks cost their part of the published sensitivity."""
    chosen = {"bound": bound, "fairness": fairness, "alpha": alpha}
    whole = objective.l1_fair_objective(d, sensitivity="published", **chosen)
    own = objective.l1_part(d, k, **chosen)
    others = objective.l1_fair_objective(d - k, sensitivity="tight", **chosen)
    e_s, e_n = budgets(d, epsilon, ratio, k)
    return (own * e_s + others * e_n) / whole / epsilon


def share_of_delta(formula):
    """Delta of two unit Gaussians at the distance of both releases (Balle and Wang 2018, Th. 8)."""

    def share(d, k, epsilon, ratio, *, bound, fairness, alpha):
        chosen = {"bound": bound, "fairness": fairness, "alpha": alpha, "layout": "monomials"}
        whole = objective.l2_fair_objective(d, sensitivity="published", **chosen)
        own = objective.l2_part(d, k, **chosen)
        others = objective.l2_fair_objective(d - k, sensitivity="tight", **chosen)
        part = 1 - sqrt(1 - DELTA)
        sigma_s, sigma_n = (formula(whole, e, part) for e in budgets(d, epsilon, ratio, k))
        distance = hypot(own / sigma_s, others / sigma_n)
        half, shift = distance / 2, epsilon / distance
        return (ndtr(half - shift) - exp(epsilon) * ndtr(-half - shift)) / DELTA

    return share


def where_it_costs(share, cost):
    """The ratios in (0, 1) at which a share is `cost`; often there is none."""
    tried = np.linspace(0.01, 1.0, 12)
    for low, high in pairwise(tried):
        if (share(low) - cost) * (share(high) - cost) < 0:
            yield brentq(lambda ratio: share(ratio) - cost, low, high, xtol=1e-13)


DELTA = 1e-3
SPLITS = {
    "epsilon of PDFC": (pdfc, share_of_epsilon, {}),
    "delta of ADFC": (adfc, share_of_delta(extended_sigma), {"delta": DELTA}),
    "delta of ADFC, analytic": (
        adfc,
        share_of_delta(analytic_sigma),
        {"delta": DELTA, "calibration": "analytic"},
    ),
}


@pytest.mark.parametrize(("algorithm", "share", "options"), SPLITS.values(), ids=SPLITS)
def test_a_split_is_refused_from_what_the_proof_allows(algorithm, share, options):
    """For all d, k and alpha for which a ratio exists: 0.1 % more, and 0.1 % less."""
    tried = Counter()
    shapes = [(2, 1), (3, 1), (3, 2), (4, 3)]
    settings = product(shapes, ("box", "ball"), ("penalty", "drift"), (0.0, 0.5, 3.0, 10.0))
    for (d, k), bound, fairness, alpha in settings:
        epsilon = 0.5 + d / 4
        given = {"bound": bound, "fairness": fairness, "alpha": alpha}
        for cost in (0.999, 1.001):

            def at(ratio, d=d, k=k, epsilon=epsilon, given=given):
                return share(d, k, epsilon, ratio, **given)

            for ratio in where_it_costs(at, cost):
                chosen = {"attribute": "own", "attribute_ratio": ratio, **given, **options}
                refused = pytest.raises(ValueError, match="would spend more than")
                with refused if cost > 1 else nullcontext():
                    fit(algorithm, wide_attribute(d, k), epsilon=epsilon, **chosen)
                tried[cost] += 1
    assert min(tried[0.999], tried[1.001]) >= 5
