"""The code of a paper is that of the installed package, and never that of the working folder."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dpfair_cli import papers, paths
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.running.artefact_names import artefacts, artefacts_named
from tests.commands.invoking import process, works

EVIL = "raise SystemExit('code of the working folder was run')\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose paper x has a method `evil`, and a paper of dpfair with the same method."""
    spec = papers.FOLDER / "ghoukasian2024" / "table1.yaml"
    for paper, name in (("x", "evil"), ("ghoukasian2024", "dpsgd_with_flips")):
        folder = tmp_path / "experiments" / paper / "methods"
        folder.mkdir(parents=True)
        (folder / f"{name}.py").write_text(EVIL)
        shutil.copy(spec, folder.parent)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("project")
def test_a_method_in_the_working_folder_is_not_imported():
    ended = process("info", "evil")
    assert "unknown" in ended.stderr
    assert "working folder was run" not in ended.stderr + ended.stdout
    assert "evil" not in process("info", "methods").stdout


@pytest.mark.usefixtures("project")
def test_a_method_of_a_paper_is_that_of_dpfair_in_any_working_folder():
    ended = process("info", "dpsgd_with_flips")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "proved" in ended.stdout


def test_names_are_listed_without_importing_a_paper():
    code = (
        "import sys; from dpfair_cli import catalog; print(catalog.algorithms.names); "
        "print([name for name in sys.modules if name.startswith('dpfair_cli.papers.')])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, imported = ended.stdout.splitlines()
    assert "dpsgd_with_flips" in names
    assert imported == "[]"


@pytest.mark.usefixtures("project")
def test_a_project_finds_the_papers_of_dpfair_by_name_and_does_not_list_them():
    (listed,) = artefacts_named(["ghoukasian2024"])  # the paper of the project has one spec
    assert listed == "ghoukasian2024/table1"
    assert {name.split("/")[0] for name in artefacts()} == {"x", "ghoukasian2024"}
    assert "mangold2023/theorem1" in artefacts("mangold2023")
    with pytest.raises(DpfairError, match="did you mean 'mangold2023/theorem1'"):
        artefacts_named(["mangold2023/theorm1"])


@pytest.mark.usefixtures("project")
def test_a_table_of_dpfair_is_made_in_the_results_of_a_project():
    works("table", "mangold2023/theorem1")
    committed = paths.shipped("results") / "mangold2023" / "theorem1"
    for name in ("runs.jsonl", "table.md", "table.csv", "check.md"):
        found = Path("results", "mangold2023", "theorem1", name)
        assert found.read_bytes() == (committed / name).read_bytes()


@pytest.mark.usefixtures("project")
def test_a_paper_of_dpfair_is_checked_in_a_project_by_its_committed_runs():
    works("check", "mangold2023/theorem1")
    assert not Path("results").exists()
