"""Which neighbours each kind of data gives."""

import numpy as np
import pytest

from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Domain
from dpfair_cli.kinds.variables import Observations
from tests.auditing.subjects import D
from tests.models.embedding.graphs import blocks


def pairs(data, count, relation=Neighbours.REPLACE_ONE):
    return list(data.neighbours(relation, count=count, rng=np.random.default_rng(0)))


def test_neighbours_differ_in_one_record_at_most(records):
    for left, right in pairs(records, 40):
        assert len(left) == len(right)
        differs = (
            (left.X != right.X).any(axis=1)
            | (left.y != right.y)
            | (left.protected != right.protected)
        )
        assert differs.sum() <= 1


def test_small_and_large_samples_and_extreme_records_are_tried(records):
    tried = pairs(records, 200)
    assert {len(left) for left, _ in tried} == {2, 5, 200}
    moves = [np.abs(left.X.sum(axis=0) - right.X.sum(axis=0)).sum() for left, right in tried]
    assert max(moves) == pytest.approx(D)
    places = [(left, right, left.differing_rows(right)) for left, right in tried]
    flips = set()
    for left, right, rows in places:
        for i in rows:
            flips.add((left.y[i], right.y[i], left.protected[i], right.protected[i]))
    assert len(flips) == 16
    assert {int(rows[0]) for left, _, rows in places if len(rows) and len(left) == 5} == set(
        range(5)
    )


def test_neighbours_in_the_protected_attribute_differ_in_one_group(records):
    tried = pairs(records, 60, Neighbours.ONE_PROTECTED_ATTRIBUTE)
    for left, right in tried:
        assert (left.X == right.X).all()
        assert (left.y == right.y).all()
        assert np.count_nonzero(left.protected != right.protected) == 1
    assert all(len(set(left.protected)) == 1 for left, _ in tried[4::6]), "all records in one group"


@pytest.mark.parametrize("levels", [(3,) * 5, ()], ids=["categories", "numbers"])
def test_neighbouring_observations_differ_in_one_record(levels):
    rng = np.random.default_rng(0)
    values = rng.integers(3, size=(300, 5)) if levels else rng.standard_normal((300, 5))
    data = Observations(values, tuple("abcde"), levels)
    tried = pairs(data, 60)
    assert {len(left) for left, _ in tried} == {2, 5, 200}
    for left, right in tried:
        assert (left.levels, left.names, left.bounds) == (data.levels, data.names, data.bounds)
        assert len(left.differing_rows(right)) <= 1
    for end in (values.min(axis=0), values.max(axis=0)):
        assert any((right.values == end).all(axis=1).any() for _, right in tried)
    assert len({int(rows[0]) for pair in tried if len(rows := pair[0].differing_rows(pair[1]))}) > 5


def test_the_same_generator_gives_the_same_neighbours(records):
    for (left, right), (again, right_again) in zip(
        pairs(records, 12), pairs(records, 12), strict=True
    ):
        assert left.fingerprint() == again.fingerprint()
        assert right.fingerprint() == right_again.fingerprint()


@pytest.fixture
def images():
    rng = np.random.default_rng(0)
    X, zeros = rng.integers(256, size=(40, 64)).astype(np.uint8), np.zeros(40, dtype=np.int64)
    return Images(
        X,
        rng.integers(3, size=40),
        zeros,
        zeros == 1,
        (8, 8),
        ("a", "b", "c"),
        Domain((), {}, ("all",)),
    )


def test_neighbouring_images_differ_in_one_image(images):
    tried = pairs(images, 40)
    assert all(len(left.differing_rows(right)) <= 1 for left, right in tried)
    replaced = [
        right.X[rows[0]] for left, right in tried if len(rows := left.differing_rows(right))
    ]
    assert any((picture == 0).all() for picture in replaced)
    assert any((picture == 255).all() for picture in replaced)
    assert any(
        0 < picture.mean() < 255 and set(picture.tolist()) == {0, 255} for picture in replaced
    )


# Steps of a search.


@pytest.mark.parametrize("relation", [Neighbours.REPLACE_ONE, Neighbours.ONE_PROTECTED_ATTRIBUTE])
def test_a_step_keeps_people_neighbours(records, relation):
    rng = np.random.default_rng(1)
    left, right = pairs(records, 2, relation)[1]
    seen = set()
    for _ in range(200):
        left, right = left.altered(right, relation, rng=rng)
        assert len(left.differing_rows(right)) <= 1
        if relation is Neighbours.ONE_PROTECTED_ATTRIBUTE:
            assert (left.X == right.X).all()
            assert (left.y == right.y).all()
            assert np.count_nonzero(left.protected != right.protected) == 1
        seen.add((left.fingerprint(), right.fingerprint()))
    assert len(seen) > 30


def test_a_step_keeps_observations_images_and_graphs_neighbours(images):
    rng = np.random.default_rng(1)
    values = Observations(rng.integers(3, size=(20, 4)), tuple("abcd"), (3,) * 4)
    for data in (values, images):
        left, right = pairs(data, 2)[1]
        for _ in range(60):
            left, right = left.altered(right, Neighbours.REPLACE_ONE, rng=rng)
            assert len(left.differing_rows(right)) <= 1
    left, right = pairs(blocks(nodes=12), 4, Neighbours.ONE_EDGE)[3]
    for _ in range(60):
        left, right = left.altered(right, Neighbours.ONE_EDGE, rng=rng)
        assert abs(len(left) - len(right)) == 1
        assert (
            len(set(map(tuple, left.edges.tolist())) ^ set(map(tuple, right.edges.tolist()))) == 1
        )
