"""A check for GitHub: the summary and the annotations are written first, the failure comes last."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from dpfair_cli.diff.rendering import _message, _property
from dpfair_cli.diff.runs import UNEXPLAINED
from tests.commands.invoking import ROOT, dpfair, works
from tests.diff.toy_project import HEADER, NAME, SPEC, rows, write_project

CHECK = ("check", NAME, "--against", "HEAD", "--format", "github")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())


@pytest.fixture
def repository(repository, monkeypatch):
    """The repository as the workspace of GitHub, with the file of its summary beside it."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(repository.parent / "summary.md"))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(repository))
    return repository


def summary(repository):
    return (repository.parent / "summary.md").read_text()


def commands(result):
    return [line for line in result.stdout.splitlines() if line.startswith("::")]


def test_what_did_not_change_passes_without_an_annotation(repository):
    assert commands(works(*CHECK)) == []
    text = summary(repository)
    assert text.startswith("# dpfair check: passed\n")
    assert "## Changed since HEAD: 0 of 1 artefacts" in text


def test_the_summary_has_both_values_verdicts_and_cause_of_a_changed_cell(
    repository,
):
    write_project(repository, rows(means={"FM": 0.75}))
    result = dpfair(*CHECK)
    assert result.exit_code == 1
    (line,) = [
        line
        for line in summary(repository).splitlines()
        if "adult, FM, epsilon 1, accuracy |" in line
    ]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells == [
        NAME,
        "adult, FM, epsilon 1, accuracy",
        "0.7000 ± 0.0100",
        "0.7500 ± 0.0100",
        "0.7",
        "undecided (needs seeds)",  # p is 0.037, and of two cells one differs: the level is 0.025
        "**differs**",
        UNEXPLAINED,
    ]
    assert summary(repository).startswith(
        "# dpfair check: failed\n\n- toy2020/table1: adult, FM, epsilon 1, accuracy: differs, "
        "not in deviations.yaml\n"
    )


def test_the_summary_of_two_published_numbers_fits_a_screen(repository):
    write_project(repository, rows(means={"FM": 0.75}))
    dpfair(*CHECK)
    lines = summary(repository).splitlines()
    assert len(lines) <= 35
    assert "| toy2020 | the paper's data | printed in the paper | 1 | 1 | 2 |" in lines
    assert "false matches" not in summary(repository)


def test_the_annotation_stands_at_the_line_of_published_csv(repository):
    write_project(repository, rows(means={"FM": 0.75}))
    (error,) = commands(dpfair(*CHECK))
    line = 1 + next(
        k
        for k, text in enumerate(Path("experiments/toy2020/published.csv").read_text().splitlines())
        if ",FM," in text
    )
    place = f"file=experiments/toy2020/published.csv,line={line},title=dpfair check::"
    assert error == (f"::error {place}toy2020/table1: adult, FM, epsilon 1, accuracy: differs: "
                     "ours 0.7500 ± 0.0100, published 0.7")  # fmt: skip


def test_of_many_differences_the_worst_ten_are_annotated(repository):
    epsilons = [float(k) for k in range(1, 15)]
    spec = SPEC | {
        "algorithms": [{"name": "functional_mechanism", "method": "FM", "epsilon": epsilons}]
    }
    published = [
        f"table1,adult,FM,{epsilon:g},accuracy,{0.6 - 0.01 * epsilon:g},0.001"
        for epsilon in epsilons
    ]
    write_project(repository, rows(spec), spec=spec, published=(HEADER, *published), claims=())
    found = commands(dpfair("check", NAME, "--format", "github"))
    assert [int(re.search(r"line=(\d+)", line)[1]) for line in found] == list(range(15, 5, -1))


def test_a_line_that_would_end_a_workflow_command_is_escaped():
    assert _message("50 %\nnext") == "50 %25%0Anext"
    assert _property("a:b,c") == "a%3Ab%2Cc"


def test_without_a_file_of_github_the_summary_is_printed(repository, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert "# dpfair check: passed" in works(*CHECK).stdout


def test_an_incomplete_artefact_is_in_the_summary_too(repository):
    write_project(repository, rows()[:-1])
    result = dpfair(*CHECK)
    assert result.exit_code == 2
    assert "toy2020/table1 is not complete" in summary(repository)


def run_action(repository, against):
    """The check of the composite action in a shell, as a runner would call it."""
    (script,) = [step["run"] for step in ACTION["runs"]["steps"] if step.get("name") == "check"]
    shim = repository.parent / "bin" / "dpfair"
    shim.parent.mkdir(exist_ok=True)
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dpfair_cli "$@"\n')
    shim.chmod(0o755)
    path = f"{shim.parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {
        "PATH": path,
        "PYTHONPATH": str(ROOT),
        "ARTEFACTS": "--all",
        "AGAINST": against,
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(
        command, cwd=repository, env=environment, capture_output=True, text=True, check=False
    )


def test_the_action_checks_against_a_commit_and_leaves_the_page(repository):
    write_project(repository, rows(means={"FM": 0.75}))
    found = run_action(repository, "HEAD")
    assert found.returncode == 1, found.stderr
    assert "::error file=experiments/toy2020/published.csv,line=3" in found.stdout
    assert "**differs**" in summary(repository)
    assert "adult, FM, epsilon 1" in (repository / "dpfair-diff.html").read_text()


def test_the_action_says_so_where_there_is_nothing_to_compare_with(repository):
    found = run_action(repository, "0" * 40)
    assert found.returncode == 0, found.stderr
    assert "::notice::nothing to compare with" in found.stdout


DPFAIR_INSTALLED = [
    "--no-deps --require-hashes -r ACTION/requirements/setup.txt",
    "--no-deps --no-build-isolation ACTION",
]


@pytest.mark.parametrize(
    ("install", "installed"),
    [
        ("", []),
        (".", ["-c ACTION/constraints.txt ."]),
        ("./methods ./data", ["-c ACTION/constraints.txt ./methods ./data"]),
    ],
)
def test_the_action_installs_dpfair_and_then_the_packages_that_it_is_given(
    install, installed, tmp_path
):
    (script,) = [step["run"] for step in ACTION["runs"]["steps"] if step.get("name") == "install"]
    (tmp_path / "python").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "python").chmod(0o755)
    environment = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PACKAGES": install,
                   "GITHUB_ACTION_PATH": "ACTION"}  # fmt: skip
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == [
        f"-m pip install --quiet {words}" for words in [*DPFAIR_INSTALLED, *installed]
    ]


def test_nothing_of_an_event_is_pasted_into_a_shell():
    """An expression in a script would run whatever a branch is called."""
    assert [step["run"] for step in ACTION["runs"]["steps"] if "${{" in step.get("run", "")] == []


def test_another_repository_needs_ten_lines():
    page = (ROOT / "docs" / "checking.md").read_text()
    (example,) = re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
    assert len(example.splitlines()) <= 10
    steps = yaml.safe_load(example)["jobs"]["check"]["steps"]
    (used,) = [step for step in steps if "dpfair" in step["uses"]]
    assert set(used.get("with", {})) <= set(ACTION["inputs"])
