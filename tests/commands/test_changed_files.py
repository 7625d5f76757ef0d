"""A changed file gives new output, also a file behind a link and in the same process."""

from __future__ import annotations

import os
import shutil
from importlib import invalidate_caches
from pathlib import Path

import pytest
import yaml

from dpfair_cli import catalog
from tests.commands.invoking import ROOT, dpfair, mistake, works
from tests.commands.material import PUBLIC, swept
from tests.diff.toy_project import HOLDS, NAME, rows, write_project

PAPER, RESULTS = Path("experiments/toy2020"), Path("results/toy2020")
PICTURED = "ghoukasian2024/table1"  # a table with pictures
OPTIONS = ("--method", "functional_mechanism", "--eps", "1,10", "--runs", "1", "--jobs", "1")
OPTIONS = (*OPTIONS, "--out", "out")
SWEEP = ("sweep", "adult", *OPTIONS)
OWN = ("sweep", "own.csv", *PUBLIC, *OPTIONS)
CHANGES = {  # file of the paper -> its change, and what a check then prints
    "published.csv": ("LR,1,accuracy,0.8", "LR,1,accuracy,0.6", "differs"),
    "claims.yaml": ("'>'", "<", "not in deviations.yaml: better: fails"),
    "deviations.yaml": ("[]", "[{artefact: table1, kind: open, cause: '?'}]", "not needed in"),
    "table1.yaml": ("seeds: 3", "seeds: 4", "not complete"),
}


@pytest.fixture
def paper(place):
    """A project whose journal is complete and agrees with what was published."""
    return write_project(place, rows())


@pytest.fixture(params=["folders", "links"])
def checked(paper, request):
    """That project after a check; its folders may be links to folders elsewhere."""
    for folder in (PAPER, RESULTS) if request.param == "links" else ():
        folder.rename(paper / f"{folder.parent.name} elsewhere")
        folder.symlink_to(paper / f"{folder.parent.name} elsewhere", target_is_directory=True)
    assert "passes" in works("check", NAME).stdout


@pytest.mark.usefixtures("checked")
@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_file_of_the_paper_is_noticed(name):
    old, new, told = CHANGES[name]
    text = (PAPER / name).read_text()
    assert old in text
    (PAPER / name).write_text(text.replace(old, new))
    assert told in dpfair("check", NAME).output


@pytest.mark.usefixtures("checked")
def test_a_changed_journal_is_noticed_although_its_size_and_time_are_the_same():
    file = RESULTS / "table1" / "runs.jsonl"
    before = file.stat()
    file.write_bytes(file.read_bytes().replace(b"0.8", b"0.9", 1))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert f"{NAME}/runs.jsonl: line 8 was changed" in dpfair("check", NAME).stdout


@pytest.mark.usefixtures("paper")
def test_a_missing_page_is_noticed():
    works("reproduce", NAME, "--collect")
    assert "check.md" in works("check", NAME).stdout
    assert "not up to date" not in works("check", NAME).stdout
    next(RESULTS.rglob("check.md")).unlink()
    assert "check.md, not up to date" in works("check", NAME).stdout


@pytest.mark.usefixtures("paper")
def test_a_link_to_a_missing_file_is_no_file_of_a_paper():
    (PAPER / ".#table1.yaml").symlink_to("nowhere")  # the lock of an editor
    assert "passes" in works("check", NAME).stdout


@pytest.mark.usefixtures("paper")
def test_the_exit_code_is_that_of_the_verdicts():
    command = ("reproduce", NAME, "--collect")
    assert dpfair(*command).exit_code == 0
    wrong = [{"id": "c", "quote": "...", "place": "p. 1", "artefact": "table1"}]
    wrong[0]["holds"] = [HOLDS | {"compare": ["FM", ">", "LR"]}]
    (PAPER / "claims.yaml").write_text(yaml.safe_dump(wrong))
    assert [dpfair(*command).exit_code for _ in range(2)] == [1, 1]


@pytest.mark.parametrize("name", ["table.md", "difference.png", "check.md"])
def test_a_changed_or_deleted_file_of_the_results_is_made_again(place, name):
    for kind in ("experiments", "results"):
        folder = Path(kind, PICTURED.partition("/")[0])
        shutil.copytree(ROOT / folder, place / folder)
    file = Path("results", PICTURED, name)
    file.unlink()  # the committed picture is drawn, and those of these tests are blank
    dpfair("table", PICTURED)
    content = file.read_bytes()
    if file.suffix == ".md":
        file.write_bytes(content + b" ")
        dpfair("table", PICTURED)
        assert file.read_bytes() == content
    file.unlink()
    dpfair("table", PICTURED)
    assert file.read_bytes() == content


@pytest.mark.usefixtures("own")
def test_a_deleted_file_of_the_sweep_is_made_again():
    printed = works(*OWN).stdout
    contents = {file.name: file.read_bytes() for file in swept().iterdir()}
    assert contents.keys() >= {"runs.jsonl", "table.md", "figure.csv", "figure.png", "check.md"}
    for name, content in contents.items():
        (swept() / name).unlink()
        assert works(*OWN).stdout == printed
        assert (swept() / name).read_bytes() == content


@pytest.mark.usefixtures("own")
def test_a_changed_file_of_the_sweep_is_noticed():
    works(*OWN)
    file = swept() / "table.csv"
    content = file.read_bytes()
    file.write_bytes(content + b" ")
    works(*OWN)
    assert file.read_bytes() == content


def test_data_that_are_there_now_replace_the_replica(place):
    assert "REPLICA" in works(*SWEEP).stdout
    data = place / "checkout" / "data"
    data.unlink()
    for name in ("adult.data", "adult.test"):
        file = data / "adult" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("not the file of UCI\n")
    assert "REPLICA" not in dpfair(*SWEEP).output


def test_a_changed_replica_is_noticed(place):
    data = place / "checkout" / "data"
    data.unlink()
    shutil.copytree(ROOT / "data" / "replicas", data / "replicas")
    works(*SWEEP)
    file = data / "replicas" / "adult.csv.gz"
    file.write_bytes(file.read_bytes()[:-9])
    assert mistake(*SWEEP)


def test_a_library_that_is_uninstalled_is_noticed(own, monkeypatch):
    library = own / "libraries" / "toy_library.py"
    library.parent.mkdir()
    library.touch()
    monkeypatch.syspath_prepend(library.parent)
    monkeypatch.setitem(vars(catalog.algorithm("functional_mechanism")), "needs", library.stem)
    works(*OWN)
    library.unlink()
    invalidate_caches()
    assert "toy_library" in dpfair(*OWN).stderr
