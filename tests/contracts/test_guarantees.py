"""Guarantees: their words, the status of variants and of single fits, and incomplete ones."""

import doctest
from dataclasses import replace
from math import inf

import pytest

from dpfair_cli.contracts import guarantees
from dpfair_cli.contracts.guarantees import (
    BOUNDS_FROM_DATA,
    NOT_PRIVATE,
    Definition,
    FitStatus,
    Guarantee,
    Neighbours,
    Status,
)

WEIGHTS = Guarantee(
    released="the weights",
    neighbours=Neighbours.REPLACE_ONE,
    public="the number of records",
    status=Status.PROVED,
    proof="mechanisms/laplace.py",
    variants={("noise", "none"): Status.REFUTED, ("bound", "none"): Status.CONDITIONAL},
    conditions="records have norm 1",
)
EDGES = replace(WEIGHTS, neighbours=Neighbours.ONE_EDGE)


def test_the_examples_run():
    failed, tried = doctest.testmod(guarantees)
    assert (failed, tried > 2) == (0, True)


def test_a_promise_names_the_definition_and_what_is_released():
    assert WEIGHTS.promise == "epsilon-differential privacy of the weights"
    approximate = replace(WEIGHTS, definition=Definition.APPROXIMATE, delta_remark="delta is 1/n")
    assert approximate.promise == (
        "(epsilon, delta)-differential privacy of the weights; delta is 1/n"
    )
    assert NOT_PRIVATE.promise == "none"


def test_the_relation_has_the_remark():
    assert WEIGHTS.relation == "replace-one"
    assert replace(WEIGHTS, remark="label included").relation == "replace-one, label included"


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ({}, Status.PROVED),
        ({"noise": "all", "epsilon": 1.0}, Status.PROVED),
        ({"noise": "none", "epsilon": 1.0}, Status.REFUTED),
        ({"bound": "none"}, Status.CONDITIONAL),
        ({"noise": "none", "bound": "none"}, Status.REFUTED),
        ({"epsilon": inf}, Status.NOT_PRIVATE),
    ],
)
def test_a_status_depends_on_variant_and_epsilon(params, status):
    assert WEIGHTS.status_with(params) is status
    assert NOT_PRIVATE.status_with(params) is Status.NOT_PRIVATE


def test_a_broken_condition_makes_a_guarantee_void():
    broken = ["known seed 3", "unpaid scores"]
    assert WEIGHTS.for_fit({}, broken) == FitStatus(Status.VOID, tuple(broken))
    assert str(WEIGHTS.for_fit({}, broken)) == "void: known seed 3, unpaid scores"
    assert str(WEIGHTS.for_fit({})) == "proved"


def test_bounds_from_the_data_are_not_private():
    found = WEIGHTS.for_fit({}, ["known seed 3", BOUNDS_FROM_DATA])
    assert str(found) == "not private: known seed 3, bounds from data"


def test_what_is_refuted_or_not_private_stays_so():
    assert WEIGHTS.for_fit({"noise": "none"}, [BOUNDS_FROM_DATA]) == FitStatus(Status.REFUTED)
    assert WEIGHTS.for_fit({"epsilon": inf}, ["known seed 3"]) == FitStatus(Status.NOT_PRIVATE)


def test_a_label_names_unusual_neighbours():
    assert WEIGHTS.label({}) == "proved"
    assert EDGES.label({}) == "proved (one edge)"
    assert EDGES.label({}, ["known seed 3"]) == "void: known seed 3 (one edge)"
    assert EDGES.label({"epsilon": inf}) == "not private"


def test_delta_is_the_parameter_or_zero():
    assert WEIGHTS.stated_delta({"delta": 1e-5}, 100) == 1e-5
    assert WEIGHTS.stated_delta({}, 100) == 0.0


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({}, ""),
        ({"proof": ""}, 'Status.PROVED needs proof="'),
        ({"conditions": ""}, 'Status.CONDITIONAL needs conditions="'),
        ({"status": Status.VOID}, "Status.VOID is for one fit"),
        ({"variants": {("noise", "none"): Status.VOID}}, "Status.VOID is for one fit"),
        ({"status": Status.REFUTED, "proof": ""}, ""),
    ],
)
def test_an_incomplete_guarantee_says_what_to_write(changed, why):
    found = replace(WEIGHTS, **changed).why_incomplete()
    assert found.startswith(why)
    assert bool(found) == bool(why)
