"""One pair of neighbours: what a recorded and a replayed fit show."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

from dpfair_cli.auditing.replaying import replay_on_neighbour
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.mechanisms.laplace import laplace

LEFT, RIGHT = (Observations(np.array([[code], [1]]), ("v",), (3,)) for code in (0, 2))
FIRST, SECOND = (
    Observations(data.values.copy(), data.names, data.levels) for data in (LEFT, RIGHT)
)


@dataclass(frozen=True)
class Toy(NotSaved):
    """A result with parts of several shapes."""

    total: Any
    parts: tuple[Any, ...] = ()


def total(observations, *, leak=lambda values: (), rng):
    noisy = laplace(observations.values.sum(), l1_sensitivity=4, epsilon=1.0, rng=rng)
    return Toy(float(noisy), leak(observations.values))


@pytest.fixture
def replayed():
    return lambda leak=lambda values: (): replay_on_neighbour(
        partial(total, leak=leak), FIRST, SECOND, absentees=(), seed=0
    )


def test_a_change_of_half_the_sensitivity_costs_half_of_epsilon(replayed):
    found = replayed()
    assert (found.changes, found.moves, found.largest_move) == ((2.0,), (0.5,), 0.5)
    assert found.leaks == ()


@pytest.mark.parametrize(
    "leak",
    [
        lambda values: (np.zeros(3), values.mean(axis=0)),
        lambda values: tuple(range(values.max())),
        lambda values: ("low" if values[0, 0] == 0 else "high",),
        lambda values: (((values.max(),),),),
    ],
    ids=["an array", "a number of parts", "a word", "a part of a part"],
)
def test_whatever_a_result_read_without_noise_is_seen_in_its_parts(replayed, leak):
    assert replayed(leak).leaks == ("the fitted model",)


def test_parts_of_different_shapes_are_not_a_leak_if_constant(replayed):
    assert not replayed(lambda values: (np.zeros(3), np.ones((2, 2)), ("a", "b"), 1)).leaks
