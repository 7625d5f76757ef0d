"""The digest of a file: that of its bytes, also after the file has changed."""

import hashlib
import os
import time

import pytest

from dpfair_cli.contracts import files
from dpfair_cli.contracts.files import sha256_of


@pytest.fixture
def settled(tmp_path, monkeypatch):
    """A file whose last change counts as old."""
    monkeypatch.setattr(files, "SETTLED_SECONDS", -1.0)
    file = tmp_path / "own.csv"
    file.write_bytes(b"a,b\n1,2\n")
    return file


def test_the_digest_is_the_sha256_of_the_bytes(settled):
    assert sha256_of(settled) == hashlib.sha256(b"a,b\n1,2\n").hexdigest()


def test_an_old_file_is_read_once(settled, monkeypatch):
    first = sha256_of(settled)
    monkeypatch.setattr(files.hashlib, "file_digest", None)
    assert sha256_of(settled) == first


def test_a_file_that_was_changed_lately_is_read_again(tmp_path, monkeypatch):
    file = tmp_path / "own.csv"
    file.write_bytes(b"a")
    sha256_of(file)
    monkeypatch.setattr(files.hashlib, "file_digest", None)
    with pytest.raises(TypeError):
        sha256_of(file)


def test_another_content_of_the_same_size_and_age_has_another_digest(settled):
    first, times = sha256_of(settled), settled.stat()
    time.sleep(0.05)  # longer than the resolution of the times of a file
    settled.write_bytes(b"a,b\n1,3\n")
    os.utime(settled, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert sha256_of(settled) != first


def test_another_file_at_the_same_path_has_another_digest(settled, tmp_path):
    first, other = sha256_of(settled), tmp_path / "other"
    other.write_bytes(b"a,b\n1,3\n")
    other.replace(settled)
    assert sha256_of(settled) != first
