"""A side of a comparison: a commit, a folder, a journal; the working tree stays as it is."""

from pathlib import Path

import pytest

from tests.commands.invoking import mistake, snapshot, works
from tests.diff.toy_project import NAME, commit, git, rows, write_project

CELL = "adult, LR, epsilon 1, accuracy: 0.8000 ± 0.0100 -> 0.8500 ± 0.0100"
JOURNAL = f"results/{NAME}/runs.jsonl"


@pytest.fixture
def repository(repository):
    """The repository with a second commit of other rows, and something in the working tree that is
    in none.
    """
    write_project(repository, rows(means={"LR": 0.85}))
    commit(repository, "two")
    (repository / "notes.txt").write_text("not committed")
    return repository


def test_two_commits_are_compared_and_nothing_is_checked_out(repository):
    before = snapshot(repository)
    assert CELL in works("diff", "HEAD~1", "HEAD").stdout
    assert snapshot(repository) == before
    assert git(repository, "status", "--porcelain") == "?? notes.txt"


def test_a_commit_is_compared_with_the_working_folder(repository):
    assert "none of 1 artefact changed" in works("diff", "HEAD").stdout
    write_project(repository, rows(means={"LR": 0.9}))
    text = works("diff", "HEAD").stdout
    assert text.startswith("HEAD -> working folder: 1 of 1 artefact changed")
    assert "0.8500 ± 0.0100 -> 0.9000 ± 0.0100" in text


def test_a_project_in_a_folder_of_the_repository_is_read_there(repository, monkeypatch):
    inner = repository / "inner"
    write_project(inner, rows())
    commit(repository, "three")
    write_project(inner, rows(means={"LR": 0.85}))
    monkeypatch.chdir(inner)
    assert CELL in works("diff", "HEAD").stdout


@pytest.mark.usefixtures("repository")
def test_journals_and_folders_are_compared_too(tmp_path):
    other = write_project(tmp_path / "other", rows())
    for one, two in (
        (other / JOURNAL, JOURNAL),
        (other / "results", "results"),
        (other, "."),
        ((other / JOURNAL).parent, Path(JOURNAL).parent),
        (other / JOURNAL, "HEAD"),
    ):
        assert CELL in works("diff", one, two).stdout


@pytest.mark.usefixtures("repository")
def test_what_is_neither_a_commit_nor_a_folder_nor_a_journal_is_one_line(tmp_path):
    assert (
        mistake("diff", "v1")
        == "'v1' is neither an existing folder or file nor a commit of this repository"
    )
    assert (
        mistake("diff", "--", "--output=x")
        == "'--output=x' is neither an existing folder or file nor a commit of this repository"
    )
    (tmp_path / "empty").mkdir()
    assert "contains no journal" in mistake("diff", tmp_path / "empty")
    other = write_project(tmp_path / "x" / "y", rows())
    assert ("has no journal of the artefact y/table2") in mistake(
        "diff", _moved(other, "y/table2"), "HEAD"
    )


def _moved(project, artefact):
    place = project / artefact
    place.mkdir(parents=True)
    (project / JOURNAL).rename(place / "runs.jsonl")
    return place / "runs.jsonl"


@pytest.mark.usefixtures("repository")
def test_a_journal_that_is_broken_is_one_line():
    Path(JOURNAL).write_text('{"scores": {}}\nnothing\n')
    assert mistake("diff", "HEAD") == (
        "toy2020/table1/runs.jsonl: line 2 is not a valid run: restore the file or delete the line"
    )


@pytest.mark.usefixtures("repository")
def test_a_paper_can_be_named_and_the_page_is_written():
    assert "none of 0 artefacts changed" in works("diff", "HEAD~1", "HEAD", "other2020").stdout
    assert CELL in works("diff", "HEAD~1", "HEAD", "toy2020", "--html", "d.html").stdout
    assert "adult, LR, epsilon 1, accuracy" in Path("d.html").read_text()


def test_a_sweep_of_this_machine_is_left_out(repository):
    sweep = repository / "results" / "sweeps" / "adult-pflr-0123ab"
    sweep.mkdir(parents=True)
    (sweep / "runs.jsonl").write_text((repository / JOURNAL).read_text())
    assert works("diff", "HEAD").stdout == "HEAD -> working folder: none of 1 artefact changed\n"


def test_what_a_shallow_clone_lacks_is_said(repository, tmp_path, monkeypatch):
    git(tmp_path, "clone", "-q", "--depth", "1", repository.as_uri(), "shallow")
    monkeypatch.chdir(tmp_path / "shallow")
    before = git(repository, "rev-parse", "HEAD~1")
    assert mistake("diff", before).endswith(
        "a shallow clone that lacks older ones: run `git fetch --unshallow`"
    )


def test_new_artefacts_are_one_line_and_changed_verdicts_come_first(repository):
    moved = repository / "results" / "toy2020" / "atable"
    for name in ("atable", "table0"):
        place = repository / "results" / "toy2020" / name
        place.mkdir()
        (place / "runs.jsonl").write_text((repository / JOURNAL).read_text())
    assert moved.is_dir()
    write_project(repository, rows(means={"LR": 0.9}))
    text = works("diff", "HEAD", "--html", "d.html").stdout
    first, new, empty, changed, *_ = text.splitlines()
    assert first == "HEAD -> working folder: 3 of 3 artefacts changed"
    assert new == "new, on one side only: toy2020/atable, toy2020/table0"
    assert (empty, changed.split(":")[0]) == ("", "toy2020/table1")
    page = Path("d.html").read_text()
    assert page.count('<section class="artefact"') == 1
    assert "New, on one side only: toy2020/atable, toy2020/table0." in page
