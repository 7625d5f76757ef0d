"""The loop over epochs serves any training: two toy networks resume to the same bytes."""

import os
import signal
from copy import deepcopy
from multiprocessing import get_context

import numpy as np
import pytest

from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext, TrainingState
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.training.epochs import run_epochs
from dpfair_cli.running import checkpoints
from dpfair_cli.running.checkpoints import Checkpoints

EPOCHS = 5
SAMPLE = Observations(np.zeros((3, 1), dtype=np.int64), ("a",), (2,))


class Cut(Exception):  # noqa: N818 - a kill is no error
    """The process ends here."""


@pytest.fixture(autouse=True)
def every_epoch_is_long(monkeypatch):
    monkeypatch.setattr(checkpoints, "LONG_SECONDS", 0.0)


def adversarial(context, seed=0):
    """The last state of a generator and a critic that climb and descend (x - c) g, with noise."""
    rng = np.random.default_rng(seed)
    (noise,) = rng.spawn(1)
    begin = {
        "generator": np.array(1.0),
        "generator_moment": np.array(0.0),
        "critic": np.zeros(2, dtype=np.float32),
    }

    def epochs(state):
        noise.bit_generator.state = state.facts["noise"]
        arrays, losses = dict(state.arrays), list(state.facts["losses"])
        for epoch in range(state.epoch + 1, EPOCHS + 1):
            critic = arrays["critic"] + np.array(
                [0.1 * arrays["generator"], noise.normal()], dtype=np.float32
            )
            moment = np.asarray(0.9 * arrays["generator_moment"] + critic.sum())
            arrays = {
                "generator": arrays["generator"] - 0.1 * moment,
                "generator_moment": moment,
                "critic": critic,
            }
            losses.append(float(critic.sum()))
            facts = {
                "noise": noise.bit_generator.state,
                "losses": list(losses),
                "optimisers": {"critic": "adam"},
            }
            yield TrainingState(epoch, arrays, facts, numbers={"critic": losses[-1]})

    start = TrainingState(0, begin, {"noise": noise.bit_generator.state, "losses": []})
    return run_epochs(start, epochs, epochs=EPOCHS, context=context, rng=rng)


def content(state):
    return (
        state.epoch,
        state.facts,
        {name: (array.dtype, array.tobytes()) for name, array in state.arrays.items()},
    )


def context_of(folder, measure=lambda state: state.epoch, finished=lambda found: None, **given):
    store = Checkpoints(folder, "source", SAMPLE)
    return TrainingContext("toy", store, measure=measure, on_finished=finished, **given)


@pytest.mark.parametrize("stop", [1, 2, EPOCHS])
def test_two_networks_that_were_cut_off_end_with_the_same_bytes(stop, tmp_path):
    def cut(state):
        if state.epoch == stop:
            raise Cut
        return state.epoch

    whole, found = adversarial(NO_CONTEXT), []
    with pytest.raises(Cut):
        adversarial(context_of(tmp_path, cut))
    again = adversarial(context_of(tmp_path, finished=found.append))
    assert content(again) == content(whole)
    assert found[0].measurements == [1, 2, 3, 4, 5]
    assert content(found[0].last) == content(whole)


def kill(state):
    if state.epoch == 3:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_was_killed_leaves_a_state_to_go_on_from(tmp_path):
    process = get_context("fork").Process(target=adversarial, args=(context_of(tmp_path, kill),))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    measured = []
    again = adversarial(context_of(tmp_path, lambda state: measured.append(state.epoch)))
    assert content(again) == content(adversarial(NO_CONTEXT))
    assert measured == [3, 4, 5]


def test_two_processes_may_be_at_the_same_run(tmp_path):
    """Each writes a state whenever the other measures; the end of the run is what remains."""

    def both(state):
        if state.epoch < EPOCHS:
            adversarial(context_of(tmp_path))

    found = adversarial(context_of(tmp_path, both))
    assert content(found) == content(adversarial(NO_CONTEXT))
    assert [file.suffixes for file in tmp_path.iterdir()] == [[".npz"]]
    again = adversarial(context_of(tmp_path, kill))  # nothing is left to measure
    assert content(again) == content(found)


def test_a_run_that_has_ended_is_not_trained_again(tmp_path):
    adversarial(context_of(tmp_path))
    begun = []
    adversarial(context_of(tmp_path, measure=begun.append))
    assert begun == []


def test_another_fit_measurement_or_seed_is_another_run(tmp_path):
    adversarial(context_of(tmp_path))
    adversarial(context_of(tmp_path, measurement_name="losses"))
    adversarial(context_of(tmp_path), seed=1)
    adversarial(TrainingContext("toy 2", Checkpoints(tmp_path, "source", SAMPLE)))
    assert len(list(tmp_path.iterdir())) == 4


def test_two_runs_from_one_generator_are_two_runs(tmp_path):
    """Spawning does not change the generator's state, which alone would make the runs one."""

    def run(rng):
        start = TrainingState(0, {"w": np.zeros(1)}, {})
        (child,) = rng.spawn(1)

        def epochs(state):
            if state.epoch == 0:
                yield TrainingState(1, {"w": child.integers(1000, size=1)}, {})

        return int(
            run_epochs(start, epochs, epochs=1, context=context_of(tmp_path), rng=rng).arrays["w"][
                0
            ]
        )

    rng = np.random.default_rng(0)
    twin = deepcopy(rng)
    first = [run(rng), run(rng)]
    assert first[0] != first[1]
    assert [run(twin), run(twin)] == first
    assert len(list(tmp_path.iterdir())) == 2
