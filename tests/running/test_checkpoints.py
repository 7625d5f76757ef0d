"""A training run that was cut off at any epoch goes on from there and ends with the same bytes."""

from dataclasses import replace

import numpy as np
import pytest

from dpfair_cli import catalog
from dpfair_cli.algorithms.training import (
    dpsgd,
    dpsgd_f,
    dpsgd_global_adapt,
    dpsgd_quantile,
    naive_dpsgd,
    sgd,
)
from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.contracts.specs import Run
from dpfair_cli.contracts.training_context import TrainingContext
from dpfair_cli.data_access import Located
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.training.schedule import PlannedSteps
from dpfair_cli.running import checkpoints, plan, runner
from dpfair_cli.running.checkpoints import Checkpoints
from dpfair_cli.running.rows import SettingFields, line
from dpfair_cli.running.runner import RunBatch
from dpfair_cli.tasks import private_training, training_curves
from tests.toy_specs import data_set

OPTIONS = {"epochs": 4, "batch_size": 30, "momentum": 0.5}


class Cut(Exception):  # noqa: N818 - a kill is no error
    """The process ends here."""


@pytest.fixture(autouse=True)
def every_epoch_is_long(monkeypatch):
    monkeypatch.setattr(checkpoints, "LONG_SECONDS", 0.0)


@pytest.fixture
def crowd():
    rng = np.random.default_rng(0)
    X = rng.random((200, 3))
    domain = Domain(("a", "b", "c"), {"a": (0,), "b": (1,), "c": (2,)}, ("f", "m"))
    return Records(X, (X[:, 0] > 0.5).astype(np.int64), rng.integers(0, 2, 200), domain)


def bound(module, params, store, **given):
    """The algorithm of a module with parameters and a context."""
    return BoundFit(
        module.__name__.split(".")[-1],
        module.ALGORITHM,
        params,
        TrainingContext(checkpoints=store, **given),
    )


def fit(module, crowd, store, stop=0, **options):
    """The weights and what was measured at each epoch; cut off after `stop` epochs, if any."""
    finished = []

    def measure(descent):
        if stop and descent.epoch == stop + 1:
            raise Cut
        return [descent.epoch, float(descent.parameters[0]), descent.mean_bounds.tolist()]

    method = bound(module, OPTIONS | options, store, measure=measure, on_finished=finished.append)
    return method(crowd, rng=np.random.default_rng(3)).weights, finished[-1].measurements


@pytest.mark.parametrize("batches", ["poisson", "shuffled"])
@pytest.mark.parametrize(
    "module", [sgd, dpsgd, dpsgd_f, naive_dpsgd, dpsgd_global_adapt, dpsgd_quantile]
)
@pytest.mark.parametrize("stop", [1, 3])
def test_a_run_that_was_cut_off_ends_with_the_same_bytes(module, batches, stop, crowd, tmp_path):
    whole = fit(module, crowd, Checkpoints(tmp_path / "other", "source", crowd), batches=batches)
    with pytest.raises(Cut):
        fit(module, crowd, Checkpoints(tmp_path, "source", crowd), stop, batches=batches)
    again = fit(module, crowd, Checkpoints(tmp_path, "source", crowd), batches=batches)
    np.testing.assert_array_equal(again[0], whole[0])
    assert again[1] == whole[1]


def test_only_the_epochs_that_are_left_are_trained(crowd, tmp_path, monkeypatch):
    with pytest.raises(Cut):
        fit(dpsgd, crowd, Checkpoints(tmp_path, "source", crowd), stop=3)
    steps = []
    original = dpsgd.gaussian
    monkeypatch.setattr(
        dpsgd, "gaussian", lambda *a, **k: steps.append(k["draw"].step) or original(*a, **k)
    )
    fit(dpsgd, crowd, Checkpoints(tmp_path, "source", crowd))
    assert steps == list(range(21, 28))  # ceil(200 k / 30) steps are done after epoch k


def test_other_data_or_settings_are_another_run(crowd, tmp_path, monkeypatch):
    others = Records(crowd.X, 1 - crowd.y, crowd.protected, crowd.domain)
    fit(dpsgd, crowd, Checkpoints(tmp_path, "source", crowd))
    fit(dpsgd, crowd, Checkpoints(tmp_path, "another", crowd))
    fit(dpsgd, others, Checkpoints(tmp_path, "source", others))
    fit(dpsgd, crowd, Checkpoints(tmp_path, "source", crowd), clip_norm=0.7)
    fit(dpsgd, crowd, Checkpoints(tmp_path, "source", crowd), intercept="without")
    fit(dpsgd_f, crowd, Checkpoints(tmp_path, "source", crowd))
    assert len(list(tmp_path.glob("*.npz"))) == 6
    fit(dpsgd, crowd, Checkpoints(tmp_path, "source", crowd))
    assert len(list(tmp_path.glob("*.npz"))) == 6
    monkeypatch.setattr(
        dpsgd, "ALGORITHM", replace(dpsgd.ALGORITHM, version=dpsgd.ALGORITHM.version + 1)
    )
    fit(dpsgd, crowd, Checkpoints(tmp_path, "source", crowd))
    assert len(list(tmp_path.glob("*.npz"))) == 7


