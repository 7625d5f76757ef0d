"""The commands of the README run as they are pasted, in a new clone without real data.

The lines with `make` install packages, and are not run here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w*\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [re.findall(r"^dpfair .*$", block, re.MULTILINE) for block in BLOCKS]
PASTED = ["\n".join(lines) for lines in COMMANDS if lines]


@pytest.fixture(scope="module")
def new_clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new clone, and a folder `bin` beside it with `dpfair`."""
    found = tmp_path_factory.mktemp("readme") / "dpfair"
    command = found.parent / "bin" / "dpfair"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dpfair_cli "$@"\n')
    command.chmod(0o755)
    made = git("clone", "--quiet", "--shared", ROOT, found)
    if made.returncode:
        pytest.skip(f"this folder cannot be cloned: {made.stderr.strip()}")
    return found


@pytest.fixture
def clone(new_clone: Path) -> Iterator[Path]:
    """The clone, which after the test is as it was before."""
    yield new_clone
    for command in (("clean", "-dfxq", "--exclude", "__pycache__"), ("checkout", "--quiet", ".")):
        assert git("-C", new_clone, *command).returncode == 0


def git(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Calls git with these arguments."""
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("block", PASTED)
def test_a_block_of_the_readme_runs_as_pasted(block: str, clone: Path) -> None:
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    variables["PATH"] = f"{clone.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    variables.pop("DPFAIR_DATA", None)
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # else each process compiles the clone again
    for line in block.splitlines():
        ended = subprocess.run(
            ["bash", "-c", line],
            cwd=clone,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, (line, ended.stderr)


def test_the_readme_has_blocks_for_papers_and_own_tables() -> None:
    assert len(PASTED) == 2
