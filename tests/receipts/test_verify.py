"""Signed receipts, and what `dpfair verify` says of changed, added and missing files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from dpfair_cli.addons.receipts import command, signing, verify_command
from dpfair_cli.contracts.errors import DpfairError

DATE = ("--date", "2026-11-27")
JOURNAL = "results/toy2020/table1/runs.jsonl"

needs_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen")


@pytest.fixture
def receipt(project):
    """The folder of a receipt of the toy project."""
    done = CliRunner().invoke(command.command, [*DATE, "--out", "receipt"])
    assert done.exit_code == 0, done.output
    return project / "receipt"


@pytest.fixture
def key(tmp_path):
    file = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file], check=True)
    return file


@pytest.fixture(autouse=True)
def no_runs(monkeypatch):
    """Runs of the toy project cannot be made: the journal is typed by hand."""
    monkeypatch.setattr(verify_command, "repeated_runs", lambda folder: [])


def verified(folder):
    return CliRunner().invoke(verify_command.command, [str(folder)])


def test_the_list_is_read_by_sha256sum(receipt):
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--quiet", "-c", signing.LIST], cwd=receipt, check=True)
    assert f"  {JOURNAL}\n" in (receipt / signing.LIST).read_text()


def test_a_receipt_without_a_signature_is_as_listed(receipt):
    done = verified(receipt)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[:2] == ["files: all as listed", "signature: none"]


def test_files_that_are_changed_missing_or_added_are_named(receipt):
    (receipt / JOURNAL).write_text("")
    (receipt / "badge.json").unlink()
    (receipt / "more.txt").write_text("more")
    done = verified(receipt)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[:4] == [
        f"{JOURNAL} is changed",
        "badge.json is missing",
        f"more.txt is not in {signing.LIST}",
        "files: 3 not as listed",
    ]
    assert "proof" not in done.stdout


@needs_keygen
def test_a_signature_names_its_key_and_is_refused_for_another_list(project, key):
    done = CliRunner().invoke(command.command, [*DATE, "--out", "signed", "--sign", str(key)])
    assert done.exit_code == 0, done.output
    told = subprocess.run(
        ["ssh-keygen", "-l", "-f", key], capture_output=True, text=True, check=True
    )
    done = verified(project / "signed")
    assert done.exit_code == 0
    assert told.stdout.split()[1] in done.stdout  # the fingerprint
    file = project / "signed" / "badge.json"
    file.write_text("{}")
    signing.write_list(project / "signed")  # a forger lists the changed file
    with pytest.raises(DpfairError, match=f"is no signature of {signing.LIST}"):
        signing.signer(project / "signed")


@needs_keygen
def test_a_signature_of_anything_else_is_none_of_a_receipt(receipt, key):
    subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-n", "file", "-f", key, receipt / signing.LIST],
        check=True,
    )
    with pytest.raises(DpfairError, match="is no signature"):
        signing.signer(receipt)


@needs_keygen
def test_a_public_key_cannot_sign(receipt, tmp_path):
    (tmp_path / "no.key").write_text("nothing")
    with pytest.raises(DpfairError, match="cannot sign with"):
        signing.sign(receipt, tmp_path / "no.key")


def test_a_missing_program_is_named(receipt, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(DpfairError, match="ssh-keygen is not installed"):
        signing.sign(receipt, Path("key"))


@pytest.mark.parametrize("line", ["0  ../outside", "0  /etc/passwd", "0 one space"])
def test_a_list_that_leaves_the_folder_is_refused(receipt, line):
    (receipt / signing.LIST).write_text(f"{line}\n")
    with pytest.raises(DpfairError, match="is no line of a SHA-256 and a path"):
        signing.changed_files(receipt)


def test_a_folder_that_is_no_receipt_is_refused(tmp_path):
    with pytest.raises(DpfairError, match="give the folder of a receipt"):
        signing.changed_files(tmp_path)


def test_a_document_cannot_be_signed(project, tmp_path):
    (tmp_path / "key").write_text("")
    given = ["--format", "badge", "--sign", str(tmp_path / "key")]
    assert "give no --out and no --sign" in CliRunner().invoke(command.command, given).output
