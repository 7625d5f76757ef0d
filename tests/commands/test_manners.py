"""What every command can be told: to say less or more, to print JSON, to complete names, to fit a
terminal.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpfair_cli import catalog
from dpfair_cli.commands import making, terminal
from dpfair_cli.commands.terminal import echo_json
from dpfair_cli.contracts.specs import Table
from dpfair_cli.reporting import text_writer
from dpfair_cli.running import artefact_names
from tests.commands.invoking import NAMES, dpfair, mistake, works
from tests.commands.material import COLUMNS, COMMON, ONE, PUBLIC, people, write

NUMBERS = pd.DataFrame(
    {"method": ["pflr"], "epsilon": [1.0], "accuracy_mean": [0.7], "rd_mean": [0.1]}
)
SHOWN = pd.DataFrame(
    {
        "method": ["pflr"],
        "epsilon": ["1"],
        "accuracy": ["0.7000 ± 0.1"],
        "RD": ["0.1000 ± 0.1"],
        "privacy": ["proved"],
    }
)
WIDE = Table("t", (), NUMBERS, SHOWN)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_can_say_less_and_more(name):
    text = works(name, "--help").stdout
    assert "-q, --quiet" in text
    assert "-v, --verbose" in text


@pytest.mark.usefixtures("own")
def test_quiet_leaves_results_and_errors():
    loud, quiet = works(*ONE), works(*ONE, "-q")
    assert (quiet.stdout, quiet.stderr) == (loud.stdout, "")
    assert loud.stderr
    wrong = dpfair("train", "own.csv", *COLUMNS, "--method", "pflrr", "-q")
    assert wrong.stderr.splitlines() == ["Error: unknown method 'pflrr': did you mean 'pflr'?"]


def test_verbose_says_where_an_error_comes_from():
    assert "Traceback" not in dpfair("info", "pflrr").stderr
    assert "Traceback" in dpfair("info", "pflrr", "-v").stderr


@pytest.mark.usefixtures("project")
def test_verbose_prints_every_run_of_the_plan_of_several_artefacts():
    lines = works("reproduce", "--dry-run", "-v", *COMMON).stdout.splitlines()
    assert len(lines) == 2 * 9


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "topic",
    [
        "",
        "datasets",
        "methods",
        "tasks",
        "privacy",
        "artefacts",
        "arithmetic",
        "pflr",
        "adult",
        "classification",
    ],
)
def test_every_list_is_there_as_json(topic):
    found = json.loads(works("info", *filter(None, [topic]), "--json").stdout)
    if topic == "methods":
        assert sorted(line["method"] for line in found["methods"]) == list(catalog.algorithms.names)
    assert found


@pytest.mark.usefixtures("own")
def test_the_list_of_files_is_there_as_json():
    found = {line["name"]: line for line in json.loads(works("fetch-data", "--json").stdout)}
    assert list(found) == list(catalog.data_sources.names)
    assert found["adult"]["rows"] == 45_222
    assert found["csv"]["bytes"] is None


@pytest.mark.usefixtures("own")
def test_a_draft_is_there_as_json_and_written_all_the_same():
    lines = [
        [*line[:3], line[3].upper() if k % 9 == 0 else line[3], f"id{k}"]
        for k, line in enumerate(people())
    ]
    write("odd.csv", lines, ("age", "work", "sex", "rich", "name"))
    found = json.loads(works("domain", "odd.csv", "--protected", "sex", "--json").stdout)
    assert (found["rows"], found["form"]["separator"]) == (60, ",")
    kinds = {column["name"]: column["kind"] for column in found["columns"]}
    assert kinds["sex"] == {"levels": ["f", "m"]}
    assert kinds["age"]["low"] == min(int(line[0]) for line in lines)
    assert kinds["name"] is None
    assert [question.split()[0] for question in found["questions"]] == ["rich", "rich"]
    assert Path("odd.yaml").is_file()


@pytest.mark.usefixtures("own")
def test_what_an_audit_found_is_there_as_json():
    found = json.loads(works("audit", "output_perturbation", "--neighbours", "3", "--json").stdout)
    assert found["pairs"] == 3
    assert (found["claimed"], found["holds"], found["problems"]) == (1.0, True, [])
    assert 0 < found["accounted"] <= 1 + 1e-9
    assert found["unchecked"]


@pytest.mark.usefixtures("project")
def test_what_would_run_is_there_as_json():
    one, other = json.loads(works("reproduce", "--dry-run", "--json", *COMMON).stdout)
    assert [one["artefact"], other["artefact"]] == ["toy2020/figure2", "toy2020/table1"]
    assert len(one["runs"]) == 9
    assert {run["missing because"] for run in one["runs"]} == {"not run yet"}
    assert {run["params"].get("epsilon") for run in one["runs"]} == {1.0, 10.0, None}
    assert "--json can only be given together with --dry-run" in mistake(
        "reproduce", "toy2020/table1", "--json", *COMMON
    )
    table = json.loads(works("table", "toy2020/table1", "--json", *COMMON).stdout)
    assert len(table["toy2020/table1"]["lines"]) > 1


def test_json_has_no_word_for_what_is_not_known_or_has_no_end(capsys):
    echo_json(
        {
            "a": np.float64("nan"),
            "b": (np.int64(2), float("inf")),
            Path("c"): {"x"},
            "d": True,
            "e": None,
        }
    )
    assert json.loads(capsys.readouterr().out) == {
        "a": None,
        "b": [2, "inf"],
        "c": ["x"],
        "d": True,
        "e": None,
    }


def completed(words, position):
    """What a shell is offered for the word at a position."""
    shell = {"_DPFAIR_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(position)}
    code = "from dpfair_cli.commands import main; main(prog_name='dpfair')"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | shell,
    )
    return {line.partition(",")[2] for line in run.stdout.splitlines()}


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("dpfair re", {"reproduce"}),
        ("dpfair sweep adult --method pflr", {"pflr", "pflr_star"}),
        ("dpfair train adult_b", {"adult_balanced", "adult_binary", "adult_binary_once"}),
        ("dpfair table xu2021/table8", {"xu2021/table8.1", "xu2021/table8.2"}),
        ("dpfair info arit", {"arithmetic"}),
        ("dpfair info classi", {"classification"}),
    ],
)
def test_a_shell_completes_names(words, wanted):
    known = {
        *NAMES,
        *catalog.algorithms.names,
        *catalog.data_sources.names,
        *catalog.studies.names,
        *artefact_names.artefacts(),
    }
    *_, begun = words.split()
    found = completed(words, len(words.split()) - 1)
    assert wanted <= found <= {*known, "arithmetic"}
    assert all(name.startswith(begun) for name in found)


def test_a_table_that_is_too_wide_goes_on_below_behind_its_keys():
    assert (
        text_writer.table(WIDE).splitlines()[2]
        == "method  epsilon  accuracy      RD            privacy"
    )
    assert text_writer.table(WIDE, width=80) == text_writer.table(WIDE)
    narrow = text_writer.table(WIDE, width=32).splitlines()
    assert max(map(len, narrow)) <= 32
    assert [line for line in narrow if line.startswith("method")] == [
        "method  epsilon  accuracy",
        "method  epsilon  RD",
        "method  epsilon  privacy",
    ]
    assert sum(line.startswith("pflr    1") for line in narrow) == 3


def test_a_column_wider_than_the_terminal_is_not_cut():
    assert "0.7000 ± 0.1" in text_writer.table(WIDE, width=5)


def test_verdicts_are_coloured_whole():
    text = "a  reproduced  b  differs (hypothesis)  undecided"
    assert terminal.coloured(text) == (
        "a  \x1b[32mreproduced\x1b[0m  b  \x1b[31mdiffers (hypothesis)\x1b[0m  "
        "\x1b[33mundecided\x1b[0m"
    )


@pytest.mark.parametrize(("chosen", "coloured"), [("", True), ("1", False)])
def test_no_color_is_heeded_in_a_terminal(monkeypatch, capsys, chosen, coloured):
    monkeypatch.setenv("NO_COLOR", chosen)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    table = Table("reproduced", (), NUMBERS, SHOWN)
    printed = []
    monkeypatch.setattr(terminal.click, "echo", printed.append)
    terminal.echo_table(table)
    assert ("\x1b[" in printed[0]) == coloured


@pytest.mark.usefixtures("own")
def test_while_no_run_ends_the_running_methods_are_named(monkeypatch):
    monkeypatch.setattr(making, "SLOW_SECONDS", 0)
    methods = "(pflr, logistic_regression, majority_class)"
    words = (
        f"no run has ended in 0 seconds: `dpfair info METHOD` says what makes a fit long {methods}"
    )
    assert words in works(*ONE, "--method", "pflr").stderr
    train = ("train", "own.csv", *PUBLIC, "--method", "pflr")
    assert "what makes a fit long (pflr)" in works(*train).stderr
    monkeypatch.setattr(making, "SLOW_SECONDS", 10**6)
    assert (
        "no run has ended" not in works(*ONE, "--method", "pflr_star").stderr + works(*train).stderr
    )


FIRST_WORDS = """
import sys
import click
before = set(sys.modules)

def echo(words=None, **how):
    print(words, "numpy" in sys.modules, "pandas" in sys.modules, "matplotlib" in sys.modules)
    raise SystemExit

click.echo = echo
from dpfair_cli.commands import main
main()
"""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sweep", "adult"], "sweep of adult: loading False False False"),
        (["table", "xu2021/table8.1"], "dpfair table: loading False False False"),
        (["plot", "xu2021/figure8.1"], "dpfair plot: loading False False False"),
        (["reproduce", "--collect"], "dpfair reproduce: loading False False False"),
        (["check", "--all"], "dpfair check: loading False False False"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_says_that_it_starts_before_large_libraries_are_loaded(arguments, words):
    command = [sys.executable, "-c", FIRST_WORDS, *arguments]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.stdout.strip() == words, said.stderr
