"""Claimed sensitivities against brute force: random and adversarial replace-one neighbours.

A pair replaces the record (x, y, s) by (x', y', s'). The objective moves by its two contributions
only; the decision boundary covariance also through the mean group s_bar, so there the other n - 1
records matter.
"""

from functools import cache
from itertools import product

import numpy as np
import pytest

from dpfair_cli.mechanisms.sensitivity.objective import (
    DEGREES_LOSS,
    l1_covariance,
    l1_degrees,
    l1_fair_objective,
    l1_objective,
    l2_fair_objective,
    l2_objective,
)

DIMENSIONS = [1, 2, 3, 5, 8, 12, 30]
BOUNDS, LAYOUTS = ("box", "ball"), ("monomials", "entries")
FAIRNESS, SENSITIVITIES = ("shift", "drift", "penalty"), ("published", "tight")
ROUNDING = 1 + 1e-9


def bounded(X, bound):
    X = np.clip(X, 0, 1)
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1) if bound == "ball" else X


def corners(d, bound):
    """All zeros, k ones for every k (scaled to the ball), half of them from the other end."""
    ones = np.tril(np.ones((d + 1, d)), -1)  # row k holds k ones
    return bounded(np.vstack([ones, ones[:, ::-1], 0.5 * ones]), bound)


@cache
def pairs(d, bound):
    """Replaced and replacing features, each (m, d): corners, shrunken corners, random points."""
    rng = np.random.default_rng(d)
    old, new = (
        bounded(rng.random((300, d)) * rng.integers(0, 2, (300, d)), bound) for _ in range(2)
    )
    full = corners(d, bound)[[d, 0, 1]]
    shrunk = full[:1] * np.linspace(0, 1, 41)[:, None]  # t * (1, ..., 1)
    corner = np.array(list(product(full, np.vstack([corners(d, bound), shrunk]))))  # (m, 2, d)
    return np.vstack([old, corner[:, 0], corner[:, 1]]), np.vstack(
        [new, corner[:, 1], corner[:, 0]]
    )


def square_norms(old, new, layout):
    """L1 and L2 norm of the change of sum_i x_i x_i' / 8, each (m,)."""
    change = (np.einsum("mi,mj->mij", new, new) - np.einsum("mi,mj->mij", old, old)) / 8
    if layout == "monomials":  # one coefficient a monomial: A_jj, and 2 A_jk for j < k
        change = 2 * np.triu(change, 1) + change * np.eye(change.shape[1])
    change = change.reshape(len(change), -1)
    return np.abs(change).sum(axis=1), np.linalg.norm(change, axis=1)


def largest(linear_changes, old, new, layout):
    """Largest L1 and L2 norm of (linear change, square change) over all pairs."""
    l1, l2 = square_norms(old, new, layout)
    norms = [
        (np.abs(c).sum(axis=1) + l1, np.hypot(np.linalg.norm(c, axis=1), l2))
        for c in linear_changes
    ]
    return np.max([[a.max(), b.max()] for a, b in norms], axis=0)


@cache
def observed_objective(d, bound, layout):
    old, new = pairs(d, bound)
    labels = product((0, 1), (0, 1))
    return largest([(0.5 - b) * new - (0.5 - a) * old for a, b in labels], old, new, layout)


def covariance(total, group_total, groups, n, absolute):
    """sum_i (s_i - s_bar) x_i, or with |s_i - s_bar|, from totals of X overall and of group 1."""
    mean = groups / n
    return (1 - mean) * group_total + (mean if absolute else -mean) * (total - group_total)


