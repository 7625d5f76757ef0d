"""Files that cannot be used, a full disk, numbers that promise nothing: one line each, with the name and what to do."""

from __future__ import annotations

import errno
import gzip
import os
from pathlib import Path

import pytest

from tests.commands.invoking import dpfair, mistake, works
from tests.commands.material import COLUMNS, ONE, PUBLIC

pytestmark = pytest.mark.usefixtures("own")
TRAIN = ("--method", "pflr", "--seed", "1")


@pytest.mark.parametrize("options", [COLUMNS, PUBLIC], ids=["no domain", "domain"])
def test_a_compressed_table_that_is_cut_short_is_named(options):
    Path("cut.csv.gz").write_bytes(gzip.compress(Path("own.csv").read_bytes())[:-100])
    assert "cut.csv.gz" in mistake("train", "cut.csv.gz", *options, *TRAIN)


def test_a_folder_in_place_of_a_table_is_said_to_be_one():
    Path("folder.csv").mkdir()
    assert "folder.csv is a folder: give the path of a file in it" in mistake("train", "folder.csv", *COLUMNS, *TRAIN)


def test_a_folder_in_place_of_a_domain_is_said_to_be_one():
    Path("folder.yaml").mkdir()
    given = ("train", "own.csv", *COLUMNS, "--domain", "folder.yaml", *TRAIN)
    assert "folder.yaml is a folder" in mistake(*given)


@pytest.fixture
def full_disk(monkeypatch):
    """What is written does not arrive; the error names no file, as that of a write."""

    def refuse(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_is_a_failure_with_the_name_of_the_file_and_what_to_do():
    message = mistake(*ONE, code=3)
    assert message.startswith("cannot use out/sweeps/own-4_methods-")
    assert message.endswith("runs.jsonl: No space left on device: make room and run again, what was computed is kept")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_model_that_does_not_fit_on_the_disk_is_named():
    Path("model.json").symlink_to("/dev/full")
    result = dpfair("train", "own.csv", *PUBLIC, *TRAIN, "--save", "model.json")
    assert result.exit_code == 3
    assert result.stderr.splitlines()[-1].startswith("Error: cannot use model.json: No space left on device")


@pytest.mark.parametrize("command", [("train", "own.csv", *TRAIN), ("sweep", "own.csv", "--out", "out")], ids=" ".join)
@pytest.mark.parametrize("epsilon", ["1e-320", "1e-12"])
def test_an_epsilon_that_cannot_be_computed_with_is_refused(command, epsilon):
    message = mistake(*command, *PUBLIC, "--eps", epsilon)
    assert message.endswith("is too small to compute with: at least 1e-09")


@pytest.mark.parametrize("points", ["0.01..10:1000000000", "0.1..1 by 1e-12", "1..2:9000,3..4:9000"])
def test_more_epsilons_than_anyone_can_read_are_refused_before_they_are_made(points):
    assert "more than 10,000 epsilons; write for example" in mistake("sweep", "own.csv", *PUBLIC, "--eps", points)


def test_a_delta_that_promises_little_is_said():
    given = ("train", "own.csv", *PUBLIC, "--method", "relaxed_functional_mechanism", "--seed", "1")
    words = "delta 0.5 lets a method give everything away in one fit of 2: take less than one in the number of records"
    assert f"Warning: {words}" in works(*given, "--delta", "0.5").stderr
    assert "Warning" not in works(*given, "--delta", "0.001").stderr
