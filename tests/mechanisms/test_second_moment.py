"""The sensitivity of a second moment by hand, and against what records can do."""

import numpy as np
import pytest

from dpfair_cli.mechanisms.sensitivity.second_moment import l2_second_moment


def change(z):
    """The L2 change of the lower triangle of a sum of z z' when the record z is added."""
    return np.linalg.norm(np.outer(z, z)[np.tril_indices(len(z))])


def shortened(z, attributes):
    """The inputs z, multiplied by a number such that |z|^2 is at most `attributes`."""
    return z * min(1.0, np.sqrt(attributes / max(z @ z, 1e-300)))


@pytest.mark.parametrize(("attributes", "entries"), [(1, 1), (2, 3), (3, 6), (10, 55)])
def test_the_sensitivity_is_the_root_of_the_number_of_entries(attributes, entries):
    """With A ones, each of the A (A + 1) / 2 entries of the triangle changes by 1."""
    assert l2_second_moment(attributes) == pytest.approx(np.sqrt(entries), rel=1e-12)


@pytest.mark.parametrize("attributes", [1, 2, 3, 8])
def test_a_record_with_as_many_ones_as_attributes_reaches_it(attributes):
    z = (np.arange(3 * attributes) < attributes).astype(float)
    assert change(z) == pytest.approx(l2_second_moment(attributes), rel=1e-12)


@pytest.mark.parametrize("attributes", [1, 2, 3, 6])
def test_no_random_or_extreme_record_changes_the_sum_further(attributes):
    rng = np.random.default_rng(attributes)
    for k in range(2000):
        ends = (0.0, 1.0) if k % 3 == 0 else (0.0, 0.5, 1.0)
        p = int(rng.integers(1, 4 * attributes))
        z = rng.choice(ends, p) if k % 2 else rng.random(p) ** rng.choice([0.2, 1, 5])
        assert change(shortened(z, attributes)) <= l2_second_moment(attributes) * (1 + 1e-12)


def test_a_record_longer_than_the_bound_exceeds_the_sensitivity():
    """Two levels of one attribute at once: |z|^2 = 3 with the constant, where 2 is assumed."""
    assert change(np.ones(3)) == pytest.approx(np.sqrt(6))
    assert change(np.ones(3)) > l2_second_moment(2)