@pytest.mark.deep
def test_a_run_that_has_ended_serves_every_task_that_looks_at_the_same(tmp_path, monkeypatch):
    images = pictures()
    case = private_training.GroupSplit(
        images, pictures(~images.held_out), np.zeros(11), np.array([2, 8]), {}
    )

    def study(task, folder):
        method = bound(
            dpsgd_f, {"epochs": 2, "batch_size": 8}, Checkpoints(folder, "source", images)
        )
        outcome = task.study(
            method, replace(case, reference_methods={}), rng=np.random.default_rng(3)
        )
        return {**outcome.scores, **outcome.curves}

    table, curves = study(private_training, tmp_path), study(training_curves, tmp_path / "other")
    monkeypatch.setattr(
        PlannedSteps, "draw", lambda self, rng: iter(())
    )  # nobody trains or measures from here on
    monkeypatch.setattr(private_training, "_gradients", None)
    assert study(training_curves, tmp_path) == curves
    assert repr(study(private_training, tmp_path / "other")) == repr(table)  # NaN is no number


def test_what_is_put_aside_serves_nobody(tmp_path):
    (tmp_path / checkpoints.FOLDER).mkdir()
    (tmp_path / checkpoints.FOLDER / "a.npz").write_bytes(b"1")
    for _ in range(2):  # once with, once without anything to put aside
        checkpoints.put_aside(tmp_path)
        assert [file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.npz")] == [
            "checkpoints.old/a.npz"
        ]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 half a file"])
def test_a_file_that_cannot_be_read_is_no_state(content, crowd, tmp_path):
    whole = fit(dpsgd, crowd, Checkpoints(tmp_path, "source", crowd))
    (file,) = tmp_path.glob("*.npz")
    file.write_bytes(content)
    np.testing.assert_array_equal(
        fit(dpsgd, crowd, Checkpoints(tmp_path, "source", crowd))[0], whole[0]
    )


def test_short_runs_leave_nothing(crowd, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "LONG_SECONDS", 60.0)
    fit(dpsgd, crowd, Checkpoints(tmp_path, "source", crowd))
    assert list(tmp_path.iterdir()) == []


def test_the_runner_resumes_a_curve_and_its_row_is_the_same(crowd, tmp_path, monkeypatch):
    def planned():
        task, method = catalog.task("training_curves"), catalog.method("dpsgd_f", OPTIONS)
        run = Run(task, data_set("toy"), method, 0)
        names = ("dataset", "options", "data", "task", "protocol")
        row = dict(zip(names, names, strict=True))
        return plan.PlannedRun(run, SettingFields(row), "not run yet")

    monkeypatch.setattr(runner, "_load_data", lambda located: crowd)
    located = Located(data_set("toy"), tmp_path, "", replica=False)
    batch = RunBatch(located, (planned(),), tmp_path / "checkpoints")
    whole = runner.work(replace(batch, checkpoints=tmp_path / "other")).rows
    runner._last_case.clear()
    draw = PlannedSteps.draw

    def cut(self, rng):
        for batch in draw(self, rng):
            if batch.draw.step == 15:
                raise Cut
            yield batch

    with monkeypatch.context() as patch:
        patch.setattr(PlannedSteps, "draw", cut)
        assert len(runner.work(batch).failures) == 1
    runner._last_case.clear()
    assert [*map(line, runner.work(batch).rows)] == [*map(line, whole)]
    runner._last_case.clear()


def pictures(held_out=np.zeros(24, bool)):  # noqa: B008
    """24 pictures of noise in 10 classes."""
    pytest.importorskip("torch", reason="torch is not here: pip install torch")
    rng, names = np.random.default_rng(0), tuple(f"class{k}" for k in range(10))
    y = rng.permutation(np.arange(24) % 10)
    X = rng.integers(0, 256, (24, 784)).astype(np.uint8)
    return Images(X, y, y.copy(), held_out, (28, 28), names, Domain((), {}, names))


@pytest.mark.deep
def test_a_network_that_was_cut_off_ends_with_the_same_bytes(tmp_path):
    images = pictures()

    def parameters(folder, stop=0):
        def measure(descent):
            if stop and descent.epoch == stop + 1:
                raise Cut

        params = {"epochs": 3, "batch_size": 8, "momentum": 0.5}
        method = bound(dpsgd_f, params, Checkpoints(folder, "source", images), measure=measure)
        return method(images, rng=np.random.default_rng(3)).parameters

    whole = parameters(tmp_path / "other")
    with pytest.raises(Cut):
        parameters(tmp_path, stop=2)
    np.testing.assert_array_equal(parameters(tmp_path), whole)
