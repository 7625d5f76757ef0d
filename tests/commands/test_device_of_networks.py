"""Commands that train networks on a device: an absent one, and a fake one."""

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli.commands.check import checksum_mismatches  # noqa: E402
from dpfair_cli.diff.runs import Causes, read_runs  # noqa: E402
from dpfair_cli.reproduction.artefact import Artefact  # noqa: E402
from dpfair_cli.reproduction.runs import RunOptions  # noqa: E402
from dpfair_cli.running import runner  # noqa: E402
from tests.code_lock.rerun import Committed  # noqa: E402
from tests.commands.own_networks import (  # noqa: E402
    NETWORK,
    OWN,
    SWEEP,
    last_line,
    run,
    write_table,
)
from tests.fake_device import FAKE, fake_device  # noqa: E402
from tests.running import own_sweeps  # noqa: E402

NOTE = "Networks were trained on the device fake"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    write_table(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def fake(monkeypatch):
    with fake_device(monkeypatch) as log:
        yield log


@pytest.fixture
def shown(folder, fake):
    """An artefact whose network was trained on the fake device."""
    spec = own_sweeps.sweep(folder, ("adversarial_debiasing",), seeds=1, epochs=1, batch_size=20)
    own_sweeps.run(spec, folder, device=FAKE)
    return Artefact(spec, RunOptions(folder, folder, collect=True))


def journal(results):
    (file,) = results.glob("sweeps/*/runs.jsonl")
    return file


@pytest.mark.parametrize(
    "command", [("train", *OWN, *NETWORK), SWEEP, ("table", "xu2021/table6.2", "--dry-run")]
)
def test_an_absent_device_is_refused_before_any_work(command, folder, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    answer = run(*command, "--device", "cuda", code=2)
    assert "finds no device cuda on this machine: give one of the devices" in last_line(answer)
    assert answer.stdout == ""
    assert not (folder / "results").exists()


def test_a_sweep_says_on_which_device_its_networks_were_trained(folder, fake):
    table = run(*SWEEP, "--device", "fake").stdout
    assert NOTE in table
    rows = [json.loads(line) for line in journal(folder / "results").read_text().splitlines()]
    named = {row["algorithm"]: row.get("device") for row in rows}
    assert named.pop("adversarial_debiasing") == "fake"
    assert {*named.values()} == {None}  # the references are no networks


@pytest.mark.usefixtures("fake")
def test_a_model_file_names_the_device_unless_it_is_the_processor():
    train = ("train", *OWN, *NETWORK, "--seed", "1", "--save")
    run(*train, "fake.json", "--device", "fake")
    run(*train, "cpu.json")
    run(*train, "named.json", "--device", "cpu")
    assert json.loads(Path("fake.json").read_text())["device"] == "fake"
    assert b"device" not in Path("cpu.json").read_bytes()
    assert Path("cpu.json").read_bytes() == Path("named.json").read_bytes()
    run("predict", "fake.json", "own.csv")


def test_a_sweep_on_another_device_needs_another_folder(folder, fake):
    run(*SWEEP, "--device", "fake")
    before = journal(folder / "results").read_bytes()
    answer = run(*SWEEP, code=2)
    assert "a table has one device: give --device fake, or --out with another" in last_line(answer)
    assert journal(folder / "results").read_bytes() == before
    assert NOTE not in run(*SWEEP, "--out", "others").stdout
    assert b"device" not in journal(folder / "others").read_bytes()


def test_a_model_is_trained_on_the_device_and_predicts_without_it(folder, fake):
    run("train", *OWN, *NETWORK, "--device", "fake", "--save", "model.json")
    used = fake.places
    assert used
    run("predict", "model.json", "own.csv", "--out", "decisions.csv")
    assert fake.places == used


def test_bytes_of_networks_on_a_device_are_not_checked(shown, capsys):
    assert checksum_mismatches([shown]) == []
    assert "verdicts are compared, and not the bytes of the journal" in capsys.readouterr().err


def test_the_lock_does_not_repeat_networks_of_a_device(shown):
    (planned,) = shown.runs.planned
    batch = runner.RunBatch(shown.runs.located[planned.run.dataset], (planned,), shown.folder)
    row = shown.runs.journal.rows[planned.key]
    obstacle = Committed(shown.spec.artefact, row, batch).obstacle
    assert obstacle == "rows of the device fake are compared by their verdicts"


def test_a_comparison_names_the_device_as_a_cause(folder, shown):
    own_sweeps.run(shown.spec, folder / "here")
    here, there = own_sweeps.journal(folder / "here"), shown.runs.journal.path
    before, after = map(tuple, read_runs([here, there]))
    assert before[0].setting.key_without_versions == after[0].setting.key_without_versions
    assert Causes([]).of(before, after)[0] == "option: device cpu -> fake"
