"""Commands under a limit of memory that is too low to load libraries."""

import resource
import subprocess
import sys

import pytest

LIMIT = 400_000 * 1024  # bytes, as of `ulimit -v 400000`


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


@pytest.mark.parametrize(
    "words",
    [
        ["check", "--all", "--jobs", "1"],
        ["table", "ding2020/table1", "--jobs", "1"],
        ["sweep", "adult", "--jobs", "1"],
    ],
    ids=lambda words: words[0],
)
def test_a_command_without_address_space_ends_with_one_line(words, tmp_path):
    command = [sys.executable, "-m", "dpfair_cli", *words, "--out", str(tmp_path)]
    ended = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True)
    assert ended.returncode == 3
    (line,) = ended.stderr.splitlines()
    assert line.startswith("Error: not enough memory: this process may use 0.41 GB")
    assert "needs 1 GB: raise the limit" in line


def test_help_needs_no_more_address_space():
    command = [sys.executable, "-m", "dpfair_cli", "sweep", "--help"]
    ended = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
