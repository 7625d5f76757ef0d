"""The meaning and the allowed values of parameters, read from docstrings and annotations."""

from dataclasses import dataclass
from typing import Annotated, Literal

from dpfair_cli.contracts.annotations import allowed_values, meanings
from dpfair_cli.contracts.parameters import AtLeast, AtMost, Count, Epsilon, MultipleOf


@dataclass(frozen=True)
class Training:
    """Settings that several functions share."""

    epochs: Count = 3
    """The number of passes
    over the data."""
    plain: int = 1


def fit(data, *, epsilon: Epsilon = 1.0, rounds: Count, training: Training = Training(), rng):
    """The result.

    Args:
        rounds: The number of rounds,
            at least one.

    Raises:
        ValueError: never.
    """


def test_meanings_come_from_args_fields_and_shared_words():
    assert meanings(fit) == {
        "epsilon": "The privacy loss of the whole fit; inf means no privacy.",
        "rounds": "The number of rounds, at least one.",
        "epochs": "The number of passes over the data.",
        "plain": "",
    }


def test_allowed_values_follow_from_annotations():
    assert allowed_values(Epsilon) == "a number above 0"
    assert allowed_values(Annotated[float, AtLeast(0), AtMost(1)]) == (
        "a number of at least 0 and at most 1"
    )
    assert allowed_values(Annotated[int, MultipleOf(4)]) == "a whole number that is a multiple of 4"
    assert allowed_values(Literal["box", "ball"]) == "one of 'box', 'ball'"
    assert allowed_values(tuple[str, ...]) == "a list, each text"
