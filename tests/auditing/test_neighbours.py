"""Which neighbours each kind of data gives."""

import numpy as np
import pytest

from dpfair_cli.contracts.declarations import Neighbours
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.people import Domain
from dpfair_cli.kinds.variables import Observations
from tests.auditing.subjects import D


def pairs(data, count, relation=Neighbours.REPLACE_ONE):
    return list(data.neighbours(relation, count=count, rng=np.random.default_rng(0)))


def test_neighbours_differ_in_one_record_at_most(records):
    for left, right in pairs(records, 40):
        assert len(left) == len(right)
        differs = (left.X != right.X).any(axis=1) | (left.y != right.y) | (left.protected != right.protected)
        assert differs.sum() <= 1


def test_small_and_large_samples_and_extreme_records_are_tried(records):
    tried = pairs(records, 200)
    assert {len(left) for left, _ in tried} == {2, 5, 200}
    moves = [np.abs(left.X.sum(axis=0) - right.X.sum(axis=0)).sum() for left, right in tried]
    assert max(moves) == pytest.approx(D)
    flips = {(left.y[0], right.y[0], left.protected[0], right.protected[0]) for left, right in tried}
    assert len(flips) == 16


def test_neighbours_in_the_protected_attribute_differ_in_the_group_of_one_person(records):
    tried = pairs(records, 60, Neighbours.ONE_PROTECTED_ATTRIBUTE)
    for left, right in tried:
        assert (left.X == right.X).all()
        assert (left.y == right.y).all()
        assert list(np.flatnonzero(left.protected != right.protected)) == [0]
    assert all(len(set(left.protected)) == 1 for left, _ in tried[4::6]), "everybody in one group"


@pytest.mark.parametrize("levels", [(3,) * 5, ()], ids=["categories", "numbers"])
def test_neighbouring_observations_differ_in_the_first_record_and_reach_both_ends(levels):
    rng = np.random.default_rng(0)
    values = rng.integers(3, size=(300, 5)) if levels else rng.standard_normal((300, 5))
    data = Observations(values, tuple("abcde"), levels)
    tried = pairs(data, 60)
    assert {len(left) for left, _ in tried} == {2, 5, 200}
    for left, right in tried:
        assert (left.levels, left.names, left.bounds) == (data.levels, data.names, data.bounds)
        np.testing.assert_array_equal(left.values[1:], right.values[1:])
    for end in (values.min(axis=0), values.max(axis=0)):
        assert any((right.values[0] == end).all() for _, right in tried)


def test_the_same_generator_gives_the_same_neighbours(records):
    for (left, right), (again, right_again) in zip(pairs(records, 12), pairs(records, 12), strict=True):
        assert left.fingerprint() == again.fingerprint()
        assert right.fingerprint() == right_again.fingerprint()


def test_images_have_no_neighbours_yet_and_say_so():
    nobody = np.zeros(1, dtype=np.int64)
    images = Images(np.zeros((1, 4), np.uint8), nobody, nobody, nobody == 1, (2, 2), ("a",), Domain((), {}, ("all",)))
    with pytest.raises(DpfairError, match="images cannot be audited"):
        pairs(images, 1)
