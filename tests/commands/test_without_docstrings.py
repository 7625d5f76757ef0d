"""`python -OO` drops docstrings: no command reads data from them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from dpfair_cli import catalog
from tests.commands.invoking import works

LISTED = {
    "methods": "not private  Source: xu2021, Equation 3.9 (LR in Table 8.1)",
    "privacy": "| pflr | proved | epsilon-differential privacy of the weights | replace-one,",
    "pflr": "promise     epsilon-differential privacy of the weights",
    "adult": "parameters:",
    "classification": "scores:",
}
# one process for all commands; our modules are compiled as by `-OO`, which would also compile every
# library again
SCRIPT = """
import json, sys
from contextlib import redirect_stdout
from importlib.machinery import SourceFileLoader
from io import StringIO

def without_docstrings(self, name):
    if not name.startswith("dpfair_cli"):
        return as_usual(self, name)
    text = self.get_data(self.path)
    return compile(text, self.path, "exec", dont_inherit=True, optimize=2)

as_usual, SourceFileLoader.get_code = SourceFileLoader.get_code, without_docstrings
from dpfair_cli.commands import main
assert main.__doc__ is None
texts = []
for command in json.loads(sys.argv[1]):
    with redirect_stdout(StringIO()) as text:
        main(command, standalone_mode=False)
    texts.append(text.getvalue())
print(json.dumps(texts))
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What each command prints without docstrings; `train` on the replica of Adult, since the real
    data may not be here.
    """
    data = str(tmp_path_factory.mktemp("data"))
    commands = {topic: ["info", topic] for topic in LISTED}
    commands["train"] = ["train", "adult", "--method", "pflr", "--data-dir", data]
    call = [sys.executable, "-c", SCRIPT, json.dumps([*commands.values()])]
    ended = subprocess.run(call, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return dict(zip(commands, json.loads(ended.stdout), strict=True))


def test_it_starts():
    call = [sys.executable, "-OO", "-m", "dpfair_cli", "--version"]
    ended = subprocess.run(call, capture_output=True, text=True, check=True)
    assert ended.stdout == works("--version").stdout


@pytest.mark.parametrize("topic", LISTED)
def test_info_prints_declarations(printed, topic):
    assert LISTED[topic] in printed[topic]


def test_info_privacy_is_the_same(printed):
    assert printed["privacy"] == works("info", "privacy").stdout


def test_training_states_its_guarantee(printed):
    lines = dict(line.split(None, 1) for line in printed["train"].splitlines() if line)
    assert lines["status"] == "proved"
    assert lines["promise"] == catalog.algorithm("pflr").guarantee.promise
    assert lines["source"] == "xu2021, Algorithm 5"
