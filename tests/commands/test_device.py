"""What the option --device refuses, with and without torch."""

import sys

import pytest

from tests.commands.own_networks import NETWORK, OWN, last_line, run, write_table


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    write_table(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", ["train", "table", "plot", "reproduce", "sweep"])
def test_the_help_names_the_devices(command):
    assert "--device [cpu|cuda|mps]" in run(command, "--help").output


def test_an_unknown_device_is_refused():
    answer = run("train", *OWN, *NETWORK, "--device", "gpu", code=2)
    assert last_line(answer).endswith("'gpu' is not one of 'cpu', 'cuda', 'mps'.")


@pytest.mark.parametrize("command", ["train", "sweep"])
def test_a_device_without_a_network_is_refused(command, monkeypatch):
    monkeypatch.setattr("dpfair_cli.contracts.training_context.Device.require", lambda device: None)
    answer = run(command, *OWN, "--method", "logistic_regression", "--device", "cuda", code=2)
    assert last_line(answer).endswith("so --device cuda has no effect: leave it out")


def test_a_device_without_torch_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    answer = run("train", *OWN, *NETWORK, "--device", "cuda", code=2)
    assert last_line(answer) == "Error: --device cuda needs torch: pip install torch"


def test_the_processor_can_be_named():
    assert "accuracy" in run("train", *OWN, "--method", "pflr", "--device", "cpu").output
