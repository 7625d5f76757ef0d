"""Sums over records in partitions are those over the same records in one table."""

import numpy as np
import pytest

from dpfair_cli.kinds.partitioned_records import PartitionedRecords, for_each_record, total
from dpfair_cli.kinds.records import Domain, Records

DOMAIN = Domain(("x",), {"x": (0,)}, ("a", "b"))


def records(n):
    """The records with the features 0, 1/4, 1/2, ... modulo 1, so that sums are exact."""
    k = np.arange(n)
    return Records((k % 4 / 4)[:, None], k % 2, k // 2 % 2, DOMAIN)


def parted(whole, *sizes):
    places = np.split(np.arange(len(whole)), np.cumsum(sizes)[:-1])
    parts = [whole.take(rows) for rows in places]
    chosen = tuple(np.ones(size, dtype=bool) for size in sizes)
    return PartitionedRecords(DOMAIN, chosen, lambda functions: map(_call, functions, parts))


def _call(function, part):
    return function(part)


def features_and_count(part):
    return np.array([part.X.sum(), len(part)])


def first_feature(part):
    return part.X[:, 0]


def test_a_total_is_that_of_all_records():
    whole = records(10)  # 0 + 1/4 + 1/2 + 3/4, twice, and 0 + 1/4
    assert total(parted(whole, 3, 6, 1), features_and_count).tolist() == [3.25, 10.0]
    assert total(whole, features_and_count).tolist() == [3.25, 10.0]


def test_taken_records_are_those_with_the_indices():
    taken = parted(records(10), 3, 6, 1).take(np.array([9, 2, 3]))
    assert len(taken) == 3
    assert total(taken, features_and_count).tolist() == [0.25 + 0.5 + 0.75, 3]


def test_indices_of_taken_records_count_from_the_taken_ones():
    taken = parted(records(10), 3, 6, 1).take(np.array([1, 2, 6, 7]))
    again = taken.take(np.array([0, 3]))  # the records 1 and 7
    assert total(again, features_and_count).tolist() == [0.25 + 0.75, 2]


def test_a_partition_without_a_chosen_record_adds_nothing():
    taken = parted(records(10), 3, 6, 1).take(np.array([0, 1]))
    assert total(taken, features_and_count).tolist() == [0.25, 2]


def test_values_of_records_are_in_the_order_of_the_records():
    whole = records(10)
    expected = [0.0, 0.25, 0.5, 0.75, 0.0, 0.25, 0.5, 0.75, 0.0, 0.25]
    assert for_each_record(parted(whole, 3, 6, 1), first_feature).tolist() == expected
    assert for_each_record(whole, first_feature).tolist() == expected


def test_the_same_index_twice_is_refused():
    with pytest.raises(ValueError, match="must not occur twice"):
        parted(records(10), 3, 6, 1).take(np.array([1, 1]))


def test_public_facts_are_those_of_the_domain():
    found = parted(records(10), 3, 6, 1)
    assert (found.columns, found.bounds) == (("x",), "public")
