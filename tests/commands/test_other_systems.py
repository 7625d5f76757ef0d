"""Commands on macOS and Windows: they ask for nothing that these systems lack."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dpfair_cli import paths
from tests.commands.invoking import ROOT, dpfair, snapshot
from tests.commands.material import PUBLIC

ONE_JOB, TWO_JOBS = ("--out", "out", "--jobs", "1"), ("--out", "out", "--jobs", "2")
COMMANDS = [
    ("sweep", "own.csv", *PUBLIC, "--eps", "1,10", "--method", "pflr", "--runs", "2", *TWO_JOBS),
    ("table", "toy2020/table1", *ONE_JOB),
    ("reproduce", "toy2020", *ONE_JOB),
    ("check", "toy2020", "--out", "out"),
    ("budget", "init", "--eps", "3", "domain.yaml"),
    ("train", "own.csv", *PUBLIC, "--method", "pflr", "--eps", "1", "--save", "out/model.json"),
    ("budget", "show", "domain.yaml"),
]
SYSTEMS = ("darwin", "win32")  # in this order: what Windows lacks is not given back
INPUTS = ("own.csv", "domain.yaml", "experiments")
OTHER_BYTES = {".runs.lock", ".budget.lock", "model.json"}  # locks stay on Windows; secret noise
# The libraries stay those of this system: they are imported before its name is changed, and those
# that ask for the name whenever a process begins keep the right one.
SCRIPT = """
import json, os, pathlib, sys, types
import filelock, matplotlib.pyplot, pandas, scipy.optimize, sklearn.linear_model, tqdm
import loky.backend.popen_loky_posix
import pytest
from click.testing import CliRunner
from dpfair_cli import paths
from dpfair_cli.commands import main
from dpfair_cli.running import pool
from tests.blank_pictures import leave_pictures_blank

leave_pictures_blank(pytest.MonkeyPatch())  # as in the present process
systems, checkout, commands = json.loads(sys.argv[1])
paths.CHECKOUT = pathlib.Path(checkout)
begin, libraries = pool._local, []

def noted(*arguments):
    executor = begin(*arguments)
    libraries.append(type(executor).__module__)
    return executor

pool._local = noted
here = types.SimpleNamespace(**vars(sys))
for name, module in list(sys.modules.items()):
    if name.partition(".")[0] in ("loky", "multiprocessing") and hasattr(module, "sys"):
        module.sys = here
sys.modules["fcntl"] = None
for system in systems:
    sys.platform = system
    if system == "win32":
        del os.fork
    os.chdir(system)
    for command in commands:
        if command[0] == "write":
            pathlib.Path(command[1]).write_text(command[2])
            continue
        result = CliRunner().invoke(main, command)
        told = result.stdout.replace(f"/{system}/", "/")  # the working folder
        print(json.dumps([result.exit_code, told, f"{result.exception or ''}"]))
    os.chdir("..")
print(json.dumps(libraries))
"""


def files():
    """The files of the working folder whose bytes depend on nothing but the input."""
    return {path: text for path, text in snapshot(".").items() if path.name not in OTHER_BYTES}


def answers_of(commands, *, checkout):
    """What commands answer on each system: exit code, stdout and error; then the libraries."""
    command = [sys.executable, "-c", SCRIPT, json.dumps([SYSTEMS, str(checkout), commands])]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return list(map(json.loads, ended.stdout.splitlines()))


def shown_on(page):
    """The commands in the blocks of a page, in order, and the files that it writes by `cat`."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for block in re.findall(r"^```\w*\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        written = re.fullmatch(r"cat > (\S+) <<'END'\n(.*)END\n", block, flags=re.DOTALL)
        if written:
            yield ("write", *written.groups())
        for line in block.splitlines():
            if line.startswith("dpfair ") and not line.startswith("dpfair reproduce"):
                yield shlex.split(line, comments=True)[1:]


@pytest.mark.skipif(sys.platform != "linux", reason="the other systems are played by Linux")
@pytest.mark.usefixtures("project")
def test_other_systems_give_the_same_files_and_answers(monkeypatch):
    for system in SYSTEMS:
        for name in INPUTS:
            copy = shutil.copytree if Path(name).is_dir() else shutil.copy
            Path(system).mkdir(exist_ok=True)
            copy(name, Path(system, name))
    *answers, libraries = answers_of(COMMANDS, checkout=paths.CHECKOUT)
    assert libraries == ["loky.process_executor"] * len(SYSTEMS)
    assert [code for code, _, _ in answers] == [0] * len(answers), answers

    found = []
    for place in SYSTEMS:
        monkeypatch.chdir(place)
        found.append(files())
        monkeypatch.chdir("..")
        shutil.rmtree(place)
    on_linux = [dpfair(*arguments) for arguments in COMMANDS]
    expected = {path: text for path, text in files().items() if path.parts[0] != "checkout"}
    told = [stdout for _, stdout, _ in answers]
    for here, *others in zip(on_linux, told[: len(COMMANDS)], told[len(COMMANDS) :], strict=True):
        assert here.stdout.startswith("scores") or others == [here.stdout] * 2  # secret noise
    assert found == [expected] * 2


@pytest.mark.skipif(sys.platform != "linux", reason="the other systems are played by Linux")
def test_the_first_steps_run_on_other_systems(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPFAIR_DATA", raising=False)
    for system in SYSTEMS:
        Path(system).mkdir()
        shutil.copy(ROOT / "examples" / "people.csv", system)
    require_success(list(shown_on("docs/first-steps.md")), at_least=9)
    made = [{path.name for path in Path(system).iterdir()} for system in SYSTEMS]
    assert made[0] == made[1] >= {"model.json", "decisions.csv", "made.csv", "results"}


@pytest.mark.skipif(sys.platform != "linux", reason="the other systems are played by Linux")
def test_the_commands_of_the_readme_run_on_other_systems(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPFAIR_DATA", raising=False)
    for system in SYSTEMS:
        clone = ["git", "clone", "--quiet", "--shared", str(ROOT), system]
        if subprocess.run(clone, check=False).returncode:
            pytest.skip("this folder cannot be cloned")
    require_success(list(shown_on("README.md")), at_least=3)


def require_success(commands, *, at_least):
    """Asserts that commands of a page succeed on each system."""
    assert len(commands) >= at_least
    *answers, _ = answers_of(commands, checkout=ROOT)
    typed = [command for command in commands if command[0] != "write"] * len(SYSTEMS)
    failed = [one for one, (code, _, _) in zip(typed, answers, strict=True) if code]
    assert failed == [], answers
