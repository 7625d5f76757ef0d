"""What the command line says of itself, at once and without a scientific library."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest

from dpfair_cli.commands import COMMANDS
from tests.commands.invoking import NAMES, ROOT, mistake, works


@pytest.mark.parametrize("name", NAMES)
def test_every_command_explains_itself(name):
    result = works(name, "--help")
    assert result.stdout.startswith(f"Usage: dpfair {name} [OPTIONS]")
    assert result.stderr == ""
    summary = result.stdout.split("\n\n")[1].strip()
    assert summary[0].isupper()


def test_the_list_of_commands_is_the_folder_of_commands():
    files = {
        path.stem.replace("_", "-") for path in (ROOT / "dpfair_cli" / "commands").glob("[a-z]*.py")
    }
    assert set(COMMANDS) == files - {
        "entry-points",
        "input-validation",
        "making",
        "options",
        "own-data",
        "terminal",
    }
    text = works("--help").stdout
    assert all(
        f"  {name} " in text and COMMANDS[name] in " ".join(text.split()) for name in COMMANDS
    )


def test_help_loads_no_scientific_library():
    code = (
        "import sys\n"
        "from dpfair_cli.commands import main\n"
        f"for words in [[], *([name] for name in {NAMES})]: main([*words, '--help'], "
        "standalone_mode=False)\n"
        "print('loaded:', *sorted({'numpy', 'pandas', 'scipy', 'sklearn', 'matplotlib', "
        "'yaml'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "loaded:"


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert works("--version").stdout == f"dpfair {version('dpfair')}\n"


def test_a_misspelt_command_is_wrong_usage_and_the_nearest_is_proposed():
    assert "unknown command 'tabel': did you mean 'table'?" in mistake("tabel", code=2)


def test_the_installed_command_is_the_function_that_is_tested():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts == {"dpfair": "dpfair_cli.__main__:main"}
    run = subprocess.run(
        [sys.executable, "-m", "dpfair_cli", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == works("--version").stdout


@pytest.mark.parametrize("name", NAMES)
def test_no_help_has_a_mark_of_its_source_or_an_option_that_is_not_there(name):
    # in a sentence, or an example, whose lines a backslash continues
    others = rf"`dpfair[^`]*`|^ *dpfair (?!{name} )(?:.*\\\n)*.*$"
    text = re.sub(others, "", works(name, "--help").stdout, flags=re.MULTILINE)
    assert "\\b" not in text
    described = text.partition("Options:")[2]
    own = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", described, flags=re.MULTILINE))
    assert set(re.findall(r"--[a-z][\w-]+", text)) <= own


@pytest.mark.parametrize(("command", "kind"), [("table", "table"), ("plot", "figure")])
def test_what_is_to_be_named_has_an_example_of_its_kind(command, kind):
    example = re.search(r"such as (\S+), or give --all", mistake(command))[1]
    assert example.split("/")[1].startswith(kind)
