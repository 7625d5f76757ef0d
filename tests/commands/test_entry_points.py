"""What another package adds to the commands by entry points, and what an old installation says."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dpfair_cli.commands import entry_points
from tests.commands.invoking import mistake, works

POINTS = """\
[dpfair.commands]
count = counting.command:command
[dpfair.check]
sums = counting.command:sums
"""
MODULE = '''\
"""Count to a number.

More.
"""
import click

@click.command("count")
@click.argument("number", type=int)
def command(number):
    """Count to NUMBER."""
    click.echo(" ".join(map(str, range(1, number + 1))))

@click.command("check --sums")
@click.argument("names", nargs=-1)
def sums(names):
    """Add numbers."""
    click.echo(f"sums of {', '.join(names)}")
'''


@pytest.fixture
def _another_package(tmp_path, monkeypatch):
    """An installed package with a command, and with a way of checking."""
    package, installed = tmp_path / "counting", tmp_path / "counting-1.0.dist-info"
    package.mkdir()
    installed.mkdir()
    (package / "__init__.py").write_text("")
    (package / "command.py").write_text(MODULE)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: counting\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in ("counting", "counting.command"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("_another_package")
def test_a_command_of_another_package_is_listed_and_runs():
    assert " count Count to a number." in " ".join(works("--help").stdout.split())
    assert "counting.command" not in sys.modules  # its help text is read, and it is not imported
    assert works("count", "3", "-q").stdout == "1 2 3\n"


@pytest.mark.usefixtures("_another_package")
def test_check_becomes_the_command_of_an_option():
    assert "--sums" in works("check", "--help").stdout
    assert works("check", "xu2021", "--sums").stdout == "sums of xu2021\n"
    assert mistake("check", "--sums", "--record").endswith("--record cannot be given with --sums")


def test_help_imports_no_addon():
    code = (
        "import sys\n"
        "from dpfair_cli.commands import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "print(*[name for name in sys.modules if name.startswith('dpfair_cli.addons.')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = run.stdout.splitlines()[-1].split()
    # to find a module, Python imports the folder around it
    assert set(imported) <= {"dpfair_cli.addons.receipts", "dpfair_cli.addons.referee"}


def test_without_registered_addons_a_command_says_what_to_do(monkeypatch):
    monkeypatch.setattr(entry_points, "find", lambda group: {})
    assert entry_points.INSTALL_AGAIN in mistake("receipt", "xian2024")
    assert entry_points.INSTALL_AGAIN in mistake("check", "--forensics", "xian2024")
    assert entry_points.INSTALL_AGAIN in mistake("audit", "some_module:function")


def test_a_report_without_registered_addons_is_refused(monkeypatch):
    from dpfair_cli.contracts.errors import DpfairError

    monkeypatch.setattr(entry_points, "find", lambda group: {})
    with pytest.raises(DpfairError, match="install dpfair again"):
        entry_points.load(entry_points.PAGES)
