"""Commands on macOS and Windows: they ask for nothing that these systems lack."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dpfair_cli import paths
from tests.commands.invoking import ROOT, snapshot
from tests.commands.material import PUBLIC

JOBS = ("--jobs", "2", "--out", "out")
COMMANDS = [
    ("table", "toy2020/table1", *JOBS),
    ("sweep", "own.csv", *PUBLIC, "--eps", "1,10", "--method", "pflr", "--runs", "2", *JOBS),
    ("reproduce", "toy2020", *JOBS),
    ("check", "toy2020", "--out", "out"),
    ("budget", "init", "--eps", "3", "domain.yaml"),
    ("train", "own.csv", *PUBLIC, "--method", "pflr", "--eps", "1", "--save", "out/model.json"),
    ("budget", "show", "domain.yaml"),
]
LOCKS = {".runs.lock", ".budget.lock"}
# The libraries stay those of this system: they are imported before its name is changed, and those
# that ask for the name whenever a process begins keep the right one.
SCRIPT = """
import json, os, pathlib, sys, types
import filelock, matplotlib.pyplot, pandas, pooch, scipy.optimize, sklearn.linear_model, tqdm
import loky.backend.popen_loky_posix
from click.testing import CliRunner
from dpfair_cli import paths
from dpfair_cli.commands import main
from dpfair_cli.running import pool

begin, libraries = pool._local, set()

def noted(*arguments):
    executor = begin(*arguments)
    libraries.add(type(executor).__module__)
    return executor

pool._local = noted
system, checkout, commands = json.loads(sys.argv[1])
paths.CHECKOUT = pathlib.Path(checkout)
here = types.SimpleNamespace(**vars(sys))
for name, module in list(sys.modules.items()):
    if name.partition(".")[0] in ("loky", "multiprocessing") and hasattr(module, "sys"):
        module.sys = here
sys.platform = system
if system != "linux":
    sys.modules["fcntl"] = None
if system == "win32":
    del os.fork
for command in commands:
    result = CliRunner().invoke(main, command)
    told = result.exception if result.exit_code not in (0, 1) else ""
    print(json.dumps([result.exit_code, result.stdout, f"{told}"]))
print(json.dumps(list(libraries)))
"""


def answers(system):
    """The exit codes and outputs of the commands on a system."""
    given = json.dumps([system, str(paths.CHECKOUT), COMMANDS])
    command = [sys.executable, "-c", SCRIPT, given]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "DPFAIR_CACHE": ""}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def files():
    """The bytes of all files but those of locks, which Windows keeps, and the model's noise."""
    found = snapshot(".").items()
    return {path: content for path, content in found if path.name not in {"model.json", *LOCKS}}


@pytest.mark.skipif(sys.platform != "linux", reason="the other systems are played by Linux")
@pytest.mark.usefixtures("project")
def test_other_systems_give_the_same_files_and_answers(monkeypatch):
    found, start = {}, Path.cwd()
    inputs = ["own.csv", "domain.yaml", "experiments"]
    for system in ("linux", "darwin", "win32"):
        place = start / system
        place.mkdir()
        for name in inputs:
            copy = shutil.copytree if (start / name).is_dir() else shutil.copy
            copy(start / name, place / name)
        monkeypatch.chdir(place)
        *answered, (library,) = answers(system)
        assert library.partition(".")[0] == ("concurrent" if system == "linux" else "loky")
        found[system] = answered, files()
    codes = [code for code, _, told in found["linux"][0] if not told]
    assert codes == [0, 0, 1, 1, 0, 0, 0]  # the toy's published values differ from ours
    assert found["darwin"] == found["linux"]
    assert found["win32"] == found["linux"]
