"""Triangles of matrices, and maps that make a second moment the identity."""

import numpy as np
import pytest

from dpfair_cli.models.regression.whitening import lower_triangle, symmetric, whitening


def random_moment(p, seed=0):
    """A symmetric matrix whose eigenvalues are 1, 2, ..., p."""
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(p, p)))
    return (turn * np.arange(1.0, p + 1)) @ turn.T


def test_the_triangle_has_each_entry_once_with_the_diagonal():
    assert sorted(lower_triangle(np.array([[1.0, 2.0], [2.0, 5.0]]))) == [1.0, 2.0, 5.0]


@pytest.mark.parametrize("p", [1, 2, 7])
def test_triangle_and_symmetric_matrix_are_inverse(p):
    moment, triangle = random_moment(p), np.arange(p * (p + 1) / 2)
    np.testing.assert_array_equal(
        symmetric(lower_triangle(moment), p), np.tril(moment) + np.tril(moment, -1).T
    )
    np.testing.assert_array_equal(lower_triangle(symmetric(triangle, p)), triangle)


@pytest.mark.parametrize("p", [1, 2, 7])
def test_the_second_moment_becomes_the_identity(p):
    moment = random_moment(p)
    P = whitening(moment, 0.5)
    np.testing.assert_allclose(P.T @ moment @ P, np.eye(p), atol=1e-12)


def test_an_eigenvalue_at_the_smallest_is_whitened_as_it_is():
    P = whitening(np.diag([9.0, 4.0]), 4.0)
    np.testing.assert_allclose(P.T @ np.diag([9.0, 4.0]) @ P, np.eye(2), atol=1e-12)


def test_smaller_and_negative_eigenvalues_count_as_the_smallest():
    """Eigenvalues 9, 1 and -2 with smallest 4: P P' has the eigenvalues 1/9, 1/4 and 1/4."""
    turn, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    P = whitening((turn * [9.0, 1.0, -2.0]) @ turn.T, 4.0)
    np.testing.assert_allclose(P @ P.T, (turn * [1 / 9, 1 / 4, 1 / 4]) @ turn.T, atol=1e-12)


def test_a_moment_of_zeros_is_divided_by_the_root_of_the_smallest():
    P = whitening(np.zeros((2, 2)), 4.0)
    np.testing.assert_allclose(P @ P.T, np.eye(2) / 4, atol=1e-12)
