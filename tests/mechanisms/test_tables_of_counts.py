"""The sensitivity of tables of counts, against tables with one record more."""

import numpy as np
import pytest

from dpfair_cli.mechanisms.sensitivity.tables_of_counts import l2_distances, l2_tables

SIZES = (3, 2, 4)


def tables(cells):
    """The counts of records in three tables; `cells` are theirs, (n, 3)."""
    return [np.bincount(one, minlength=size) for one, size in zip(cells.T, SIZES, strict=True)]


def one_more(seed):
    rng = np.random.default_rng(seed)
    cells = rng.integers(SIZES, size=(20, 3))
    return tables(cells), tables(np.vstack([cells, rng.integers(SIZES)]))


@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (0.5, 2.0, 0.1)])
def test_a_record_more_moves_weighted_counts_by_the_sensitivity(weights):
    for seed in range(5):
        one, other = one_more(seed)
        gaps = zip(weights, one, other, strict=True)
        moved = np.concatenate([weight * (a - b) for weight, a, b in gaps])
        assert np.linalg.norm(moved) == pytest.approx(l2_tables(weights))


def test_a_record_more_moves_distances_by_at_most_the_sensitivity():
    rng, largest = np.random.default_rng(0), 0.0
    for seed in range(50):
        one, other = one_more(seed)
        public = [rng.random(size) * 20 for size in SIZES]
        public = [np.zeros(size) for size in SIZES] if seed % 2 else public
        distances = [
            np.array([np.abs(a - b).sum() for a, b in zip(some, public, strict=True)])
            for some in (one, other)
        ]
        largest = max(largest, np.linalg.norm(distances[0] - distances[1]))
    assert largest == pytest.approx(l2_distances(3))


def test_numbers_by_hand():
    assert l2_tables([3.0, 4.0]) == 5.0
    assert l2_tables([]) == 0.0
    assert l2_distances(16) == 4.0
