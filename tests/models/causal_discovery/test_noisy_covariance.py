"""A correlation matrix from a covariance with noise."""

import numpy as np
import pytest

from dpfair_cli.models.causal_discovery.observed import (
    lower_triangle,
    repaired_correlation,
    symmetric,
)


def test_the_lower_triangle_gives_the_matrix_back():
    matrix = np.array([[1.0, 2.0, 4.0], [2.0, 3.0, 5.0], [4.0, 5.0, 6.0]])
    assert lower_triangle(matrix).tolist() == [1, 2, 3, 4, 5, 6]
    assert symmetric(lower_triangle(matrix), 3).tolist() == matrix.tolist()


def test_a_covariance_is_only_rescaled():
    X = np.random.default_rng(0).normal(size=(50, 4))
    np.testing.assert_allclose(repaired_correlation(np.cov(X.T)), np.corrcoef(X.T), rtol=1e-12)


@pytest.mark.parametrize(
    "matrix", [[[1.0, 2.0], [2.0, 1.0]], [[-1.0, 0.3], [0.3, 2.0]], [[-1.0, 0.0], [0.0, -2.0]]]
)
def test_what_is_no_covariance_becomes_a_correlation(matrix):
    correlation = repaired_correlation(np.array(matrix))
    assert np.diag(correlation).tolist() == [1, 1]
    assert np.linalg.eigvalsh(correlation)[0] > 0
    np.testing.assert_allclose(correlation, correlation.T, rtol=1e-12)


def test_nothing_at_all_is_no_correlation():
    assert repaired_correlation(np.zeros((3, 3))).tolist() == np.eye(3).tolist()
