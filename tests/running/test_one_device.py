"""Rows of networks name their device, and rows of two devices are not mixed."""

import json
import lzma
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="torch is not here: pip install torch")
pytestmark = pytest.mark.deep

from dpfair_cli.contracts.errors import DpfairError  # noqa: E402
from dpfair_cli.contracts.training_context import CPU  # noqa: E402
from dpfair_cli.reproduction.artefact import Artefact  # noqa: E402
from dpfair_cli.reproduction.runs import RunOptions  # noqa: E402
from dpfair_cli.running.journal import Journal  # noqa: E402
from dpfair_cli.running.plan import made_on  # noqa: E402
from dpfair_cli.running.rows import device_of  # noqa: E402
from tests.fake_device import FAKE, fake_device  # noqa: E402
from tests.running import own_sweeps  # noqa: E402

METHODS = ("adversarial_debiasing", "logistic_regression")
SHORT = {"epochs": 1, "batch_size": 20}


@pytest.fixture
def fake(monkeypatch):
    with fake_device(monkeypatch) as log:
        yield log


@pytest.fixture
def spec(tmp_path):
    """A network and a method without one, with two seeds."""
    (tmp_path / "own.csv").write_text(own_sweeps.table(), encoding="utf-8")
    (tmp_path / "domain.yaml").write_text(own_sweeps.DOMAIN, encoding="utf-8")
    return own_sweeps.sweep(tmp_path, METHODS, seeds=2, **SHORT)


def made(spec, out, device, **how):
    """The rows of the journal after the runs on a device, by method."""
    lines, failures = own_sweeps.run(spec, out, device=device, **how)
    assert not failures
    found = {}
    for line in lines.decode().splitlines():
        row = json.loads(line)
        found.setdefault(row["algorithm"], []).append(row)
    return found


def test_only_rows_of_networks_name_their_device(spec, tmp_path, fake):
    rows = made(spec, tmp_path / "there", FAKE)
    assert {row["device"] for row in rows["adversarial_debiasing"]} == {"fake"}
    assert not any("device" in row for row in rows["logistic_regression"])
    assert fake.places


def test_rows_of_the_processor_name_no_device(spec, tmp_path, fake):
    rows = made(spec, tmp_path / "here", CPU)
    assert not any("device" in row for own in rows.values() for row in own)
    assert not fake.places


def test_methods_without_a_network_have_the_same_bytes_on_all_devices(spec, tmp_path, fake):
    there, here = (made(spec, tmp_path / one.name, one) for one in (FAKE, CPU))
    assert there["logistic_regression"] == here["logistic_regression"]


def test_the_device_is_read_from_the_row_that_a_journal_keeps(spec, tmp_path, fake):
    made(spec, tmp_path / "there", FAKE)
    journal = Journal(own_sweeps.journal(tmp_path / "there"))
    devices = [device_of(row) for row in journal.rows.values()]
    assert sorted(device.name for device in devices) == ["cpu", "cpu", "fake", "fake"]
    assert made_on(spec, journal) == {FAKE}


@pytest.mark.parametrize(("first", "second"), [(CPU, FAKE), (FAKE, CPU)])
def test_networks_of_two_devices_are_not_mixed(spec, tmp_path, fake, first, second):
    made(spec, tmp_path, first)
    before = own_sweeps.journal(tmp_path).read_bytes()
    with pytest.raises(DpfairError) as caught:
        own_sweeps.artefact(spec, tmp_path, device=second)
    assert f"give --device {first.name}, or --out with another folder" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert own_sweeps.journal(tmp_path).read_bytes() == before


def test_fresh_runs_may_be_made_on_another_device(spec, tmp_path, fake):
    made(spec, tmp_path, CPU)
    rows = made(spec, tmp_path, FAKE, fresh=True)
    assert {row["device"] for row in rows["adversarial_debiasing"]} == {"fake"}


def test_a_journal_without_networks_takes_any_device(spec, tmp_path, fake):
    plain = replace(spec, methods=tuple(one for one in spec.methods if not one.algorithm.needs))
    made(plain, tmp_path, CPU)
    rows = made(spec, tmp_path, FAKE)
    assert len(rows["logistic_regression"]) == 2


def test_finished_runs_are_shown_with_their_device(spec, tmp_path, fake):
    made(spec, tmp_path, FAKE)
    shown = own_sweeps.artefact(spec, tmp_path, collect=True)
    assert shown.runs.device == FAKE
    assert shown.runs.number == 4
    assert any(note.startswith("Networks were trained on the device fake") for note in shown.notes)


def test_tables_of_the_processor_have_no_note_on_the_device(spec, tmp_path, fake):
    made(spec, tmp_path, CPU)
    notes = own_sweeps.artefact(spec, tmp_path, collect=True).notes
    assert not any("device" in note for note in notes)


def test_finished_runs_of_the_processor_are_not_shown_as_others(spec, tmp_path, fake):
    made(spec, tmp_path, CPU)
    with pytest.raises(DpfairError, match="trained on cpu"):
        own_sweeps.artefact(spec, tmp_path, collect=True, device=FAKE).runs.rows()


def test_a_journal_that_mixes_devices_is_not_shown(spec, tmp_path, fake):
    made(spec, tmp_path / "here", CPU)
    made(spec, tmp_path / "there", FAKE)
    mixed = own_sweeps.journal(tmp_path)
    mixed.parent.mkdir(parents=True)
    parts = [own_sweeps.journal(tmp_path / name).read_bytes() for name in ("here", "there")]
    mixed.write_bytes(b"".join(parts))
    for device in (CPU, FAKE):
        with pytest.raises(DpfairError, match="a table has one device"):
            own_sweeps.artefact(spec, tmp_path, collect=True, device=device).runs.rows()


def test_a_missing_device_ends_the_runs_with_one_line(spec, tmp_path):
    with pytest.raises(DpfairError, match="finds no device fake on this machine"):
        own_sweeps.run(spec, tmp_path, device=FAKE)
    assert not own_sweeps.journal(tmp_path).exists()


def test_committed_rows_of_a_package_do_not_begin_a_journal_of_a_device(
    spec, tmp_path, fake, monkeypatch
):
    made(spec, tmp_path / "here", CPU)
    packed = tmp_path / "runs.jsonl.xz"
    packed.write_bytes(lzma.compress(own_sweeps.journal(tmp_path / "here").read_bytes()))
    monkeypatch.setattr("dpfair_cli.reproduction.runs.committed_journal", lambda name: packed)
    assert own_sweeps.artefact(spec, tmp_path / "new").runs.number == 4
    assert own_sweeps.artefact(spec, tmp_path / "new", device=FAKE).runs.number == 0


def test_other_artefacts_are_read_with_their_own_device(spec, tmp_path, fake):
    made(spec, tmp_path, CPU)
    options = RunOptions(tmp_path, tmp_path, device=FAKE).reading
    assert Artefact(spec, options).runs.device == CPU
