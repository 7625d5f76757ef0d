"""The text of a ledger is read back whole or not at all, and its sums are exact."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_DOWN, ROUND_UP, Decimal
from fractions import Fraction

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.release.privacy_ledger import Ledger, LedgerEntry, amount, in_words, parse, text_of
from dpfair_cli.release.spending import entry_of_fit, exact

REPLACED, ADDED = Neighbours.REPLACE_ONE, Neighbours.ADD_OR_REMOVE_ONE
EMPTY = Ledger("d" * 64, REPLACED, Decimal(3), Decimal("1e-5"))


def entry(epsilon="1", delta="0", neighbours=REPLACED, status="proved"):
    return LedgerEntry("a model", status, neighbours, Decimal(epsilon), Decimal(delta))


TWO = EMPTY.with_entries([entry("0.1"), entry("0.2", "1e-6")])


def test_a_text_is_read_back_as_the_same_ledger():
    for ledger in (EMPTY, TWO):
        assert parse(text_of(ledger)) == ledger


def test_every_single_changed_byte_is_noticed():
    content = text_of(TWO).encode()
    for place in range(len(content)):
        for other in (b"0", b"9", b" ", b"\n", b""):
            changed = content[:place] + other + content[place + 1 :]
            if changed != content:
                with pytest.raises(DpfairError, match="is damaged"):
                    parse(changed.decode())


def test_every_beginning_of_a_ledger_is_refused():
    text = text_of(TWO)
    for end in range(len(text)):
        with pytest.raises(DpfairError, match="is damaged"):
            parse(text[:end])


@pytest.mark.parametrize(
    "forged", [entry("-5"), entry("NaN"), entry("Infinity"), entry("1", "-1"), entry("4")]
)
def test_a_ledger_with_an_impossible_entry_is_refused_with_right_hashes(forged):
    with pytest.raises(DpfairError, match="is damaged"):
        parse(text_of(replace(EMPTY, entries=(forged,))))


@pytest.mark.parametrize("epsilon", ["0", "-1", "NaN", "Infinity"])
def test_an_entry_costs_something(epsilon):
    with pytest.raises(DpfairError, match="must be positive"):
        EMPTY.with_entries([entry(epsilon)])


@pytest.mark.parametrize("status", ["void: known seed 1", "refuted", "not private", "unknown", ""])
def test_a_status_without_a_guarantee_does_not_count(status):
    with pytest.raises(DpfairError, match="cannot be counted"):
        EMPTY.with_entries([entry(status=status)])


@pytest.mark.parametrize("status", ["proved", "as-published", "conditional: the graph is true"])
def test_a_status_with_a_guarantee_counts(status):
    assert EMPTY.with_entries([entry(status=status)]).left == (2, Decimal("1e-5"))


def test_several_entries_are_spent_together_or_not_at_all():
    with pytest.raises(DpfairError, match="would spend epsilon 4 "):
        EMPTY.with_entries([entry("2"), entry("2")])


def test_sums_are_those_of_rational_numbers():
    rng = np.random.default_rng(0)
    numbers = [f"{number:.17g}" for number in 10.0 ** rng.uniform(-299, 2, size=60)]
    deltas = [f"{number:.17g}" for number in 10.0 ** rng.uniform(-299, -3, size=60)]
    ledger = replace(EMPTY, epsilon=Decimal("1e6"), delta=Decimal("0.5"))
    ledger = replace(ledger, entries=tuple(map(entry, numbers, deltas)))
    total = sum(map(Fraction, numbers)), sum(map(Fraction, deltas))
    assert tuple(map(Fraction, ledger.spent)) == total
    assert tuple(map(Fraction, ledger.left)) == (10**6 - total[0], Fraction(1, 2) - total[1])


def test_a_ledger_can_be_spent_to_its_last_digit_and_no_further():
    ledger = replace(EMPTY, epsilon=Decimal("0.3")).with_entries([entry("0.1"), entry("0.2")])
    assert ledger.left[0] == 0
    with pytest.raises(DpfairError, match=r"epsilon 0, delta 0\.00001 is left"):
        ledger.with_entries([entry("1e-300")])


def test_a_double_counts_as_the_number_that_a_user_types():
    assert [exact(number) for number in (0.1, 1.0, 1e-9, 3)] == [
        Decimal(text) for text in ("0.1", "1", "1e-9", "3")
    ]


def test_amounts_are_printed_on_the_safe_side():
    third = Decimal("0." + "3" * 30), Decimal(0)
    assert in_words(*third, ROUND_UP) == "epsilon 0.333333333334"
    assert in_words(*third, ROUND_DOWN) == "epsilon 0.333333333333"


def test_an_entry_for_other_neighbours_counts_doubled():
    ledger = EMPTY.with_entries([entry("1", neighbours=ADDED)])
    assert ledger.left == (1, Decimal("1e-5"))
    with pytest.raises(DpfairError, match="the budget does not suffice"):
        EMPTY.with_entries([entry("1.6", neighbours=ADDED)])


@pytest.mark.parametrize("text", ["-1", "-0", "nan", "inf", "1e999", "1e-999", "", "x", "1" * 41])
def test_an_amount_is_a_usual_number(text):
    with pytest.raises(ValueError, match="must be"):
        amount(text)


def test_the_delta_of_an_entry_is_that_of_the_fit():
    """output_perturbation never uses a larger delta than 1 / n^2."""
    method = catalog.method("output_perturbation", {"epsilon": 2.0, "delta": 1e-3})
    found = entry_of_fit("m", method, broken=[], records=100)
    assert (found.epsilon, found.delta) == (2, Decimal("0.0001"))


def test_a_budget_without_delta_says_which_methods_it_can_pay():
    with pytest.raises(DpfairError, match="the budget has no delta"):
        replace(EMPTY, delta=Decimal(0)).with_entries([entry(delta="1e-6")])
    with pytest.raises(DpfairError, match=r"\(replace-one\)$"):
        EMPTY.with_entries([entry(delta="1e-4")])
