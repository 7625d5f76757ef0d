"""Kept texts: read again, made again when damaged, and never more than the latest ones."""

from __future__ import annotations

import os

import pytest

from dpfair_cli.contracts.kept_files import keep, made_once, read


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder."""
    monkeypatch.setenv("DPFAIR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.usefixtures("cache")
def test_a_text_is_made_once_for_each_kind_and_key():
    made = []

    def make():
        made.append("text")
        return f"text {len(made)}\nof two lines, ≤ 1"

    first = made_once("one", "key", make, most=5)
    assert made_once("one", "key", make, most=5) == first == "text 1\nof two lines, ≤ 1"
    assert made_once("one", "other", make, most=5).startswith("text 2")
    assert made_once("two", "key", make, most=5).startswith("text 3")


@pytest.mark.parametrize("content", [b"", b"text", b"00000000\ntext", b"\xff\xff"])
def test_a_damaged_text_is_made_again(cache, content):
    keep("one", "key", b"text", most=5)
    (cache / "one/key").write_bytes(content)
    assert read("one", "key") is None
    assert made_once("one", "key", lambda: "another", most=5) == "another"
    assert read("one", "key") == b"another"


def test_only_the_latest_texts_of_a_kind_are_kept(cache):
    for number in range(5):
        keep("one", str(number), b"text", most=5)
        os.utime(cache / f"one/{number}", (number, number))
    keep("two", "0", b"text", most=5)
    keep("one", "5", b"text", most=3)
    assert sorted(file.name for file in (cache / "one").iterdir()) == ["3", "4", "5"]
    assert read("two", "0") == b"text"


@pytest.mark.parametrize("folder", ["", "file"])
def test_without_a_folder_a_text_is_made_each_time(tmp_path, monkeypatch, folder):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DPFAIR_CACHE", folder and str(tmp_path / folder))
    assert made_once("one", "key", lambda: "text", most=5) == "text"
    assert made_once("one", "key", lambda: "another", most=5) == "another"
    assert read("one", "key") is None


@pytest.mark.usefixtures("cache")
def test_nothing_is_kept_under_an_empty_key():
    keep("one", "", b"text", most=5)
    assert read("one", "") is None
