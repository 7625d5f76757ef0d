"""Scores with groups: neighbours differ in one individual, and wrong data are refused."""

from dataclasses import replace

import numpy as np
import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.papers.xian2024.models.group_scores import GroupScores


def crowd(n=30):
    rng = np.random.default_rng(0)
    scores = rng.random(n)
    return GroupScores(scores, rng.random(n), rng.integers(0, 3, n), ("a", "b", "c"), 0.0, 1.0)


def test_neighbours_differ_in_one_individual_of_another_group_or_score():
    pairs = list(crowd().neighbours(Neighbours.REPLACE_ONE, count=60, rng=np.random.default_rng(1)))
    assert len(pairs) == 60
    for left, right in pairs:
        assert len(left) == len(right) > 0
        assert len(left.differing_rows(right)) <= 1
    moved = [left.protected.tolist() != right.protected.tolist() for left, right in pairs]
    outside = [max(right.scores.max(), left.scores.max()) > 1 for left, right in pairs]
    assert sum(moved) > 40
    assert any(outside)


def test_an_altered_pair_are_still_neighbours():
    rng = np.random.default_rng(2)
    for left, right in crowd().neighbours(Neighbours.REPLACE_ONE, count=40, rng=rng):
        one, other = left.altered(right, Neighbours.REPLACE_ONE, rng=rng)
        assert len(one.differing_rows(other)) <= 1


def test_other_relations_of_neighbours_are_refused():
    with pytest.raises(DpfairError, match="one replaced individual"):
        next(crowd().neighbours(Neighbours.ONE_EDGE, count=1, rng=np.random.default_rng(0)))


def test_a_part_has_the_rows_in_their_order_and_another_identity():
    known = crowd()
    part = known.take(np.array([4, 2]))
    assert part.scores.tolist() == known.scores[[4, 2]].tolist()
    assert part.counts()["rows"] == len(part) == 2
    assert part.fingerprint() != known.fingerprint()
    assert replace(known, high=2.0).fingerprint() != known.fingerprint()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"scores": np.zeros(3)}, "the same length"),
        ({"scores": np.full(30, np.nan)}, "must be finite"),
        ({"protected": np.full(30, 3)}, "from 0 to 2"),
        ({"low": 1.0}, "below the highest"),
    ],
)
def test_wrong_scores_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        replace(crowd(), **wrong)
