"""The contents of the wheel, and dpfair from it in an empty folder, outside any checkout."""

from __future__ import annotations

import lzma
import os
import subprocess
import sys
import zipfile
from compileall import compile_dir
from pathlib import Path

import pytest

from tests.built_wheel import ROOT, build
from tests.made_once import made_once

SMALLEST = "mangold2023/theorem1"  # its data may not be shared: nobody has them at once
MEGABYTES = 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The wheel and `site`."""
    return made_once(tmp_path_factory, "wheel", lambda new: unpack(build(new)))


def unpack(wheel):
    """Unpacks a wheel into the folder `site` beside it, and compiles its modules."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(wheel.parent / "site")
    assert compile_dir(wheel.parent / "site", quiet=1)


@pytest.fixture(scope="module")
def wheel(folder):
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def unpacked(folder):
    """The folder that the wheel's files are in, as in site-packages."""
    return folder / "site"


@pytest.fixture
def dpfair(unpacked, tmp_path):
    """Run dpfair from the unpacked wheel in an empty folder, with an empty home folder."""
    (tmp_path / "here").mkdir()
    hidden = ("DPFAIR_DATA", "DPFAIR_MIRROR", "XDG_DATA_HOME")
    home = {"HOME": str(tmp_path / "home"), "PYTHONPATH": str(unpacked)}
    environment = {name: value for name, value in os.environ.items() if name not in hidden} | home

    def run(*arguments, **more):
        command = [sys.executable, "-m", "dpfair_cli", *arguments]
        options = {"cwd": tmp_path / "here", "env": environment | more}
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)

    return run


def test_the_wheel_has_every_spec_replica_and_journal_and_is_small(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        packed = archive.read(f"dpfair_cli/committed/results/{SMALLEST}/runs.jsonl.xz")
    for pattern in (
        "experiments/*/*.yaml",
        "experiments/*/published.csv",
    ):
        files = [path.relative_to(ROOT) for path in ROOT.glob(pattern)]
        assert files
        assert {f"dpfair_cli/committed/{file}" for file in files} <= names
    assert {
        f"dpfair_cli/committed/data/replicas/{path.stem}.bz2"
        for path in ROOT.glob("data/replicas/*.csv.gz")
    } <= names
    code = {
        f"dpfair_cli/committed/{file.relative_to(ROOT)}"
        for file in ROOT.glob("experiments/*/methods/*.py")
    }
    assert code <= names
    assert not [name for name in names if "tests" in name.split("/")]
    assert {"dpfair.py", "dpfair_cli/py.typed", "pytest_dpfair.py"} <= names
    assert not [name for name in names if name.startswith(("tests", "benchmarks"))]
    specs = [path.relative_to(ROOT / "experiments") for path in ROOT.glob("experiments/*/*.yaml")]
    journals = {f"results/{spec.with_suffix('')}/runs.jsonl" for spec in specs}
    assert {
        f"dpfair_cli/committed/{name}.xz" for name in journals if (ROOT / name).is_file()
    } <= names
    assert lzma.decompress(packed) == (ROOT / "results" / SMALLEST / "runs.jsonl").read_bytes()
    assert wheel.stat().st_size < MEGABYTES * 1e6


def test_a_method_of_a_paper_is_that_of_the_wheel(dpfair):
    run = dpfair("info", "fair_score_moves")
    assert run.returncode == 0, run.stderr
    assert "proved" in run.stdout


def test_a_committed_table_is_made_below_the_working_folder_without_data(dpfair, tmp_path):
    run = dpfair("table", SMALLEST)
    assert run.returncode == 0, run.stderr
    found = tmp_path / "here" / "results" / SMALLEST
    committed = ROOT / "results" / SMALLEST
    for name in ("runs.jsonl", "table.md", "table.csv", "check.md"):
        assert (found / name).read_bytes() == (committed / name).read_bytes()


def test_check_reads_the_committed_journals_and_writes_none(dpfair, tmp_path):
    run = dpfair("check", SMALLEST)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(f"{SMALLEST}: ")
    assert not list((tmp_path / "here").rglob("runs.jsonl"))


def test_a_receipt_of_the_package_needs_a_date_and_cites_the_paper(dpfair, tmp_path):
    assert "needs a date" in dpfair("receipt", SMALLEST, "--format", "ro-crate").stderr
    run = dpfair("receipt", SMALLEST, "--date", "2026-11-27", "--out", "receipt")
    assert run.returncode == 0, run.stderr
    folder = tmp_path / "here" / "receipt"
    assert (folder / "results" / SMALLEST / "runs.jsonl.xz").is_file()
    assert "Bounded Impact on Fairness" in (folder / "ro-crate-metadata.json").read_text()


def test_nothing_is_written_where_the_package_is(dpfair, unpacked):
    def files():
        return {
            path
            for path in unpacked.rglob("*")
            if path.suffix != ".pyc" and path.name != "__pycache__"
        }

    before = files()
    dpfair("table", SMALLEST)
    dpfair("reproduce", "ding2020/figure1", "--quick", "--jobs", "1")
    assert files() == before


def test_a_quick_run_takes_the_replicas_that_the_wheel_brings(dpfair, tmp_path):
    run = dpfair("reproduce", "ding2020/figure1", "--quick", "--jobs", "1")
    assert run.returncode == 0, run.stderr
    page = (
        tmp_path / "here" / "results" / "quick" / "ding2020" / "figure1" / "check.md"
    ).read_text(encoding="utf-8")
    assert "REPLICA" in page


def test_data_go_to_the_users_data_folder_unless_there_is_one_here(dpfair, tmp_path):
    def place(**environment):
        return (
            dpfair("table", "xu2021/table8.1", "--fresh", "--out", "new", **environment)
            .stderr.strip()
            .rpartition(" into ")[2]
        )

    assert Path(place()).is_relative_to(tmp_path / "home")
    assert Path(place(DPFAIR_DATA=str(tmp_path))) == tmp_path
    (tmp_path / "here" / "data").mkdir()
    assert Path(place()) == tmp_path / "here" / "data"


@pytest.mark.parametrize(
    "command", [("check", "--all"), ("reproduce", "--quick"), ("table", "*"), ("plot", "*")]
)
def test_a_project_without_artefacts_is_an_error_that_says_what_to_do(dpfair, tmp_path, command):
    file = tmp_path / "here" / "experiments" / "mine" / "config.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("learning_rate: 1\n")
    run = dpfair(*command)
    assert run.returncode != 0
    *started, line = run.stderr.splitlines()
    assert started in ([], [f"dpfair {command[0]}: loading"])
    why = (
        "mine/config.yaml is not a spec: its name must begin with table, figure, theorem or section"
    )
    assert line == f"Error: the folder {file.parents[1]} has no spec of a table or figure: {why}"


def test_a_folder_of_experiments_without_specs_is_no_project(dpfair, tmp_path):
    (tmp_path / "here" / "experiments" / "runs").mkdir(parents=True)
    assert dpfair("check", SMALLEST).returncode == 0
