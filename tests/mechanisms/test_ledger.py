"""The ledger writes down what the mechanisms release, and replays it on other data."""

import numpy as np
import pytest

from dpfair_cli.mechanisms.batches import ALL_RECORDS, Draw, poisson_batches, subsample
from dpfair_cli.mechanisms.exponential import exponential
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.ledger import Usage, mechanisms_used, record, release, replay


def program(value):
    rng = np.random.default_rng(0)
    first = laplace(value, l1_sensitivity=3, epsilon=2, rng=rng)
    return first, gaussian(2 * value, l2_sensitivity=5, sigma=4, rng=rng)


def test_a_recording_holds_all_fields_of_every_release():
    with record() as tape:
        outputs = program(np.ones(2))
    assert [release.mechanism for release in tape] == ["laplace", "gaussian"]
    assert [release.sensitivity for release in tape] == [3, 5]
    assert [release.scale for release in tape] == [1.5, 4]
    np.testing.assert_array_equal([release.value for release in tape], [[1, 1], [2, 2]])
    np.testing.assert_array_equal([release.output for release in tape], outputs)


def test_recording_does_not_change_the_noise():
    with record():
        recorded = program(np.ones(2))
    np.testing.assert_array_equal(recorded, program(np.ones(2)))


def test_used_mechanisms_are_known_with_and_without_a_recording():
    with mechanisms_used() as alone:
        program(np.ones(2))
    with record() as tape, mechanisms_used() as recorded:
        program(np.ones(2))
    with mechanisms_used() as replayed, replay(tape) as again:
        program(np.zeros(2))
    assert alone == recorded == replayed == Usage({"laplace", "gaussian"})
    assert len(tape) == len(again) == 2
    program(np.ones(2))
    with mechanisms_used() as nothing:
        pass
    assert nothing == Usage()


def test_used_samplings_are_those_of_the_batches():
    rng = np.random.default_rng(0)
    poisson = next(poisson_batches(9, sampling_rate=1.0, steps=1, rng=rng))
    with mechanisms_used() as used:
        for draw in (ALL_RECORDS, poisson.draw, subsample(9, size=9, rng=rng).draw):
            gaussian(1.0, l2_sensitivity=1, sigma=1, rng=rng, draw=draw)
    assert used == Usage({"gaussian"}, {"poisson", "without_replacement"})


def test_nothing_is_recorded_after_the_block():
    with record() as tape:
        pass
    program(np.ones(2))
    assert len(tape) == 0


def test_a_replay_returns_the_old_outputs_and_collects_the_new_values():
    with record() as tape:
        old = program(np.ones(2))
    with replay(tape) as again:
        new = program(np.zeros(2))
    np.testing.assert_array_equal(new, old)
    np.testing.assert_array_equal([release.value for release in again], np.zeros((2, 2)))


def test_a_release_without_noise_is_on_the_tape_too():
    with record() as tape:
        laplace(np.ones(2), l1_sensitivity=3, epsilon=np.inf, rng=np.random.default_rng(0))
    assert tape[0].scale == 0


def test_a_choice_is_replayed_too():
    def choose(scores):
        return exponential(
            np.array(scores), sensitivity=1, epsilon=50, rng=np.random.default_rng(0)
        )

    with record() as tape:
        assert choose([9.0, 0.0]) == 0
    with replay(tape) as again:
        assert choose([0.0, 9.0]) == 0
    np.testing.assert_array_equal(again[0].value, [0, 9])


def test_the_tape_is_not_changed_by_what_happens_to_the_arrays_later():
    value = np.ones(2)
    with record() as tape:
        output = laplace(value, l1_sensitivity=1, epsilon=np.inf, rng=np.random.default_rng(0))
    value[0], output[1] = 8, 9
    np.testing.assert_array_equal(tape[0].value, [1, 1])
    np.testing.assert_array_equal(tape[0].output, [1, 1])


def test_what_a_replay_collects_is_a_copy():
    value = np.ones(2)
    with record() as tape:
        laplace(value, l1_sensitivity=1, epsilon=1, rng=np.random.default_rng(0))
    with replay(tape) as again:
        laplace(value, l1_sensitivity=1, epsilon=1, rng=np.random.default_rng(0))
        value[0] = 8
    np.testing.assert_array_equal(again[0].value, [1, 1])


def test_a_replayed_choice_is_the_number_that_it_was():
    with record() as tape:
        first = release("exponential", np.zeros(2), 1, sensitivity=1.0, scale=2.0)
    with replay(tape):
        again = release("exponential", np.zeros(2), 0, sensitivity=1.0, scale=2.0)
    assert (again, type(again)) == (first, int)


def test_a_refused_release_of_a_replay_is_collected_too():
    """So that a program that catches the refusal is seen to have asked."""
    with record() as tape:
        program(np.ones(2))
    with (
        replay(tape) as again,
        pytest.raises(ValueError, match="has no counterpart in the first fit"),
    ):
        laplace(np.ones(7), l1_sensitivity=1, epsilon=1, rng=np.random.default_rng(0))
    assert [entry.value.shape for entry in again] == [(7,)]


def test_a_replay_with_more_releases_than_were_recorded_fails():
    with record() as tape:
        program(np.ones(2))
    with replay(tape):
        program(np.ones(2))
        with pytest.raises(ValueError, match="has no counterpart in the first fit"):
            program(np.ones(2))


def test_a_replay_with_another_mechanism_fails():
    with record() as tape:
        laplace(np.ones(2), l1_sensitivity=1, epsilon=1, rng=np.random.default_rng(0))
    with replay(tape), pytest.raises(ValueError, match="has no counterpart in the first fit"):
        gaussian(np.ones(2), l2_sensitivity=1, sigma=1, rng=np.random.default_rng(0))


def test_a_release_says_on_which_batch_it_was_made():
    rng = np.random.default_rng(0)
    with record() as tape:
        gaussian(np.ones(2), l2_sensitivity=1, sigma=1, rng=rng)
        for batch in poisson_batches(4, sampling_rate=0.5, steps=2, rng=rng):
            gaussian(np.ones(2), l2_sensitivity=1, sigma=1, rng=rng, draw=batch.draw)
    assert [release.draw for release in tape] == [ALL_RECORDS, Draw(1, 0.5), Draw(2, 0.5)]
