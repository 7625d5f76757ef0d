"""A long training run shows how far it is; a short one shows nothing."""

import numpy as np
import pytest

from dpfair_cli.algorithms.training import dpsgd
from dpfair_cli.contracts.training_context import NO_CHECKPOINTS, TrainingContext, TrainingState
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.running import checkpoints, progress
from dpfair_cli.running.checkpoints import Checkpoints
from dpfair_cli.running.plan import EndedRun
from dpfair_cli.running.progress import EpochBar


@pytest.fixture
def crowd():
    rng = np.random.default_rng(0)
    domain = Domain(("a", "b"), {"a": (0,), "b": (1,)}, ("f", "m"))
    return Records(rng.random((60, 2)), rng.integers(0, 2, 60), rng.integers(0, 2, 60), domain)


@pytest.fixture
def terminal(monkeypatch):
    """Somebody looks, and even a short run is shown."""
    monkeypatch.setattr(progress, "on_terminal", lambda: True)
    monkeypatch.setattr(progress, "SECONDS", 0.0)


def fit(crowd, store=NO_CHECKPOINTS):
    context = TrainingContext(checkpoints=store, progress=EpochBar("toy, dpsgd"))
    return dpsgd.fit(crowd, epochs=4, batch_size=20, context=context, rng=np.random.default_rng(3))


def test_a_short_run_shows_nothing(crowd, capsys):
    fit(crowd)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("terminal")
def test_a_long_run_shows_its_epochs(crowd, capsys):
    fit(crowd)
    shown = capsys.readouterr().err
    assert "toy, dpsgd" in shown
    assert "4/4" in shown
    assert "epoch" in shown


def test_a_run_that_goes_on_begins_where_it_was(crowd, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(checkpoints, "LONG_SECONDS", 0.0)
    model = fit(crowd, Checkpoints(tmp_path, "source", crowd))
    monkeypatch.setattr(progress, "SECONDS", 0.0)
    monkeypatch.setattr(progress, "on_terminal", lambda: True)
    again = fit(crowd, Checkpoints(tmp_path, "source", crowd))
    np.testing.assert_array_equal(again.weights, model.weights)
    assert "0/4" not in capsys.readouterr().err


@pytest.mark.usefixtures("terminal")
def test_the_numbers_of_a_state_stand_behind_the_bar(capsys):
    states = (TrainingState(k, {}, {}, numbers={"critic": k / 8}) for k in (1, 2))
    assert [state.epoch for state in EpochBar("toy, gan")(states, epochs=2, done=0)] == [1, 2]
    assert "critic=0.25" in capsys.readouterr().err


@pytest.mark.usefixtures("terminal")
def test_a_run_that_fails_leaves_no_bar_behind(capsys):
    def failing():
        yield TrainingState(1, {}, {})
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        list(EpochBar("toy")(failing(), epochs=2, done=0))
    assert capsys.readouterr().err.endswith("\r")  # the line is empty again


def test_without_a_terminal_there_are_plain_lines(crowd, capsys, monkeypatch):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    fit(crowd)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(", accuracy")[0] for line in lines] == [
        f"toy, dpsgd: {k} of 4 epochs" for k in (1, 2, 3, 4)
    ]
    assert "\r" not in "".join(lines)


def test_a_line_says_how_many_minutes_are_left(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "time", lambda: now[0])
    lines = progress.Lines(total=10, desc="toy", unit="run")
    now[0] = progress.LINE_SECONDS - 1
    lines.update(1)
    assert capsys.readouterr().err == ""
    now[0] = 60.0
    lines.update(1)
    assert capsys.readouterr().err == "toy: 2 of 10 runs, about 4 minutes more\n"


@pytest.mark.parametrize(
    ("seconds", "words"), [(84.0, "80 seconds"), (176.0, "180 seconds"), (200.0, "3 minutes")]
)
def test_a_short_rest_is_said_in_seconds(seconds, words):
    assert progress.describe_left(seconds) == f"about {words} more"


def ended(method, setting, seconds=0.0):
    return EndedRun(method, setting, seconds)


@pytest.fixture
def clock(monkeypatch):
    """A clock in seconds, which a test moves."""
    now = [1000.0]
    monkeypatch.setattr(progress.time, "time", lambda: now[0])
    return now


def test_the_rest_is_estimated_by_method_and_not_by_number_of_runs(clock):
    """Ten runs of a slow method and ninety of a fast one: the fast ones come first."""
    runs = [ended("fast", f"epsilon {k % 3}") for k in range(90)] + [ended("slow", "")] * 10
    pace = progress.Pace(runs)
    clock[0] += 1
    pace.end([ended("fast", "epsilon 0", 0.01)])
    assert pace.left(1, 100) is None  # no run of the slow method has ended
    clock[0] += 10
    pace.end([ended("slow", "", 10.0)])
    # 29 + 60 fast ones, of which 60 have another epsilon, and 9 slow ones
    assert pace.left(2, 100) == pytest.approx(89 * 0.01 + 9 * 10, rel=0.01)


def test_several_processes_end_sooner(clock):
    pace = progress.Pace([ended("m", "")] * 8)
    clock[0] += 100  # libraries and data are loaded
    pace.end([ended("m", "", 10.0)])
    pace.end([ended("m", "", 10.0)])
    assert pace.left(2, 8) == pytest.approx(30)


def test_steps_with_a_limit_of_time_end_there(clock):
    left = progress.steady(limit=60)
    assert left(0, 2000) is None
    clock[0] += 20
    assert left(100, 2000) == 40  # and not 380
    assert left(1900, 2000) == pytest.approx(20 / 19)
    clock[0] += 50
    assert left(150, 2000) == 0


@pytest.mark.usefixtures("terminal")
def test_a_bar_in_a_terminal_shows_the_same_rest(clock, capsys):
    with progress.bar(total=10, desc="toy", left=lambda done, total: 120.0) as shown:
        clock[0] += 5
        shown.update(1)
        shown.refresh()
    assert "<02:00" in capsys.readouterr().err


def test_the_rest_is_told_when_it_is_known(clock, capsys):
    known = [None]
    lines = progress.Lines(total=10, left=lambda done, total: known[0])
    progress.advance(lines, 2)
    assert capsys.readouterr().err == ""
    known[0] = 300.0
    progress.advance(lines, 1, "stop at any time", of="table1 (1 of 5)")
    progress.advance(lines, 1, "stop at any time")
    said = "table1 (1 of 5): about 5 minutes more; stop at any time\n"
    assert capsys.readouterr().err == said
