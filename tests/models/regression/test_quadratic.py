"""Quadratic objectives: the truncated logistic loss and its minimisers.

Sources: ding2020, Equation 2; xu2021, Equation 3.10.
"""

import numpy as np
import pytest
from scipy import optimize

from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.regression.quadratic import (
    Quadratic,
    logistic_polynomial,
    minimise,
    minimise_with_penalty,
)


def records_of(X, y):
    X = np.array(X, dtype=float)
    columns = tuple(f"x{j}" for j in range(X.shape[1]))
    domain = Domain(columns, {name: (j,) for j, name in enumerate(columns)}, ("a", "b"))
    return Records(X, np.array(y), np.zeros(len(X), dtype=int), domain)


def crowd(n=200, d=4, seed=0):
    rng = np.random.default_rng(seed)
    return records_of(rng.random((n, d)), rng.integers(0, 2, n))


def taylor(w, records):
    """log(1 + exp t) = log 2 + t / 2 + t^2 / 8 + ..., minus y t."""
    t = records.X @ w
    return np.sum(np.log(2) + t / 2 + t**2 / 8 - records.y * t)


def value(quadratic, w):
    return quadratic.linear @ w + w @ quadratic.square @ w


def test_the_polynomial_is_the_second_order_taylor_expansion():
    records = crowd()
    polynomial, w = logistic_polynomial(records), np.array([1.0, -2.0, 0.5, 3.0])
    assert value(polynomial, w) == pytest.approx(taylor(w, records) - len(records) * np.log(2))


def test_the_polynomial_of_two_records_by_hand():
    # linear: (1/2 - 1) (1, 0) + (1/2 - 0) (1, 1) = (0, 1/2); square: ((1, 0; 0, 0) + (1, 1; 1, 1))
    # / 8
    polynomial = logistic_polynomial(records_of([[1, 0], [1, 1]], [1, 0]))
    np.testing.assert_allclose(polynomial.linear, [0, 0.5])
    np.testing.assert_allclose(polynomial.square, [[0.25, 0.125], [0.125, 0.125]])
    # gradient 0: 2 square w = -linear, so w1 / 2 + w2 / 4 = 0 and w1 / 4 + w2 / 4 = -1/2: w = (2,
    # -4)
    np.testing.assert_allclose(minimise(polynomial), [2, -4])


@pytest.mark.parametrize(("bound", "linear"), [("box", -0.5 - 0.5), ("ball", -np.sqrt(0.5))])
def test_the_polynomial_enforces_the_bound_that_its_sensitivity_relies_on(bound, linear):
    # (3, 7) is clipped to (1, 1) in the box and then scaled to length 1 in the ball: (1, 1) /
    # sqrt(2)
    polynomial = logistic_polynomial(records_of([[3, 7], [-4, 0]], [1, 1]), bound=bound)
    assert polynomial.linear.sum() == pytest.approx(linear)


def test_the_minimiser_agrees_with_scipy():
    records = crowd()
    best = optimize.minimize(
        taylor, np.zeros(4), args=(records,), method="BFGS", options={"gtol": 1e-8}
    )
    np.testing.assert_allclose(minimise(logistic_polynomial(records)), best.x, atol=1e-4)


def test_directions_with_an_eigenvalue_below_1e_8_get_weight_zero():
    # eigenvalue 3 along (1, 1), -1 along (1, -1). Along c (1, 1) / sqrt(2): f = -6 c / sqrt(2) + 3
    # c^2, c = 1 / sqrt(2)
    quadratic = Quadratic(np.array([-6.0, 0.0]), np.array([[1.0, 2.0], [2.0, 1.0]]))
    np.testing.assert_allclose(minimise(quadratic), [0.5, 0.5])


def test_a_hopeless_objective_gives_weight_zero():
    np.testing.assert_array_equal(minimise(Quadratic(np.ones(3), -np.eye(3))), np.zeros(3))
    np.testing.assert_array_equal(minimise(Quadratic(np.ones(3), np.zeros((3, 3)))), np.zeros(3))


