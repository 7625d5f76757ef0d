"""Guarantees for other neighbours: the theorems, on randomised response worked by hand."""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import exp

import pytest

from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.mechanisms.accounting.conversion import ALLOWED, converted

ADDED, REPLACED = Neighbours.ADD_OR_REMOVE_ONE, Neighbours.REPLACE_ONE
ATTRIBUTE, EDGE = Neighbours.ONE_PROTECTED_ATTRIBUTE, Neighbours.ONE_EDGE


def test_a_guarantee_counts_as_it_is_for_its_own_neighbours():
    pair = Decimal("0.7"), Decimal("1e-6")
    for neighbours in (ADDED, REPLACED, ATTRIBUTE):
        assert converted(*pair, stated=neighbours, counted=neighbours) == pair


def test_a_replaced_record_includes_its_protected_attribute():
    pair = Decimal(1), Decimal("1e-6")
    assert converted(*pair, stated=REPLACED, counted=ATTRIBUTE) == pair


@pytest.mark.parametrize(
    ("stated", "counted"),
    [(ATTRIBUTE, REPLACED), (ATTRIBUTE, ADDED), (REPLACED, ADDED)]
    + [(EDGE, other) for other in (ADDED, REPLACED, ATTRIBUTE)]
    + [(Neighbours.NONE, REPLACED)],
)
def test_a_guarantee_counts_for_no_wider_neighbours(stated, counted):
    assert (stated, counted) not in ALLOWED
    with pytest.raises(ValueError, match="does not hold for"):
        converted(Decimal(1), Decimal(0), stated=stated, counted=counted)


@pytest.mark.parametrize("counted", [REPLACED, ATTRIBUTE])
@pytest.mark.parametrize("epsilon", ["0.001", "1", "3.5"])
def test_two_steps_double_epsilon_and_scale_delta_up(epsilon, counted):
    found = converted(Decimal(epsilon), Decimal("1e-6"), stated=ADDED, counted=counted)
    assert found[0] == 2 * Decimal(epsilon)
    with localcontext(prec=60):
        assert found[1] > Decimal("1e-6") * (1 + Decimal(epsilon).exp())  # rounded up
    assert float(found[1]) == pytest.approx(1e-6 * (1 + exp(float(epsilon))), rel=1e-12)


@pytest.mark.parametrize("delta", ["1e-12", "1e-6", "1e-3", "0.1", "0.3", "0.9"])
@pytest.mark.parametrize("epsilon", ["0.001", "0.5", "2", "10", "99", "101"])
def test_two_steps_cost_all_of_delta_up_to_one(epsilon, delta):
    """min(1, (1 + e^epsilon) delta), rounded up in the 28th digit; 1 from epsilon 100 on."""
    found = converted(Decimal(epsilon), Decimal(delta), stated=ADDED, counted=REPLACED)[1]
    with localcontext(prec=80):
        exact = min(Decimal(1), (1 + Decimal(epsilon).exp()) * Decimal(delta))
        assert exact <= found <= min(Decimal(1), exact * (1 + Decimal("1e-26")))


def test_two_steps_are_needed_for_a_mechanism_that_reaches_the_bound():
    """A coin that shows heads with odds e^-1, 1 or e^1 for x, no record, x': exactly 2 epsilon."""
    heads = {"x": 1 / (1 + exp(1)), "nothing": 0.5, "y": 1 / (1 + exp(-1))}
    step = heads["y"] / heads["nothing"]
    both = (heads["y"] / (1 - heads["y"])) / (heads["x"] / (1 - heads["x"]))
    assert step < exp(1)
    assert both == pytest.approx(exp(2))
    assert heads["y"] / heads["x"] > exp(0.99)


@pytest.mark.parametrize("epsilon", ["101", "1e9"])
def test_a_delta_is_at_most_1_and_never_overflows(epsilon):
    found = converted(Decimal(epsilon), Decimal("1e-9"), stated=ADDED, counted=REPLACED)
    assert found == (2 * Decimal(epsilon), 1)
    assert converted(Decimal(epsilon), Decimal(0), stated=ADDED, counted=REPLACED)[1] == 0
