"""Events whose chance is decided exactly, on words that are given."""

from decimal import Decimal, getcontext, localcontext

import numpy as np
import pytest

from dpfair_cli.mechanisms import discrete
from dpfair_cli.mechanisms.discrete import WORD, happen
from dpfair_cli.mechanisms.secure import SecureGenerator


class Words:
    """A source of random words that are known."""

    def __init__(self, *words):
        self.words, self.bit_generator = list(words), self

    def random_raw(self, size=None):
        drawn = [self.words.pop(0) for _ in range(1 if size is None else size)]
        return drawn[0] if size is None else np.array(drawn, dtype=np.uint64)


def unknown(k):
    raise AssertionError("exact arithmetic is not needed here")


def bits_of(number, first, count):
    """So many bits behind the point of a Decimal, after the first ones, as a whole number."""
    with localcontext(prec=120):
        return int(number * 2 ** (first + count)) % 2**count


def test_chances_far_from_the_word_need_no_exact_arithmetic():
    words = Words(2**62, 2**62, 2**63, 5)  # 1/4, 1/4, 1/2, nearly 0
    assert happen(np.array([0.3, 0.2, 0.5001, 0.01]), unknown, words).tolist() == [
        True,
        False,
        True,
        True,
    ]


def test_what_is_impossible_or_certain_stays_so_at_every_word():
    words = Words(1, 2**64 - 1, 2**62, 2**62)
    never_or_always = np.array([-0.5, 1.5, -0.5, 1.5])
    assert happen(never_or_always, unknown, words).tolist() == [False, True, False, True]


@pytest.mark.parametrize("number", ["-1", "-0.01", "-7.5"])
def test_a_word_at_an_irrational_chance_is_decided_by_the_bits_after_it(number):
    with localcontext(prec=120):
        chance = Decimal(number).exp()
    first, second, third = (bits_of(chance, WORD * k, WORD) for k in range(3))
    for words, expected in [
        ((first, second - 1), True),
        ((first, second + 1), False),
        ((first, second, third - 1), True),
        ((first, second, third + 1), False),
        ((first - 1,), True),
        ((first + 1,), False),
    ]:
        source = Words(*words)
        happened = happen(np.array([float(chance)]), lambda k: Decimal(number).exp(), source)
        assert happened.tolist() == [expected], words
        assert source.words == []  # no bit more than it takes


def test_the_digits_computed_with_grow_with_the_bits():
    digits = []

    def chance(k):
        digits.append(getcontext().prec)
        return Decimal(1) / 2

    assert happen(np.array([0.5]), chance, Words(2**63, 0, 1)).tolist() == [False]
    assert digits == [20 + 64, 20 + 128, 20 + 192]


def test_an_unknown_probability_is_decided_exactly():
    assert happen(
        np.array([np.nan, np.nan]), lambda k: Decimal(1) / 3, Words(2**62, 2**63)
    ).tolist() == [True, False]


def test_the_events_come_out_the_same_if_all_are_decided_exactly(monkeypatch):
    rough = np.exp(-np.linspace(0, 3, 2000))

    def outcome():
        return happen(rough, lambda k: Decimal(float(rough[k])), SecureGenerator._with_key(1))

    quick = outcome()
    monkeypatch.setattr(discrete, "BAND", 2.0)
    np.testing.assert_array_equal(outcome(), quick)
    assert 0 < quick.sum() < len(quick)


def test_events_happen_as_often_as_their_chance_says():
    n = 200_000
    happened = happen(np.full(n, 0.3), unknown, SecureGenerator._with_key(2)).sum()
    assert abs(happened - 0.3 * n) < 4 * np.sqrt(n * 0.3 * 0.7)
