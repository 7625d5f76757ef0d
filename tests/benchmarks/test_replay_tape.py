"""A replay finds what depends on the data without noise: sums by hand, and planted mistakes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.replay_tape import Call, DivergedError, Tape, distance

LIMIT = 5.0
VALUES, NEIGHBOUR = [1.0, -2.0, 3.0], [1.0, -2.0, 100.0]


def noisy_sum(tape, values, *, scale=LIMIT):
    call = Call("counts", np.array([np.sum(values)]), LIMIT, scale, None, None)
    return tape.release(call, lambda: call.value + tape.rng.laplace(scale=scale))


def clipped_sum(tape, values):
    return noisy_sum(tape, np.clip(values, -LIMIT, LIMIT))


def replayed(fit, one, other):
    """The tape of a fit to a list of values and to another list."""
    tape = Tape(np.random.default_rng(0))
    fit(tape, one)
    tape.played = 0
    fit(tape, other)
    return tape


def test_a_clipped_sum_passes():
    """The third value is 3, and 100 is clipped to 5."""
    tape = replayed(clipped_sum, VALUES, NEIGHBOUR)
    assert (tape.outcome, tape.worst, tape.scales_differ) == ("passes", (2.0, 5.0, "counts"), False)


def test_a_sum_without_clipping_is_found():
    """Cebere et al. print this example: the sums 2 and 99 are 97 apart."""
    tape = replayed(noisy_sum, VALUES, NEIGHBOUR)
    assert (tape.outcome, tape.worst) == ("distance", (97.0, 5.0, "counts"))


def test_the_output_is_that_of_the_first_fit():
    tape, outputs = Tape(np.random.default_rng(0)), []
    for tape.played, values in ((None, VALUES), (0, NEIGHBOUR)):
        outputs.append(clipped_sum(tape, values))
    assert outputs[0] == outputs[1]


def test_a_nan_is_infinitely_far():
    assert replayed(clipped_sum, VALUES, [1.0, math.nan]).worst[0] == math.inf


def test_a_scale_that_depends_on_the_number_of_records_is_found():
    tape = replayed(lambda tape, given: noisy_sum(tape, [1.0], scale=len(given)), VALUES, [1.0])
    assert (tape.outcome, tape.scales_differ) == ("passes", True)


def test_levels_that_are_read_from_the_data_are_found():
    tape = Tape(np.random.default_rng(0))
    tape.public((2, 3))
    tape.played = 0
    tape.public((2, 3))
    with pytest.raises(DivergedError, match="domain"):
        tape.public((2, 203))


@pytest.mark.parametrize("second", [1, 3])
def test_another_number_of_calls_is_found(second):
    def fit(tape, times):
        for _ in range(times):
            clipped_sum(tape, VALUES)

    tape = Tape(np.random.default_rng(0))
    fit(tape, 2)
    tape.played = 0
    if second > 2:
        with pytest.raises(DivergedError, match="calls"):
            fit(tape, second)
    else:
        fit(tape, second)
        assert tape.outcome == "calls"


def test_counts_have_the_euclidean_distance_and_scores_the_largest():
    one, other = np.array([1.0, 2.0]), np.array([4.0, -2.0])
    assert (distance("counts", one, other), distance("scores", one, other)) == (5.0, 4.0)
    assert distance("counts", one, np.ones(3)) == math.inf
