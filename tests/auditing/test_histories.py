"""Outputs whose noise has one side show what a fit does far from its start."""

import numpy as np
import pytest

from dpfair_cli.auditing.replaying import COURSES, Course, one_sided, replay_history
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.mechanisms.exponential import exponential
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.ledger import Release, record
from tests.auditing.test_search import Toy


@pytest.mark.parametrize("course", COURSES)
def test_noise_keeps_its_size_and_gets_one_side(course):
    number = Release("laplace", np.array(3.0), np.array(1.0), 1.0, 1.0)
    vector = Release("gaussian", np.array([1.0, 2.0]), np.array([0.0, 5.0]), 1.0, 1.0)
    turned = one_sided([number, vector], course)
    assert turned[0].output == 3.0 + 2.0 * course.of_number
    assert turned[1].output.tolist() == [1.0 + course.of_array, 2.0 + 3.0 * course.of_array]


def test_outputs_of_a_choice_stay():
    choice = Release("exponential", np.array([1.0, 2.0]), 1, 1.0, 1.0)
    assert one_sided([choice], COURSES[0]) == [choice]


def drifting(records, *, epsilon=1.0, rng):
    """A sum of twenty outputs; a record counts five times once the sum is above 100."""
    total = 0.0
    for _ in range(20):
        weight = 5.0 if total > 100 else 1.0
        query = weight * records.X[:, 0].sum()
        total += laplace(query, l1_sensitivity=1.0, epsilon=epsilon / 20, rng=rng)
    return Toy(total)


def test_a_query_that_is_wrong_after_improbable_outputs_is_found(try_out):
    found = try_out(drifting)
    assert found.largest_move == pytest.approx(5)
    assert not found.holds


def test_a_query_with_the_right_sensitivity_after_every_output_holds(try_out):
    def sound(records, *, epsilon=1.0, rng):
        total = 0.0
        for _ in range(20):
            query = np.clip(total, -5, 5) + records.X[:, 0].sum()
            total += laplace(query, l1_sensitivity=1.0, epsilon=epsilon / 20, rng=rng)
        return Toy(total)

    found = try_out(sound)
    assert found.largest_move == pytest.approx(1)
    assert found.problems == []


def test_a_history_of_other_releases_has_no_result(records):
    def choosing(records, *, rng):
        if laplace(0.0, l1_sensitivity=1.0, epsilon=1.0, rng=rng) > 0:
            return Toy(exponential(np.zeros(2), sensitivity=1.0, epsilon=1.0, rng=rng))
        return Toy(0)

    left, right = next(
        records.neighbours(Neighbours.REPLACE_ONE, count=1, rng=np.random.default_rng(0))
    )
    with record() as tape:
        choosing(left, rng=np.random.default_rng(0))
    turned = [one_sided(tape, Course(sign, 1, swapped=False)) for sign in (-1, 1)]
    found = [replay_history(choosing, left, right, one, absentees=[], seed=0) for one in turned]
    assert [result is None for result in found].count(True) == 1
