"""The command line, called in this process or in one of its own; its answers and its mistakes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from dpfair_cli.commands import main

ROOT = Path(__file__).resolve().parents[2]


def dpfair(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="dpfair")


def works(*arguments):
    """The result of a command that must succeed."""
    result = dpfair(*arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return result


def mistake(*arguments, code=2):
    """The one line that a command says to a mistake: no traceback, nothing on stdout, exit code 2.

    Before it stand warnings at most, or how the command is used.
    """
    result = dpfair(*arguments)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    *before, last = result.stderr.splitlines()
    assert last.startswith("Error: ")
    assert "Traceback" not in result.stderr
    if not (before and before[0].startswith("Usage: dpfair")):
        assert all(line.partition(" ")[0].endswith("Warning:") for line in before), before
    return last.removeprefix("Error: ")


def process(*arguments, **options):
    command = [sys.executable, "-c", "from dpfair_cli.commands import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def snapshot(folder):
    return {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}
