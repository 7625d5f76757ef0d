"""The commands of the README that need no data and no checkout run exactly as they are pasted."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCKS = re.findall(r"^```\w*\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line.startswith("dpfair ")]
ALONE = ("info", "new")  # need no data, no file of the user's and no committed run
RUN = [line for line in COMMANDS if line.split()[1] in ALONE]


def test_the_readme_has_commands_that_run_alone():
    assert RUN


@pytest.mark.parametrize("line", RUN)
def test_a_command_of_the_readme_runs_as_pasted(line, tmp_path):
    command = tmp_path / "bin" / "dpfair"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m dpfair_cli "$@"\n')
    command.chmod(0o755)
    empty = tmp_path / "empty"
    empty.mkdir()
    pasted = f'export PATH="{command.parent}:$PATH"\n{line}\n'
    path = {"PYTHONPATH": str(README.parent), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    ended = subprocess.run(
        ["bash", "-c", pasted],
        cwd=empty, env=path, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
