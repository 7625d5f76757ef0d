"""The wheel in a clean environment: of this Python, and of the newest one here that the packages
support.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.built_wheel import ROOT, build

# downloads 130 MB and takes minutes, so it is asked for: make test-installed
WANTED = "DPFAIR_TEST_INSTALL"
NEWEST = [f"python3.{minor}" for minor in range(19, sys.version_info.minor, -1)]
REPRODUCED = "ding2020/figure1"


@pytest.fixture(scope="module", params=["this", "newest"])
def dpfair(request, tmp_path_factory):
    """Runs a command of the clean environment in an empty folder."""
    if not os.environ.get(WANTED):
        pytest.skip(f"installing takes minutes: set {WANTED}=1, or make test-installed")
    python = sys.executable if request.param == "this" else newest()
    folder = tmp_path_factory.mktemp(request.param)
    wheel, here = build(folder), folder / "here"
    here.mkdir()
    subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
    words = [
        "install",
        "--quiet",
        "--no-compile",
        "--disable-pip-version-check",
        "--constraint",
        ROOT / "constraints.txt",
    ]
    installed = subprocess.run(
        [folder / "venv/bin/pip", *words, wheel], capture_output=True, text=True, check=False
    )
    if installed.returncode:
        refuse(installed.stderr)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder / "home"),
        "OPENBLAS_NUM_THREADS": "1",
    }

    def run(*command):
        words = [folder / "venv/bin" / command[0], *command[1:]]
        return subprocess.run(
            words, capture_output=True, text=True, check=False, cwd=here, env=environment
        )

    return run


def newest():
    """The newest Python on the path that runs; skips where none is newer than this one."""
    for name in NEWEST:
        found = shutil.which(name)
        if (
            found
            and not subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode
        ):
            return found
    pytest.skip(f"no Python newer than 3.{sys.version_info.minor} is on the path")


def refuse(stderr):
    """Skip where there is no network; anything else that keeps the wheel from being installed is a
    failure.
    """
    if "Failed to establish a new connection" in stderr or "Could not find a version" in stderr:
        pytest.skip(f"the packages cannot be had here: {stderr.strip().splitlines()[-1]}")
    pytest.fail(stderr)


def works(run):
    assert run.returncode == 0, (run.stdout, run.stderr)
    assert "Traceback" not in run.stderr
    return run.stdout


def test_check_all_compares_every_artefact_as_the_checkout_does(dpfair):
    out = works(dpfair("dpfair", "check", "--all"))
    specs = [
        path
        for path in ROOT.glob("experiments/*/*.yaml")
        if path.stem not in ("claims", "deviations")
    ]
    assert out.startswith(f"{len(specs)} artefacts of ")
    committed = (ROOT / "results" / "scoreboard.md").read_text(encoding="utf-8")
    (row,) = [line for line in committed.splitlines() if line.startswith("| false matches: ")]
    name, *numbers = row.strip("| ").split(" | ")  # one line over all cells
    (line,) = [line for line in out.splitlines() if line.startswith(name)]
    assert line.removeprefix(name).split() == " ".join(numbers).split()


def test_a_quick_selection_is_reproduced(dpfair):
    assert "/results/quick/report-" in works(
        dpfair("dpfair", "reproduce", REPRODUCED, "--quick", "--jobs", "1")
    )


def test_the_package_runs_as_a_module(dpfair):
    assert "Usage: dpfair" in works(dpfair("python", "-m", "dpfair_cli", "--help"))


def test_data_can_be_fetched_by_what_is_installed(dpfair):
    assert "Usage: dpfair fetch-data" in works(dpfair("dpfair", "fetch-data", "--help"))
    assert "not here" in works(dpfair("dpfair", "fetch-data"))