@cache
def covariance_changes(d, bound, absolute):
    """Every (s, s') and n - 1 other records at 0 or 1; groups empty, full or of one record."""
    old, new = pairs(d, bound)
    one, changes = corners(d, bound)[d], []
    for n, (s, t), rich0, rich1 in product((2, 3, 50), product((0, 1), (0, 1)), (0, 1), (0, 1)):
        for others in {0, 1, n // 2, n - 1}:  # others in group 1
            rest = rich0 * (n - 1 - others) * one, rich1 * others * one
            before = covariance(sum(rest) + old, rest[1] + s * old, others + s, n, absolute)
            changes.append(
                covariance(sum(rest) + new, rest[1] + t * new, others + t, n, absolute) - before
            )
    return changes


@cache
def observed_fair_objective(d, bound, layout, fairness, alpha):
    """Objective and alpha times the covariance: in its linear part, or separate for "penalty"."""
    old, new = pairs(d, bound)
    linear = [(0.5 - b) * new - (0.5 - a) * old for a, b in product((0, 1), (0, 1))]
    join = (
        (lambda c, g: np.hstack([c, alpha * g]))
        if fairness == "penalty"
        else (lambda c, g: c + alpha * g)
    )
    changes = covariance_changes(d, bound, fairness == "drift")
    return largest((join(c, g) for c in linear for g in changes), old, new, layout)


cases = pytest.mark.parametrize(
    ("d", "bound", "sensitivity"),
    [(d, b, s) for d, b, s in product(DIMENSIONS, BOUNDS, SENSITIVITIES)],
)


@cases
def test_no_pair_of_neighbours_moves_the_objective_more_than_claimed(d, bound, sensitivity):
    for layout in LAYOUTS:
        l1, l2 = observed_objective(d, bound, layout)
        assert l1 <= ROUNDING * l1_objective(d, sensitivity=sensitivity, bound=bound)
        assert l2 <= ROUNDING * l2_objective(d, sensitivity=sensitivity, bound=bound, layout=layout)


@cases
@pytest.mark.parametrize("fairness", FAIRNESS)
def test_no_pair_of_neighbours_moves_the_fair_objective_more_than_claimed(
    d, bound, sensitivity, fairness
):
    for layout, alpha in [*product(LAYOUTS, (1, 10)), ("monomials", 0.2)]:
        options = {"sensitivity": sensitivity, "bound": bound, "fairness": fairness, "alpha": alpha}
        l1, l2 = observed_fair_objective(d, bound, layout, fairness, alpha)
        assert l1 <= ROUNDING * l1_fair_objective(d, **options)
        assert l2 <= ROUNDING * l2_fair_objective(d, layout=layout, **options)


@cases
@pytest.mark.parametrize("fairness", FAIRNESS)
def test_no_pair_of_neighbours_moves_the_covariance_more_than_claimed(
    d, bound, sensitivity, fairness
):
    changes = covariance_changes(d, bound, fairness == "drift")
    claimed = l1_covariance(d, sensitivity=sensitivity, bound=bound, fairness=fairness)
    assert max(np.abs(change).sum(axis=1).max() for change in changes) <= ROUNDING * claimed


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_tight_objective_in_the_box_is_attained_by_corners(d, layout):
    l1, l2 = observed_objective(d, "box", layout)
    assert l1 >= 0.97 * l1_objective(d, sensitivity="tight", bound="box")
    assert l2 >= 0.97 * l2_objective(d, sensitivity="tight", bound="box", layout=layout)


@pytest.mark.parametrize("d", [2, 3, 8, 30])
def test_the_tight_l1_bound_is_reached_by_all_ones_against_two(d):
    # linear (d + 2) / 2, square (d^2 - 4) / 8: together d^2 / 8 + d / 2 + 1 / 2
    assert l1_objective(d, sensitivity="tight", bound="box") == pytest.approx(
        d * d / 8 + d / 2 + 1 / 2
    )


def test_the_tight_l1_objective_of_one_feature_is_a_flipped_label():
    assert l1_objective(1, sensitivity="tight", bound="box") == pytest.approx(1)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("d", DIMENSIONS)
def test_published_sensitivities_are_those_of_the_papers(d, bound):
    published = {"sensitivity": "published", "bound": bound}
    assert l1_objective(d, **published) == pytest.approx(
        d**2 / 4 + d
    )  # ding2020 Lemma 1, xu2021 (3.13)
    for layout, fairness in product(LAYOUTS, FAIRNESS):
        fair = {**published, "fairness": fairness}
        assert l2_objective(d, layout=layout, **published) == pytest.approx(
            np.sqrt(d**2 / 16 + d)
        )  # Lemma 3
        assert l1_fair_objective(d, **fair) == pytest.approx(
            d**2 / 4 + 3 * d
        )  # Lemma 2, xu2021 (8.3)
        assert l2_fair_objective(d, layout=layout, **fair) == pytest.approx(
            np.sqrt(d**2 / 16 + 9 * d)
        )  # Lemma 4
        assert l1_covariance(d, **fair) == pytest.approx(2 * d)  # xu2021 (8.5)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("d", DIMENSIONS)
def test_tight_is_never_above_published(d, bound):
    for layout, fairness in product(LAYOUTS, FAIRNESS):
        fair, laid = {"bound": bound, "fairness": fairness}, {"bound": bound, "layout": layout}
        for claim, options in [
            (l1_objective, {"bound": bound}),
            (l2_objective, laid),
            (l1_fair_objective, fair),
            (l2_fair_objective, fair | laid),
            (l1_covariance, fair),
        ]:
            tight, published = (claim(d, sensitivity=s, **options) for s in ("tight", "published"))
            assert tight <= ROUNDING * published


def test_published_is_twice_tight_in_the_box_and_50_times_in_the_ball():
    published = l1_objective(40, sensitivity="published", bound="box")  # 440
    assert published / l1_objective(40, sensitivity="tight", bound="box") == pytest.approx(
        2, abs=0.01
    )  # 220.5
    # the ball: x = (1, ..., 1) / sqrt(d), x' = 2 / sqrt(d) * x, flipped label: d / 8 + sqrt(d) / 2
    # + 1 / 2 = 8.66
    ball = l1_objective(40, sensitivity="tight", bound="ball")
    assert 40 / 8 + np.sqrt(40) / 2 + 0.5 <= ball <= published / 15


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("bound", BOUNDS)
def test_noise_per_degree_loses_nine_eighths_and_no_more(d, bound):
    old, new = pairs(d, bound)
    linear, square = l1_degrees(d)
    for a, b, layout in product((0, 1), (0, 1), LAYOUTS):
        changes = np.abs((0.5 - b) * new - (0.5 - a) * old).sum(axis=1)
        squares, _ = square_norms(old, new, layout)
        assert (changes / linear + squares / square).max() <= DEGREES_LOSS * ROUNDING


@pytest.mark.parametrize("d", [2, 8, 30])
def test_all_ones_against_half_as_many_lose_nine_eighths(d):
    old, new = np.ones((1, d)), np.zeros((1, d))
    new[:, : d // 2] = 1
    changes = 0.5 * (old + new).sum()  # with different labels
    squares, _ = square_norms(old, new, "entries")
    linear, square = l1_degrees(d)
    assert changes / linear + squares[0] / square == pytest.approx(DEGREES_LOSS)
