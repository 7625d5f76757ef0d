"""The grammar of --eps, said in full: what each form stands for, and one line with an example for
anything else.
"""

import math

import pytest

from dpfair_cli.contracts.conversion import parse_epsilons


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1", [1.0]),
        (".5", [0.5]),
        ("2.", [2.0]),
        ("1e-3", [0.001]),
        ("inf", [math.inf]),
        ("0.1,1,10", [0.1, 1.0, 10.0]),
        (" 0.1, 1 ", [0.1, 1.0]),
        ("10,0.1", [10.0, 0.1]),
        ("1,inf", [1.0, math.inf]),
        ("0.01..10", [0.01, 0.1, 1.0, 10.0]),
        ("0.5..20", [0.5, 5.0, 20.0]),
        ("2..3", [2.0, 3.0]),
        ("1e-2..1e1", [0.01, 0.1, 1.0, 10.0]),
        ("0.1..1,inf", [0.1, 1.0, math.inf]),
        ("1..100:3", [1.0, 10.0, 100.0]),
        ("1..2:2", [1.0, 2.0]),
    ],
)
def test_each_form_stands_for_these_epsilons(text, values):
    assert parse_epsilons(text) == values


def test_seven_points_are_evenly_spaced_on_a_log_scale():
    found = parse_epsilons("0.01..10:7")
    assert found == pytest.approx([10 ** (-2 + step / 2) for step in range(7)], rel=1e-5)
    assert (found[0], found[2], found[-1]) == (0.01, 0.1, 10.0)


def test_a_decade_is_the_number_a_person_would_write():
    assert [str(value) for value in parse_epsilons("0.001..100")] == [
        "0.001",
        "0.01",
        "0.1",
        "1.0",
        "10.0",
        "100.0",
    ]
    assert [str(value) for value in parse_epsilons("0.3..300")] == ["0.3", "3.0", "30.0", "300.0"]


def test_an_epsilon_given_twice_is_run_once():
    assert parse_epsilons("1,1.0,0.1..10") == [1.0, 0.1, 10.0]


def test_the_widest_range_there_is_still_ends():
    found = parse_epsilons("1e-300..1e300")
    assert (found[0], found[-1]) == (1e-300, 1e300)


NOT_NUMBERS = ["", " ", ",", "a", "nan", "infinity", "0.1,,1", "1,", "1 2", "1;2", "1_0", "0x1"]
NOT_POSITIVE = ["0", "0.0", "-1", "-inf", "1e999", "0..1", "-1..1"]
NOT_RANGES = ["10..0.1", "1..1", "1..inf", "1..", "..1", "1..2..3", "0.1..a"]
NOT_COUNTS = ["1..10:1", "1..10:0", "1..10:-2", "1..10:", "1..10:2.5", "1:3"]


@pytest.mark.parametrize("text", [*NOT_NUMBERS, *NOT_POSITIVE, *NOT_RANGES, *NOT_COUNTS])
def test_anything_else_is_refused_in_one_line_with_an_example(text):
    with pytest.raises(ValueError, match="write for example") as refused:
        parse_epsilons(text)
    message = str(refused.value)
    assert message.startswith(f"--eps {text!r}: ")
    assert message.endswith("write for example 0.1,1,10 or 0.01..10 or 0.01..10:7 or inf")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("0", "must be positive"),
        ("10..0.1", "must be larger than the first"),
        ("1..1", "must be larger than the first"),
        ("1..10:1", "at least 2 points"),
    ],
)
def test_the_refusal_says_what_is_wrong(text, cause):
    with pytest.raises(ValueError, match=cause):
        parse_epsilons(text)
