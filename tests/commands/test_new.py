"""dpfair new paper: the made files work, in a new project and in an existing one."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
import yaml

from dpfair_cli import catalog, paths
from dpfair_cli.commands import main
from dpfair_cli.data_access import declared
from dpfair_cli.running import artefact_names, spec
from dpfair_cli.running.plan import identity
from dpfair_cli.running.rows import Row, line
from dpfair_cli.verdicts.paper import read_paper
from tests.commands.invoking import ROOT, mistake, works
from tests.diff.toy_project import git

FILES = {"table1.yaml", "published.csv", "claims.yaml", "deviations.yaml", "README.md"}


@pytest.fixture
def paper(place, monkeypatch):
    works("new", "paper", "smith2024")
    monkeypatch.chdir(place / "smith2024")
    return place / "smith2024" / "experiments" / "smith2024"


def test_a_new_paper_is_a_project_with_every_file_and_a_workflow(paper, place):
    assert {path.name for path in paper.iterdir()} == FILES
    workflow = (place / "smith2024" / ".github" / "workflows" / "reproduce.yml").read_text()
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert "with" not in yaml.safe_load(workflow)["jobs"]["check"]["steps"][-1]
    ready = yaml.safe_load(workflow.replace("# with:", "with:"))["jobs"]["check"]["steps"][-1]
    assert ready["with"] == {"install": "."}
    assert "install" in action["inputs"]


def test_what_is_made_anew_is_ignored_and_journals_and_specs_are_not(paper, place):
    project = place / "smith2024"
    git(project, "init", "-q")
    made = (
        "results/quick/smith2024/table1/runs.jsonl",
        "results/report-smith2024.html",
        "data/adult/adult.data",
        "results/smith2024/checkpoints/a.npz",
        "adult_methods.egg-info/PKG-INFO",
        "build/lib/a.py",
        ".venv/bin/python",
        "adult_methods/__pycache__/a.pyc",
    )
    kept = (
        "results/smith2024/table1/runs.jsonl",
        "results/smith2024/table1/check.md",
        "adult_methods/a.py",
    )
    for name in (*made, *kept):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).touch()
    found = set(git(project, "ls-files", "--others", "--exclude-standard").splitlines())
    own = {path.relative_to(project).as_posix() for path in paper.iterdir()}
    assert found == {*kept, *own, ".gitignore", ".github/workflows/reproduce.yml"}


@pytest.mark.usefixtures("paper")
def test_its_table_runs_on_a_replica_without_any_data():
    text = works("table", "smith2024/table1", "--quick", "--jobs", "1", "--out", "out").stdout
    assert "REPLICA" in text
    assert "majority class" in text


def test_its_published_number_and_its_claim_are_those_of_the_rows(paper):
    """The rows are written by hand: the majority class of Adult is 0.7522, as its description
    prints it.
    """
    found = spec.load("smith2024/table1")
    lines = []
    for run in found.runs():
        row = identity(run, declared(run.dataset, data_dir=Path()))
        scores = dict.fromkeys(catalog.study("classification").scores, 0.1)
        lines.append(
            line(Row.of({**row, "scores": scores | {"accuracy": 0.7522 + 0.001 * (run.seed % 2)}}))
        )
    folder = paths.folder("results") / "smith2024" / "table1"
    folder.mkdir(parents=True)
    (folder / "runs.jsonl").write_text("".join(lines))
    lines = works("check", "smith2024/table1", "-v").stdout.splitlines()
    assert lines[:3] == [
        "smith2024/table1: 1 number compared",
        "  reproduced         1  100 %",
        "claims and their parts: 1 holds",
    ]
    assert "smith2024-1-a: holds" in lines
    claims = read_paper(paper).claims
    assert all(part.claim.quote and part.claim.place for part in claims)


def test_in_a_project_it_is_one_more_paper(project):
    (project / ".gitignore").write_text("mine\n")
    works("new", "paper", "smith2024")
    assert (project / ".gitignore").read_text() == "mine\n"
    assert not (project / ".github").exists()
    assert {path.name for path in (project / "experiments" / "smith2024").iterdir()} == FILES
    assert not (project / "smith2024").exists()
    assert artefact_names.artefacts("smith2024") == ["smith2024/table1"]


def test_the_commands_of_its_readme_can_be_pasted(paper):
    (block,) = re.findall(r"```sh\n(.*?)```", (paper / "README.md").read_text(), flags=re.DOTALL)
    lines = [shlex.split(line, comments=True) for line in block.splitlines()]
    for program, name, *words in lines:
        context = click.Context(main)
        command = main.get_command(context, name)
        assert program == "dpfair"
        assert command.make_context(name, words, parent=context)
        assert all(
            "smith2024" in word or word in ("adult", "--all") or word[:2] == "--" for word in words
        )


def test_the_next_command_after_its_files_are_made_is_said(place):
    said = works("new", "paper", "smith2024").stderr.splitlines()
    assert said == [
        "next: cd smith2024",
        "      dpfair table smith2024/table1 --quick",
        f"      less {Path('experiments/smith2024/README.md')}",
    ]


@pytest.mark.usefixtures("paper")
def test_nothing_is_written_over():
    assert "exists already, so no file was written" in mistake("new", "paper", "smith2024")


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", ["Smith 2024", "../x", "", "2024"])
def test_what_is_no_name_is_refused(name):
    assert "the name of a paper must consist of" in mistake("new", "paper", name)
