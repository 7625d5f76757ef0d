"""`python -OO` drops docstrings: no command reads data from them."""

import subprocess
import sys

import pytest

from dpfair_cli import catalog

LISTED = {
    "methods": "not private  Source: xu2021, Equation 3.9 (LR in Table 8.1)",
    "privacy": "| pflr | proved | epsilon-differential privacy of the weights | replace-one,",
    "pflr": "promise     epsilon-differential privacy of the weights",
    "adult": "parameters:",
    "classification": "scores:",
}


def run(*arguments):
    """What a command prints without docstrings."""
    command = [sys.executable, "-OO", "-m", "dpfair_cli", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.parametrize("topic", LISTED)
def test_info_prints_declarations(topic):
    assert LISTED[topic] in run("info", topic)


def test_info_privacy_is_the_same():
    command = [sys.executable, "-m", "dpfair_cli", "info", "privacy"]
    usual = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert run("info", "privacy") == usual


def test_training_states_its_guarantee(tmp_path):
    """On the replica of Adult, since the real data may not be here."""
    printed = run("train", "adult", "--method", "pflr", "--data-dir", str(tmp_path))
    lines = dict(line.split(None, 1) for line in printed.splitlines() if line)
    assert lines["status"] == "proved"
    assert lines["promise"] == catalog.algorithm("pflr").guarantee.promise
    assert lines["source"] == "xu2021, Algorithm 5"