def test_a_small_but_honest_eigenvalue_is_kept():
    assert minimise(Quadratic(np.array([-1e-7]), np.array([[2e-8]])))[0] == pytest.approx(2.5)


@pytest.mark.parametrize(
    ("alpha", "expected"), [(0, [2, 1]), (1, [1.5, 0.5]), (3, [0.5, -0.5]), (100, [0.5, -0.5])]
)
def test_the_penalty_of_a_2_d_case_by_hand(alpha, expected):
    # f = |w - (2, 1)|^2 - 5, g = (1, 1): along -g until g'w = 0. w = (2, 1) - m / 2 (1, 1) with m =
    # alpha up to 3.
    w = minimise_with_penalty(Quadratic(np.array([-4.0, -2.0]), np.eye(2)), np.ones(2), alpha)
    np.testing.assert_allclose(w, expected, atol=1e-12)


def epigraph(quadratic, g, alpha):
    """The minimiser of f(w) + alpha t subject to -t <= g'w <= t, by SLSQP."""
    d = len(g)
    sides = [
        {"type": "ineq", "fun": lambda z, sign=sign: z[d] + sign * g @ z[:d]} for sign in (1, -1)
    ]
    start = np.append(np.zeros(d), 1.0)

    def objective(z):
        return value(quadratic, z[:d]) + alpha * z[d]

    options = {"ftol": 1e-14, "maxiter": 1000}
    found = optimize.minimize(objective, start, constraints=sides, method="SLSQP", options=options)
    return found.x[:d]


@pytest.mark.parametrize("alpha", [0, 0.1, 1, 10])
@pytest.mark.parametrize("seed", range(5))
def test_the_penalty_minimiser_agrees_with_scipy(alpha, seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(4, 4))
    quadratic, g = (
        Quadratic(rng.normal(size=4), root @ root.T + 0.3 * np.eye(4)),
        rng.normal(size=4),
    )
    np.testing.assert_allclose(
        minimise_with_penalty(quadratic, g, alpha), epigraph(quadratic, g, alpha), atol=1e-4
    )


@pytest.mark.parametrize("seed", range(20))
def test_no_nearby_point_is_better_than_the_penalty_minimiser(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    quadratic, g = (
        Quadratic(rng.normal(size=6), root @ root.T + 0.1 * np.eye(6)),
        rng.normal(size=6),
    )
    w = minimise_with_penalty(quadratic, g, 0.7)
    nearby = w + rng.normal(size=(200, 6)) * np.logspace(-6, 0, 200)[:, None]
    best = value(quadratic, w) + 0.7 * abs(g @ w)
    assert all(best <= value(quadratic, v) + 0.7 * abs(g @ v) + 1e-9 for v in nearby)


def test_a_large_penalty_puts_the_covariance_at_zero():
    polynomial, g = logistic_polynomial(crowd()), np.array([3.0, -1.0, 2.0, 0.5])
    assert abs(g @ minimise_with_penalty(polynomial, g, 1e6)) < 1e-8


def test_a_penalty_without_a_direction_changes_nothing():
    polynomial = logistic_polynomial(crowd())
    np.testing.assert_allclose(
        minimise_with_penalty(polynomial, np.zeros(4), 1), minimise(polynomial)
    )


def test_deleted_directions_stay_deleted_under_a_penalty():
    # as above, f = 3 c^2 - 6 c / sqrt(2) along (1, 1) / sqrt(2); g = (1, -1) only acts on the
    # deleted direction
    quadratic = Quadratic(np.array([-6.0, 0.0]), np.array([[1.0, 2.0], [2.0, 1.0]]))
    np.testing.assert_allclose(
        minimise_with_penalty(quadratic, np.array([1.0, -1.0]), 5), [0.5, 0.5], atol=1e-12
    )
    np.testing.assert_array_equal(
        minimise_with_penalty(Quadratic(np.ones(2), -np.eye(2)), np.ones(2), 5), np.zeros(2)
    )
