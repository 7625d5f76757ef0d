"""The sensitivity of a penalised minimum against neighbours, and one case by hand."""

import numpy as np
import pytest

from dpfair_cli.mechanisms.sensitivity.minimiser import l2_minimiser
from dpfair_cli.models.regression.logistic import minimise


def test_the_formula_by_hand():
    assert l2_minimiser(100, clip_norm=3.0, mu=0.5) == pytest.approx(0.12)


@pytest.mark.parametrize("n", [1, 2, 20])
@pytest.mark.parametrize("mu", [0.01, 1.0, 30.0])
def test_no_replaced_record_moves_the_minimiser_of_logistic_loss_further(n, mu):
    rng = np.random.default_rng(n)
    for k in range(40):
        Z = rng.normal(size=(n, 3))
        Z *= 2.0 / np.linalg.norm(Z, axis=1, keepdims=True)  # all of norm 2
        y = rng.integers(0, 2, n)
        other, label = Z.copy(), y.copy()
        other[0], label[0] = (Z[0], 1 - y[0]) if k % 2 else (-Z[0], y[0])
        move = np.linalg.norm(minimise(Z, y, ridge=mu) - minimise(other, label, ridge=mu))
        assert move <= l2_minimiser(n, clip_norm=2.0, mu=mu) * (1 + 1e-9)


def test_a_single_record_with_a_strong_penalty_nearly_reaches_half_of_it():
    """At w near 0 the gradient of the loss is half the record, on both sides.

    The minimiser moves by clip_norm / mu, half of the bound.
    """
    Z = np.array([[2.0, 0.0]])
    move = minimise(Z, np.array([1]), ridge=1e4) - minimise(Z, np.array([0]), ridge=1e4)
    assert np.linalg.norm(move) == pytest.approx(
        l2_minimiser(1, clip_norm=2.0, mu=1e4) / 2, rel=1e-3
    )
