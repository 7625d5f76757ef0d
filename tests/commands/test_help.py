"""What the command line says of itself, at once and without a scientific library."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from dpfair_cli.commands import ADDED, COMMANDS, GROUPS, train
from tests.commands.invoking import NAMES, ROOT, mistake, works

FORENSICS = ["check", "--forensics"]
SECOND = "--set epsilon would be a second value: give epsilon by --eps alone"


@pytest.mark.parametrize("name", NAMES)
def test_every_command_explains_itself(name):
    result = works(name, "--help")
    assert result.stdout.startswith(f"Usage: dpfair {name} [OPTIONS]")
    assert result.stderr == ""
    summary = result.stdout.split("\n\n")[1].strip()
    assert summary[0].isupper()


def helps():
    """The words that ask for each help: of commands, of those below them, and of add-ons."""
    return [*([name] for name in NAMES), ["new", "paper"], ["new", "schemas"], FORENSICS]


@pytest.mark.parametrize("words", helps(), ids=" ".join)
def test_every_help_has_an_example_and_fits_80_columns(words):
    text = works(*words, "--help").stdout
    name = " ".join(words[:1] if words == FORENSICS else words)
    assert f"\n  dpfair {name} " in text.replace("schemas\n", "schemas \n")
    assert max(map(len, text.splitlines())) <= 80


def test_commands_stand_below_headings_in_one_line_each():
    text = works("--help").stdout
    below = dict(re.findall(r"^([A-Z][a-z ]+):\n((?:  .+\n)+)", text, re.MULTILINE))
    assert list(below) == [*GROUPS, ADDED, "Options"]
    for heading, commands in GROUPS.items():
        lines = below[heading].splitlines()
        assert [line.split(None, 1) for line in lines] == [[*one] for one in commands.items()]
    assert [line.split()[0] for line in below[ADDED].splitlines()] == [
        "receipt",
        "referee",
        "verify",
    ]


def test_help_of_a_command_may_be_asked_for_in_both_orders():
    assert works("help", "train").stdout == works("train", "--help").stdout
    assert works("help", "new", "paper").stdout == works("new", "paper", "--help").stdout
    assert works("help").stdout == works("--help").stdout
    assert "unknown command 'trian': did you mean 'train'?" in mistake("help", "trian")


def test_epsilon_has_two_names_wherever_it_is_an_option():
    found = {name for name in NAMES if "--eps, --epsilon" in works(name, "--help").stdout}
    assert found == {"sweep", "train", "choose", "audit", "budget", "explain"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train adult --method pflr --method lr", "--method is given 2 times: give it once"),
        ("sweep adult --eps 1 --epsilon 2", "--eps is given 2 times: give it once"),
        (
            "train adult --method pflr --set a=1 --set a=2",
            "a is given twice by --set: give it once",
        ),
        ("train adult --method pflr --eps 1 --set epsilon=3", SECOND),
        ("audit pflr --set epsilon=3", SECOND),
        ("sweep adult --set epsilon=3", SECOND),
    ],
)
def test_a_parameter_has_one_value(words, message):
    assert message in mistake(*words.split())


def test_a_parameter_with_an_option_may_be_set_if_the_option_is_not_given():
    with click.Context(train.command) as context:
        context.params = {"epsilon": None}
        assert train.options.parse_settings(["epsilon=3"]) == {"epsilon": 3}


def test_the_list_of_commands_is_the_folder_of_commands():
    files = {
        path.stem.replace("_", "-") for path in (ROOT / "dpfair_cli" / "commands").glob("[a-z]*.py")
    }
    assert set(COMMANDS) == files - {
        "entry-points",
        "group-table",
        "input-validation",
        "making",
        "options",
        "overview",
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


def test_nothing_that_is_far_is_proposed():
    assert "unknown command 'mistake': there are: " in mistake("mistake", code=2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_remarks_that_cannot_be_written_end_no_command(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    with Path("/dev/full").open("w") as full, os.fdopen(writing, "w") as closed:
        for nowhere in (full, closed):
            command = [sys.executable, "-m", "dpfair_cli", "new", "paper", "smith2024"]
            place = tmp_path / str(nowhere.fileno())
            place.mkdir()
            run = subprocess.run(
                command,
                stdout=subprocess.PIPE,
                stderr=nowhere,
                text=True,
                check=False,
                cwd=place,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
            )
            assert run.returncode == 0
            assert "smith2024/experiments/smith2024/table1.yaml" in run.stdout
            run = subprocess.run(
                [*command[:3], "mistake"],
                stderr=nowhere,
                check=False,
                cwd=place,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
            )
            assert run.returncode == 2  # the code of the mistake, and not that of the stream


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
    own |= {"--epsilon"} if "--eps" in own else set()
    assert set(re.findall(r"--[a-z][\w-]+", text)) <= own


@pytest.mark.parametrize(("command", "kind"), [("table", "table"), ("plot", "figure")])
def test_what_is_to_be_named_has_an_example_of_its_kind(command, kind):
    example = re.search(r"such as (\S+), or all", mistake(command))[1]
    assert example.split("/")[1].startswith(kind)
