"""Methods whose steps can be resumed: cut off at any epoch, they end with the same bytes."""

import pickle

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.batches import poisson_batches
from dpfair_cli.models.training.epochs import take_steps
from dpfair_cli.papers.ficiu2023.tasks import record_placement
from dpfair_cli.running import checkpoints
from dpfair_cli.running.checkpoints import Checkpoints

EPOCHS = 4
METHODS = (
    "adam_descent",
    "dp_fermi",
    "dp_fermi_all_attributes",
    "dpsgd_adam",
    "dpsgd_with_flips",
    "pfairdp",
)


class Cut(Exception):  # noqa: N818 - a kill is no error
    """The process ends here."""


@pytest.fixture(autouse=True)
def every_epoch_is_long(monkeypatch):
    monkeypatch.setattr(checkpoints, "LONG_SECONDS", 0.0)


def crowd(n=90):
    rng = np.random.default_rng(0)
    X, groups = rng.random((n, 3)), rng.integers(0, 2, n)
    X[:, 2] = groups  # the feature "c" is that of group 1 alone,
    X[17, 2], groups[17] = 1.0, 0  # but for one record
    domain = Domain(("a", "b", "c"), {"a": (0,), "b": (1,), "c": (2,)}, ("women", "men"))
    return Records(X, (X[:, 0] > 0.5).astype(np.int64), groups, domain)


def bound(name, context, **options):
    algorithm = catalog.algorithm(name)
    params = algorithm.complete({"epochs": EPOCHS, "batch_size": 16} | options)
    return BoundFit(name, algorithm, params, context)


def context_in(folder, data, *, stop=EPOCHS + 1, seen=None):
    """A context with checkpoints, whose progress display ends the process in epoch `stop`."""

    def progress(states, *, epochs, done):
        for state in states:
            if state.epoch == stop:
                raise Cut
            (seen if seen is not None else []).append((state.epoch, epochs, done))
            yield state

    return TrainingContext(checkpoints=Checkpoints(folder, "source", data), progress=progress)


def fitted(name, context, data):
    """The bytes of the fitted model, and a number that is drawn after the fit."""
    rng = np.random.default_rng(3)
    return pickle.dumps(bound(name, context)(data, rng=rng)), rng.random()


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("stop", [1, 3, EPOCHS])
def test_a_method_that_was_cut_off_ends_with_the_same_bytes(name, stop, tmp_path):
    data, seen = crowd(), []
    with pytest.raises(Cut):
        fitted(name, context_in(tmp_path, data, stop=stop), data)
    again = fitted(name, context_in(tmp_path, data, seen=seen), data)
    assert again == fitted(name, NO_CONTEXT, data)
    assert seen == [(epoch, EPOCHS, stop - 1) for epoch in range(stop, EPOCHS + 1)]


@pytest.mark.parametrize("name", METHODS)
def test_a_finished_method_is_not_trained_again(name, tmp_path):
    data, seen = crowd(), []
    first = fitted(name, context_in(tmp_path, data), data)
    assert fitted(name, context_in(tmp_path, data, seen=seen), data) == first
    assert seen == []


def walk(start, rng, context, epochs=3):
    """A random walk of three steps an epoch, whose noise and batches share one generator."""

    def step(iterate, batch):
        return (iterate[0] + batch.rows.sum() + rng.normal(),)

    batches = poisson_batches(10, sampling_rate=0.5, steps=3 * epochs, rng=rng)
    (last,) = take_steps(
        (start,), step, batches, epochs=epochs, steps_per_epoch=3, context=context, rng=rng
    )
    return float(last)


def test_a_walk_is_the_loop_over_all_batches():
    rng, total = np.random.default_rng(1), 0.0
    for batch in poisson_batches(10, sampling_rate=0.5, steps=9, rng=rng):
        total = total + batch.rows.sum() + rng.normal()
    assert walk(np.zeros(()), np.random.default_rng(1), NO_CONTEXT) == total


def test_steps_neither_change_their_start_nor_are_measured():
    start, measured = np.zeros(()), []
    context = TrainingContext(measure=measured.append, on_finished=measured.append)
    walk(start, np.random.default_rng(1), context)
    assert start == 0
    assert measured == []


def test_placements_of_a_record_have_separate_checkpoints(tmp_path):
    """All three fits have one generator: one checkpoint would serve the fits to other records."""
    case = record_placement.split(crowd(), column="c", rng=np.random.default_rng(3))
    curves = []
    for context in (NO_CONTEXT, context_in(tmp_path, case.train)):
        fit = bound("pfairdp", context, epsilon=50.0, gaps=(-1.0, 1.0))
        outcome = record_placement.study(fit, case, rng=np.random.default_rng(4))
        curves.append(repr(outcome.curves))
    assert curves[0] == curves[1]
    assert len(list(tmp_path.glob("*.npz"))) == 3
