"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dpfair_cli.contracts import files


@contextmanager
def few_bytes() -> Iterator[None]:
    """A context in which no file can grow above 10 bytes, as on a full disk.

    It is no fixture, since pytest writes its own output before a fixture ends.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("old", [None, "old"])
def test_a_file_that_cannot_be_written_is_as_it_was(tmp_path: Path, old: str | None) -> None:
    file = tmp_path / "model.json"
    if old:
        file.write_text(old)
    with few_bytes(), pytest.raises(OSError, match="File too large") as raised:
        files.write_text(file, "x" * 11)
    assert raised.value.filename == str(file)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == (
        {"model.json": old} if old else {}
    )


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "secret.json"
    file.write_text("old")
    file.chmod(0o600)
    files.write_text(file, "new\n")
    assert file.read_bytes() == b"new\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_link_is_replaced_and_its_target_stays(tmp_path: Path) -> None:
    file, link = tmp_path / "other.json", tmp_path / "link.json"
    file.write_text("old")
    link.symlink_to(file)
    files.write_text(link, "new\n")
    assert (link.is_symlink(), link.read_text(), file.read_text()) == (False, "new\n", "old")


def test_only_drafts_of_dead_processes_are_deleted(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    dead = process.pid
    others = [".a.json.backup.json", ".a.json.2024.json", f".a.json.{dead}.json", ".a.json.1"]
    for name in (*others, f".a.json.{dead}.0123abcd.json"):
        (tmp_path / name).write_text("x")
    files.write_text(tmp_path / "a.json", "new\n")
    assert {path.name for path in tmp_path.iterdir()} == {"a.json", *others}


def test_a_new_file_has_the_mode_of_other_new_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    files.write_text(tmp_path / "b", "")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_interrupted_draft_is_deleted(tmp_path: Path, error: type[BaseException]) -> None:
    def write_half() -> None:
        with files.replacing(tmp_path / "a.png") as draft:
            draft.write_text("half")
            assert draft.suffix == ".png"  # libraries choose the format by the suffix
            raise error

    with pytest.raises(error):
        write_half()
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_written_in_place(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    files.require_writable(pipe)
    files.write_text(pipe, "a,b\n")
    assert os.read(reader, 10) == b"a,b\n"
    os.close(reader)


def test_a_place_that_cannot_be_written_is_refused_and_left_clean(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        files.require_writable(tmp_path / "none" / "a.csv")
    assert raised.value.filename == str(tmp_path / "none" / "a.csv")
    files.require_writable(tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []


def test_the_trial_leaves_nothing_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(path: Path, _: bytes) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fill)
    with pytest.raises(OSError, match="No space"):
        files.require_writable(tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_file_with_the_same_text_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"\xc2\xb5\r\n")
    before = file.stat()
    files.write_text(file, "\u00b5\r\n")
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_link_to_the_same_text_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("same")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    files.write_text(tmp_path / "link", "same")
    assert not (tmp_path / "link").is_symlink()
