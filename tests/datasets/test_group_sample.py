"""A sample by groups: its sizes, its records, and its probabilities."""

import numpy as np
import pytest

from dpfair_cli.datasets._published_tables import sample_groups
from dpfair_cli.kinds.records import Domain, Records


def numbered_records(*sizes):
    """Records whose feature is their number."""
    n = sum(sizes)
    domain = Domain(("number",), {"number": (0,)}, tuple("abc"[: len(sizes)]))
    return Records(
        np.arange(n)[:, None] / n, np.zeros(n, int), np.repeat(np.arange(len(sizes)), sizes), domain
    )


def test_every_group_has_its_size_and_no_record_occurs_twice():
    sample = sample_groups(numbered_records(5, 9, 4), (2, 0, 4), rng=np.random.default_rng(0))
    np.testing.assert_array_equal(np.bincount(sample.protected, minlength=3), [2, 0, 4])
    assert len(np.unique(sample.X)) == len(sample) == 6
    assert (np.diff(sample.X[:, 0]) > 0).all()  # the order stays


def test_every_record_of_a_group_is_equally_likely():
    drawn = np.zeros(10)
    for seed in range(2000):
        sample = sample_groups(numbered_records(4, 6), (1, 3), rng=np.random.default_rng(seed))
        drawn[np.rint(sample.X[:, 0] * 10).astype(int)] += 1
    np.testing.assert_allclose(drawn[:4], 500, atol=4 * np.sqrt(500))
    np.testing.assert_allclose(drawn[4:], 1000, atol=4 * np.sqrt(1000))


def test_a_group_that_is_too_small_is_refused():
    with pytest.raises(ValueError, match=r"at least 7 records of group 'b', .*, got 6"):
        sample_groups(numbered_records(4, 6), (1, 7), rng=np.random.default_rng(0))
