"""Records with randomised attributes: what they refuse, and what their neighbours share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds.local_records import LocalRecords
from dpfair_cli.kinds.records import Domain

SIZES = {"group": 2, "town": 3, "score": 4}
LOCAL = Neighbours.RANDOMISED_ATTRIBUTES


def people(n=30, seed=0, **changed):
    rng = np.random.default_rng(seed)
    codes = [rng.integers(size, size=n) for size in SIZES.values()]
    X = np.hstack([np.eye(size)[code] for size, code in zip(SIZES.values(), codes, strict=True)])
    attributes = {"group": (0, 1), "town": (2, 3, 4), "score": (5, 6, 7, 8)}
    domain = Domain(tuple(map(str, range(9))), attributes, ("a", "b"))
    known = {"randomised": ("town", "group"), "protected_attribute": "group", **changed}
    return LocalRecords(X, rng.integers(2, size=n), codes[0], domain, **known)


def pairs(records, count=60):
    return list(records.neighbours(LOCAL, count=count, rng=np.random.default_rng(0)))


def differing(left, right):
    """The attributes in which the records differ."""
    return {
        name
        for name, columns in left.domain.attributes.items()
        if (left.X[:, columns] != right.X[:, columns]).any()
    }


def test_an_unknown_randomised_attribute_is_refused():
    with pytest.raises(ValueError, match=r"unknown randomised attribute 'towm'.*town"):
        people(randomised=("towm",))


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_columns_without_one_level_in_each_row_are_refused(value):
    known = people()
    X = known.X.copy()
    X[3, 2:5] = value
    with pytest.raises(ValueError, match="'town' must have a 0/1 column for each level"):
        replace(known, X=X)


def test_neighbours_differ_in_randomised_attributes_of_one_record_alone():
    for left, right in pairs(people()):
        assert len(left.differing_rows(right)) <= 1
        assert differing(left, right) <= {"town", "group"}
        np.testing.assert_array_equal(left.y, right.y)


def test_every_second_pair_differs_in_all_randomised_attributes():
    assert all(differing(*pair) == {"town", "group"} for pair in pairs(people())[::2])


def test_the_group_of_a_record_follows_its_attribute():
    for pair in pairs(people()):
        for one in pair:
            np.testing.assert_array_equal(one.protected, one.X[:, :2].argmax(axis=1))


def test_altered_neighbours_stay_neighbours():
    rng, (left, right) = np.random.default_rng(1), pairs(people())[0]
    for _ in range(200):
        left, right = left.altered(right, LOCAL, rng=rng)
        assert len(left.differing_rows(right)) <= 1
        assert differing(left, right) <= {"town", "group"}
        np.testing.assert_array_equal(left.y, right.y)


def test_other_relations_change_records_without_randomised_attributes():
    known = people(randomised=(), protected_attribute="")
    drawn = known.neighbours(Neighbours.REPLACE_ONE, count=8, rng=np.random.default_rng(0))
    assert len(list(drawn)) == 8


def test_a_part_keeps_what_is_randomised_and_another_choice_is_other_data():
    known = people()
    assert known.take(np.array([4, 2])).randomised == ("town", "group")
    assert known.fingerprint() != replace(known, randomised=("town",)).fingerprint()
