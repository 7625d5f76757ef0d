"""The commands of the README run as they are pasted, in a new clone without real data.

The lines with `make`, and the lines below "To work with the real data", install packages, load data
or take hours, and are not run here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w*\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [re.findall(r"^dpfair .*$", block, re.MULTILINE) for block in BLOCKS]
PASTED = ["\n".join(lines) for lines in COMMANDS if lines]
FINDS_DIFFERENCES = ("dpfair check", "dpfair diff")  # may end with exit code 1
HISTORY = 11  # commits that `diff HEAD~10` needs


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new clone, of which each test takes a copy."""
    found = tmp_path_factory.mktemp("untouched") / "dpfair"
    source = f"file://{ROOT}"
    made = subprocess.run(
        ["git", "clone", "--quiet", "--depth", str(HISTORY), source, found],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"this folder cannot be cloned: {made.stderr.strip()}")
    return found


@pytest.fixture
def clone(untouched: Path, tmp_path: Path) -> Path:
    """A new clone with two tables of the user, and a folder `bin` beside it with `dpfair`."""
    found = Path(shutil.copytree(untouched, tmp_path / "dpfair", symlinks=True))
    for name in ("people.csv", "applicants.csv"):
        shutil.copy(ROOT / "examples" / "people.csv", found / name)
    command = tmp_path / "bin" / "dpfair"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dpfair_cli "$@"\n')
    command.chmod(0o755)
    return found


@pytest.mark.parametrize("block", PASTED)
def test_a_block_of_the_readme_runs_as_pasted(block: str, clone: Path) -> None:
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    variables["PATH"] = f"{clone.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    variables.pop("DPFAIR_DATA", None)
    for line in block.splitlines():
        ended = subprocess.run(
            ["bash", "-c", line],
            cwd=clone,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        allowed = (0, 1) if line.startswith(FINDS_DIFFERENCES) else (0,)
        assert ended.returncode in allowed, (line, ended.stderr)


def test_the_readme_has_blocks_for_papers_own_tables_and_commands() -> None:
    assert len(PASTED) == 3
