"""Which neighbours are tried."""

import numpy as np
import pytest

from dpfair_cli.auditing import audit as auditing
from tests.auditing.subjects import D


def test_neighbours_differ_in_one_record_at_most(records):
    for left, right in auditing._pairs(records, 40, np.random.default_rng(0)):
        assert len(left) == len(right)
        differs = (left.X != right.X).any(axis=1) | (left.y != right.y) | (left.protected != right.protected)
        assert differs.sum() <= 1


def test_small_and_large_samples_and_extreme_records_are_tried(records):
    pairs = list(auditing._pairs(records, 200, np.random.default_rng(0)))
    assert {len(left) for left, _ in pairs} == {2, 5, 200}
    moves = [np.abs(left.X.sum(axis=0) - right.X.sum(axis=0)).sum() for left, right in pairs]
    assert max(moves) == pytest.approx(D)
    flips = {(left.y[0], right.y[0], left.protected[0], right.protected[0]) for left, right in pairs}
    assert len(flips) == 16
