"""The sensitivities of selection rates, by trying every record of small groups."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dpfair_cli.mechanisms.sensitivity.group_rates import L1_COUNT, l1_rate


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_rate_of_a_public_size_moves_by_its_sensitivity_at_most(size):
    moves = [
        abs(sum(decisions) - sum((*decisions[:k], 0, *decisions[k + 1 :]))) / size
        for decisions in product((0, 1), repeat=size)
        for k in range(size)
    ]
    assert max(moves) == pytest.approx(l1_rate(size))


def test_a_group_without_members_has_a_finite_sensitivity():
    assert l1_rate(0) == 1


def test_a_rate_of_a_private_size_moves_by_more():
    """One of one selected: the record leaves, and the rate of the group falls from 1 to 0."""
    assert abs(1 / 1 - 0) > l1_rate(2)


def test_a_record_changes_one_count_of_members_and_one_of_selected_members():
    groups, decisions = np.array([0, 0, 1, 1, 1]), np.array([1, 0, 1, 1, 0])
    for k in range(5):
        kept = np.arange(5) != k
        for chosen in (np.ones(5), decisions):
            before = np.bincount(groups, weights=chosen, minlength=2)
            after = np.bincount(groups[kept], weights=chosen[kept], minlength=2)
            assert np.abs(before - after).sum() <= L1_COUNT
