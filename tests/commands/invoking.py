"""The command line, called in this process or in one of its own; its answers and its mistakes."""

from __future__ import annotations

import subprocess
import sys
from itertools import takewhile
from pathlib import Path

from click import Context
from click.testing import CliRunner

from dpfair_cli.commands import main
from dpfair_cli.reproduction.preview import TITLE

ROOT = Path(__file__).resolve().parents[2]
NAMES = main.list_commands(Context(main))  # of all commands, with those of add-ons


def dpfair(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="dpfair")


def works(*arguments):
    """The result of a command that must succeed."""
    result = dpfair(*arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return result


def preview_of(stderr):
    """What was said of one's own table before anything ran, line by line."""
    _, _, rest = stderr.partition(f"{TITLE}\n")
    return list(takewhile(lambda line: line.startswith("  "), rest.splitlines()))


def without_preview(stderr):
    """Everything else on stderr."""
    return stderr.replace("\n".join([TITLE, *preview_of(stderr), ""]), "")


def mistake(*arguments, code=2):
    """The one line that a command says to a mistake, or that of several with a list of them below
    it.

    No traceback, nothing on stdout, exit code 2. Before it stand warnings at most, or how the
    command is used.
    """
    result = dpfair(*arguments)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    lines = without_preview(result.stderr).splitlines()
    items = [line for line in lines if line.startswith("  - ")]
    *before, last = [line for line in lines if line not in items]
    assert len(items) != 1
    assert last.startswith("Error: ")
    assert "Traceback" not in result.stderr
    if not (before and before[0].startswith("Usage: dpfair")):
        assert all(line.partition(" ")[0].endswith("Warning:") for line in before), before
    return "\n".join([last.removeprefix("Error: "), *items])


def process(*arguments, **options):
    command = [
        sys.executable,
        "-c",
        "from dpfair_cli.commands import main; main()",
        *map(str, arguments),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def snapshot(folder):
    return {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}
