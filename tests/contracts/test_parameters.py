"""Arguments are checked from their annotations, wherever and however they are given."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pytest

from dpfair_cli.contracts.parameters import (
    AtLeast,
    AtMost,
    Between,
    Count,
    Epsilon,
    Fraction,
    MultipleOf,
    NotNegativeFinite,
    PositiveFinite,
    Share,
    check_fields,
    checked,
    complete,
    parameters,
)

Word = Literal["left", "right"]


@dataclass(frozen=True)
class Options:
    """Two keywords that functions share."""

    side: Word = "left"
    weight: PositiveFinite = 1.0


DEFAULTS = Options(weight=2.0)


@checked
def fit(
    data: Any, *, epsilon: Epsilon = 1.0, options: Options = DEFAULTS, steps: Count = 3, rng: Any
) -> Any:
    """A method with a group of keywords."""
    return data, epsilon, options, steps, rng


@checked
def formula(word: Word, share: Share, values: Iterable[float] = ()) -> Any:
    """A function whose arguments may be given by place."""
    return word, share, values


def test_the_fields_of_a_dataclass_stand_in_its_place():
    assert {name: found.default for name, found in parameters(fit).items()} == {
        "epsilon": 1.0, "side": "left", "weight": 2.0, "steps": 3,
    }  # fmt: skip
    assert list(complete(fit, {"weight": 5, "epsilon": "inf"}).items()) == [
        ("epsilon", math.inf), ("side", "left"), ("weight", 5.0), ("steps", 3),
    ]  # fmt: skip


def test_fields_may_be_given_flat_or_together_or_both():
    assert fit(0, rng=1)[2] is DEFAULTS
    assert fit(0, side="right", rng=1)[2] == Options("right", 2.0)
    assert fit(0, options=Options(weight=7.0), rng=1)[2] == Options("left", 7.0)
    assert fit(0, options=Options(weight=7.0), side="right", rng=1)[2] == Options("right", 7.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epsilon": -1}, "^epsilon must be positive, got -1$"),
        ({"epsilon": np.nan}, "^epsilon must be positive, got nan$"),
        (
            {"epsilon": "1e-5"},
            "^epsilon must be a number, but YAML reads '1e-5' as text: write 1.0e-5$",
        ),
        ({"side": "lift"}, "^unknown side 'lift': did you mean 'left'"),
        ({"weight": 0}, "^weight must be positive, got 0$"),
        ({"weight": math.inf}, "^weight must be finite, got inf$"),
        ({"options": Options(weight=-2)}, "^weight must be positive, got -2$"),
        ({"steps": 0}, "^steps must be at least 1, got 0$"),
        ({"steps": 2.0}, "^steps must be an integer, got 2.0$"),
        ({"steps": True}, "^steps must be an integer, got True$"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_as_it_was_given(given, message):
    with pytest.raises(ValueError, match=message):
        fit(0, **given, rng=1)


def test_a_mistake_in_the_call_itself_is_left_to_python():
    for given in ({"epsilom": 1.0, "rng": 1}, {}):
        with pytest.raises(TypeError):
            fit(0, **given)
    with pytest.raises(TypeError):
        formula("left", 1, (), ())


def test_arguments_are_checked_by_place_as_by_name():
    assert formula("left", 1) == formula(word="left", share=1) == ("left", 1.0, ())
    for call in (lambda: formula("up", 1), lambda: formula(word="up", share=1)):
        with pytest.raises(ValueError, match=r"^unknown word 'up': there are: left, right$"):
            call()
    with pytest.raises(ValueError, match=r"^share must be at most 1, got 2$"):
        formula("left", 2)


def test_an_annotation_that_says_nothing_checkable_leaves_the_value_alone():
    values = np.array([1.0, -1.0])
    assert formula("left", 0.5, values)[2] is values
    assert formula("left", 0.5, values=values)[2] is values


def test_numbers_of_numpy_count_as_numbers():
    assert type(fit(0, steps=np.int64(4), rng=1)[3]) is int
    assert type(fit(0, epsilon=np.float32(0.5), rng=1)[1]) is float


@pytest.mark.parametrize(
    ("annotation", "inside", "outside"),
    [
        (Epsilon, [1e-300, math.inf], [0, -1, math.nan]),
        (PositiveFinite, [1e-300, 1e300], [0, math.inf, math.nan]),
        (NotNegativeFinite, [0, 1e300], [-1e-300, math.inf, math.nan]),
        (Fraction, [1e-300, 0.999], [0, 1, math.nan]),
        (Share, [1e-300, 1], [0, 1.001, math.nan]),
        (Annotated[float, AtLeast(0), AtMost(1)], [0, 1], [-0.1, 1.1, math.nan]),
        (Annotated[float, Between(2, 3)], [2.5], [2, 3]),
        (Annotated[int, MultipleOf(4)], [4, 100], [0, -4, 6]),
    ],
)
def test_a_range_holds_what_its_name_says(annotation, inside, outside):
    @dataclass(frozen=True)
    class Holder:
        value: Any

        __annotations__ = {"value": annotation}

    for value in inside:
        check_fields(Holder(value))
    for value in outside:
        with pytest.raises(ValueError, match=r"^value must"):
            check_fields(Holder(value))
