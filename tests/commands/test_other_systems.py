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
LACKING = SYSTEMS[-1:]  # the system that lacks most, on which the commands of pages are run
INPUTS = ("own.csv", "domain.yaml", "experiments")
# locks stay on Windows; secret noise
OTHER_BYTES = {".runs.lock", ".budget.lock", "model.json", "model.card.md"}
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
systems, checkout, places, processors = json.loads(sys.argv[1])
start = os.getcwd()
if processors:  # that a command finds, which then begins as many processes
    pool.default_jobs = lambda: processors
paths.CHECKOUT = pathlib.Path(checkout)
begin, libraries = pool._local, []

def noted(size, shared):
    executor = begin(1, shared)  # as many would begin in the same way
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
    for place, commands in places.items():
        os.chdir(os.path.join(start, place, system))
        for command in commands:
            if command[0] == "write":
                pathlib.Path(command[1]).write_text(command[2])
                continue
            result = CliRunner().invoke(main, command)
            told = result.stdout.replace(f"/{system}/", "/")  # the working folder
            error = f"{result.exception or ''}"
            print(json.dumps([place, command, result.exit_code, told, error]))
print(json.dumps(libraries))
"""


def files():
    """The files of the working folder whose bytes depend on nothing but the input."""
    return {path: text for path, text in snapshot(".").items() if path.name not in OTHER_BYTES}


def answers_of(places, *, systems=SYSTEMS, checkout, processors=0):
    """What commands answer: place, command, exit code, stdout and error; then the libraries.

    `places` has the commands of each place, a folder with a working folder for each system. They
    find as many processors as there are, or `processors`.
    """
    given = json.dumps([systems, str(checkout), places, processors])
    command = [sys.executable, "-c", SCRIPT, given]
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
    *answers, libraries = answers_of({".": COMMANDS}, checkout=paths.CHECKOUT)
    assert libraries == ["loky.process_executor"] * len(SYSTEMS)
    assert [code for _, _, code, _, _ in answers] == [0] * len(answers), answers

    found = []
    for place in SYSTEMS:
        monkeypatch.chdir(place)
        found.append(files())
        monkeypatch.chdir("..")
        shutil.rmtree(place)
    on_linux = [dpfair(*arguments) for arguments in COMMANDS]
    expected = {path: text for path, text in files().items() if path.parts[0] != "checkout"}
    told = [stdout for *_, stdout, _ in answers]
    for here, *others in zip(on_linux, told[: len(COMMANDS)], told[len(COMMANDS) :], strict=True):
        assert here.stdout.startswith("scores") or others == [here.stdout] * 2  # secret noise
    assert found == [expected] * 2


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The folder of the pages, and what their commands answered: all in one process.

    The first steps have a folder with the example alone; the README has a clone, of which only
    what its commands read is checked out. A folder that cannot be cloned has no README here.
    """
    folder = tmp_path_factory.mktemp("pages")
    shown = {
        "first": list(shown_on("docs/first-steps.md")),
        "readme": list(shown_on("README.md")),
    }
    for system in LACKING:
        (folder / "first" / system).mkdir(parents=True)
        shutil.copy(ROOT / "examples" / "people.csv", folder / "first" / system)
        clone = folder / "readme" / system
        made = ["git", "clone", "--quiet", "--shared", "--no-checkout", str(ROOT), str(clone)]
        if subprocess.run(made, check=False).returncode:
            shown.pop("readme", None)
            continue
        read = ("examples", "experiments", "results/xu2021")
        subprocess.run(["git", "-C", clone, "checkout", "--quiet", "HEAD", "--", *read], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("DPFAIR_DATA", raising=False)
        # one processor: that processes begin is tested above
        *answers, _ = answers_of(shown, systems=LACKING, checkout=ROOT, processors=1)
    return folder, shown, answers


@pytest.mark.skipif(sys.platform != "linux", reason="the other systems are played by Linux")
def test_the_first_steps_run_on_other_systems(pages):
    require_success("first", pages, at_least=9)
    folder, _, _ = pages
    (made,) = [{path.name for path in (folder / "first" / system).iterdir()} for system in LACKING]
    assert made >= {"model.json", "decisions.csv", "made.csv", "results"}


@pytest.mark.skipif(sys.platform != "linux", reason="the other systems are played by Linux")
def test_the_commands_of_the_readme_run_on_other_systems(pages):
    if "readme" not in pages[1]:
        pytest.skip("this folder cannot be cloned")
    require_success("readme", pages, at_least=3)


def require_success(place, pages, *, at_least):
    """Asserts that the commands of a page succeed on each system."""
    _, shown, answers = pages
    typed = [command for command in shown[place] if command[0] != "write"]
    assert len(typed) >= at_least
    codes = [(command, code) for name, command, code, _, _ in answers if name == place]
    assert codes == [(command, 0) for command in typed] * len(LACKING), answers
