"""The device of networks: names, identity of fits, and the statement of arithmetic."""

import sys

import pytest

from dpfair_cli.algorithms.training import sgd
from dpfair_cli.contracts.declarations import Algorithm, BoundFit
from dpfair_cli.contracts.training_context import CPU, NAMES, Device, TrainingContext
from dpfair_cli.provenance import arithmetic


def named(device):
    """The name of a fit, by which checkpoints are found, on a device."""

    def fit(data, *, context, rng):
        return context.fit_name

    context = TrainingContext(device=device)
    return BoundFit("sgd", Algorithm(fit, source=sgd.ALGORITHM.source), {}, context)(None, rng=None)


def test_only_the_processor_is_the_processor():
    assert [name for name in NAMES if Device(name).is_processor] == ["cpu"]


def test_the_processor_is_always_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    CPU.require()


def test_checkpoints_of_two_devices_have_different_names():
    assert named(CPU) == "sgd 1 {}"
    assert named(Device("cuda")) == "sgd 1 {} on cuda"


def test_the_statement_of_arithmetic_names_an_accelerator():
    plain = arithmetic.statement()
    assert "device" not in plain
    assert arithmetic.statement("cuda") == plain + "device of networks: cuda\n"


def test_the_arithmetic_of_this_machine_names_its_devices(monkeypatch):
    monkeypatch.setattr("dpfair_cli.contracts.training_context.available", lambda: ["cpu", "mps"])
    assert arithmetic.in_words()[-1] == "devices of networks: cpu, mps"


def test_without_torch_the_arithmetic_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert arithmetic.in_words()[-1] == "devices of networks: torch is not installed"


@pytest.mark.deep
def test_an_accelerator_adds_up_the_same_way_in_every_run(monkeypatch):
    torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
    flags = torch.backends.cudnn
    monkeypatch.setattr("dpfair_cli.contracts.training_context.available", lambda: ["cpu", "cuda"])
    for name, unwanted in {"allow_tf32": True, "deterministic": False, "benchmark": True}.items():
        monkeypatch.setattr(flags, name, unwanted)
    Device("cuda").require()
    assert (flags.allow_tf32, flags.deterministic, flags.benchmark) == (False, True, False)
