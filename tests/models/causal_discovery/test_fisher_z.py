"""Fisher's z: textbook formulas, residuals, few records, and matrices that are not correlations."""

from __future__ import annotations

from math import atanh, sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm

from dpfair_cli.models.causal_discovery.independence import FisherZ
from tests.models.causal_discovery.single_tests import p_value


def z_p_value(r, n, order):
    return 2 * norm.sf(sqrt(n - order - 3) * abs(atanh(r)))


def test_a_correlation_of_three_tenths_by_hand():
    # atanh(0.3) = 0.30952 and sqrt(103 - 3) = 10: |N(0, 1)| > 3.0952
    test = FisherZ(np.array([[1, 0.3], [0.3, 1]]), 103)
    assert p_value(test, 0, 1, ()) == pytest.approx(2 * norm.sf(3.0951960), rel=1e-6)
    assert p_value(test, 1, 0, ()) == p_value(test, 0, 1, ())


def test_one_condition_is_the_textbook_formula():
    a, b, c = 0.5, 0.4, 0.6  # r01, r02, r12
    partial = (a - b * c) / sqrt((1 - b**2) * (1 - c**2))
    test = FisherZ(np.array([[1, a, b], [a, 1, c], [b, c, 1]]), 50)
    assert p_value(test, 0, 1, (2,)) == pytest.approx(z_p_value(partial, 50, 1), rel=1e-9)


def correlated(n: int = 200) -> np.ndarray:
    rng = np.random.default_rng(2)
    values = rng.standard_normal((n, 4))
    values[:, 1] += values[:, 0]
    values[:, 2] += values[:, 1] - 0.5 * values[:, 0]
    return values


def test_a_correlation_of_one_half_by_hand() -> None:
    matrix = np.array([[1, 0.5], [0.5, 1]])
    z = np.sqrt(28 - 3) * 0.5 * np.log(1.5 / 0.5)
    assert p_value(FisherZ(matrix, 28), 0, 1) == pytest.approx(2 * stats.norm.sf(z))


def test_partial_correlation_is_the_correlation_of_the_residuals():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6)) @ rng.normal(size=(6, 6))
    test = FisherZ(np.corrcoef(X, rowvar=False), 60)
    for i, j, given in [(0, 1, (2, 3)), (4, 0, (1, 2, 5)), (3, 2, (0, 1, 4, 5))]:
        design = np.column_stack([np.ones(60), X[:, given]])
        rest = X[:, [i, j]] - design @ np.linalg.lstsq(design, X[:, [i, j]], rcond=None)[0]
        partial = np.corrcoef(rest, rowvar=False)[0, 1]
        assert p_value(test, i, j, given) == pytest.approx(
            z_p_value(partial, 60, len(given)), rel=1e-6
        )


def test_a_partial_correlation_does_not_depend_on_the_order_of_variables() -> None:
    values = correlated()
    given = np.c_[np.ones(200), values[:, [1, 3]]]
    fits = [given @ np.linalg.lstsq(given, values[:, k])[0] for k in (0, 2)]
    residuals = [values[:, 0] - fits[0], values[:, 2] - fits[1]]
    r = np.corrcoef(*residuals)[0, 1]
    z = np.sqrt(200 - 2 - 3) * np.arctanh(r)
    test = FisherZ(np.corrcoef(values, rowvar=False), 200)
    assert p_value(test, 0, 2, (1, 3)) == pytest.approx(2 * stats.norm.sf(abs(z)))
    assert p_value(test, 2, 0, (3, 1)) == pytest.approx(2 * stats.norm.sf(abs(z)))


def test_too_few_records_for_fishers_z_say_independent() -> None:
    matrix = np.corrcoef(correlated(), rowvar=False)
    assert p_value(FisherZ(matrix, 5), 0, 1, (2, 3)) == 1
    assert p_value(FisherZ(matrix, 6), 0, 1, (2, 3)) < 1


@pytest.mark.parametrize("n", [1, 3, 4, 5])
def test_without_a_degree_of_freedom_nothing_is_dependent(n):
    R = np.full((3, 3), 0.9) + 0.1 * np.eye(3)
    for order, given in enumerate([(), (2,)]):
        p = p_value(FisherZ(R, n), 0, 1, given)
        assert p == pytest.approx(
            z_p_value((0.9, 0.9 / 1.9)[order], n, order) if n > order + 3 else 1
        )


def test_the_sign_of_a_variable_does_not_matter():
    rng = np.random.default_rng(1)
    R = np.corrcoef(rng.normal(size=(40, 4)) @ rng.normal(size=(4, 4)), rowvar=False)
    flip = np.array([1, -1, 1, -1.0])
    wanted = p_value(FisherZ(R, 40), 0, 1, (2, 3))
    assert p_value(FisherZ(R * np.outer(flip, flip), 40), 0, 1, (2, 3)) == pytest.approx(
        wanted, rel=1e-9
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_a_copied_column_is_dependent_and_gives_no_nan(sign):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 100))
    R = np.corrcoef([x, sign * x, x + y])
    test = FisherZ(R, 100)
    assert p_value(test, 0, 1, ()) < 1e-12
    for i, j, given in [(0, 1, (2,)), (0, 2, (1,)), (1, 2, (0,))]:  # singular
        assert 0 <= p_value(test, i, j, given) <= 1


def test_any_symmetric_noise_gives_a_p_value():
    rng = np.random.default_rng(3)
    for scale in (0.5, 3.0, 1e3):
        R = rng.laplace(scale=scale, size=(5, 5))
        R = R + R.T
        np.fill_diagonal(R, 1)
        for given in [(), (2,), (2, 3), (2, 3, 4)]:
            assert 0 <= p_value(FisherZ(R, 50), 0, 1, given) <= 1


def test_a_noisy_matrix_that_is_no_correlation_still_gives_p_values() -> None:
    matrix = np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1.0]])  # not positive definite
    singular = np.array([[1, 1, 0.3], [1, 1, 0.3], [0.3, 0.3, 1.0]])
    for noisy in (matrix, singular, 5 * matrix):
        p_values = FisherZ(noisy, 100).p_values(np.array([[0, 1, 2], [0, 2, 1]]))
        assert ((p_values >= 0) & (p_values <= 1)).all()


def test_many_correlations_at_once_have_the_answers_of_one_by_one():
    R = np.corrcoef(
        np.random.default_rng(0).normal(size=(40, 5)) @ np.ones((5, 5))
        + np.eye(5)[np.arange(40) % 5],
        rowvar=False,
    )
    test = FisherZ(R, 40)
    for questions in ([[0, 1], [3, 2]], [[0, 1, 2, 3], [4, 0, 2, 1], [1, 4, 0, 3]]):
        answers = [p_value(test, i, j, tuple(given)) for i, j, *given in questions]
        np.testing.assert_allclose(test.p_values(np.array(questions)), answers, rtol=1e-9)
