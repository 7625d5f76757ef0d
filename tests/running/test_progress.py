"""A long training run shows how far it is; a short one shows nothing."""

import numpy as np
import pytest

from dpfair_cli.algorithms.training import dpsgd
from dpfair_cli.kinds.people import Domain, Records
from dpfair_cli.models.training.descent import Forgetful, kept
from dpfair_cli.running import progress
from dpfair_cli.running.checkpoints import Checkpoints
from dpfair_cli.running.progress import EpochBar


@pytest.fixture
def crowd():
    rng = np.random.default_rng(0)
    domain = Domain(("a", "b"), {"a": (0,), "b": (1,)}, ("f", "m"))
    return Records(rng.random((60, 2)), rng.integers(0, 2, 60), rng.integers(0, 2, 60), domain)


def fit(crowd, keeper):
    with kept(EpochBar("toy, dpsgd", keeper)):
        return dpsgd.fit(crowd, epochs=4, batch_size=20, rng=np.random.default_rng(3))


def test_a_short_run_shows_nothing(crowd, capsys):
    fit(crowd, Forgetful())
    assert capsys.readouterr() == ("", "")


def test_a_long_run_shows_its_epochs(crowd, capsys, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS", 0.0)
    fit(crowd, Forgetful())
    shown = capsys.readouterr().err
    assert "toy, dpsgd" in shown
    assert "4/4" in shown
    assert "epoch" in shown


def test_a_run_that_goes_on_begins_where_it_was(crowd, capsys, monkeypatch, tmp_path):
    from dpfair_cli.running import checkpoints

    monkeypatch.setattr(checkpoints, "LONG_SECONDS", 0.0)
    model = fit(crowd, Checkpoints(tmp_path, "source", crowd))
    monkeypatch.setattr(progress, "SECONDS", 0.0)
    again = fit(crowd, Checkpoints(tmp_path, "source", crowd))
    np.testing.assert_array_equal(again.weights, model.weights)
    assert "0/4" not in capsys.readouterr().err
